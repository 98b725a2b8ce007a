//! Control by a human.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::driving::{Held, Keys};
use swarmarium_core::kind::{SearchWords, kind};

/// Follows the keys or the stick of a human (RobotSwarmSimulator `HumanController`).
///
/// The input is a parameter like others: a window sets it by edits, and a replay of the log of edits repeats the
/// motion.
#[kind(Copy, section = "Programs", words = "keyboard, drive myself, joystick, remote control")]
pub struct Human {
    /// Keys for driving the robot in the window.
    #[default(Keys::Wasd)]
    pub keys: Keys,
    /// Number of the gamepad, counted from 1; 0: none.
    #[reflect(@Limits::between(0.0, 64.0))]
    pub gamepad: u32,
    /// Maximum speed backwards, as a negative number or 0.
    #[reflect(@Limits::between(-1e3, 0.0))]
    #[default(-0.3)]
    pub min_v_m_per_s: f64,
    /// Maximum speed forwards.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.3)]
    pub max_v_m_per_s: f64,
    /// Maximum turn rate to the right, as a negative number or 0.
    #[reflect(@Limits::between(-1e3, 0.0))]
    #[default(-1.5)]
    pub min_turn_rad_per_s: f64,
    /// Maximum turn rate to the left.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.5)]
    pub max_turn_rad_per_s: f64,
    /// Rate at which the speed follows the input.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.6)]
    pub v_ramp_m_per_s2: f64,
    /// Rate at which the turn rate follows the input.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(6.0)]
    pub turn_ramp_rad_per_s2: f64,
    /// Present input.
    pub held: Held,
}

/// The present speed of a robot with a [`Human`] controller.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    drive: Drive,
    /// The step of the last decision; 0 before the first.
    decided_at: u64,
}

impl Controller for Human {
    type Memory = Speed;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, speed: &mut Speed, senses: Senses) -> Command {
        let dt_s = senses.since_s(&mut speed.decided_at);
        let Drive { v_m_per_s: v, turn_rad_per_s: turn } = &mut speed.drive;
        let wanted = |held: f64, min: f64, max: f64| if held < 0.0 { -held * min } else { held * max };
        follow(v, wanted(self.held.ahead, self.min_v_m_per_s, self.max_v_m_per_s), self.v_ramp_m_per_s2 * dt_s);
        let turn_wanted = wanted(self.held.left, self.min_turn_rad_per_s, self.max_turn_rad_per_s);
        follow(turn, turn_wanted, self.turn_ramp_rad_per_s2 * dt_s);
        speed.drive.into()
    }
}

/// Moves a number towards a target by at most `most`.
fn follow(number: &mut f64, wanted: f64, most: f64) {
    let way = wanted - *number;
    *number = if way.abs() <= most { wanted } else { *number + most.copysign(way) };
}

#[cfg(test)]
mod tests {
    use swarmarium_core::time::SimTime;

    use super::*;

    fn drive(human: &Human, speed: &mut Speed, step: u64) -> [f64; 2] {
        let time = SimTime { step, dt_s: 0.1 };
        match human.command(speed, Senses { time: &time, ..Senses::of(&[]) }) {
            Command::Drive { v_m_per_s, turn_rad_per_s } => [v_m_per_s, turn_rad_per_s],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn human_speed_rises_with_held_keys_and_falls_on_release() {
        let mut human = Human { held: Held { ahead: 1.0, left: -0.5 }, ..Default::default() };
        let mut speed = Speed::default();
        let near = |found: [f64; 2], expected: [f64; 2]| {
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
        };
        near(drive(&human, &mut speed, 1), [0.06, -0.6]);
        near(drive(&human, &mut speed, 2), [0.12, -0.75]);
        near(drive(&human, &mut speed, 10), [0.3, -0.75]);
        human.held = Held { ahead: -1.0, left: 0.0 };
        near(drive(&human, &mut speed, 12), [0.18, 0.0]);
        near(drive(&human, &mut speed, 30), [-0.3, 0.0]);
        human.held = Held::default();
        near(drive(&human, &mut speed, 31), [-0.24, 0.0]);
        near(drive(&human, &mut speed, 50), [0.0, 0.0]);
    }
}
