//! Drives by keys or a gamepad of the lab.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Velocity};
use swarmarium_core::driving::{Held, Keys};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::About;

/// Drives by the keys or the stick of a user of the window (MORSE `Keyboard`, `Joystick`).
///
/// Without input it gives way to other actuators. Clients cannot reach it.
#[kind(Copy, section = "Driving", words = "joystick, drive myself")]
pub struct Keyboard {
    /// Keys for driving the robot in the window.
    #[default(Keys::Arrows)]
    pub keys: Keys,
    /// Number of the gamepad, counted from 1; 0: none.
    #[reflect(@Limits::between(0.0, 64.0))]
    pub gamepad: u32,
    /// Maximum speed. The maximum turn rate in rad/s is half this number.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub speed_m_per_s: f64,
    /// Present input.
    pub held: Held,
}

impl Actuator for Keyboard {
    const ABOUT: About = About::of_class("Keyboard");
    const FIELDS: &'static [Field] = &[];

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        let Held { ahead, left } = self.held;
        let is_held = self.held != Held::default();
        let was_held = !memory.kept.is_empty();
        if is_held && !was_held {
            memory.kept.push(1.0);
        } else if !is_held {
            memory.kept.clear();
        }
        // It stops the robot once, and then leaves it to other actuators.
        if !is_held && !was_held {
            return Actuation::default();
        }
        Velocity::drive(ahead * self.speed_m_per_s, left * self.speed_m_per_s / 2.0).into()
    }
}
