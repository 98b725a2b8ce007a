//! The engine: registers the systems of a step, creates a world from a scene, and keeps the tables of a step.

use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, SingleThreadedExecutor};
use bevy::prelude::*;

use crate::spawner::Pending;
use crate::state::RegisterState as _;
use crate::step::order::Order;
use crate::step::roster::{Roster, act_all, decide_all, notice_all};
use crate::step::tables::{BoxCenter, ByGroup};
use crate::step::{Actors, AgentOrder, Agents, CurrentSpace, Phase, SimStep, Step, Workers, count_step};
use crate::time::SimTime;

pub(crate) mod caches;
pub mod contact;
pub mod fault;
pub mod objects;
pub mod pose_overrides;
pub mod sequential;
pub mod spawn;
pub mod spawners;
pub mod trail;

/// Adds the clock, the order of the step and the systems that do not depend on kinds.
pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource::<SimTime>("time").init_resource::<Roster>();
    app.register_state::<BoxCenter>("box_center");
    app.init_resource::<ByGroup>();
    app.init_resource::<CurrentSpace>().init_resource::<Agents>().init_resource::<Actors>().init_resource::<Workers>();
    app.init_schedule(SimStep).edit_schedule(SimStep, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
        schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    });
    app.configure_sets(
        SimStep,
        (Step::Edits, Step::Spawners, Step::Agents, Step::Objects, Step::Metrics, Step::Publish).chain(),
    );
    app.add_plugins((contact::plugin, fault::plugin, trail::plugin));
    app.add_systems(SimStep, count_step.in_set(Step::Edits));
    let spawn = spawners::act.run_if(any_with_component::<Pending>);
    app.add_systems(SimStep, spawn.in_set(Step::Spawners));
    // Before the systems that plugins add to the set. Objects notice agents at the positions to which moving objects
    // have pushed them.
    let put = pose_overrides::apply_pose_overrides.run_if(resource_exists::<pose_overrides::PoseOverrides>);
    let act = objects::act.run_if(objects::any_acts);
    app.add_systems(SimStep, (put, act, notice_all()).chain().after(Step::Agents).before(Step::Objects));
    if app.world().get_resource::<AgentOrder>().is_some_and(|order| order.0 == Order::Sequential) {
        app.add_systems(SimStep, sequential::take_turns.in_set(Step::Agents));
    } else {
        app.configure_sets(
            SimStep,
            (Phase::Control, Phase::Move, Phase::Collide, Phase::Sense).chain().in_set(Step::Agents),
        );
        let count_bumps = contact::count_bumps.run_if(|bumped: Res<contact::Bumped>| !bumped.0.is_empty());
        let kill_pending = contact::kill_pending.run_if(|deaths: Res<contact::PendingDeaths>| !deaths.is_empty());
        app.add_systems(
            SimStep,
            (
                decide_all().in_set(Phase::Control),
                act_all(|roster| &mut roster.motion).in_set(Phase::Move),
                (caches::collide, count_bumps, kill_pending).chain().in_set(Phase::Collide),
                act_all(|roster| &mut roster.sense).in_set(Phase::Sense),
            ),
        );
    }
}
