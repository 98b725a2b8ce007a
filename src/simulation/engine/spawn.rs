//! Creates a world from a scene: entities for agents, sensors, objects, spawners and metrics.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric;
use swarmarium_core::random::pcg::Pcg64;
use swarmarium_core::random::{Seed, SeedChain};
use swarmarium_core::spawner::{Lack, Pending};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::time::{SimTime, TimeScale};
use swarmarium_scene::check;
use swarmarium_scene::scene::current;
use swarmarium_scene::scene::description::{RandomSource, Scene};

use super::spawners::Acted;
use super::{objects, spawners};
use crate::engine::{caches, fault, trail};
use crate::population::{Population, PoseOwners, StartTime, agents, attach, give_chain};

/// Refuses an impossible scene.
pub(crate) fn check(world: &World, scene: &Scene) -> Result<(), Vec<Problem>> {
    let mut problems = check::limits(world.resource::<Kinds>(), scene);
    problems.extend(check::fit(world, scene));
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The scene with the objects of its object groups, if it has such groups, and the groups without room for all of them.
///
/// # Errors
/// The groups without room, and the problems of the scene with these objects.
pub(crate) fn placed(world: &World, scene: &Scene) -> Result<Option<(Scene, Vec<Lack>)>, Vec<Problem>> {
    let placed = spawners::place_objects(world, scene)?;
    let problems = placed.iter().flat_map(|(scene, _)| check::fit(world, scene)).collect::<Vec<_>>();
    if problems.is_empty() { Ok(placed) } else { Err(problems) }
}

/// Fills an empty world with the contents of a checked scene: groups, objects, metrics. Then spawners act once.
///
/// # Errors
/// If a group has no room for all of its agents, although it must have.
pub(crate) fn scene(world: &mut World, scene: &Scene) -> Result<(), Vec<Problem>> {
    let kinds = world.resource::<Kinds>().clone();
    let is_classic = scene.random_source == RandomSource::Classic;
    let arena = world.arena_mut();
    arena.time = SimTime { step: 0, dt_s: scene.time.dt_s };
    (arena.seed, arena.delivery, arena.on_collision) = (Seed(scene.seed), scene.delivery, scene.on_collision);
    arena.seed_chain = is_classic.then(|| SeedChain(Pcg64::new(scene.seed)));
    world.insert_resource(TimeScale(scene.time.scale));
    world.insert_resource(StartTime(scene.time.epoch.at_s(|| 0.0)));
    world.insert_resource(Population::default());
    world.insert_resource(PoseOwners::default());
    current::set(world, scene.clone());
    caches::lay_out(world, scene);
    trail::start(world, scene);
    fault::set_up(world, scene);
    // Objects first, so that spawners avoid them.
    for (index, object) in scene.objects.iter().enumerate() {
        objects::spawn(world, &kinds, index as u32, object);
    }
    for index in 0..scene.groups.len() {
        place(world, scene, index);
    }
    for index in 0..scene.groups.len() {
        spawner(world, scene, index);
    }
    metric::lay_out(world, &scene.metrics);
    for (index, metric) in scene.metrics.iter().enumerate() {
        attach(&kinds, &mut world.spawn(StableId::metric(index as u32)), metric);
    }
    let acted = if scene.spawn_before_first_step { spawners::act_of(world, None) } else { Acted::default() };
    if !acted.was_due {
        caches::rebuild(world);
    }
    if acted.problems.is_empty() { Ok(()) } else { Err(acted.problems) }
}

/// Creates the agents of a group with listed poses.
pub(crate) fn place(world: &mut World, scene: &Scene, index: usize) {
    let Some(group) = scene.groups.get(index) else { return };
    agents(world, index as u32, group.placements().map(Pose::from));
    let mut placed = world.resource_mut::<PoseOwners>();
    let numbers = (0..).zip(placed.of(index, group));
    numbers.for_each(|(number, agent)| *agent = number);
}

/// Creates the spawner of a group, if it has agents to create.
pub(crate) fn spawner(world: &mut World, scene: &Scene, index: usize) {
    let Some(group) = scene.groups.get(index).filter(|group| group.spawned() > 0) else { return };
    let kinds = world.resource::<Kinds>().clone();
    let pending = Pending { group: index as u32, count: group.spawned(), made: 0 };
    let settled = spawners::settled(world, scene, index);
    let mut spawner = world.spawn((StableId::spawner(index as u32), pending));
    attach(&kinds, &mut spawner, settled.as_ref().unwrap_or(&group.spawn));
    let spawner = spawner.id();
    give_chain(world, spawner);
}
