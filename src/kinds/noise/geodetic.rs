//! Positions as longitude, latitude and altitude.

use bevy::prelude::*;
use swarmarium_base::math::earth::{Origin, Place};
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, POSITION, change_position};
use swarmarium_core::random::Stream;

/// Converts a position into longitude and latitude in degrees and altitude in metres, in place of x, y and z; for an
/// actuator, the conversion is reversed (MORSE `geodetic`). The Earth is an ellipsoid (WGS-84) that the plane of the
/// arena touches at its origin.
#[kind(Copy)]
pub struct Geodetic {
    /// Position of the origin of the arena on Earth.
    pub origin: Origin,
}

impl Noise for Geodetic {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION];
    const IS_UNDONE: bool = true;
    const MIXES: &'static [&'static str] = &POSITION;

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| Place::at(self.origin.plane().to_earth(position)).in_degrees());
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, values, |place| self.origin.plane().to_arena(Place::of_degrees(place).earth_centred()));
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::{near, out_and_in};

    use super::*;

    const MORSE: Origin =
        Origin { longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0, north_deg: 0.0, round_origin: true };

    #[test]
    fn geodetic_coordinates_are_those_of_the_test_of_morse() {
        let (out, back) = out_and_in(&Geodetic { origin: MORSE }, [10.0, 8.0, 0.1]);
        assert!(near(&out[..2], &[43.600_088_3, 1.433_372_470], 2e-6) && (out[2] - 135.1).abs() < 0.02, "{out:?}");
        assert!(near(&back, &[10.0, 8.0, 0.1], 1e-6), "{back:?}");
    }
}
