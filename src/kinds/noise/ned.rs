//! Axes to the north, to the east and downwards.

use std::f64::consts::FRAC_PI_2;

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{ANGLES, Noise, POSITION, change_position, places};
use swarmarium_core::random::Stream;

/// Converts a position into the axes north, east and down: x and y are exchanged, and z changes its sign. The angles of
/// a reading without a position are converted likewise: `yaw` is clockwise from north, and `pitch` changes its sign.
/// The conversion for an actuator is the same (MORSE `NED`, which confuses yaw and roll).
#[kind(Copy)]
pub struct Ned {
    /// Whether the angles of a reading with a position are converted too, unlike in MORSE.
    pub angles: bool,
}

impl Noise for Ned {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION, &ANGLES];
    const IS_UNDONE: bool = true;
    const MIXES: &'static [&'static str] = &["x", "y"];

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        change_position(names, reading, |position| DVec3::new(position.y, position.x, -position.z));
        let has_position = places(names, POSITION).is_some();
        if let Some([yaw, pitch, _]) = places(names, ANGLES).filter(|_| self.angles || !has_position) {
            reading[yaw] = wrap_angle(FRAC_PI_2 - reading[yaw]);
            reading[pitch] = -reading[pitch];
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;
    use crate::noise::tests::{near, out_and_in};

    #[test]
    fn ned_swaps_axes_and_back() {
        let (out, back) = out_and_in(&Ned::default(), [10.0, 8.0, 0.1]);
        assert_eq!(out, [8.0, 10.0, -0.1]);
        assert_eq!(back, [10.0, 8.0, 0.1]);
    }

    #[test]
    fn ned_converts_angles_if_alone_or_requested() {
        let turned = |ned: Ned, names: &[&str], numbers: &[f64]| {
            let (mut reading, mut stream) = (numbers.to_vec(), Seed(1).stream(StableId::agent(0), "noise"));
            ned.apply_to(names, &mut reading, &mut Vec::new(), &mut stream);
            reading
        };
        let found = turned(Ned::default(), &ANGLES, &[0.0, 0.25, 0.5]);
        assert!(near(&found, &[FRAC_PI_2, -0.25, 0.5], 1e-12), "it looked to the east: {found:?}");
        let names = ["x", "y", "z", "yaw", "pitch", "roll"];
        let pose = [1.0, 2.0, 3.0, 0.0, 0.25, 0.5];
        assert_eq!(turned(Ned::default(), &names, &pose), [2.0, 1.0, -3.0, 0.0, 0.25, 0.5]);
        assert_eq!(turned(Ned { angles: true }, &names, &pose)[3..], [FRAC_PI_2, -0.25, 0.5]);
    }
}
