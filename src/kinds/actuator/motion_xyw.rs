//! Moves in any direction and turns.

use bevy::prelude::*;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Velocity};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::About;

/// Moves ahead and to the side, and turns, with the commanded speeds (MORSE `MotionXYW`).
#[kind(Copy, section = "Driving", words = "drive, sideways, omnidirectional")]
pub struct MotionXyw {}

impl Actuator for MotionXyw {
    const ABOUT: About = About::of_class("MotionXYW");
    const FIELDS: &'static [Field] = &[Field::number("x", 0.0), Field::number("y", 0.0), Field::number("w", 0.0)];
    const GOES_ANY_WAY: bool = true;

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        let [x_m_per_s, y_m_per_s, turn_rad_per_s] = memory.numbers();
        Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }.into()
    }
}
