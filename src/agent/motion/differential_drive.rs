//! A robot on two wheels.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{MotionModel, NoMemory, along_arc, steering};
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::Limits;

/// Two driven wheels on one axle; the middle between them follows exact arcs.
///
/// It cannot go any way at once: told a course, it turns towards it, and drives the faster the nearer its heading is.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct DifferentialDrive {
    /// Distance between the wheels.
    #[reflect(@Limits::POSITIVE)]
    pub axle_m: f64,
    /// Fastest speed of a wheel over the ground; faster commands are cut to it.
    #[reflect(@Limits::POSITIVE)]
    pub max_wheel_m_per_s: f64,
}

impl Default for DifferentialDrive {
    /// The axle of the foot-bot.
    fn default() -> Self {
        Self { axle_m: 0.14, max_wheel_m_per_s: 1.0 }
    }
}

impl MotionModel for DifferentialDrive {
    type Memory = NoMemory;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Wheels, CommandForm::Drive, CommandForm::Course];

    fn integrate(&self, _: &mut NoMemory, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let (left, right) = match *command {
            Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s, right_m_per_s),
            Command::Drive { v_m_per_s, turn_rad_per_s } => self.wheels(v_m_per_s, turn_rad_per_s),
            Command::Course { x_m_per_s, y_m_per_s, .. } => {
                let (v_m_per_s, turn_rad_per_s) = steering(DVec2::new(x_m_per_s, y_m_per_s), pose.heading_rad);
                let (left, right) = self.wheels(v_m_per_s, turn_rad_per_s);
                // Both are cut alike, so that it follows the same curve.
                let scale = (self.max_wheel_m_per_s / left.abs().max(right.abs())).min(1.0);
                (left * scale, right * scale)
            }
            Command::Velocity { .. } => return *pose,
        };
        let max = self.max_wheel_m_per_s;
        let (left, right) = (left.clamp(-max, max), right.clamp(-max, max));
        along_arc(pose, (left + right) / 2.0, (right - left) / self.axle_m, dt_s)
    }
}

impl DifferentialDrive {
    /// The speeds of the wheels that make it drive and turn.
    fn wheels(&self, v_m_per_s: f64, turn_rad_per_s: f64) -> (f64, f64) {
        let difference = turn_rad_per_s * self.axle_m / 2.0;
        (v_m_per_s - difference, v_m_per_s + difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: DifferentialDrive = DifferentialDrive { axle_m: 0.2, max_wheel_m_per_s: 1.0 };

    fn after_a_second(command: Command) -> Pose {
        ROBOT.integrate(&mut NoMemory, &Pose::default(), &command, 1.0)
    }

    #[test]
    fn the_faster_right_wheel_turns_left() {
        let pose = after_a_second(Command::Wheels { left_m_per_s: 0.0, right_m_per_s: 0.1 });
        assert!((pose.heading_rad - 0.5).abs() < 1e-15);
        // It circles around the left wheel, 0.1 m to the left.
        let middle = DVec2::new(0.1 * libm::sin(0.5), 0.1 - 0.1 * libm::cos(0.5));
        assert!((pose.position_m - middle).length() < 1e-15);
    }

    #[test]
    fn driving_and_turning_is_the_same_as_its_wheels() {
        let wheels = after_a_second(Command::Wheels { left_m_per_s: 0.2, right_m_per_s: 0.4 });
        let drive = after_a_second(Command::Drive { v_m_per_s: 0.3, turn_rad_per_s: 1.0 });
        assert!((wheels.position_m - drive.position_m).length() < 1e-15);
    }

    #[test]
    fn wheels_have_a_fastest_speed() {
        let pose = after_a_second(Command::Wheels { left_m_per_s: 7.0, right_m_per_s: 7.0 });
        assert_eq!(pose.position_m, DVec2::new(1.0, 0.0));
    }
}
