//! Gamepads. Without the cargo feature `gamepad`, no gamepad is available.

#[cfg(feature = "gamepad")]
use bevy::platform::cell::SyncCell;
use swarmarium_core::driving::Held;

/// The connected gamepads.
#[derive(Default)]
pub struct Gamepads {
    axes: Vec<Axes>,
    #[cfg(feature = "gamepad")]
    driver: Option<SyncCell<gilrs::Gilrs>>,
}

/// The reason why gamepads cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GamepadError {
    /// The system denies access.
    #[cfg(feature = "gamepad")]
    #[error("Gamepads cannot be read: {0}")]
    Unreadable(Box<gilrs::Error>),
    /// The program was built without the feature.
    #[cfg(not(feature = "gamepad"))]
    #[error("This program was built without support for gamepads: build it with `--features gamepad`")]
    NotBuilt,
}

/// Positions of sticks, from -1 (left, down) to 1, and of triggers, from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axes {
    left_x: f64,
    left_y: f64,
    right_x: f64,
    left_trigger: f64,
    right_trigger: f64,
}

/// The dead zone of a stick (RobotSwarmSimulator `joy_deadzone`).
const STICK_REST: f64 = 0.1;

/// The dead zone of a trigger (RobotSwarmSimulator `trigger_deadzone`).
const TRIGGER_REST: f64 = 0.03;

/// Steps of a stick from its centre to its end. Without them, a trembling hand would fill the log of edits.
const NOTCHES: f64 = 50.0;

impl Axes {
    /// Returns the command for a robot, as in RobotSwarmSimulator: left stick and triggers drive, either stick turns.
    fn held(self) -> Held {
        let Self { left_x, left_y, right_x, left_trigger, right_trigger } = self;
        let live = |value: f64, rest: f64| if value.abs() <= rest { 0.0 } else { value };
        let notched = |value: f64| (value.clamp(-1.0, 1.0) * NOTCHES).round() / NOTCHES;
        let triggers = live(right_trigger, TRIGGER_REST) - live(left_trigger, TRIGGER_REST);
        // Subtracting from 0 avoids -0 for a stick at rest.
        let left = 0.0 - live(left_x, STICK_REST) - live(right_x, STICK_REST);
        Held { ahead: notched(live(left_y, STICK_REST) + triggers), left: notched(left) }
    }
}

impl Gamepads {
    /// Returns the command of a gamepad, counted from 1; no command if it is not connected.
    pub fn held(&self, number: u32) -> Held {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| self.axes.get(place)).copied().unwrap_or_default().held()
    }

    /// Reads all gamepads, including newly connected ones.
    ///
    /// # Errors
    /// Returns an error if gamepads cannot be read.
    #[cfg(feature = "gamepad")]
    pub fn update(&mut self) -> Result<(), GamepadError> {
        use gilrs::{Axis, Button};

        let driver = match &mut self.driver {
            Some(driver) => driver,
            none => {
                let opened = gilrs::Gilrs::new().map_err(|error| GamepadError::Unreadable(Box::new(error)))?;
                none.insert(SyncCell::new(opened))
            }
        };
        let driver = driver.get();
        while driver.next_event().is_some() {}
        self.axes.clear();
        self.axes.extend(driver.gamepads().map(|(_, gamepad)| {
            let axis = |axis| f64::from(gamepad.value(axis));
            let trigger = |button| gamepad.button_data(button).map_or(0.0, |data| f64::from(data.value()));
            Axes {
                left_x: axis(Axis::LeftStickX),
                left_y: axis(Axis::LeftStickY),
                right_x: axis(Axis::RightStickX),
                left_trigger: trigger(Button::LeftTrigger2),
                right_trigger: trigger(Button::RightTrigger2),
            }
        }));
        Ok(())
    }

    /// Reports that gamepads are not supported.
    ///
    /// # Errors
    /// Always returns an error.
    #[cfg(not(feature = "gamepad"))]
    pub fn update(&mut self) -> Result<(), GamepadError> {
        self.axes.clear();
        Err(GamepadError::NotBuilt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamepad_sticks_and_triggers_drive_beyond_a_dead_zone() {
        let held = |axes: Axes| axes.held();
        assert_eq!(held(Axes { left_x: 0.09, left_y: -0.1, right_trigger: 0.03, ..Axes::default() }), Held::default());
        assert_eq!(held(Axes { left_y: 1.0, ..Axes::default() }), Held { ahead: 1.0, left: 0.0 });
        let both = Axes { left_x: 0.4, right_x: 0.8, left_trigger: 1.0, right_trigger: 0.5, ..Axes::default() };
        assert_eq!(held(both), Held { ahead: -0.5, left: -1.0 });
        assert_eq!(held(Axes { left_y: 0.333, ..Axes::default() }).ahead, 0.34);
    }

    #[test]
    fn missing_gamepads_hold_no_keys() {
        let mut gamepads = Gamepads::default();
        gamepads.axes.push(Axes { left_y: 1.0, ..Axes::default() });
        assert_eq!([0, 1, 2].map(|number| gamepads.held(number).ahead), [0.0, 1.0, 0.0]);
    }
}
