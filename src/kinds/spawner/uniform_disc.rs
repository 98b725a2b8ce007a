//! Uniform placement in a disc.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects at random in a disc.
#[kind(Copy, section = "Random", words = "random, circle")]
pub struct UniformDisc {
    /// Centre of the disc.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(5.0))]
    pub center_m: DVec2,
    /// Radius of the disc.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub radius_m: f64,
    /// The quantity with a uniform distribution.
    pub uniform_by: UniformBy,
}

/// The quantity with a uniform distribution over a [`UniformDisc`].
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum UniformBy {
    /// The area: equal areas have equally many robots.
    #[default]
    Area,
    /// The distance from the centre: robots are denser near the centre.
    Radius,
}

impl Spawner for UniformDisc {
    fn center_m(&self) -> DVec2 {
        self.center_m
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Ring { center_m: self.center_m, inner_m: 0.0, outer_m: self.radius_m })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |_, random| {
            let direction = direction(TAU * random.unit());
            let part = match self.uniform_by {
                UniformBy::Area => random.unit().sqrt(),
                UniformBy::Radius => random.unit(),
            };
            (self.center_m + self.radius_m * part * direction).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawner::fixture::places;

    #[test]
    fn uniform_disc_spawns_equally_in_equal_areas() {
        let spawner = UniformDisc { radius_m: 2.0, ..default() };
        let places = places(&spawner, 4000);
        let distances = places.iter().map(|place| place.distance(spawner.center_m));
        assert!(distances.clone().all(|distance| distance <= 2.0 + 1e-12));
        let inner = distances.filter(|distance| *distance < 2.0 / 2.0_f64.sqrt()).count();
        assert!((1900..2100).contains(&inner), "{inner} of 4000 in the inner half");
    }

    #[test]
    fn uniform_disc_spawns_equally_by_radius() {
        let spawner = UniformDisc { radius_m: 2.0, uniform_by: UniformBy::Radius, ..default() };
        let places = places(&spawner, 4000);
        let inner = places.iter().filter(|place| place.distance(spawner.center_m) < 1.0).count();
        assert!((1900..2100).contains(&inner), "{inner} of 4000 in the inner half of the radius");
    }
}
