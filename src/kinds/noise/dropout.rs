//! Lost readings.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Loses whole readings at random. A lost message to an actuator leaves the actuator unchanged.
#[kind(Copy)]
pub struct Dropout {
    /// Probability that a reading is lost.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub probability: f64,
    /// Replacement of a lost reading.
    pub instead: Instead,
}

/// The replacement of a lost reading.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Instead {
    /// The last reading that was not lost; the reading before the first one, mostly zero, while there is none.
    #[default]
    Last,
    /// Zero.
    Zero,
    /// No number (`NaN`), as of a sensor that detects nothing.
    Nothing,
}

impl Noise for Dropout {
    const REPLACES: bool = true;

    fn apply(&self, reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        kept.resize(reading.len(), 0.0);
        match (stream.unit() < self.probability, self.instead) {
            (false, _) => kept.copy_from_slice(reading),
            (true, Instead::Last) => reading.copy_from_slice(kept),
            (true, Instead::Zero) => reading.fill(0.0),
            (true, Instead::Nothing) => reading.fill(f64::NAN),
        }
    }

    fn receive(&self, _: &[&str], _: &mut [f64], _: &mut Vec<f64>, stream: &mut Stream) -> bool {
        stream.unit() >= self.probability
    }

    fn keeps(&self) -> u32 {
        1
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn dropout_replaces_lost_readings() {
        let numbers: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let zeros = through(&Dropout { probability: 0.25, instead: Instead::Zero }, numbers.clone());
        let lost = zeros.iter().filter(|value| **value == 0.0).count();
        assert!(lost.abs_diff(2500) < 200, "{lost}");
        let held = through(&Dropout { probability: 0.25, instead: Instead::Last }, numbers.clone());
        assert!(held.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(held.iter().zip(&numbers).filter(|(a, b)| a != b).count(), lost);
        assert_eq!(through(&Dropout { probability: 1.0, instead: Instead::Last }, [3.0]), [0.0]);
        assert!(through(&Dropout { probability: 1.0, instead: Instead::Nothing }, [3.0])[0].is_nan());
    }
}
