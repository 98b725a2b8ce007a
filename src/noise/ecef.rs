//! Positions as seen from the middle of the Earth.

use bevy::prelude::*;

use super::{Noise, POSITION, change_position};
use crate::kind::Limits;
use crate::math::earth::{Origin, Plane};
use crate::random::Stream;

/// Turns a position into one as seen from the middle of the Earth, in metres: x to longitude 0 on the equator, z to the north;
/// on the way into an actuator, back (MORSE `ECEF` and `geocentric`, whose way back is not one). The Earth is an ellipsoid
/// (WGS-84) that the arena touches at its origin.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Ecef {
    /// Longitude of the origin of the arena, positive in the east.
    #[reflect(@Limits::between(-360.0, 360.0))]
    pub longitude_deg: f64,
    /// Latitude of it, positive in the north.
    #[reflect(@Limits::between(-90.0, 90.0))]
    pub latitude_deg: f64,
    /// Height of it above the ellipsoid.
    #[reflect(@Limits::between(-1e5, 1e8))]
    pub altitude_m: f64,
    /// Whether these are rounded to 32 bits, as those of MORSE are: that moves the origin by some decimetres.
    pub round_origin: bool,
}

impl Ecef {
    fn plane(&self) -> Plane {
        let Self { longitude_deg, latitude_deg, altitude_m, round_origin } = *self;
        Origin { longitude_deg, latitude_deg, altitude_m, north_deg: 0.0, round_origin }.plane()
    }
}

impl Noise for Ecef {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION];
    const IS_UNDONE: bool = true;
    const MIXES: &'static [&'static str] = &POSITION;

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| self.plane().to_earth(position));
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, values, |position| self.plane().to_arena(position));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::tests::{near, out_and_in};

    const MORSE: Ecef = Ecef { longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0, round_origin: true };

    #[test]
    fn positions_are_those_of_the_test_of_morse() {
        let (out, back) = out_and_in(&MORSE, [10.0, 8.0, 0.1]);
        assert!(near(&out, &[4_617_522.748, 4_397_221.061, 158_481.297], 0.02), "{out:?}");
        assert!(near(&back, &[10.0, 8.0, 0.1], 1e-6), "{back:?}");
        let (out, _) = out_and_in(&MORSE, [100.0, 200.0, 50.0]);
        assert!(near(&out, &[4_617_493.329, 4_397_317.326, 158_674.479], 0.02), "{out:?}");
        let (exact, _) = out_and_in(&Ecef { round_origin: false, ..MORSE }, [10.0, 8.0, 0.1]);
        assert!((exact[0] - 4_617_522.631).abs() < 0.02, "{exact:?}");
    }
}
