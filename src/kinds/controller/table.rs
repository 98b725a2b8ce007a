//! Chooses a motion by the readings of sensors: one for each combination.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{Positional, SearchWords, SensorSlot, kind};
use swarmarium_core::state::NoMemory;

/// Looks up its command in a list by the states of its sensors (RobotSwarmSimulator `Controller`, for any number of
/// sensors and states).
#[kind(section = "Reactive", words = "look-up table, rules, states")]
pub struct Table {
    /// Sensors as pairs `(sensor, states)`. Empty: sensor 0, with as many states as there are commands.
    pub sensors: Vec<Digit>,
    /// Commands. The state of the first sensor counts in units of 1, that of the next one in units of the number of
    /// states of the first, and so on: with two states each, the states (0, 0), (1, 0), (0, 1), (1, 1) select the
    /// commands 0 to 3.
    pub commands: Vec<Drive>,
    /// Command for a combination that has none.
    pub otherwise: Drive,
}

/// A sensor of a table: `(sensor, states)`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Default, Clone, @Positional)]
pub struct Digit {
    /// Slot of the sensor. Its state is the first number of its reading, rounded to the nearest whole number.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Detection)]
    pub sensor: u32,
    /// Number of states, counted from 0.
    #[reflect(@Limits::between(1.0, 65_536.0))]
    pub states: u32,
}

impl Default for Digit {
    fn default() -> Self {
        Self { sensor: 0, states: 2 }
    }
}

impl Controller for Table {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let drive = self.place(senses).and_then(|place| self.commands.get(place));
        drive.copied().unwrap_or(self.otherwise).into()
    }
}

impl Table {
    /// The place of the command; `None` if a sensor is in a state that it does not have.
    fn place(&self, senses: Senses) -> Option<usize> {
        let all = [Digit { sensor: 0, states: self.commands.len() as u32 }];
        let digits = if self.sensors.is_empty() { &all[..] } else { &self.sensors };
        let mut place = Some((0_usize, 1_usize));
        for Digit { sensor, states } in digits {
            let state = senses.slot(*sensor).first().map(|reading| reading.round());
            let state = state.filter(|state| (0.0..f64::from(*states)).contains(state));
            place = place.zip(state).and_then(|((place, unit), state)| {
                Some((place.checked_add(unit.checked_mul(state as usize)?)?, unit.checked_mul(*states as usize)?))
            });
        }
        place.map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sensors: &[(u32, u32)], commands: usize) -> Table {
        let drive = |v| Drive { v_m_per_s: v, turn_rad_per_s: 0.0 };
        Table {
            sensors: sensors.iter().map(|&(sensor, states)| Digit { sensor, states }).collect(),
            commands: (0..commands).map(|place| drive(place as f64)).collect(),
            otherwise: drive(-1.0),
        }
    }

    fn speed(table: &Table, readings: &[f64]) -> f64 {
        let slots: Vec<&[f64]> = readings.iter().map(std::slice::from_ref).collect();
        match table.command(&mut NoMemory, Senses::of(&slots)) {
            Command::Drive { v_m_per_s, .. } => v_m_per_s,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn table_with_one_sensor_has_a_state_for_each_command() {
        let table = table(&[], 3);
        assert_eq!([0.0, 1.0, 2.0, 1.4].map(|reading| speed(&table, &[reading])), [0.0, 1.0, 2.0, 1.0]);
        assert_eq!([3.0, -1.0, f64::NAN].map(|reading| speed(&table, &[reading])), [-1.0; 3]);
        assert_eq!(speed(&table, &[]), -1.0, "there is no sensor");
    }

    #[test]
    fn table_index_has_a_digit_for_each_sensor() {
        let table = table(&[(1, 3), (0, 2)], 6);
        let places = [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0]];
        assert_eq!(places.map(|readings| speed(&table, &readings)), [0.0, 1.0, 2.0, 3.0, 5.0]);
        assert_eq!(speed(&table, &[2.0, 0.0]), -1.0, "the sensor has two states only");
        let few = Table { commands: table.commands[..2].to_vec(), ..table };
        assert_eq!(speed(&few, &[1.0, 0.0]), -1.0, "the table is too short");
    }

    #[test]
    fn table_with_too_many_states_matches_none() {
        assert_eq!(speed(&table(&[(0, 65_536); 40], 2), &[1.0]), -1.0);
    }
}
