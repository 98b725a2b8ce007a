//! The step: what happens, and in which order, when a simulation advances by `dt`.

use std::collections::BTreeMap;

use bevy::ecs::schedule::{
    InternedSystemSet, LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor, SystemSet,
};
use bevy::ecs::system::ScheduleSystem;
use bevy::prelude::*;

use crate::agent::contact;
use crate::history::RegisterState as _;
use crate::kind::Family;
use crate::scene::description::Order;

pub mod caches;
pub mod objects;
pub mod sequential;
pub mod workers;

pub use caches::{Actors, ActsLater, Agents, CurrentSpace};
pub use sequential::{Turn, Turns};
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
    /// Controllers turn the readings of the end of the last step into commands.
    Control,
    /// Motion models integrate the commands along exact arcs.
    Move,
    /// Overlaps with agents, walls and solid objects are resolved.
    Collide,
    /// Every sensor reads the new world.
    Sense,
}

/// The clock of a simulation: it counts steps; time follows from them.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct SimTime {
    /// Steps done. While a step runs, its number, counted from 1.
    pub step: u64,
    /// Simulated time that one step advances, in seconds.
    pub dt_s: f64,
}

impl SimTime {
    /// Simulated time at the end of the last step, in seconds.
    pub fn now_s(&self) -> f64 {
        self.step as f64 * self.dt_s
    }
}

/// Adds the clock, the order of the step and what runs in it whatever the kinds.
pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource::<SimTime>().init_resource::<LastOfFamily>().init_resource::<Turns>();
    app.register_state::<caches::BoxCenter>().init_resource::<caches::Boxes>();
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
    if is_sequential(app) {
        app.add_systems(SimStep, sequential::take_turns.in_set(Step::Agents));
    } else {
        app.configure_sets(
            SimStep,
            (Phase::Control, Phase::Move, Phase::Collide, Phase::Sense).chain().in_set(Step::Agents),
        );
        let perish = contact::perish.run_if(|wrecks: Res<contact::Wrecks>| !wrecks.is_empty());
        app.add_systems(SimStep, (caches::collide, perish).chain().in_set(Phase::Collide));
    }
}

fn is_sequential(app: &App) -> bool {
    app.world().get_resource::<AgentOrder>().is_some_and(|order| order.0 == Order::Sequential)
}

/// The order of agents, set before any plugin is built so that only the systems that it needs are added.
#[derive(Resource, Clone, Copy)]
pub(crate) struct AgentOrder(pub Order);

pub(crate) fn count_step(mut time: ResMut<SimTime>) {
    time.step += 1;
}

/// The last kind added to each family, after which the next one runs.
#[derive(Resource, Default)]
struct LastOfFamily(BTreeMap<&'static str, InternedSystemSet>);

/// The system of one kind of a family.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
struct OfKind {
    family: &'static str,
    kind: &'static str,
}

/// Puts the systems of kinds in line.
pub trait AddKindSystem {
    /// Adds the system of a kind to a set of the step, after the kinds of its family that were added before it.
    fn add_kind_system<F: Family, K: TypePath, M>(
        &mut self,
        set: impl SystemSet,
        system: impl IntoScheduleConfigs<ScheduleSystem, M>,
    ) -> &mut Self;

    /// Adds what a kind does for one agent: as a system over all agents in simultaneous order,
    /// and in an agent's turn in sequential order.
    fn add_agent_kind<F: Family, K: TypePath, M>(
        &mut self,
        phase: Phase,
        all: impl IntoScheduleConfigs<ScheduleSystem, M>,
        one: Turn,
    ) -> &mut Self;
}

impl AddKindSystem for App {
    fn add_kind_system<F: Family, K: TypePath, M>(
        &mut self,
        set: impl SystemSet,
        system: impl IntoScheduleConfigs<ScheduleSystem, M>,
    ) -> &mut Self {
        let me = OfKind { family: F::NAME, kind: K::type_path() }.intern();
        let before = self.world_mut().get_resource_or_init::<LastOfFamily>().0.insert(F::NAME, me);
        self.add_systems(SimStep, system.in_set(set).in_set(me));
        if let Some(before) = before {
            self.configure_sets(SimStep, me.after(before));
        }
        self
    }

    fn add_agent_kind<F: Family, K: TypePath, M>(
        &mut self,
        phase: Phase,
        all: impl IntoScheduleConfigs<ScheduleSystem, M>,
        one: Turn,
    ) -> &mut Self {
        self.world_mut().get_resource_or_init::<Turns>().add(phase, one);
        if !is_sequential(self) {
            self.add_kind_system::<F, K, M>(phase, all);
        }
        self
    }
}
