//! The controller for external programs.

use bevy::ecs::query::QueryData;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::wrap_angle;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use super::commanded::Commanded;
use super::{Acting, ControlledAgent, Controller, ControllerFamily, ControllerView, Senses};
use crate::actuator::{ActuatorFamily, ActuatorKinds, Memory, Robot, Velocity};
use crate::agent::attitude::Attitude;
use crate::agent::contact::Dead;
use crate::agent::elsewhere::Elsewhere;
use crate::agent::{Command, CommandForm, Pose, Row};
use crate::kind::{Kinds, SearchWords, Slot, kind};
use crate::random::Seed;
use crate::step::ActsLater;
use crate::step::plan::{AddKernel as _, Duty, StepContext};
use crate::time::SimTime;
use crate::time::robot::{self, RobotClock};

pub(crate) fn plugin(app: &mut App) {
    // Actuators act before the controller is asked for its command.
    let led = app.world_mut().register_component::<HasActuators>();
    app.add_kernel(Duty::Control, led, run_actuators);
    super::AddController::add_controller::<External>(app);
}

/// Carries out the commands of external programs: of clients, with its actuators (MORSE), or of the program that runs the
/// simulation.
///
/// A program that runs the simulation, such as one in Python, commands the robot directly, with any motion model. Such a
/// command holds until the next one and takes precedence over the actuators. Without actuators and commands, the robot
/// stands still.
///
/// Actuators act in order. If several request a velocity in one step, the last one takes effect; it holds until the
/// next request. A robot placed by a `Teleport` stays there while that actuator is active. An actuator that receives a
/// command and is deactivated in the same step acts once more. While the simulation is suspended, actuators do not act
/// and their commands wait.
#[kind(section = "Programs", words = "python, client, ros, program, reinforcement learning")]
#[require(Commanded)]
pub struct External {
    /// Actuators, in the order in which they act.
    pub actuators: Vec<Slot<ActuatorFamily>>,
}

/// The controller of an agent after the pending edits.
pub type ControllersAhead<'a> = dyn Fn(Entity) -> Option<Slot<ControllerFamily>> + 'a;

/// The controller of an agent if it is another one than [`External`], so that programs control nothing of the agent. `ahead`
/// gives controllers after the pending edits, if these change any agent.
pub(super) fn other_controller(
    world: &World,
    agent: Entity,
    ahead: Option<&ControllersAhead>,
) -> Option<Slot<ControllerFamily>> {
    if ahead.is_none() && world.get::<External>(agent).is_some() {
        return None;
    }
    let present = || world.resource::<Kinds>().on_entity(world.entity(agent));
    ahead.map_or_else(present, |ahead| ahead(agent)).filter(|controller| !controller.value().is::<External>())
}

/// Memory of an [`External`] controller.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Orders {
    /// Commanded velocity of the robot.
    velocity: Velocity,
    /// Memory of each actuator.
    pub actuators: Vec<Memory>,
    /// Pose at which the robot is held.
    held: Option<Held>,
}

/// Pose at which an actuator holds a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
struct Held {
    /// Slot of the actuator.
    slot: u32,
    /// The pose.
    pose: Pose,
    /// The height and tilt.
    attitude: Attitude,
}

impl Controller for External {
    type Memory = Orders;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const OBEYS: bool = true;

    fn command(&self, orders: &mut Orders, _: Senses) -> Command {
        let velocity = if orders.held.is_some() { Velocity::ZERO } else { orders.velocity };
        let Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s } = velocity;
        if y_m_per_s == 0.0 {
            return Command::Drive { v_m_per_s: x_m_per_s, turn_rad_per_s };
        }
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
    }

    fn draw(robots: &ControllerView<Self>, picture: &mut Picture) {
        let Some(kinds) = robots.resource::<ActuatorKinds>() else { return };
        let nothing = Memory::default();
        for ControlledAgent { controller, memory, pose, shows_plan, .. } in robots.members() {
            for (slot, actuator) in controller.actuators.iter().enumerate() {
                let memory = memory.actuators.get(slot).unwrap_or(&nothing);
                kinds.draw(actuator, memory, &pose, shows_plan, picture);
            }
        }
    }
}

impl Orders {
    /// Memory of the actuator in a slot, if it has any.
    pub fn actuator(&self, slot: usize) -> Option<&Memory> {
        self.actuators.get(slot)
    }

    /// Stops the robot until an actuator requests another velocity.
    pub fn stand_still(&mut self) {
        self.velocity = Velocity::ZERO;
    }

    /// Releases a held robot.
    pub fn release(&mut self) {
        self.held = None;
    }

    /// Mutable memory of the actuator in a slot.
    pub fn actuator_mut(&mut self, slot: usize) -> &mut Memory {
        if self.actuators.len() <= slot {
            self.actuators.resize_with(slot + 1, Memory::default);
        }
        &mut self.actuators[slot]
    }
}

/// Marks robots and objects with actuators, for the kernel of actuators. A cache.
#[derive(Component)]
struct HasActuators;

/// Marks the robots and objects with actuators, after these may have changed.
pub fn mark_actuators(world: &mut World) {
    let Some(mut robots) = world.try_query::<(Entity, &External, &Orders, Has<HasActuators>)>() else { return };
    let differ = |(robot, external, orders, is_led): (Entity, &External, &Orders, bool)| {
        (has_work(external, orders) != is_led).then_some((robot, is_led))
    };
    let differing: Vec<_> = robots.iter(world).filter_map(differ).collect();
    for (robot, is_led) in differing {
        if is_led {
            world.entity_mut(robot).remove::<HasActuators>();
        } else {
            world.entity_mut(robot).insert(HasActuators);
        }
    }
}

/// Whether actuators have something to do: robots that a program commands directly have none.
fn has_work(external: &External, orders: &Orders) -> bool {
    !external.actuators.is_empty() || orders.held.is_some()
}

/// Longest time between two actions of an actuator (s).
const MAX_PERIOD_S: f64 = 1e9;

/// Time between two actions of an actuator (s).
pub fn period_s(actuator: &Slot<ActuatorFamily>, dt_s: f64) -> f64 {
    let rate_hz = actuator.common().rate_hz;
    // The limit keeps distances per period finite for very low rates.
    if rate_hz > 0.0 { (1.0 / rate_hz).min(MAX_PERIOD_S).max(dt_s) } else { dt_s }
}

/// The components of a robot that its actuators read and write.
#[derive(QueryData)]
#[query_data(mutable)]
struct LedRobot {
    entity: Entity,
    external: &'static External,
    orders: &'static mut Orders,
    pose: &'static mut Pose,
    attitude: Option<&'static mut Attitude>,
    elsewhere: Option<&'static mut Elsewhere>,
    row: &'static Row,
    settings: Option<&'static Acting>,
    id: &'static StableId,
    clock: Option<&'static RobotClock>,
}

/// Runs actuators: those of one agent or object, or those of all agents. Agents that were moved are placed at once, an
/// object after its next move. While the simulation is suspended, commands wait.
fn run_actuators(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    kinds: Res<ActuatorKinds>,
    mut placed: Local<Vec<(usize, Pose)>>,
    mut agents: Query<(LedRobot, Has<ActsLater>, Has<Dead>), With<HasActuators>>,
    mut commands: Commands,
) {
    if arena.suspended.is_some() {
        return;
    }
    placed.clear();
    let mut act = |agent| act(agent, (&arena.time, arena.seed), &kinds, &arena.space, &mut commands);
    match *turn {
        Some(agent) => {
            let Ok((agent, is_object, _)) = agents.get_mut(agent) else { return };
            placed.extend(act(agent).filter(|_| !is_object));
        }
        None => {
            let agents = agents.iter_mut().filter(|(_, is_object, is_dead)| !is_object && !is_dead);
            placed.extend(agents.filter_map(|(agent, ..)| act(agent)));
        }
    }
    placed.sort_unstable_by_key(|(row, _)| *row);
    for (row, pose) in placed.drain(..) {
        put(&mut arena.space, row, pose);
    }
}

/// Runs the actuators of a robot; returns its row and its pose if the pose has changed.
fn act(
    led: LedRobotItem,
    (time, seed): (&SimTime, Seed),
    kinds: &ActuatorKinds,
    space: &Space,
    commands: &mut Commands,
) -> Option<(usize, Pose)> {
    if !has_work(led.external, &led.orders) {
        return None;
    }
    let LedRobotItem { entity, external, mut orders, mut pose, mut attitude, mut elsewhere, row, settings, .. } = led;
    let clock = led.clock.map(|clock| (clock, seed, *led.id));
    if settings.is_some_and(|Acting { rate_hz, phase_s }| !robot::is_due(clock, time, (*rate_hz, *phase_s))) {
        return None;
    }
    let before = *pose;
    let row = row.0 as usize;
    let own = attitude.as_deref().copied();
    let been = elsewhere.as_deref().copied();
    let mut leaps = None;
    let is_active = |slot: u32| external.actuators.get(slot as usize).is_some_and(|actuator| actuator.common().active);
    let mut held = orders.held.filter(|held| is_active(held.slot));
    let attitude_before = own.unwrap_or_default();
    let mut robot = Robot { pose: before, attitude: attitude_before, period_s: time.dt_s, space, row, graspable: None };
    for (slot, actuator) in external.actuators.iter().enumerate() {
        let common = actuator.common();
        let is_due = common.is_due(time, || clock);
        // A command in the step of the deactivation still takes effect.
        let is_owed = || !common.active && orders.actuator(slot).is_some_and(|memory| memory.owes);
        if !is_due && !is_owed() {
            continue;
        }
        robot.period_s = period_s(actuator, time.dt_s);
        let actuation = kinds.act(actuator, &robot, orders.actuator_mut(slot));
        if let Some(velocity) = actuation.velocity {
            orders.velocity = velocity;
        }
        let (pose, tilt) = (actuation.pose.unwrap_or(robot.pose), actuation.attitude.unwrap_or(robot.attitude));
        if actuation.leaps {
            leaps.get_or_insert(been.unwrap_or_default()).put((&robot.pose, &robot.attitude), (&pose, &tilt));
            held = Some(Held { slot: slot as u32, pose, attitude: tilt });
        }
        (robot.pose, robot.attitude) = (pose, tilt);
    }
    // A held robot returns to its pose, even if another robot has pushed it.
    if let Some(Held { pose, attitude, .. }) = held
        && !(is_same_place(&robot, &pose) && robot.attitude == attitude)
    {
        leaps.get_or_insert(been.unwrap_or_default()).put((&robot.pose, &robot.attitude), (&pose, &attitude));
        (robot.pose, robot.attitude) = (pose, attitude);
    }
    orders.held = held;
    if let Some(leaps) = leaps {
        match &mut elsewhere {
            Some(elsewhere) => **elsewhere = leaps,
            None => drop(commands.entity(entity).insert(leaps)),
        }
    }
    if robot.attitude != own.unwrap_or_default() {
        match &mut attitude {
            Some(attitude) => **attitude = robot.attitude,
            None => drop(commands.entity(entity).insert(robot.attitude)),
        }
    }
    if robot.pose == before {
        return None;
    }
    *pose = robot.pose;
    Some((row, robot.pose))
}

/// Whether a robot is at a pose, or at its image across a periodic boundary.
fn is_same_place(robot: &Robot, pose: &Pose) -> bool {
    robot.way_to(pose.position_m) == DVec2::ZERO && wrap_angle(pose.heading_rad - robot.pose.heading_rad) == 0.0
}

/// Teleports a robot: obstacles on the way have no effect.
fn put(space: &mut Space, row: usize, pose: Pose) {
    space.place_body(row, pose.position_m, pose.heading_rad, DVec2::ZERO);
    space.place_outline(row);
}
