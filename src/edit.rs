//! Edits: every change from outside, applied at the start of a step and logged.
//!
//! A log of edits, together with the scene and its seed, is all that it takes to have the same run again.

use bevy::math::DVec2;
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agent::motion::Suspended;
use crate::agent::{Pose, fault};
use crate::component::{Fields, Value, handle};
use crate::history::RegisterState as _;
use crate::kind::Kinds;
use crate::scene::description::MAX_LENGTH_M;
use crate::scene::problem::Problem;
use crate::scene::spawn::Description;
use crate::scene::{Scene, check as scene_check, constants, path};
use crate::step::{SimStep, SimTime, Step, caches, count_step};

pub mod agents;
pub mod live;
pub mod log;

pub use live::TakesEffect;

/// A change from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Gives a parameter another value, by the path that panels, `--set` and this log share.
    Set {
        /// Such as `groups.millers.controller.detected.turn_rad_per_s`, or `agents.17.controller.…` for one agent. The
        /// name of a constant is logged as the path of its first field.
        path: String,
        /// The value as a scene file would write it.
        value: String,
    },
    /// Puts an agent somewhere else.
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
    /// Does a service of a component.
    Call {
        /// Its full name, such as `robot.motion`.
        component: String,
        /// The service.
        service: String,
        /// What it is told.
        arguments: Vec<Value>,
    },
    /// Gives an actuator what came on its data stream.
    Feed {
        /// Its full name, such as `robot.motion`.
        component: String,
        /// The fields that were sent; the others keep their values.
        fields: Fields,
    },
    /// Lets all that moves stand still, or move again, while all else goes on.
    Suspend {
        /// Whether it stands still.
        is_suspended: bool,
    },
    /// Asks the host for another time scale; no result depends on it.
    TimeScale {
        /// Simulated seconds per second.
        scale: f64,
    },
}

impl Edit {
    /// Whether it changes a parameter or moves a robot: neither the speed, nor what clients tell components, at every step
    /// perhaps.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Set { .. } | Self::Move { .. })
    }

    /// Whether a later edit leaves nothing of this one.
    pub(crate) fn is_outdone_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Set { path, .. }, Self::Set { path: again, .. }) => {
                // What waits for a reset leaves running agents as they are.
                leads_into(again, path) && TakesEffect::of_path(again) == TakesEffect::of_path(path)
            }
            (Self::Move { agent, .. }, Self::Move { agent: again, .. }) => agent == again,
            (Self::TimeScale { .. }, Self::TimeScale { .. }) | (Self::Suspend { .. }, Self::Suspend { .. }) => true,
            _ => false,
        }
    }
}

/// Whether a path leads to what another one leads to, or to something around it.
fn leads_into(outer: &str, path: &str) -> bool {
    let steps = |path| Some(path::steps(path)?.into_iter().map(|(_, step)| step).collect::<Vec<&str>>());
    steps(outer).zip(steps(path)).is_some_and(|(outer, path)| path.starts_with(&outer))
}

/// An edit and the step at whose start it was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEdit {
    /// The number of the step, counted from 1.
    pub step: u64,
    /// What was changed.
    pub edit: Edit,
}

/// Edits that wait for the next step, and those that were applied.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Waiting, in the order in which they came.
    waiting: Vec<Edit>,
    /// The scene as it will be when those that wait are applied; `None` when they leave it as it is.
    ahead: Option<Scene>,
    /// Applied, in the order in which they were.
    pub log: Vec<LoggedEdit>,
    /// How many parameters were set.
    pub sets: u64,
}

/// The scene as it will be when the edits that wait are applied.
pub(crate) fn scene_ahead(world: &World) -> &Scene {
    let ahead = world.resource::<EditQueue>().ahead.as_ref();
    ahead.unwrap_or_else(|| world.resource::<Description>().scene())
}

/// The time scale that was asked for last. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug)]
pub struct TimeScale(pub f64);

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<EditQueue>().insert_resource(TimeScale(1.0));
    app.register_record::<EditQueue>().register_record::<TimeScale>();
    app.add_systems(SimStep, begin.in_set(Step::Edits).after(count_step));
}

/// Queues an edit, if it makes sense after those that wait already.
///
/// # Errors
/// Says what does not make sense; then nothing is queued.
pub(crate) fn queue(world: &mut World, edit: Edit) -> Result<(), Problem> {
    let ahead = check(world, &edit)?;
    let edit = match edit {
        Edit::Set { path, value } if agents::Address::of(&path)?.is_none() => {
            Edit::Set { path: constants::resolve(world.resource::<Kinds>(), scene_ahead(world), &path)?, value }
        }
        edit => edit,
    };
    // A slider that is dragged while time stands still asks for many values; the last one counts.
    let outdone = waiting(world).split_last().filter(|(last, _)| last.is_outdone_by(&edit));
    let (replaces_last, ahead) = match (outdone, ahead) {
        // What followed from the last one through a constant goes with it.
        (Some((_, before)), Some(ahead)) => {
            let scene = world.resource::<Description>().scene();
            let without = scene_after(world, scene, before.iter().chain([&edit])).ok();
            (without.is_some(), Some(without.unwrap_or(ahead)))
        }
        (outdone, ahead) => (outdone.is_some(), ahead),
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if ahead.is_some() {
        queue.ahead = ahead;
    }
    if replaces_last {
        queue.waiting.pop();
    }
    queue.waiting.push(edit);
    Ok(())
}

/// The edits that wait for the next step.
pub(crate) fn waiting(world: &World) -> &[Edit] {
    &world.resource::<EditQueue>().waiting
}

/// Whether an edit makes sense after those that wait already; the scene with it, when it changes the scene.
///
/// # Errors
/// Says what does not make sense.
pub(crate) fn check(world: &World, edit: &Edit) -> Result<Option<Scene>, Problem> {
    match edit {
        Edit::Set { path, value } => match agents::Address::of(path)? {
            Some(address) => agents::description_after(world, &address, value).map(|_| None),
            None => scene_after(world, scene_ahead(world), [edit]).map(Some),
        },
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            let usable = |number: &f64| number.abs() <= MAX_LENGTH_M;
            if !usable(x_m) || !usable(y_m) || !heading_rad.is_finite() {
                let message = format!("an agent can only be moved to finite numbers, at most {MAX_LENGTH_M} m away");
                return Err(Problem::of_file(message));
            }
            agents::find(world, *agent).ok_or_else(|| agents::unknown(*agent))?;
            Ok(None)
        }
        Edit::Call { .. } | Edit::Feed { .. } => handle::check(world, edit).map(|()| None),
        Edit::Suspend { .. } => Ok(None),
        Edit::TimeScale { scale } if scale.is_finite() && *scale > 0.0 => Ok(None),
        Edit::TimeScale { scale } => {
            Err(Problem::of_file(format!("the time scale must be a number > 0, found {scale}")))
        }
    }
}

/// Whether edits of the scene make sense one after the other, after those that wait already.
///
/// # Errors
/// Says what does not make sense.
pub(crate) fn check_all(world: &World, edits: &[Edit]) -> Result<(), Problem> {
    scene_after(world, scene_ahead(world), edits).map(drop)
}

/// A scene after edits; those of agents leave it as it is.
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

/// Begins a step: first what was asked for from outside, then what the scene says goes wrong.
fn begin(world: &mut World) {
    if !world.resource::<EditQueue>().waiting.is_empty() {
        apply_waiting(world);
    }
    fault::strike(world);
}

fn apply_waiting(world: &mut World) {
    let step = world.resource::<SimTime>().step;
    let kinds = world.resource::<Kinds>().clone();
    let mut scene = world.resource::<Description>().scene().clone();
    let mut queue = world.resource_mut::<EditQueue>();
    let changes_scene = queue.ahead.take().is_some();
    let has_changes = queue.waiting.iter().any(Edit::is_change);
    for edit in std::mem::take(&mut queue.waiting) {
        apply(world, &kinds, &mut scene, &edit);
        let mut queue = world.resource_mut::<EditQueue>();
        queue.sets += u64::from(matches!(edit, Edit::Set { .. }));
        queue.log.push(LoggedEdit { step, edit });
    }
    if changes_scene {
        world.insert_resource(Description::new(&kinds, scene));
    }
    // Other edits leave alone what caches are made of.
    if has_changes {
        caches::rebuild(world);
    }
}

fn apply(world: &mut World, kinds: &Kinds, scene: &mut Scene, edit: &Edit) {
    match edit {
        Edit::Set { path, value } => {
            // What was queued was tried on the same scene and the same agents.
            if agents::Address::of(path).is_ok_and(|address| address.is_some()) {
                live::apply(world, kinds, scene, path, value);
            } else {
                let changes = constants::set(kinds, scene, path, value).unwrap_or_default();
                changes.iter().for_each(|change| live::apply(world, kinds, scene, &change.path, &change.value));
            }
        }
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            if let Some(entity) = agents::find(world, *agent) {
                let pose = Pose { position_m: DVec2::new(*x_m, *y_m), heading_rad: *heading_rad };
                world.entity_mut(entity).insert(pose);
            }
        }
        Edit::Call { .. } | Edit::Feed { .. } => handle::apply(world, edit),
        Edit::Suspend { is_suspended: true } => world.insert_resource(Suspended {}),
        Edit::Suspend { is_suspended: false } => _ = world.remove_resource::<Suspended>(),
        Edit::TimeScale { scale } => world.insert_resource(TimeScale(*scale)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_edit_outdoes_those_of_the_same_value_and_within_it() {
        let is_outdone = |path: &str, later: &str| {
            let set = |path: &str| Edit::Set { path: path.into(), value: "1".into() };
            set(path).is_outdone_by(&set(later))
        };
        assert!(is_outdone("groups.a.controller.v_m_per_s", "groups.a.controller"));
        assert!(is_outdone("groups[0].controller", "groups.0.controller"));
        assert!(!is_outdone("groups.a.controller", "groups.a.controller.v_m_per_s"));
        assert!(!is_outdone("groups.ab.team", "groups.a"));
        assert!(!is_outdone("groups.a.controllers", "groups.a.controller"));
        assert!(!is_outdone("groups.a.sensors.0.range_m", "groups.a.sensors"), "the list waits for a reset");
    }
}
