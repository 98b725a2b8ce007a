//! Even placement on a circle.

use std::f64::consts::{PI, TAU};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects on a circle at equal distances, anticlockwise. `facing` with `Away` or `Towards` makes the
/// start symmetric.
#[kind(Copy, section = "Exact", words = "circle, around")]
pub struct Ring {
    /// Centre of the circle.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(5.0))]
    pub center_m: DVec2,
    /// Radius of the circle.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub radius_m: f64,
    /// Direction from the centre to the first robot.
    #[reflect(@Limits::between(-PI, PI))]
    pub first_rad: f64,
    /// Number of places, at least as many as robots; 0 for the number of robots.
    #[reflect(@Limits::between(0.0, MAX_AGENTS))]
    pub places: u32,
}

impl Spawner for Ring {
    fn fit(&mut self, count: u32) -> Result<(), String> {
        match self.places {
            0 => self.places = count.max(1),
            places if places < count => {
                return Err(format!("a ring of {places} places has no room for {count}: leave `places` 0"));
            }
            _ => {}
        }
        Ok(())
    }

    fn center_m(&self) -> DVec2 {
        self.center_m
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        let places = self.places.max(1);
        move |number, _| {
            let angle = self.first_rad + TAU * f64::from(number) / f64::from(places);
            (self.center_m + self.radius_m * direction(angle)).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawner::fixture::places;

    #[test]
    fn ring_has_equal_distances() {
        let mut ring = Ring { center_m: DVec2::new(1.0, 2.0), radius_m: 3.0, first_rad: PI / 2.0, places: 0 };
        ring.fit(3).unwrap();
        let found = places(&ring, 3);
        assert!(found[0].distance(DVec2::new(1.0, 5.0)) < 1e-12, "{found:?}");
        for place in 0..3 {
            assert!((found[place].distance(found[(place + 1) % 3]) - 27.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
        }
        assert!(found[1].x < 1.0);
        let half = places(&Ring { places: 6, ..ring }, 3);
        assert!((half[0].distance(half[1]) - 3.0).abs() < 1e-12);
        assert!(Ring { places: 2, ..ring }.fit(3).is_err());
    }
}
