//! The controller with a constant command.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

use super::{Controller, Senses};
use crate::agent::{Command, CommandForm};
use crate::kind::{SearchWords, kind};
use crate::state::NoMemory;

/// Always gives the same command.
#[kind(Copy, section = "Simple", words = "drive, straight, circle, always the same, stand still")]
pub struct Constant {
    /// Speed along the heading.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub v_m_per_s: f64,
    /// Turn rate, anticlockwise.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub turn_rad_per_s: f64,
}

impl Controller for Constant {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
        Command::Drive { v_m_per_s: self.v_m_per_s, turn_rad_per_s: self.turn_rad_per_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_what_it_senses() {
        let controller = Constant { v_m_per_s: 1.5, turn_rad_per_s: 2.3 };
        let expected = Command::Drive { v_m_per_s: 1.5, turn_rad_per_s: 2.3 };
        assert_eq!(controller.command(&mut NoMemory, Senses::of(&[])), expected);
        assert_eq!(controller.command(&mut NoMemory, Senses::of(&[&[1.0]])), expected);
    }
}
