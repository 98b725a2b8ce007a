//! Positions in another metric grid.

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, POSITION, change_position};
use swarmarium_core::random::Stream;

/// Adds offsets to a position, such as those of the arena in a zone of a map; for an actuator, subtracts them (MORSE
/// `UTM`).
#[kind(Copy)]
pub struct Utm {
    /// Offset that is added to x.
    #[reflect(@Limits::between(-1e12, 1e12))]
    pub x_offset_m: f64,
    /// Offset that is added to y.
    #[reflect(@Limits::between(-1e12, 1e12))]
    pub y_offset_m: f64,
    /// Offset that is added to z.
    #[reflect(@Limits::between(-1e12, 1e12))]
    pub z_offset_m: f64,
}

impl Utm {
    fn offset(&self) -> DVec3 {
        DVec3::new(self.x_offset_m, self.y_offset_m, self.z_offset_m)
    }
}

impl Noise for Utm {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION];
    const IS_UNDONE: bool = true;

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| position + self.offset());
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, values, |position| position - self.offset());
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::{near, out_and_in};

    use super::*;

    #[test]
    fn utm_offsets_are_those_of_the_test_of_morse() {
        let utm = Utm { x_offset_m: 123_456_789.0, y_offset_m: -4242.0, z_offset_m: 421.0 };
        let (out, back) = out_and_in(&utm, [10.0, 8.0, 0.1]);
        assert!(near(&out, &[123_456_799.0, -4234.0, 421.1], 1e-6) && near(&back, &[10.0, 8.0, 0.1], 1e-6));
    }
}
