//! Halos around selected robots and objects.

use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};
use swarmarium_simulation::simulation::Simulation;

use crate::common::selection::{self, Item};

/// Width of a halo around a robot, in points.
const HALO_PX: f64 = 3.0;
/// The largest number of selected items with a ring each, because a ring is many triangles in each frame.
pub const MOST_RINGS: usize = 200;

/// Draws discs behind selected robots, for more robots than rings allow.
pub fn halos(simulation: &Simulation, chosen: &[Item], picture: &mut Picture) {
    if chosen.len() <= MOST_RINGS {
        return;
    }
    for item in chosen.iter().filter(|item| item.agent().is_some()) {
        if let Some((center_m, radius_m)) = selection::extent(simulation, *item) {
            picture.disc(Layer::Sensors, Role::Accent, center_m, radius_m + HALO_PX / picture.pixels_per_m);
        }
    }
}
