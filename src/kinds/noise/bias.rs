//! A constant error.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Adds the same number to every number of a reading.
#[kind(Copy)]
pub struct Bias {
    /// Number to add, in the unit of the reading.
    #[reflect(@Limits::between(-1e9, 1e9))]
    pub offset: f64,
}

impl Noise for Bias {
    fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        reading.iter_mut().for_each(|value| *value += self.offset);
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn bias_adds_the_same_offset_to_all_values() {
        assert_eq!(through(&Bias { offset: -0.5 }, [0.0, 2.0]), [-0.5, 1.5]);
    }
}
