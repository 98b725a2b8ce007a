//! Turns by an angle between two decisions.

use bevy::prelude::*;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Command;
use swarmarium_core::controller::Senses;

/// The memory of a controller that turns by an angle between its decisions.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Decided {
    /// The step of the last decision.
    at_step: u64,
}

impl Decided {
    /// Turns by an angle within the time since the last decision, if the maximum turn rate allows.
    pub(super) fn turn_by(
        &mut self,
        turn_rad: f64,
        (v_m_per_s, max_turn_rad_per_s): (f64, Option<f64>),
        senses: Senses,
    ) -> Command {
        let elapsed_s = senses.since_s(&mut self.at_step);
        // Two decisions in one step have no time between them.
        let turn_rad_per_s = if elapsed_s > 0.0 { wrap_angle(turn_rad) / elapsed_s } else { 0.0 };
        let turn_rad_per_s = max_turn_rad_per_s.map_or(turn_rad_per_s, |most| turn_rad_per_s.clamp(-most, most));
        Command::Drive { v_m_per_s, turn_rad_per_s }
    }
}
