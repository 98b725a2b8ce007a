//! Active objects: they control, move and sense as agents do, after the agents.
//!
//! They use the same functions as agents in sequential order.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::{Command, Displacement, Pose, Row, Team};
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::object::{self, ObjectFamily};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::step::plan::{Duty, Plan};

use super::{caches, pushing, sequential};
use crate::population::{self, attach};

/// Runs all active objects: they command and move; robots give way if any object has moved; then sensors of objects
/// read.
pub(crate) fn act(world: &mut World, plan: &mut Plan) {
    let first = world.arena().agents.len();
    let actors = world.arena().actors.clone();
    let mut any_moved = false;
    for (place, &actor) in actors.iter().enumerate() {
        let before = world.get::<Pose>(actor).copied();
        if world.get::<Command>(actor).is_none() {
            // It is only pushed.
            continue;
        }
        plan.act_for(world, &[Duty::Control, Duty::Move], actor);
        plan.return_arena(world);
        stay_within_walls(world, actor);
        let after = world.get::<Pose>(actor).copied();
        let moves = after != before;
        any_moved |= moves;
        object::follow(world, actor, first + place);
        if let Some((before, after)) = before.zip(after).filter(|_| moves) {
            pushing::push_by_object(world, actor, (before, after));
        }
    }
    if any_moved {
        caches::make_way(world);
    }
    for &actor in &actors {
        sequential::sense_agent(world, plan, Duty::Sense, actor, &mut |_, _, _| {});
    }
}

/// Keeps the centre of an object within the walls.
fn stay_within_walls(world: &mut World, actor: Entity) {
    let arena = world.arena().space.arena;
    if let Ok((mut pose, mut moved)) = world.entity_mut(actor).get_components_mut::<(&mut Pose, &mut Displacement)>() {
        let confined = arena.confine(pose.position_m, 0.0);
        // Crossing a periodic boundary is not part of its displacement.
        let back: DVec2 = arena.offset(pose.position_m, confined);
        moved.0 += back;
        pose.position_m = confined;
    }
}

/// Creates an object, with the components for acting if it is active.
pub(crate) fn spawn(world: &mut World, kinds: &Kinds, index: u32, object: &Slot<ObjectFamily>) {
    let id = StableId::object(index);
    let entity = world.spawn(id).id();
    population::give_chain(world, entity);
    attach(kinds, &mut world.entity_mut(entity), object);
    let presence = object.common();
    let acts = object::acts(presence);
    if !acts && presence.movable.is_none() {
        return;
    }
    let figure = object::figure(world, world.entity(entity)).unwrap_or_default();
    let pose = Pose { position_m: figure.center_m, heading_rad: presence.heading_rad };
    let body = (pose, Team::named(&presence.team), Displacement::default(), Row::default());
    world.entity_mut(entity).insert(body);
    if presence.movable.is_some() {
        world.entity_mut(entity).insert(FrictionWork::default());
    }
    if !acts {
        return;
    }
    attach(kinds, &mut world.entity_mut(entity), &presence.motion);
    attach(kinds, &mut world.entity_mut(entity), &presence.controller);
    world.entity_mut(entity).insert(Command::default());
    population::sensors(world, kinds, (id, entity), &presence.sensors);
}
