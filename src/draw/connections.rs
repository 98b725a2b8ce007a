//! Connections: a line between robots in radio range, dashed if they received no packet of each other recently.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::radio::{Connection, Connections};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_scene::scene::current::Description;
use swarmarium_space::Space;

use super::view::reaches_into;
use super::{Overlay, View};

/// Draws all connections, or without the overlay those of the selected agent.
pub(super) fn draw(world: &World, space: &Space, view: &View, picture: &mut Picture) {
    let selected = || space.bodies.row_of(view.selected?.index());
    let seen_m = view.camera.visible_m();
    let fresh_s = world.resource::<Description>().scene().view.fresh_s;
    let connections = || Connections::of(world, space, fresh_s);
    if view.overlays.shows(Overlay::Connections) {
        connections().all().for_each(|connection| line(connection, space, seen_m, picture));
    } else if let Some(row) = selected() {
        connections().with(row).for_each(|connection| line(connection, space, seen_m, picture));
    }
}

/// A line between both robots if it is visible within two corners, in metres.
fn line(
    Connection { rows: [one, other], is_fresh, .. }: Connection,
    space: &Space,
    seen_m: [DVec2; 2],
    picture: &mut Picture,
) {
    let from = space.bodies.positions()[one];
    // Across a periodic boundary, a line leads out of the arena towards the nearest image.
    let to = from + space.arena.offset(from, space.bodies.positions()[other]);
    if !reaches_into(seen_m, [from, to], 0.0) {
        return;
    }
    if is_fresh {
        picture.segment(Layer::Links, Role::Text.faint(0.85), [from, to], Width::Pixels(1.25));
    } else {
        picture.segment(Layer::Links, Role::Stale, [from, to], Width::Pixels(1.5).dashed());
    }
}
