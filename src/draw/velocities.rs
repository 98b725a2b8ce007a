//! Velocities: an arrow from each agent to its position in one second at the present velocity.

use bevy::prelude::*;
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};
use swarmarium_space::Space;

use super::View;
use super::view::reaches_into;

/// Time that velocities are drawn ahead, in seconds.
const AHEAD_S: f64 = 1.0;
/// The shortest arrow that is drawn, in logical pixels.
const SHORTEST_PX: f64 = 7.0;

/// Draws an arrow for each agent that moved in the last step.
pub(super) fn draw(world: &World, space: &Space, view: &View, picture: &mut Picture) {
    let per_step = AHEAD_S / world.arena().time.dt_s;
    let seen_m = view.camera.visible_m();
    for row in 0..world.arena().agents.len() {
        let (from, way) = (space.bodies.positions()[row], space.bodies.displacements()[row] * per_step);
        let head_m = SHORTEST_PX / picture.pixels_per_m;
        if way.length() * picture.pixels_per_m > SHORTEST_PX && reaches_into(seen_m, [from, from + way], head_m) {
            picture.arrow(Layer::Labels, Role::Text, [from, from + way], 1.5);
        }
    }
}
