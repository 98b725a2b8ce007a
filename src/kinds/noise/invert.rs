//! Inverted detections.

use bevy::prelude::*;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Replaces every number x by 1 - x (RobotSwarmSimulator `invert`).
#[kind(Copy)]
pub struct Invert {}

impl Noise for Invert {
    fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        reading.iter_mut().for_each(|value| *value = 1.0 - *value);
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn invert_swaps_zero_and_one() {
        assert_eq!(through(&Invert {}, [0.0, 1.0]), [1.0, 0.0]);
    }
}
