//! Systems of plugins in a step: Bevy orders them among the acts of the plan, and refuses an open order.
//!
//! Without such systems, a step is the plan alone.

use std::any::TypeId;

use bevy::ecs::schedule::graph::Direction;
use bevy::ecs::schedule::{
    ApplyDeferred, IntoScheduleConfigs as _, LogLevel, NodeId, ScheduleBuildError, ScheduleBuildSettings,
    ScheduleConfigs, SingleThreadedExecutor, SystemKey, SystemSet,
};
use bevy::ecs::system::{IntoSystem, ScheduleSystem};
use bevy::prelude::*;

use super::plan::lines::PlanLine;
use super::plan::{self, CurrentPlan, Place, Plan};
use super::{Phase, SimStep, Step};
use crate::kind::{KindType, ident};

/// The systems that run directly after the kernel of a kind, before that of the next kind.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AfterKind {
    kind: TypeId,
    name: &'static str,
}

/// The systems that run directly after a controller, a motion model or a sensor has acted for all robots.
///
/// ```
/// use bevy::prelude::{App, IntoScheduleConfigs as _, Query, With};
/// use swarmarium_core::controller::constant::Constant;
/// use swarmarium_simulation::prelude::*;
/// use swarmarium_core::step::{SimStep, after_kind};
///
/// fn brake(mut commands: Query<&mut Command, With<Constant>>) {
///     commands.iter_mut().for_each(|mut command| *command = command.scaled(0.5, 1.0));
/// }
///
/// let recipe = Recipe::bare().with(|app: &mut App| {
///     app.add_systems(SimStep, brake.in_set(after_kind::<Constant>()));
/// });
/// assert!(Simulation::with(&Scene::default(), &recipe, 1).is_ok());
/// ```
pub fn after_kind<K: KindType>() -> AfterKind {
    AfterKind { kind: TypeId::of::<K>(), name: ident::<K>() }
}

/// One act, or a part of one, among the systems of plugins.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Part(usize);

pub(super) fn plugin(app: &mut App) {
    app.init_schedule(SimStep).edit_schedule(SimStep, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
        schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    });
    app.configure_sets(
        SimStep,
        (Step::Edits, Step::Spawners, Step::Agents, Step::Objects, Step::Metrics, Step::Publish).chain(),
    );
}

/// Puts the acts of the plan of a world among the systems of plugins; `None` if there are no such systems.
///
/// # Errors
/// If the order is open or impossible, with the names of the systems.
pub fn with_plugins(world: &mut World, mut schedule: Schedule) -> Result<Option<Schedule>, String> {
    if schedule.systems_len() == 0 {
        return Ok(None);
    }
    let cuts: Vec<AfterKind> = sets(&schedule).collect();
    let parts = parts(&schedule, world.resource_mut::<CurrentPlan>().edit());
    let has_phases = parts.iter().any(|part| matches!(part.place, Place::Phase(_)));
    if !has_phases {
        let after = cuts.iter().map(|cut| format!("after the kind `{}`", cut.name)).next();
        let within = || sets(&schedule).map(|phase: Phase| format!("by the phase `{phase:?}`")).next();
        if let Some(place) = after.or_else(within) {
            return Err(format!(
                "a plugin orders a system {place}, but agents of this scene act one after the other (the `order` of the scene): \
                 there is no moment between two kinds or phases of all agents"
            ));
        }
    }
    if let Some(cut) = cuts.iter().find(|cut| parts.iter().all(|part| part.last != Some(cut.kind))) {
        return Err(format!(
            "a plugin orders a system after the kind `{}`, which is not a registered controller, motion model or sensor",
            cut.name
        ));
    }
    if has_phases {
        schedule
            .configure_sets((Phase::Control, Phase::Move, Phase::Collide, Phase::Sense).chain().in_set(Step::Agents));
    }
    for (number, part) in parts.iter().enumerate() {
        let (from, to) = (part.from, part.to);
        let act = move |world: &mut World| Plan::with(world, |world, plan| plan.run_between(world, from, to));
        let act = IntoSystem::into_system(act).with_name(part.name);
        let act: ScheduleConfigs<ScheduleSystem> = act.in_set(Part(number));
        let act = if number == 0 { act } else { act.after(Part(number - 1)) };
        schedule.add_systems(match part.place {
            Place::Step(step) => act.in_set(step),
            Place::Phase(phase) => act.in_set(phase),
            Place::AfterAgents => act.after(Step::Agents).before(Step::Objects),
        });
        if let Some(cut) = cuts.iter().find(|cut| part.last == Some(cut.kind)) {
            schedule.configure_sets(cut.after(Part(number)).before(Part(number + 1)));
        }
    }
    match schedule.initialize(world) {
        Ok(_) => Ok(Some(schedule)),
        Err(error) => Err(explain(&error, &schedule, world)),
    }
}

fn explain(error: &ScheduleBuildError, schedule: &Schedule, world: &World) -> String {
    error.to_string(schedule.graph(), world)
}

/// What acts in the world as it is, with the systems of plugins.
pub(crate) fn lines(world: &World, plan: &Plan, schedule: &Schedule) -> Vec<PlanLine> {
    let parts = parts(schedule, plan);
    let (mut lines, mut place) = (Vec::new(), Place::Step(Step::Edits));
    for (key, system) in schedule.systems().into_iter().flatten() {
        if system.system_type() == TypeId::of::<ApplyDeferred>() {
            continue;
        }
        let own = || sets_of(schedule, key);
        if let Some(part) = own().find_map(cast).and_then(|Part(number)| parts.get(number)) {
            place = part.place;
            lines.extend(plan.lines(world, part.from, part.to));
        } else {
            place = own().find_map(cast).map_or(place, Place::Step);
            place = own().find_map(cast).map_or(place, Place::Phase);
            let act = format!("{}, of a plugin", system.name().shortname());
            lines.push(PlanLine { place: place.to_string(), act, names: Vec::new(), occasion: "" });
        }
    }
    lines
}

/// The acts of a plan, cut after the kinds after which systems are ordered.
fn parts(schedule: &Schedule, plan: &Plan) -> Vec<plan::Part> {
    plan.parts(&|kind| sets(schedule).any(|cut: AfterKind| cut.kind == kind))
}

/// The sets of one type.
fn sets<T: Copy + 'static>(schedule: &Schedule) -> impl Iterator<Item = T> {
    schedule.graph().system_sets.iter().filter_map(|(_, set, _)| cast(set))
}

/// The sets that a system was put into.
fn sets_of(schedule: &Schedule, system: SystemKey) -> impl Iterator<Item = &dyn SystemSet> {
    let graph = schedule.graph();
    let above = graph.hierarchy().neighbors_directed(NodeId::System(system), Direction::Incoming);
    above.filter_map(|set| graph.system_sets.get(set.as_set()?))
}

fn cast<T: Copy + 'static>(set: &dyn SystemSet) -> Option<T> {
    let set: &dyn std::any::Any = set;
    set.downcast_ref().copied()
}
