//! The step: what happens, and in which order, when a simulation advances by `dt`.

use bevy::ecs::schedule::{ScheduleLabel, SystemSet};
use bevy::prelude::*;

use crate::step::order::Order;
use crate::time::SimTime;

pub(crate) mod columns;
pub mod order;
pub mod roster;
pub mod tables;
pub mod workers;

pub use tables::{Actors, ActsLater, Agents, CurrentSpace};
pub use workers::Workers;

/// The schedule of one step. Running it once is one step, whoever the host.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimStep;

/// The parts of a step, run one after the other in the order of the variants. This order is the contract.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The step is counted; edits queued since the last step are applied, in order, and logged.
    Edits,
    /// Each spawner acts; spent ones are removed.
    Spawners,
    /// Agents act: all at once in the order of [`Phase`], or one after the other, each going through all phases.
    Agents,
    /// Moving or reacting objects act, their sensors and controllers included.
    Objects,
    /// Each metric observes.
    Metrics,
    /// Data streams, recorders and the state hash.
    Publish,
}

/// What agents do within [`Step::Agents`], in the order of the variants.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Messages are delivered, and controllers turn them and the readings of the end of the last step into commands.
    Control,
    /// Motion models integrate the commands along exact arcs.
    Move,
    /// Overlaps with agents, walls and solid objects are resolved.
    Collide,
    /// Every sensor reads the new world.
    Sense,
}

/// The order of agents, set before any plugin is built so that only the systems that it needs are added.
#[derive(Resource, Clone, Copy)]
pub(crate) struct AgentOrder(pub Order);

/// Counts the step that begins.
pub fn count_step(mut time: ResMut<SimTime>) {
    time.step += 1;
}
