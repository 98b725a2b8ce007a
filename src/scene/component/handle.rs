//! An actuator with everything that it works on, between two steps.

use bevy::prelude::*;
use swarmarium_base::id::StableId;

use swarmarium_core::actuator::{ActuatorFamily, ActuatorKinds, Memory, Robot, StreamNoise};
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::agent::{Pose, Row};
use swarmarium_core::controller::external::{External, Orders, period_s};
use swarmarium_core::gripper::Gripper;
use swarmarium_core::kind::Slot;
use swarmarium_core::sensor::Sensors;
use swarmarium_core::service::{Fields, ServiceError, Value};
use swarmarium_core::step::HasArena as _;

/// An actuator of a robot.
pub struct Handle<'w> {
    world: &'w World,
    agent: Entity,
    slot: usize,
    actuator: &'w Slot<ActuatorFamily>,
    robot: Robot<'w>,
    owner: StableId,
}

impl<'w> Handle<'w> {
    /// The actuator in a slot of a robot.
    pub fn of(world: &'w World, agent: Entity, slot: u16) -> Option<Self> {
        let slot = usize::from(slot);
        let actuator = world.get::<External>(agent)?.actuators.get(slot)?;
        let (pose, row, owner) = (*world.get::<Pose>(agent)?, world.get::<Row>(agent)?, *world.get::<StableId>(agent)?);
        let (space, row) = (&world.arena().space, row.0 as usize);
        let gripper = world.get::<Gripper>(agent);
        let robot = Robot {
            pose,
            attitude: world.get::<Attitude>(agent).copied().unwrap_or_default(),
            period_s: period_s(actuator, world.arena().time.dt_s),
            space,
            row,
            graspable: gripper.and_then(|gripper| gripper.in_reach(space, row)).map(|(place, _)| place),
        };
        Some(Self { world, agent, slot, actuator, robot, owner })
    }

    /// A copy of its memory.
    pub fn memory(&self) -> Memory {
        let orders = self.world.get::<Orders>(self.agent);
        let mut memory = orders.and_then(|orders| orders.actuator(self.slot)).cloned().unwrap_or_default();
        self.kinds().ready(self.actuator, &self.robot, &mut memory);
        memory
    }

    /// Calls a service of the actuator with a copy of its memory.
    ///
    /// # Errors
    /// If the service fails.
    pub fn call(&self, memory: &mut Memory, service: &str, arguments: &[Value]) -> Result<Value, ServiceError> {
        self.kinds().call(self.actuator, &self.robot, memory, (service, arguments))
    }

    /// Passes a message of the stream to the actuator with a copy of its memory.
    ///
    /// # Errors
    /// If a field is not valid.
    pub fn feed(&self, memory: &mut Memory, fields: &Fields) -> Result<(), ServiceError> {
        let (seed, step) = (self.world.arena().seed, self.world.arena().time.step);
        // Each actuator of a robot has its own random numbers.
        let owner = self.owner.sensor(self.slot as u16);
        let noise = StreamNoise { kinds: self.world.resource(), owner, now: (seed, step) };
        self.kinds().feed(self.actuator, &self.robot, memory, fields, noise)
    }

    /// The actuator.
    pub fn actuator(&self) -> &Slot<ActuatorFamily> {
        self.actuator
    }

    fn kinds(&self) -> &ActuatorKinds {
        self.world.resource()
    }
}

/// The sensor in a slot of a robot.
pub fn sensor(world: &World, agent: Entity, slot: u16) -> Option<Entity> {
    world.get::<Sensors>(agent)?.slots().get(usize::from(slot)).copied()
}
