//! Edits: every change from outside, applied at the start of a step and logged.
//!
//! A log of edits, together with the scene and its seed, is all that it takes to have the same run again.

use bevy::math::DVec2;
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agent::Pose;
use crate::id::StableId;
use crate::scene::problem::Problem;
use crate::scene::spawn;
use crate::step::{Agents, SimTime, Step, caches, count_step};

pub mod log;

/// A change from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Gives a parameter another value, by the path that panels, `--set` and this log share.
    Set {
        /// Such as `groups.millers.controller.detected.turn_rad_per_s`.
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
    /// Asks the host for another time scale; no result depends on it.
    TimeScale {
        /// Simulated seconds per second.
        scale: f64,
    },
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
    pub waiting: Vec<Edit>,
    /// Applied, in the order in which they were.
    pub log: Vec<LoggedEdit>,
}

/// The time scale that was asked for last. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug)]
pub struct TimeScale(pub f64);

/// When a change of a parameter takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesEffect {
    /// At the start of the next step.
    Live,
    /// When the simulation is reset.
    AtReset,
}

impl TakesEffect {
    /// When a change at this path takes effect.
    pub fn of_path(path: &str) -> Self {
        spawn::live_target(path).map_or(Self::AtReset, |_| Self::Live)
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<EditQueue>().insert_resource(TimeScale(1.0));
    app.add_systems(crate::step::SimStep, apply_waiting.in_set(Step::Edits).after(count_step));
}

/// Whether an edit makes sense now.
///
/// # Errors
/// Says what does not.
pub(crate) fn check(world: &World, edit: &Edit) -> Result<(), Problem> {
    match edit {
        Edit::Set { path, value } => spawn::check_set(world, path, value),
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            if ![x_m, y_m, heading_rad].iter().all(|number| number.is_finite()) {
                return Err(Problem::of_file("an agent can only be moved to finite numbers"));
            }
            find_agent(world, *agent).map(drop).ok_or_else(|| Problem::of_file(format!("there is no agent {agent}")))
        }
        Edit::TimeScale { scale } if scale.is_finite() && *scale > 0.0 => Ok(()),
        Edit::TimeScale { scale } => {
            Err(Problem::of_file(format!("the time scale must be a number > 0, found {scale}")))
        }
    }
}

fn find_agent(world: &World, agent: u32) -> Option<Entity> {
    let id = StableId::agent(agent);
    world.resource::<Agents>().0.iter().copied().find(|entity| world.get::<StableId>(*entity) == Some(&id))
}

fn apply_waiting(world: &mut World) {
    if world.resource::<EditQueue>().waiting.is_empty() {
        return;
    }
    let step = world.resource::<SimTime>().step;
    for edit in std::mem::take(&mut world.resource_mut::<EditQueue>().waiting) {
        // An earlier edit of the same step can make a later one senseless: that one is left out of the log.
        if check(world, &edit).is_ok() {
            apply(world, &edit);
            world.resource_mut::<EditQueue>().log.push(LoggedEdit { step, edit });
        }
    }
    caches::rebuild(world);
}

fn apply(world: &mut World, edit: &Edit) {
    match edit {
        Edit::Set { path, value } => spawn::set(world, path, value),
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            if let Some(entity) = find_agent(world, *agent) {
                let pose = Pose { position_m: DVec2::new(*x_m, *y_m), heading_rad: *heading_rad };
                world.entity_mut(entity).insert(pose);
            }
        }
        Edit::TimeScale { scale } => world.insert_resource(TimeScale(*scale)),
    }
}
