//! Chooses between two motions by one bit.

use std::collections::VecDeque;

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};

/// Drives with one speed and turn rate while its sensor detects something, and with another while the view is clear
/// (Gauci et al. 2014; RobotSwarmSimulator `BinaryController`).
#[kind(Copy, section = "Reactive", words = "milling, see or not, two actions, if seen")]
pub struct Binary {
    /// Slot of the sensor whose detections decide.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Detection)]
    pub sensor: u32,
    /// Motion while nothing is detected.
    pub clear: Drive,
    /// Motion while something is detected.
    pub detected: Drive,
    /// Number of the latest readings that vote: the majority of them must detect something (RobotSwarmSimulator
    /// `sense_avg_time`).
    #[reflect(@Limits::between(1.0, 100_000.0))]
    #[default(1)]
    pub vote_readings: u32,
}

/// Whether something was detected in the last steps, oldest first; empty if one reading decides.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Detections(VecDeque<bool>);

impl Controller for Binary {
    type Memory = Detections;
    const COMMANDS: CommandForm = CommandForm::Drive;

    #[inline]
    fn command(&self, memory: &mut Detections, senses: Senses) -> Command {
        let now = senses.detects(self.sensor);
        if self.has_majority(memory, now) { self.detected.into() } else { self.clear.into() }
    }
}

impl Binary {
    #[inline]
    fn has_majority(&self, Detections(last): &mut Detections, now: bool) -> bool {
        let most = self.vote_readings as usize;
        if most <= 1 {
            if !last.is_empty() {
                last.clear();
            }
            return now;
        }
        last.push_back(now);
        last.drain(..last.len().saturating_sub(most));
        // There are fewer readings at first.
        2 * last.iter().filter(|detected| **detected).count() > last.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: Drive = Drive { v_m_per_s: 1.5, turn_rad_per_s: 2.3 };
    const DETECTED: Drive = Drive { v_m_per_s: 3.0, turn_rad_per_s: 4.0 };

    #[test]
    fn binary_reads_its_sensor_slot() {
        let memory = &mut Detections::default();
        let mut controller = Binary { clear: CLEAR, detected: DETECTED, ..Default::default() };
        let on_and_off: &[&[f64]] = &[&[1.0], &[0.0]];
        assert_eq!(controller.command(memory, Senses::of(on_and_off)), DETECTED.into());
        controller.sensor = 1;
        assert_eq!(controller.command(memory, Senses::of(on_and_off)), CLEAR.into());
        controller.sensor = 2;
        assert_eq!(controller.command(memory, Senses::of(on_and_off)), CLEAR.into());
    }

    #[test]
    fn binary_follows_the_majority_of_the_last_readings() {
        let controller = Binary { clear: CLEAR, detected: DETECTED, vote_readings: 3, ..Default::default() };
        let mut memory = Detections::default();
        let readings = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        let expected = [true, false, true, false, false, false];
        for (step, (reading, detected)) in readings.iter().zip(expected).enumerate() {
            let command = controller.command(&mut memory, Senses::of(&[&[*reading]]));
            assert_eq!(command == DETECTED.into(), detected, "step {step}");
        }
        assert_eq!(memory.0.len(), 3);
    }
}
