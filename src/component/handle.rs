//! An actuator with all that it works on, as it is between two steps.

use bevy::prelude::*;

use crate::actuator::{ActuatorFamily, Actuators, INTERRUPT, Memory, Robot};
use crate::agent::attitude::Attitude;
use crate::agent::{Command, Pose, Row};
use crate::controller::external::{External, Orders, period_s};
use crate::edit::Edit;
use crate::id::StableId;
use crate::kind::Open;
use crate::noise::Links;
use crate::problem::Problem;
use crate::random::Seed;
use crate::sensor::{self, Sensors};
use crate::service::{ComponentId, Fields, Part, Value};
use crate::step::CurrentSpace;
use crate::time::SimTime;

/// An actuator of a robot.
pub(crate) struct Handle<'w> {
    world: &'w World,
    agent: Entity,
    slot: usize,
    actuator: &'w Open<ActuatorFamily>,
    robot: Robot<'w>,
    owner: StableId,
}

impl<'w> Handle<'w> {
    /// The actuator in a slot of a robot.
    pub fn of(world: &'w World, agent: Entity, slot: u16) -> Option<Self> {
        let slot = usize::from(slot);
        let actuator = world.get::<External>(agent)?.actuators.get(slot)?;
        let (pose, row, owner) = (*world.get::<Pose>(agent)?, world.get::<Row>(agent)?, *world.get::<StableId>(agent)?);
        let robot = Robot {
            pose,
            attitude: world.get::<Attitude>(agent).copied().unwrap_or_default(),
            period_s: period_s(actuator, world.resource::<SimTime>().dt_s),
            space: &world.resource::<CurrentSpace>().0,
            row: row.0 as usize,
        };
        Some(Self { world, agent, slot, actuator, robot, owner })
    }

    /// A copy of what it remembers.
    pub fn memory(&self) -> Memory {
        let orders = self.world.get::<Orders>(self.agent);
        let mut memory = orders.and_then(|orders| orders.actuator(self.slot)).cloned().unwrap_or_default();
        self.kinds().ready(self.actuator, &self.robot, &mut memory);
        memory
    }

    /// Does a service with a memory of it.
    ///
    /// # Errors
    /// Says why it cannot.
    pub fn call(&self, memory: &mut Memory, service: &str, arguments: &[Value]) -> Result<Value, String> {
        self.kinds().call(self.actuator, &self.robot, memory, (service, arguments))
    }

    /// Tells a memory of it what came on its stream.
    ///
    /// # Errors
    /// Says what is not as it should be.
    pub fn feed(&self, memory: &mut Memory, fields: &Fields) -> Result<(), String> {
        let (seed, step) = (*self.world.resource::<Seed>(), self.world.resource::<SimTime>().step);
        // Each actuator of a robot has random numbers of its own.
        let noise = (self.world.resource::<Links>(), self.owner.sensor(self.slot as u16), (seed, step));
        self.kinds().feed(self.actuator, &self.robot, memory, fields, noise)
    }

    fn kinds(&self) -> &Actuators {
        self.world.resource()
    }
}

/// The sensor in a slot of a robot.
pub(crate) fn sensor(world: &World, agent: Entity, slot: u16) -> Option<Entity> {
    world.get::<Sensors>(agent)?.slots().get(usize::from(slot)).copied()
}

/// Whether an edit that does or tells something to a component makes sense; nothing is done.
///
/// # Errors
/// Says what does not make sense.
pub(crate) fn check(world: &World, edit: &Edit) -> Result<(), Problem> {
    match edit {
        Edit::Call { component, .. } | Edit::Feed { component, .. } => {
            let problem = |message: String| Problem { place: None, path: component.clone(), message };
            let Some((id, agent)) = super::naming::find(world, component) else {
                return Err(Problem::of_file(format!("there is no component `{component}`")));
            };
            attempt(world, edit, id, agent).map(drop).map_err(problem)
        }
        _ => Ok(()),
    }
}

/// What becomes of an actuator by an edit; `None` of a sensor.
fn attempt(world: &World, edit: &Edit, id: ComponentId, agent: Entity) -> Result<Option<Memory>, String> {
    let gone = || "it is gone".to_owned();
    match (id.part, edit) {
        (Part::Actuator(slot), edit) => {
            let handle = Handle::of(world, agent, slot).ok_or_else(gone)?;
            let mut memory = handle.memory();
            match edit {
                Edit::Call { service, arguments, .. } => handle.call(&mut memory, service, arguments).map(drop)?,
                Edit::Feed { fields, .. } => handle.feed(&mut memory, fields)?,
                _ => {}
            }
            memory.owes |= handle.actuator.common().active;
            Ok(Some(memory))
        }
        (Part::Sensor(slot), Edit::Call { service, arguments, .. }) => {
            let sensor = world.get_entity(sensor(world, agent, slot).ok_or_else(gone)?).map_err(|_| gone())?;
            sensor::ask(world, sensor, &mut None, (service, arguments)).map(|_| None)
        }
        (Part::Sensor(_), _) => Err("it is a sensor, and takes no commands".into()),
    }
}

fn is_interrupt(edit: &Edit) -> bool {
    matches!(edit, Edit::Call { service, .. } if service == INTERRUPT)
}

/// Does what an edit asks of a component. It was checked when it was queued.
pub(crate) fn apply(world: &mut World, edit: &Edit) {
    let (Edit::Call { component, .. } | Edit::Feed { component, .. }) = edit else { return };
    let Some((id, agent)) = super::naming::find(world, component) else { return };
    match (id.part, edit) {
        (Part::Actuator(slot), edit) => {
            let Ok(Some(memory)) = attempt(world, edit, id, agent) else { return };
            let Some(mut orders) = world.get_mut::<Orders>(agent) else { return };
            let before = std::mem::replace(orders.actuator_mut(usize::from(slot)), memory);
            // What was led by the task that ends here does not go on until the actuator acts again.
            if is_interrupt(edit) && before.is_busy {
                orders.stand_still();
                if let Some(mut command) = world.get_mut::<Command>(agent) {
                    *command = Command::default();
                }
            }
        }
        (Part::Sensor(slot), Edit::Call { service, arguments, .. }) => {
            if let Some(sensor) = sensor(world, agent, slot) {
                // What it answers, its client was told when it asked.
                _ = sensor::call(world, sensor, service, arguments);
            }
        }
        (Part::Sensor(_), _) => {}
    }
}
