//! Objects that act: they control, move and sense as agents do, after the agents.
//!
//! The same plain functions serve as for agents in sequential order.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::roster::Roster;
use super::{Actors, Agents, CurrentSpace, caches, sequential};
use crate::agent::{Displacement, Pose};
use crate::object;

/// Whether any object acts.
pub(crate) fn any_acts(actors: Res<Actors>) -> bool {
    !actors.0.is_empty()
}

/// All of them command and move; then robots make way, where any did move; then their sensors read.
pub(crate) fn act(world: &mut World) {
    let first = world.resource::<Agents>().0.len();
    let actors = world.resource::<Actors>().0.clone();
    Roster::lend(world, |world, roster| {
        let mut any_moved = false;
        for (place, &actor) in actors.iter().enumerate() {
            let before = world.get::<Pose>(actor).copied();
            roster.control.act_for(world, actor);
            roster.motion.act_for(world, actor);
            stay_within_walls(world, actor);
            any_moved |= world.get::<Pose>(actor).copied() != before;
            object::follow(world, actor, first + place);
        }
        if any_moved {
            caches::make_way(world);
        }
        for &actor in &actors {
            sequential::sense_agent(world, &mut roster.sense, actor);
        }
    });
}

/// Walls stop its middle.
fn stay_within_walls(world: &mut World, actor: Entity) {
    let arena = world.resource::<CurrentSpace>().arena;
    if let Ok((mut pose, mut moved)) = world.entity_mut(actor).get_components_mut::<(&mut Pose, &mut Displacement)>() {
        let confined = arena.confine(pose.position_m, 0.0);
        // Crossing a wrapping border is not a way that it goes.
        let back: DVec2 = arena.offset(pose.position_m, confined);
        moved.0 += back;
        pose.position_m = confined;
    }
}
