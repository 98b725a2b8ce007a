//! Lengths in feet.

use bevy::prelude::*;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, POSITION, change_position};
use swarmarium_core::random::Stream;

/// Converts a position from metres into feet; for an actuator, from feet into metres (MORSE `feet`).
#[kind(Copy)]
pub struct Feet {}

/// Feet per metre, as in MORSE.
const FEET: f64 = 3.280_839_9;

impl Noise for Feet {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION];
    const IS_UNDONE: bool = true;

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| position * FEET);
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, values, |position| position / FEET);
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::{near, out_and_in};

    use super::*;

    #[test]
    fn feet_are_those_of_the_test_of_morse() {
        let (out, back) = out_and_in(&Feet {}, [10.0, 8.0, 0.1]);
        assert!(near(&out, &[32.8084, 26.246, 0.328], 0.02) && near(&back, &[10.0, 8.0, 0.1], 1e-9));
        let (out, _) = out_and_in(&Feet {}, [100.0, 200.0, 50.0]);
        assert!(near(&out, &[328.084, 656.168, 164.042], 0.02), "{out:?}");
    }
}
