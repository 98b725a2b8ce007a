//! Velocities: an arrow from each agent to where it would be in a second.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Layer, Picture, Role, Shape, Width};
use crate::space::Space;
use crate::step::{Agents, SimTime};

/// How far velocities are drawn ahead, in seconds.
const AHEAD_S: f64 = 1.0;
/// Length and half the width of the head of an arrow, in logical pixels.
const HEAD_PX: DVec2 = DVec2::new(7.0, 3.0);

/// Draws an arrow for each agent that moved in the last step.
pub(super) fn draw(world: &World, space: &Space, picture: &mut Picture) {
    let per_step = AHEAD_S / world.resource::<SimTime>().dt_s;
    let head_m = HEAD_PX / picture.pixels_per_m;
    for row in 0..world.resource::<Agents>().0.len() {
        let (from, way) = (space.bodies.positions()[row], space.bodies.displacements()[row] * per_step);
        let Some(ahead) = way.try_normalize().filter(|_| way.length() > head_m.x) else { continue };
        let (to, neck) = (from + way, from + way - ahead * head_m.x);
        let aside = ahead.perp() * head_m.y;
        picture.segment(Layer::Labels, Role::Text, [from, neck], Width::Pixels(1.5));
        picture.add(Layer::Labels, Role::Text, Shape::Triangle([to, neck + aside, neck - aside]));
    }
}
