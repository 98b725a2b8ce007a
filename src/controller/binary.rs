//! The controller of one bit: one way while something is detected, another way while not.

use bevy::prelude::*;

use super::{Controller, Drive, NoMemory, Senses};
use crate::agent::{Command, CommandForm};
use crate::kind::{Limits, SensorSlot};

/// Drives one way while its sensor detects something and another way while it is clear
/// (Gauci et al. 2014; RobotSwarmSimulator `BinaryController`).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Binary {
    /// Slot of the sensor that it listens to.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot)]
    pub sensor: u32,
    /// What to do while nothing is detected.
    pub clear: Drive,
    /// What to do while something is detected.
    pub detected: Drive,
}

impl Controller for Binary {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let detects = senses.slot(self.sensor).iter().any(|value| *value > 0.5);
        if detects { self.detected.into() } else { self.clear.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listens_to_its_slot() {
        let clear = Drive { v_m_per_s: 1.5, turn_rad_per_s: 2.3 };
        let detected = Drive { v_m_per_s: 3.0, turn_rad_per_s: 4.0 };
        let mut controller = Binary { sensor: 0, clear, detected };
        let on_and_off: &[&[f64]] = &[&[1.0], &[0.0]];
        assert_eq!(controller.command(&mut NoMemory, Senses(on_and_off)), detected.into());
        controller.sensor = 1;
        assert_eq!(controller.command(&mut NoMemory, Senses(on_and_off)), clear.into());
        controller.sensor = 2;
        assert_eq!(controller.command(&mut NoMemory, Senses(on_and_off)), clear.into());
    }
}
