//! Quantisation, as by a converter or a counter.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Rounds every number of a reading to the nearest multiple of a step.
#[kind(Copy)]
pub struct Quantise {
    /// Step size, in the unit of the reading.
    #[reflect(@Limits::up_to(1e9))]
    #[default(0.01)]
    pub step: f64,
}

impl Noise for Quantise {
    fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        reading.iter_mut().for_each(|value| *value = (*value / self.step).round() * self.step);
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn quantise_rounds_to_steps() {
        assert_eq!(through(&Quantise { step: 0.25 }, [0.1, 0.13, -0.4, 7.0]), [0.0, 0.25, -0.5, 7.0]);
    }
}
