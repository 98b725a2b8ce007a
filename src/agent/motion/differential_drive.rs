//! A robot on two wheels.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{MotionModel, along_arc};
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::Limits;
use crate::math::{angle_of, cos, wrap_angle};

/// How fast it turns towards where it should go, per second (Swarm Robot Project Simulator).
const STEERING_PER_S: f64 = 4.0;

/// Two driven wheels on one axle; the middle between them follows exact arcs.
///
/// It cannot go any way at once: told a velocity along the axes of the arena, it turns towards it, and drives the faster
/// the nearer its heading is; it does not turn as it is told then.
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
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Wheels, CommandForm::Drive, CommandForm::Velocity];

    fn integrate(&self, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let (left, right) = match *command {
            Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s, right_m_per_s),
            Command::Drive { v_m_per_s, turn_rad_per_s } => {
                let difference = turn_rad_per_s * self.axle_m / 2.0;
                (v_m_per_s - difference, v_m_per_s + difference)
            }
            Command::Velocity { x_m_per_s, y_m_per_s, .. } => self.towards(DVec2::new(x_m_per_s, y_m_per_s), pose),
        };
        let max = self.max_wheel_m_per_s;
        let (left, right) = (left.clamp(-max, max), right.clamp(-max, max));
        along_arc(pose, (left + right) / 2.0, (right - left) / self.axle_m, dt_s)
    }
}

impl DifferentialDrive {
    /// The speeds of the wheels that bring it to move with a velocity.
    fn towards(&self, velocity: DVec2, pose: &Pose) -> (f64, f64) {
        if velocity == DVec2::ZERO {
            return (0.0, 0.0);
        }
        // It turns right towards what is right behind it.
        let off = -wrap_angle(pose.heading_rad - angle_of(velocity));
        let ahead = velocity.length() * cos(off).max(0.0);
        let around = STEERING_PER_S * off * self.axle_m / 2.0;
        let (left, right) = (ahead - around, ahead + around);
        // Both are cut alike, so that it follows the same curve.
        let scale = (self.max_wheel_m_per_s / left.abs().max(right.abs())).min(1.0);
        (left * scale, right * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: DifferentialDrive = DifferentialDrive { axle_m: 0.2, max_wheel_m_per_s: 1.0 };

    fn after_a_second(command: Command) -> Pose {
        ROBOT.integrate(&Pose::default(), &command, 1.0)
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
