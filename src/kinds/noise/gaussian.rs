//! Normally distributed errors.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Adds normally distributed numbers with mean 0, independent of each other.
#[kind(Copy)]
pub struct Gaussian {
    /// Standard deviation, in the unit of the reading.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub std_dev: f64,
}

impl Noise for Gaussian {
    fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, stream: &mut Stream) {
        reading.iter_mut().for_each(|value| *value += self.std_dev * stream.normal());
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn gaussian_errors_have_the_given_standard_deviation() {
        let errors = through(&Gaussian { std_dev: 0.5 }, std::iter::repeat_n(0.0, 20_000));
        let mean = errors.iter().sum::<f64>() / 20_000.0;
        let variance = errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (variance.sqrt() - 0.5).abs() < 0.01, "{mean} {variance}");
    }
}
