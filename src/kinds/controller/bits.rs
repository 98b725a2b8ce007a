//! Chooses a motion by several bits: one for each combination of detections.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};
use swarmarium_core::state::NoMemory;

/// Looks up its command in a table by the detections of its sensors (RobotSwarmSimulator `MultibitBinaryController`).
#[kind(section = "Reactive", words = "look-up table, rules, detections")]
pub struct Bits {
    /// Slots of the sensors. The first one contributes 1 when it detects something, the next one 2, then 4 and so on.
    /// Empty: all sensors of the robot.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Detection)]
    pub sensors: Vec<u32>,
    /// Commands, one for each sum of contributions.
    pub table: Vec<Entry>,
    /// Command for a combination that the table does not contain.
    pub otherwise: Drive,
}

/// A command of the table.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Entry {
    /// Sum of the contributions of the sensors that detect something.
    pub bits: u32,
    /// Command for this sum.
    pub drive: Drive,
}

/// The maximum number of sensors: one for each of 32 bits.
const MOST: usize = 32;

impl Controller for Bits {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let bits = self.bits(senses);
        let entry = self.table.iter().find(|entry| entry.bits == bits);
        entry.map_or(self.otherwise, |entry| entry.drive).into()
    }
}

impl Bits {
    fn bits(&self, senses: Senses) -> u32 {
        let sum = |bits, (place, slot): (usize, u32)| bits | u32::from(senses.detects(slot)) << place;
        if self.sensors.is_empty() {
            (0..senses.readings.len() as u32).enumerate().take(MOST).fold(0, sum)
        } else {
            self.sensors.iter().copied().enumerate().take(MOST).fold(0, sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(v_m_per_s: f64) -> Drive {
        Drive { v_m_per_s, turn_rad_per_s: 0.0 }
    }

    #[test]
    fn bits_takes_the_first_sensor_as_the_lowest_bit() {
        let table = [(0, 0.0), (1, 1.0), (2, 2.0)].map(|(bits, v)| Entry { bits, drive: drive(v) }).to_vec();
        let mut controller = Bits { table, otherwise: drive(9.0), sensors: Vec::new() };
        let command = |controller: &Bits, readings: [f64; 2]| {
            controller.command(&mut NoMemory, Senses::of(&[&[readings[0]], &[readings[1]]]))
        };
        assert_eq!(command(&controller, [0.0, 0.0]), drive(0.0).into());
        assert_eq!(command(&controller, [1.0, 0.0]), drive(1.0).into());
        assert_eq!(command(&controller, [0.0, 1.0]), drive(2.0).into());
        assert_eq!(command(&controller, [1.0, 1.0]), drive(9.0).into(), "not in the table");
        controller.sensors = vec![1];
        assert_eq!(command(&controller, [0.0, 1.0]), drive(1.0).into());
        controller.sensors = vec![7; 100];
        assert_eq!(command(&controller, [1.0, 1.0]), drive(0.0).into(), "sensors that are not there");
    }
}
