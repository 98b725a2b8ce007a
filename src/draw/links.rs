//! Links: a line from each agent to the agent in its sight.

use bevy::prelude::*;
use swarmarium_core::agent::Row;
use swarmarium_core::sensor::{self, Mounted};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Space, Target};

use super::View;
use super::view::reaches_into;

/// Draws a visible line for each sensor that can identify the agent in its sight.
pub(super) fn draw(world: &World, space: &Space, view: &View, picture: &mut Picture) {
    let seen_m = view.camera.visible_m();
    let Some(mut sensors) = world.try_query::<(EntityRef, &Mounted, &Row)>() else { return };
    let mut sensors: Vec<_> = sensors.iter(world).collect();
    sensors.sort_by_key(|(_, mounted, _)| (mounted.owner, mounted.slot));
    for (sensor, _, row) in sensors {
        let Some(Target::Body(seen)) = sensor::sees(world, sensor) else { continue };
        let from = space.bodies.positions()[row.0 as usize];
        // Across a periodic boundary, a line leads out of the arena towards the visible image.
        let to = from + space.arena.offset(from, space.bodies.positions()[seen]);
        if !reaches_into(seen_m, [from, to], 0.0) {
            continue;
        }
        picture.segment(Layer::Links, Role::Accent.faint(0.6), [from, to], Width::Pixels(1.25));
    }
}
