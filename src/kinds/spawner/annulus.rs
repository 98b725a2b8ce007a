//! Uniform placement between two circles.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects at random in a ring.
#[kind(Copy, section = "Random", words = "random, ring, circle")]
pub struct Annulus {
    /// Centre of the ring.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(5.0))]
    pub center_m: DVec2,
    /// Radius of the hole.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub inner_radius_m: f64,
    /// Outer radius of the ring.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(2.0)]
    pub outer_radius_m: f64,
    /// Whether all distances from the centre are equally likely, as in RobotSwarmSimulator. Otherwise all equal areas
    /// are equally likely.
    pub classic: bool,
}

impl Annulus {
    /// The distance from the centre below which the given fraction of the agents is placed.
    fn distance_m(&self, fraction: f64) -> f64 {
        let (inner, outer) = (self.inner_radius_m, self.outer_radius_m);
        if self.classic {
            inner + (outer - inner) * fraction
        } else {
            // The fraction of the area within a distance r is (r² - inner²) / (outer² - inner²).
            (inner * inner + (outer - inner) * (outer + inner) * fraction).sqrt()
        }
    }
}

impl Spawner for Annulus {
    fn center_m(&self) -> DVec2 {
        self.center_m
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Ring { center_m: self.center_m, inner_m: self.inner_radius_m, outer_m: self.outer_radius_m })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |_, random| {
            let direction = direction(TAU * random.unit());
            (self.center_m + self.distance_m(random.unit()) * direction).into()
        }
    }

    fn problem(&self) -> Option<String> {
        let Self { inner_radius_m, outer_radius_m, .. } = self;
        (inner_radius_m > outer_radius_m).then(|| {
            format!("`inner_radius_m` must not be above `outer_radius_m`, found {inner_radius_m} and {outer_radius_m}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawner::fixture::{is_even, places};

    /// The number of 10,000 agents in each of ten rings separated by `edge`.
    fn counts(spawner: &Annulus, edge: impl Fn(f64) -> f64) -> Vec<u32> {
        let places = places(spawner, 10_000);
        let distances: Vec<f64> = places.iter().map(|place| place.distance(spawner.center_m)).collect();
        let within = |ring: u32| {
            let edges = edge(f64::from(ring) / 10.0)..edge(f64::from(ring + 1) / 10.0);
            distances.iter().filter(|distance| edges.contains(*distance)).count() as u32
        };
        (0..10).map(within).collect()
    }

    #[test]
    fn annulus_spawns_equally_in_equal_areas() {
        let spawner = Annulus { inner_radius_m: 1.0, outer_radius_m: 3.0, ..default() };
        let counts = counts(&spawner, |part| (1.0 + 8.0 * part).sqrt());
        assert!(is_even(&counts), "{counts:?}");
    }

    #[test]
    fn classic_annulus_has_uniform_distances() {
        let spawner = Annulus { inner_radius_m: 1.0, outer_radius_m: 3.0, classic: true, ..default() };
        let counts = counts(&spawner, |part| 1.0 + 2.0 * part);
        assert!(is_even(&counts), "{counts:?}");
    }

    #[test]
    fn annulus_spawns_equally_in_all_directions() {
        let spawner = Annulus::default();
        let mut counts = [0; 8];
        for place in places(&spawner, 8000) {
            let turn = swarmarium_base::math::angle_of(place - spawner.center_m) / TAU + 0.5;
            counts[(turn * 8.0) as usize % 8] += 1;
        }
        assert!(is_even(&counts), "{counts:?}");
    }
}
