//! The step: the order in which everything acts when a simulation advances by `dt`.

use bevy::ecs::schedule::{ScheduleLabel, SystemSet};
use bevy::prelude::*;

use crate::step::order::Order;
use crate::step::plan::{Act, AddAct as _, Place, Work};

pub mod arena;
pub mod columns;
pub(crate) mod deaths;
pub mod order;
pub mod plan;
pub mod schedule;
pub mod tables;
pub mod workers;

pub use arena::unknown_agent;
pub use arena::{Arena, CurrentArena, HasArena, Suspended, find_agent, row_of_agent};
pub use schedule::{AfterKind, after_kind};
pub use tables::{ActsLater, Pushes};
pub use workers::Workers;

/// The schedule to which plugins add their systems for each step. The parts of the step that come with the program are
/// not in it until a plugin adds a system: they are acts of a [plan].
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimStep;

/// The parts of a step, in this order. This order is guaranteed.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Phases of agents within [`Step::Agents`], in this order. With [`Order::RandomSequential`], an agent senses first.
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

/// The order of agents, set before plugins are built so that only the necessary acts are added.
#[derive(Resource, Clone, Copy)]
pub struct AgentOrder(pub Order);

/// Registers the arena, and the act that counts the steps.
pub fn plugin(app: &mut App) {
    app.add_plugins((arena::plugin, schedule::plugin));
    let count = Work::Arena(|arena| arena.time.step += 1);
    app.add_act(Act::new("clock", Place::Step(Step::Edits), count));
}
