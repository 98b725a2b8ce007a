//! Edits: every change from outside, applied at the start of a step and logged.
//!
//! A log of edits, together with the scene and its seed, reproduces the run.

use bevy::math::DVec2;
use bevy::prelude::*;
use serde::{Deserialize, Serialize};
use swarmarium_base::id::StableId;
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::failure::Failure;
use swarmarium_core::agent::outputs::Output;
use swarmarium_core::agent::{CommandForm, Pose, elsewhere};
use swarmarium_core::controller::external::{self, Orders};
use swarmarium_core::controller::{commanded, messages, outputs};
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::gone::Gone;
use swarmarium_core::radio::Radio;
use swarmarium_core::sensor::Sensors;
use swarmarium_core::service::{Fields, Value};
use swarmarium_core::state::RegisterState as _;
use swarmarium_core::step::plan::{Act, AddAct as _, Place, Work};
use swarmarium_core::step::{HasArena as _, Step, Suspended, find_agent, row_of_agent, unknown_agent};
use swarmarium_core::time::TimeScale;
use swarmarium_scene::check as scene_check;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::path::Assignment;
use swarmarium_scene::scene::{Scene, constants, path};

use crate::engine::fault;

pub mod agents;
mod component;
pub mod live;
pub mod log;
pub mod merge;
pub mod parts;
pub mod population;
pub mod queue;
mod turns;

use live::Rebuild;
pub use live::TakesEffect;
pub(crate) use merge::forget as merge_nothing;
pub use queue::EditQueue;
pub(crate) use queue::{
    EditSource, flush_edits, go_back_to, hash_of_step, latest_waiting_transaction, queue, queue_run, scene_ahead,
    waiting, waiting_changes,
};
pub use turns::Turns;
pub(crate) use turns::acting;

/// A change from outside.
///
/// [`Simulation::apply`](crate::Simulation::apply) queues it for the next step.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// # let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
/// # let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
/// simulation.apply(Edit::Set { path: "groups.g.controller.v_m_per_s".into(), value: "0.5".into() })?;
/// simulation.apply(Edit::Spawn { group: "g".into(), x_m: 2.0, y_m: 3.0, heading_rad: 0.0 })?;
/// simulation.step(1);
/// assert_eq!(simulation.count(), 2);
/// # Ok::<(), swarmarium_base::problem::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Edit {
    /// Sets a parameter, by the path that panels, `--set` and this log share.
    Set {
        /// The path, such as `groups.millers.controller.detected.turn_rad_per_s`, or `agents.17.controller.…` for one
        /// agent. The name of a constant is logged as the path of its first field.
        path: String,
        /// The value in the notation of a scene file.
        value: String,
    },
    /// Moves an agent to another pose.
    Move {
        /// The number of the agent, as in its stable id.
        agent: u32,
        /// New position along x, in metres.
        x_m: f64,
        /// New position along y, in metres.
        y_m: f64,
        /// New heading in radians.
        heading_rad: f64,
    },
    /// Moves a moving object to another pose. Still objects are moved by their parameters.
    MoveObject {
        /// The index of the object in the scene.
        object: u32,
        /// New position of the centre along x, in metres.
        x_m: f64,
        /// New position of the centre along y, in metres.
        y_m: f64,
        /// New heading in radians.
        heading_rad: f64,
    },
    /// Adds an agent to a group; a reset keeps it.
    Spawn {
        /// The name of the group, or its index in the scene.
        group: String,
        /// Position along x, in metres.
        x_m: f64,
        /// Position along y, in metres.
        y_m: f64,
        /// Heading in radians.
        heading_rad: f64,
    },
    /// Adds a group, an object or another part at the end of its list in the scene; a reset keeps it. Groups and objects
    /// exist at once. Other parts, such as metrics, sensors and objects of a new object group, exist after the next reset.
    Add {
        /// The path of the list, such as `groups`, `objects`, `metrics` or `groups.millers.sensors`.
        list: String,
        /// The part in the notation of a scene file.
        value: String,
    },
    /// Removes an agent, such as `agents.17`, an object, such as `objects.3`, or another part, such as `controls.1`; a reset
    /// keeps it removed. Parts other than agents and objects exist until the next reset.
    Remove {
        /// The path of the agent, object or part.
        path: String,
    },
    /// Begins or ends a failure of an agent.
    Fault {
        /// The number of the agent, as in its stable id.
        agent: u32,
        /// The failure.
        failure: Failure,
        /// Whether the failure begins; otherwise it is repaired.
        is_active: bool,
    },
    /// Calls a service of a component.
    Call {
        /// The full name of the component, such as `robot.motion`.
        component: String,
        /// The name of the service.
        service: String,
        /// The arguments of the call.
        arguments: Vec<Value>,
    },
    /// Passes a message of its data stream to an actuator.
    Feed {
        /// The full name of the component, such as `robot.motion`.
        component: String,
        /// The fields that were sent; the others keep their values.
        fields: Fields,
    },
    /// Commands agents with the controller `External`, in place of their actuators. Each agent keeps its command until
    /// the next one.
    Command {
        /// The form of the commands, which the motion models must take.
        form: CommandForm,
        /// The numbers of the agents, as in their stable ids.
        agents: Vec<u32>,
        /// The values of the commands, agent by agent, in metres and radians per second: two for each agent with `Drive`
        /// (ahead, turn) and `Wheels` (left, right), three with `Velocity` and `Course` (along x, along y, turn).
        values: Vec<f64>,
    },
    /// Sets an output, such as the colour of the LEDs, of agents with the controller `External`. Each agent keeps it until
    /// the next one.
    Output {
        /// The output.
        output: Output,
        /// The numbers of the agents, as in their stable ids.
        agents: Vec<u32>,
        /// The values, agent by agent, each from 0 to 1: three for each agent with `Led` (red, green, blue), one with `Grip`
        /// and `Emission`.
        values: Vec<f64>,
    },
    /// Sends radio messages for agents with the controller `External` and a radio. Each message goes out once, at the next
    /// turn of the radio; another one replaces it until then.
    Message {
        /// The numbers of the agents, as in their stable ids.
        agents: Vec<u32>,
        /// The numbers of the messages, agent by agent, equally many for each. A message without numbers takes back the one
        /// that waits.
        values: Vec<f64>,
    },
    /// Suspends or resumes all movement, while everything else continues.
    Suspend {
        /// Whether movement is suspended.
        is_suspended: bool,
    },
    /// Requests another time scale from the host; no result depends on it.
    TimeScale {
        /// Simulated seconds per second.
        scale: f64,
    },
}

impl Edit {
    /// Whether the edit changes a parameter or moves a robot. The time scale and the commands of programs, which may come
    /// at every step, are not changes.
    pub fn is_change(&self) -> bool {
        !self.is_command() && !matches!(self, Self::Suspend { .. } | Self::TimeScale { .. })
    }

    /// Whether the edit is a call, feed, command or message of another program.
    fn is_command(&self) -> bool {
        matches!(
            self,
            Self::Call { .. } | Self::Feed { .. } | Self::Command { .. } | Self::Output { .. } | Self::Message { .. }
        )
    }

    /// Whether the edit adds or removes agents, objects, groups or other parts. Such edits are applied at once, so that
    /// later edits can refer to the result.
    pub fn is_of_population(&self) -> bool {
        matches!(self, Self::Spawn { .. } | Self::Add { .. } | Self::Remove { .. })
    }

    /// Whether the edit and the next one are handled together as a batch: each edit handled alone goes through all
    /// agents and objects, and there may be thousands of both.
    pub fn goes_with(&self, next: &Self) -> bool {
        matches!((self, next), (Self::Spawn { .. }, Self::Spawn { .. }) | (Self::Remove { .. }, Self::Remove { .. }))
    }

    /// Whether the effect depends on caches. Faults stop a body in its row, which no pending edit changes, and
    /// otherwise affect components only: many robots are killed with one rebuild.
    fn reads_caches(&self) -> bool {
        matches!(self, Self::Call { .. } | Self::Feed { .. })
    }

    /// Whether the edit can be undone: not the commands of programs, nor suspending movement.
    pub fn can_be_undone(&self) -> bool {
        !self.is_command() && !matches!(self, Self::Suspend { .. })
    }

    /// The approximate size of its texts and values, in bytes.
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Set { path, value } => path.len() + value.len(),
            Self::Spawn { group: text, .. } | Self::Remove { path: text } => text.len(),
            Self::Add { list, value } => list.len() + value.len(),
            Self::Call { component, service, arguments } => {
                component.len() + service.len() + size_of_val(&arguments[..])
            }
            Self::Feed { component, .. } => component.len(),
            Self::Command { agents, values, .. }
            | Self::Output { agents, values, .. }
            | Self::Message { agents, values } => size_of_val(&agents[..]) + size_of_val(&values[..]),
            _ => 0,
        }
    }

    /// Whether a later edit replaces all effects of this one.
    pub fn is_superseded_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Set { path, .. }, Self::Set { path: again, .. }) => {
                // An edit that waits for a reset leaves running agents as they are.
                leads_into(again, path) && TakesEffect::of_path(again) == TakesEffect::of_path(path)
            }
            (Self::Move { agent, .. }, Self::Move { agent: again, .. }) => agent == again,
            (Self::Command { agents, .. }, Self::Command { agents: again, .. })
            | (Self::Message { agents, .. }, Self::Message { agents: again, .. }) => agents == again,
            (Self::Output { output, agents, .. }, Self::Output { output: again, agents: others, .. }) => {
                (output, agents) == (again, others)
            }
            (Self::MoveObject { object, .. }, Self::MoveObject { object: again, .. }) => object == again,
            (Self::TimeScale { .. }, Self::TimeScale { .. }) | (Self::Suspend { .. }, Self::Suspend { .. }) => true,
            _ => false,
        }
    }
}

/// Whether a path leads to the target of another path, or to something that contains it.
fn leads_into(outer: &str, path: &str) -> bool {
    let steps = |path| Some(path::steps(path)?.into_iter().map(|(_, step)| step).collect::<Vec<&str>>());
    steps(outer).zip(steps(path)).is_some_and(|(outer, path)| path.starts_with(&outer))
}

/// An edit and the step at whose start it was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedEdit {
    /// The number of the step, counted from 1.
    pub step: u64,
    /// The edit.
    pub edit: Edit,
    /// The transaction that the edit belongs to, such as one drag of a robot: edits of one transaction are undone
    /// together. 0 for none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub transaction: u64,
}

impl LoggedEdit {
    /// Creates an edit without a transaction.
    pub fn new(step: u64, edit: Edit) -> Self {
        Self { step, edit, transaction: 0 }
    }

    /// Whether the edit and the next one of a log are handled [together](Edit::goes_with).
    pub fn goes_with(&self, next: &Self) -> bool {
        (self.step, self.transaction) == (next.step, next.transaction) && self.edit.goes_with(&next.edit)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(transaction: &u64) -> bool {
    *transaction == 0
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<EditQueue>().insert_resource(TimeScale(1.0));
    app.register_record::<EditQueue>("edits").register_record::<TimeScale>("time_scale");
    app.init_resource::<merge::Origins>();
    let begin = Act::new("edits", Place::Step(Step::Edits), Work::World(|world, _| queue::apply_waiting(world)));
    app.add_act(begin.in_steps_with("waiting edits", |world, _| waiting(world).len() > 0));
    let strike = Act::new("faults", Place::Step(Step::Edits), Work::World(|world, _| fault::apply_due(world)));
    app.add_act(strike.when(|_, arena| arena.has_faults));
}

/// The effect of a valid edit that later edits depend on.
pub(crate) enum EditEffect {
    /// No effect.
    Same,
    /// An agent, by its number: its parts after the edit, and the new value among them.
    Agent(u32, Box<Group>, Assignment),
    /// New numbers in the scene, which change nothing else of it.
    Numbers(Vec<Assignment>),
    /// The scene after the edit, and the new values in it.
    Scene(Box<Scene>, Vec<Assignment>),
}

/// Checks an edit, to be applied after the pending ones; returns its effect.
///
/// # Errors
/// If the edit is not valid.
pub(crate) fn check(world: &World, edit: &Edit) -> Result<EditEffect, Problem> {
    match edit {
        Edit::Set { path, value } => match agents::Address::of(path)? {
            Some(address) => agents::parts_after(world, &address, value),
            None => queue::check_set(world, path, value),
        },
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            check_pose("an agent", [*x_m, *y_m, *heading_rad])?;
            find_agent(world, *agent).ok_or_else(|| unknown_agent(*agent))?;
            Ok(EditEffect::Same)
        }
        Edit::MoveObject { object, x_m, y_m, heading_rad } => {
            check_pose("an object", [*x_m, *y_m, *heading_rad])?;
            match actor(world, *object) {
                Some(_) => Ok(EditEffect::Same),
                None if scene_ahead(world).objects.get(*object as usize).is_none_or(is_gone) => {
                    Err(Problem::of_file(format!("there is no object {object}")))
                }
                None => Err(Problem::of_file(format!(
                    "object {object} does not move by itself: set its place, such as objects.{object}.center_m"
                ))),
            }
        }
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => {
            population::scene_after(world, edit).map(|after| EditEffect::Scene(Box::new(after), Vec::new()))
        }
        Edit::Fault { agent, failure, is_active } => {
            let found = find_agent(world, *agent).ok_or_else(|| unknown_agent(*agent))?;
            let lacks = match failure {
                Failure::Receiver if world.get::<Radio>(found).is_none() => "radio",
                Failure::Sensors if world.get::<Sensors>(found).is_none_or(|all| all.slots().is_empty()) => "sensors",
                _ => return Ok(EditEffect::Same),
            };
            match is_active {
                true => Err(Problem::of_file(format!("agent {agent} has no {lacks}"))),
                false => Ok(EditEffect::Same),
            }
        }
        Edit::Call { .. } | Edit::Feed { .. } => component::check(world, edit).map(|()| EditEffect::Same),
        Edit::Command { form, agents: numbers, values } => {
            let parts = |agent| agents::command_parts_ahead(world, agent);
            let is_changed = agents::has_changes_ahead(world);
            let parts = is_changed.then_some(&parts as &dyn Fn(Entity) -> Option<commanded::Parts>);
            commanded::check(world, (*form, numbers, values), parts).map(|()| EditEffect::Same)
        }
        Edit::Output { agents: numbers, values, .. } | Edit::Message { agents: numbers, values } => {
            let controllers = |agent| agents::command_parts_ahead(world, agent).map(|(controller, _)| controller);
            let is_changed = agents::has_changes_ahead(world);
            let controllers = is_changed.then_some(&controllers as &external::ControllersAhead);
            let checked = match edit {
                Edit::Output { output, .. } => outputs::check(world, *output, (numbers, values), controllers),
                _ => messages::check(world, numbers, values, controllers),
            };
            checked.map(|()| EditEffect::Same)
        }
        Edit::Suspend { .. } => Ok(EditEffect::Same),
        Edit::TimeScale { scale } if scale.is_finite() && *scale > 0.0 => Ok(EditEffect::Same),
        Edit::TimeScale { scale } => {
            Err(Problem::of_file(format!("the time scale must be a number > 0, found {scale}")))
        }
    }
}

/// Checks that something can be moved to a pose.
///
/// # Errors
/// If it cannot, with the allowed range.
fn check_pose(what: &str, [x_m, y_m, heading_rad]: [f64; 3]) -> Result<(), Problem> {
    let usable = |number: f64| number.abs() <= MAX_LENGTH_M;
    if usable(x_m) && usable(y_m) && heading_rad.is_finite() {
        return Ok(());
    }
    Err(Problem::of_file(format!("{what} can only be moved to finite numbers, at most {MAX_LENGTH_M} m away")))
}

/// The object at an index of the scene, if it acts.
fn actor(world: &World, object: u32) -> Option<Entity> {
    let id = StableId::object(object);
    world.arena().actors.iter().copied().find(|actor| world.get(*actor) == Some(&id))
}

fn is_gone(object: &Slot<ObjectFamily>) -> bool {
    object.value().is::<Gone>()
}

/// Checks several edits, each to be applied after the pending ones and those before it, provided that these change the
/// scene as well or that all [go together](Edit::goes_with).
pub(crate) fn check_all(world: &World, edits: &[Edit]) -> Vec<Result<(), Problem>> {
    if edits.len() > 1 && edits.iter().all(Edit::is_of_population) {
        return population::check_all(world, edits);
    }
    let mut ahead = scene_ahead(world).clone();
    let check_next = |edit: &Edit| match edit {
        Edit::Set { path, .. } if agents::Address::of(path)?.is_none() => {
            scene_after(world, &ahead, [edit]).map(|after| ahead = after)
        }
        edit => check(world, edit).map(drop),
    };
    edits.iter().map(check_next).collect()
}

/// The scene after edits; edits of agents leave it as it is.
fn scene_after<'e>(world: &World, scene: &Scene, edits: impl IntoIterator<Item = &'e Edit>) -> Result<Scene, Problem> {
    let mut after = scene.clone();
    for edit in edits {
        if let Edit::Set { path, value } = edit
            && agents::Address::of(path)?.is_none()
        {
            constants::set(world.resource::<Kinds>(), &mut after, path, value)?;
        }
    }
    match scene_check::fit(world, &after).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(after),
    }
}

/// Applies a checked edit that sets no parameter; returns the caches that are stale then.
fn apply(world: &mut World, edit: &Edit, source: EditSource, replaces: bool) -> Rebuild {
    match edit {
        Edit::Move { agent: number, x_m, y_m, heading_rad }
        | Edit::MoveObject { object: number, x_m, y_m, heading_rad } => {
            let found = match edit {
                Edit::Move { .. } => find_agent(world, *number),
                _ => actor(world, *number),
            };
            if let Some(entity) = found {
                let pose = Pose { position_m: DVec2::new(*x_m, *y_m), heading_rad: *heading_rad };
                merge::begin_move(world, entity, source.transaction, replaces);
                let mut entity = world.entity_mut(entity);
                if let Some(mut orders) = entity.get_mut::<Orders>() {
                    orders.release();
                }
                elsewhere::put(&mut entity, pose);
            }
            return Rebuild::Outline;
        }
        Edit::Fault { agent, failure, is_active } => {
            let row = row_of_agent(world, *agent);
            let found = row.and_then(|row| Some((row, *world.arena().agents.get(row)?)));
            if let Some(agent) = found {
                fault::set(world, agent, *failure, *is_active);
            }
            return Rebuild::All;
        }
        // The queue sets parameters itself; those of the population are never pending.
        Edit::Set { .. } | Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => {}
        Edit::Call { .. } | Edit::Feed { .. } => component::apply(world, edit),
        Edit::Command { form, agents, values } => commanded::apply(world, *form, agents, values),
        Edit::Output { output, agents, values } => outputs::apply(world, *output, agents, values),
        Edit::Message { agents, values } => messages::apply(world, agents, values),
        Edit::Suspend { is_suspended } => world.arena_mut().suspended = is_suspended.then_some(Suspended {}),
        Edit::TimeScale { scale } => world.insert_resource(TimeScale(*scale)),
    }
    Rebuild::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_supersedes_edits_of_the_same_value_and_within_it() {
        let is_superseded = |path: &str, later: &str| {
            let set = |path: &str| Edit::Set { path: path.into(), value: "1".into() };
            set(path).is_superseded_by(&set(later))
        };
        assert!(is_superseded("groups.a.controller.v_m_per_s", "groups.a.controller"));
        assert!(is_superseded("groups[0].controller", "groups.0.controller"));
        assert!(!is_superseded("groups.a.controller", "groups.a.controller.v_m_per_s"));
        assert!(!is_superseded("groups.ab.team", "groups.a"));
        assert!(!is_superseded("groups.a.controllers", "groups.a.controller"));
        assert!(!is_superseded("groups.a.sensors.0.range_m", "groups.a.sensors"), "the list waits for a reset");
    }
}
