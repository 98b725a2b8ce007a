//! Anywhere in a disc, evenly by area.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Facing, Spawner};
use crate::agent::Pose;
use crate::kind::Limits;
use crate::math::direction;
use crate::random::Stream;
use crate::scene::description::MAX_LENGTH_M;

/// Places agents evenly in a disc.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct UniformDisc {
    /// Middle of the disc.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub center_m: DVec2,
    /// Radius of the disc.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub radius_m: f64,
    /// Where the agents look.
    pub facing: Facing,
    /// Whether agents are moved aside until they overlap no other.
    pub avoid_overlap: bool,
}

impl Default for UniformDisc {
    fn default() -> Self {
        Self { center_m: DVec2::splat(5.0), radius_m: 1.0, facing: Facing::Random, avoid_overlap: true }
    }
}

impl Spawner for UniformDisc {
    fn place(&self, random: &mut Stream) -> Pose {
        // The root makes equal areas equally likely.
        let distance = self.radius_m * random.unit().sqrt();
        let position_m = self.center_m + distance * direction(TAU * random.unit());
        Pose { position_m, heading_rad: self.facing.heading_rad(position_m, self.center_m, random) }
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
    fn equal_areas_are_equally_likely() {
        let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
        let spawner = UniformDisc { radius_m: 2.0, facing: Facing::Away, ..default() };
        let poses: Vec<Pose> = (0..4000).map(|_| spawner.place(&mut random)).collect();
        let distances = poses.iter().map(|pose| pose.position_m.distance(spawner.center_m));
        assert!(distances.clone().all(|distance| distance <= 2.0 + 1e-12));
        let inner = distances.filter(|distance| *distance < 2.0 / 2.0_f64.sqrt()).count();
        assert!((1900..2100).contains(&inner), "{inner} of 4000 in the inner half");
        let outward = |pose: &Pose| direction(pose.heading_rad).dot(pose.position_m - spawner.center_m) >= 0.0;
        assert!(poses.iter().all(outward));
    }
}
