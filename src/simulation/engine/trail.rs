//! Trails of groups begin and grow.

use bevy::prelude::*;
use swarmarium_base::id::StableId;

use swarmarium_core::agent::look::Look;
use swarmarium_core::agent::trail::{Length, POINTS, Trails};
use swarmarium_core::agent::{Displacement, Member, Pose};
use swarmarium_core::step::plan::{Act, AddAct as _, Place, Work};
use swarmarium_core::step::{HasArena as _, Step};
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::{Group, Scene};

pub(crate) fn plugin(app: &mut App) {
    let follow = Act::new("trails", Place::Step(Step::Publish), Work::World(|world, _| follow(world)));
    app.add_act(follow.when(|_, arena| arena.trails.is_some()));
}

/// Starts storing trails, if a group of the scene has one.
pub(crate) fn start(world: &mut World, scene: &Scene) {
    if scene.groups.iter().any(|group| group.look.trail_s > 0.0) {
        world.arena_mut().trails.get_or_insert_default();
    }
}

/// The size in bytes of the trails of a scene at their full length.
pub(crate) fn full_bytes(scene: &Scene) -> usize {
    let of_group = |group: &Group| {
        let agents = group.spawned() as usize + group.placements().count();
        agents * Trails::bytes_of_one(Length::seconds(group.look.trail_s, scene.time.dt_s))
    };
    scene.groups.iter().filter(|group| group.look.trail_s > 0.0).map(of_group).sum()
}

/// Adds the present positions to the trails.
fn follow(world: &mut World) {
    let Some(mut trails) = world.arena_mut().trails.take() else { return };
    let time = world.arena().time;
    let groups = &world.resource::<Description>().scene().groups;
    for agent in world.arena().agents.iter().map(|agent| world.entity(*agent)) {
        let Ok((id, member, pose, moved)) = agent.get_components::<(&StableId, &Member, &Pose, &Displacement)>() else {
            continue;
        };
        let Some(Look { trail_s, .. }) = groups.get(member.group as usize).map(|group| &group.look) else { continue };
        if *trail_s > 0.0 {
            let length = Length::seconds(*trail_s, time.dt_s);
            trails.begun(*id).follow((pose.position_m, moved.0), time.step, length, POINTS);
        } else {
            trails.remove(*id);
        }
    }
    world.arena_mut().trails = Some(trails);
}
