//! The step: the order of all systems when a simulation advances by `dt`.

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

/// The schedule of one step; each run is one step, for every host.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimStep;

/// The parts of a step, in this order. This order is guaranteed.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Counts the step; applies and logs the edits queued since the last step, in order.
    Edits,
    /// Runs each spawner; exhausted ones are removed.
    Spawners,
    /// Runs agents: all at once in the order of [`Phase`], or one after the other, each through all phases.
    Agents,
    /// Runs moving or reacting objects, including their sensors and controllers.
    Objects,
    /// Updates each metric.
    Metrics,
    /// Data streams, recorders and the state hash.
    Publish,
}

/// Phases of agents within [`Step::Agents`], in this order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Delivers messages; controllers turn messages and the readings of the last step into commands.
    Control,
    /// Motion models integrate the commands along exact arcs.
    Move,
    /// Resolves overlaps with agents, walls and solid objects.
    Collide,
    /// Every sensor reads the new state.
    Sense,
}

/// The order of agents, set before plugins are built so that only the necessary systems are added.
#[derive(Resource, Clone, Copy)]
pub(crate) struct AgentOrder(pub Order);

/// Counts the new step.
pub fn count_step(mut time: ResMut<SimTime>) {
    time.step += 1;
}
