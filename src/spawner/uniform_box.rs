//! Anywhere in a rectangle, evenly.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Facing, Spawner};
use crate::agent::Pose;
use crate::kind::Limits;
use crate::random::Stream;
use crate::scene::description::MAX_LENGTH_M;

/// Places agents evenly in a rectangle.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct UniformBox {
    /// One corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: DVec2,
    /// The corner across.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub max_m: DVec2,
    /// Where the agents look.
    pub facing: Facing,
    /// Whether agents are moved aside until they overlap no other.
    pub avoid_overlap: bool,
}

impl Default for UniformBox {
    fn default() -> Self {
        Self { min_m: DVec2::ZERO, max_m: DVec2::splat(10.0), facing: Facing::Random, avoid_overlap: true }
    }
}

impl Spawner for UniformBox {
    fn place(&self, random: &mut Stream) -> Pose {
        let fraction = DVec2::new(random.unit(), random.unit());
        let position_m = self.min_m + (self.max_m - self.min_m) * fraction;
        let middle = (self.min_m + self.max_m) / 2.0;
        Pose { position_m, heading_rad: self.facing.heading_rad(position_m, middle, random) }
    }

    fn avoids_overlap(&self) -> bool {
        self.avoid_overlap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::StableId;
    use crate::random::Seed;

    #[test]
    fn fills_the_box_evenly() {
        let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
        let spawner = UniformBox { min_m: DVec2::new(2.0, -1.0), max_m: DVec2::new(4.0, 1.0), ..default() };
        let places: Vec<DVec2> = (0..4000).map(|_| spawner.place(&mut random).position_m).collect();
        assert!(places.iter().all(|place| place.cmpge(spawner.min_m).all() && place.cmple(spawner.max_m).all()));
        let quarter = places.iter().filter(|place| place.x < 3.0 && place.y < 0.0).count();
        assert!((900..1100).contains(&quarter), "{quarter} of 4000 in one quarter");
    }
}
