//! All at one point, or as near to it as there is room.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Facing, Spawner};
use crate::agent::Pose;
use crate::kind::Limits;
use crate::random::Stream;
use crate::scene::description::MAX_LENGTH_M;

/// Places agents at a point.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Point {
    /// The point.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub position_m: DVec2,
    /// Where the agents look.
    pub facing: Facing,
    /// Whether agents are moved aside until they overlap no other.
    pub avoid_overlap: bool,
}

impl Default for Point {
    fn default() -> Self {
        Self { position_m: DVec2::ZERO, facing: Facing::Random, avoid_overlap: true }
    }
}

impl Spawner for Point {
    fn place(&self, random: &mut Stream) -> Pose {
        let heading_rad = self.facing.heading_rad(self.position_m, self.position_m, random);
        Pose { position_m: self.position_m, heading_rad }
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
    fn stands_at_the_point_and_looks_where_it_is_told() {
        let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
        let mut spawner = Point { position_m: DVec2::new(3.0, 4.0), ..Point::default() };
        assert_eq!(spawner.place(&mut random).position_m, DVec2::new(3.0, 4.0));
        spawner.facing = Facing::Heading { rad: 1.25 };
        assert_eq!(spawner.place(&mut random).heading_rad, 1.25);
        spawner.facing = Facing::Point { at_m: DVec2::new(3.0, 9.0) };
        assert!((spawner.place(&mut random).heading_rad - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    }
}
