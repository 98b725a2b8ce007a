//! A robot that drives along its heading and turns, also on the spot.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{MotionModel, Place, along_arc_in, steering};
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::{SearchWords, kind};
use crate::state::NoMemory;

/// Drives and turns exactly as commanded, along arcs. Given a course, it turns towards it.
#[kind(Copy, section = "Wheels", words = "robot, drive, simple")]
pub struct Unicycle {}

impl MotionModel for Unicycle {
    type Memory = NoMemory;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Drive, CommandForm::Course];

    #[inline]
    fn integrate(&self, memory: &mut NoMemory, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        self.integrate_in(memory, (pose, Place::NONE), command, dt_s)
    }

    #[inline]
    fn integrate_in(&self, _: &mut NoMemory, (pose, place): (&Pose, Place), command: &Command, dt_s: f64) -> Pose {
        let (v_m_per_s, turn_rad_per_s) = match *command {
            Command::Drive { v_m_per_s, turn_rad_per_s } => (v_m_per_s, turn_rad_per_s),
            Command::Course { x_m_per_s, y_m_per_s, .. } => {
                steering(DVec2::new(x_m_per_s, y_m_per_s), pose.heading_rad)
            }
            Command::Wheels { .. } | Command::Velocity { .. } => return *pose,
        };
        along_arc_in((pose, place), v_m_per_s, turn_rad_per_s, dt_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(v_m_per_s: f64, turn_rad_per_s: f64) -> Command {
        Command::Drive { v_m_per_s, turn_rad_per_s }
    }

    /// 100 steps of stock RobotSwarmSimulator 1.2.5.
    #[test]
    fn follows_the_exact_arc() {
        let mut pose = Pose { position_m: DVec2::splat(5.0), heading_rad: 0.0 };
        for _ in 0..100 {
            pose = Unicycle {}.integrate(&mut NoMemory, &pose, &drive(0.27, 0.6), 1.0 / 40.0);
        }
        assert!((pose.position_m - DVec2::new(5.448_872_743_971_83, 5.418_168_259_249_536)).length() < 1e-12);
        assert!((pose.heading_rad - 1.5).abs() < 1e-12);
    }

    #[test]
    fn drives_straight_and_turns_on_the_spot() {
        let start = Pose { position_m: DVec2::ZERO, heading_rad: 0.0 };
        let ahead = Unicycle {}.integrate(&mut NoMemory, &start, &drive(2.0, 0.0), 0.5);
        assert_eq!(ahead, Pose { position_m: DVec2::new(1.0, 0.0), heading_rad: 0.0 });
        let turned = Unicycle {}.integrate(&mut NoMemory, &start, &drive(0.0, 3.0), 0.5);
        assert_eq!(turned, Pose { position_m: DVec2::ZERO, heading_rad: 1.5 });
    }

    #[test]
    fn two_half_steps_are_one_step() {
        let start = Pose { position_m: DVec2::new(1.0, 2.0), heading_rad: 0.7 };
        let whole = Unicycle {}.integrate(&mut NoMemory, &start, &drive(1.0, 2.0), 0.5);
        let half = Unicycle {}.integrate(&mut NoMemory, &start, &drive(1.0, 2.0), 0.25);
        let halves = Unicycle {}.integrate(&mut NoMemory, &half, &drive(1.0, 2.0), 0.25);
        assert!((whole.position_m - halves.position_m).length() < 1e-14);
    }
}
