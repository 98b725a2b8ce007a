//! Readings that arrive late.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::Noise;
use swarmarium_core::random::Stream;

/// Delays every reading by a number of readings. Until the first one arrives, the reading is that of the sensor before its
/// first reading, mostly zero. A message to an actuator is delayed by the same number of its actions.
#[kind(Copy)]
pub struct Delay {
    /// Delay as a number of readings, or of actions of an actuator; the rate defines its duration.
    #[reflect(@Limits::between(0.0, 10_000.0))]
    #[default(1)]
    pub readings: u32,
}

impl Noise for Delay {
    const REPLACES: bool = true;

    fn apply(&self, reading: &mut [f64], kept: &mut Vec<f64>, _: &mut Stream) {
        // Oldest first. After a change of the delay, the oldest are dropped or the wait begins again.
        let wanted = reading.len() * self.readings as usize;
        match kept.len().checked_sub(wanted) {
            Some(more) => drop(kept.drain(..more)),
            None => drop(kept.splice(0..0, std::iter::repeat_n(0.0, wanted - kept.len()))),
        }
        kept.extend_from_slice(reading);
        reading.copy_from_slice(&kept[..reading.len()]);
        kept.drain(..reading.len());
    }

    fn receive(&self, _: &[&str], _: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) -> bool {
        true
    }

    fn acts_late(&self) -> u32 {
        self.readings
    }

    fn keeps(&self) -> u32 {
        self.readings
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::through;

    use super::*;

    #[test]
    fn delay_returns_readings_late_and_in_order() {
        assert_eq!(through(&Delay { readings: 2 }, [1.0, 2.0, 3.0, 4.0]), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(through(&Delay { readings: 0 }, [1.0, 2.0]), [1.0, 2.0]);
    }
}
