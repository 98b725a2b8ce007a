//! Positions relative to the centre of the Earth.

use bevy::prelude::*;
use swarmarium_base::math::earth::Origin;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, POSITION, change_position};
use swarmarium_core::random::Stream;

/// Converts a position into one relative to the centre of the Earth, in metres, with x towards longitude 0 on the
/// equator and z towards north; for an actuator, the conversion is reversed (MORSE `ECEF` and `geocentric`, whose
/// reverse conversion is wrong). The Earth is an ellipsoid (WGS-84) that the plane of the arena touches at its origin.
#[kind(Copy)]
pub struct Ecef {
    /// Position of the origin of the arena on Earth.
    pub origin: Origin,
}

impl Noise for Ecef {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION];
    const IS_UNDONE: bool = true;
    const MIXES: &'static [&'static str] = &POSITION;

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| self.origin.plane().to_earth(position));
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, values, |position| self.origin.plane().to_arena(position));
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::{near, out_and_in};

    use super::*;

    const MORSE: Origin =
        Origin { longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0, north_deg: 0.0, round_origin: true };

    #[test]
    fn ecef_positions_are_those_of_the_test_of_morse() {
        let (out, back) = out_and_in(&Ecef { origin: MORSE }, [10.0, 8.0, 0.1]);
        assert!(near(&out, &[4_617_522.748, 4_397_221.061, 158_481.297], 0.02), "{out:?}");
        assert!(near(&back, &[10.0, 8.0, 0.1], 1e-6), "{back:?}");
        let (out, _) = out_and_in(&Ecef { origin: MORSE }, [100.0, 200.0, 50.0]);
        assert!(near(&out, &[4_617_493.329, 4_397_317.326, 158_674.479], 0.02), "{out:?}");
        let (exact, _) = out_and_in(&Ecef { origin: Origin { round_origin: false, ..MORSE } }, [10.0, 8.0, 0.1]);
        assert!((exact[0] - 4_617_522.631).abs() < 0.02, "{exact:?}");
    }
}
