//! Commands a constant velocity, for robots that move in any direction.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::state::NoMemory;

/// Commands a constant velocity. The motion model, such as `Holonomic`, defines the axes.
#[kind(Copy, section = "Simple", words = "drive, move, constant velocity")]
pub struct Velocity {
    /// Speed along x.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub x_m_per_s: f64,
    /// Speed along y.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub y_m_per_s: f64,
    /// Turn rate, anticlockwise.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub turn_rad_per_s: f64,
}

impl Controller for Velocity {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Velocity;

    fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
        let Self { x_m_per_s, y_m_per_s, turn_rad_per_s } = *self;
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
    }
}
