//! Errors of a sensor with two states.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Inverts detections at random. A number above 0.5 is a detection; an inverted one becomes 0 or 1 (RobotSwarmSimulator
/// `false_positive`, `false_negative`).
#[kind(Copy)]
pub struct Flip {
    /// Probability that a missing detection becomes a detection.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub false_positive: f64,
    /// Probability that a detection is missed.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub false_negative: f64,
}

impl Noise for Flip {
    fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, stream: &mut Stream) {
        for value in reading {
            let (chance, mistaken) = if *value > 0.5 { (self.false_negative, 0.0) } else { (self.false_positive, 1.0) };
            if stream.unit() < chance {
                *value = mistaken;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn flip_errors_have_the_given_frequency() {
        let flip = Flip { false_positive: 0.1, false_negative: 0.3 };
        let yes = through(&flip, std::iter::repeat_n(1.0, 10_000)).iter().sum::<f64>();
        let no = through(&flip, std::iter::repeat_n(0.0, 10_000)).iter().sum::<f64>();
        assert!((yes - 7000.0).abs() < 200.0 && (no - 1000.0).abs() < 200.0, "{yes} {no}");
        assert_eq!(through(&Flip::default(), [0.0, 1.0, 0.7]), [0.0, 1.0, 0.7]);
    }
}
