//! The step: what happens, and in which order, when a simulation advances by `dt`.

use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor, SystemSet};
use bevy::prelude::*;

use crate::agent::contact;
use crate::state::RegisterState as _;
use crate::step::order::Order;
use crate::time::SimTime;

pub mod caches;
pub(crate) mod columns;
pub(crate) mod guide;
pub mod objects;
pub mod order;
pub(crate) mod roster;
pub mod sequential;
pub mod workers;

pub use caches::{Actors, ActsLater, Agents, CurrentSpace};
pub use workers::Workers;

use roster::{Roster, act_all, decide_all};

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

/// Adds the clock, the order of the step and what runs in it whatever the kinds.
pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource::<SimTime>("time").init_resource::<Roster>();
    app.register_state::<caches::BoxCenter>("box_center");
    app.init_resource::<caches::ByGroup>();
    app.init_resource::<CurrentSpace>().init_resource::<Agents>().init_resource::<Actors>().init_resource::<Workers>();
    app.init_schedule(SimStep).edit_schedule(SimStep, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
        schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    });
    app.configure_sets(
        SimStep,
        (Step::Edits, Step::Spawners, Step::Agents, Step::Objects, Step::Metrics, Step::Publish).chain(),
    );
    app.add_systems(SimStep, count_step.in_set(Step::Edits));
    // Before what plugins add to the set; objects notice agents where moving objects have pushed them.
    let put = guide::obey.run_if(resource_exists::<guide::Guide>);
    let act = objects::act.run_if(objects::any_acts);
    app.add_systems(
        SimStep,
        (put, act, act_all(|roster| &mut roster.notice)).chain().after(Step::Agents).before(Step::Objects),
    );
    if app.world().get_resource::<AgentOrder>().is_some_and(|order| order.0 == Order::Sequential) {
        app.add_systems(SimStep, sequential::take_turns.in_set(Step::Agents));
    } else {
        app.configure_sets(
            SimStep,
            (Phase::Control, Phase::Move, Phase::Collide, Phase::Sense).chain().in_set(Step::Agents),
        );
        let count_bumps = contact::count_bumps.run_if(|bumped: Res<contact::Bumped>| !bumped.0.is_empty());
        let perish = contact::perish.run_if(|wrecks: Res<contact::Wrecks>| !wrecks.is_empty());
        app.add_systems(
            SimStep,
            (
                decide_all().in_set(Phase::Control),
                act_all(|roster| &mut roster.motion).in_set(Phase::Move),
                (caches::collide, count_bumps, perish).chain().in_set(Phase::Collide),
                act_all(|roster| &mut roster.sense).in_set(Phase::Sense),
            ),
        );
    }
}

/// The order of agents, set before any plugin is built so that only the systems that it needs are added.
#[derive(Resource, Clone, Copy)]
pub(crate) struct AgentOrder(pub Order);

pub(crate) fn count_step(mut time: ResMut<SimTime>) {
    time.step += 1;
}
