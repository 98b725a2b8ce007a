//! An omnidirectional robot.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_SPEED_M_PER_S};
use swarmarium_base::math::direction;

use super::{MotionModel, along_arc};
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::{SearchWords, kind};
use crate::state::NoMemory;

/// Moves in any direction and turns independently: a drone, or a robot with omnidirectional wheels (RobotSwarmSimulator
/// `DroneAgent`).
#[kind(Copy, section = "Free", words = "drone, omnidirectional, mecanum, any direction")]
pub struct Holonomic {
    /// Frame of commanded velocities. Commands to drive are always along the heading, and courses along the axes of the
    /// arena.
    #[default(Frame::Body)]
    pub frame: Frame,
    /// Largest speed over ground; faster commands are cut to it and keep their direction.
    #[reflect(@Limits::up_to(MAX_SPEED_M_PER_S))]
    #[default(1000.0)]
    pub max_speed_m_per_s: f64,
}

/// Frame of a velocity.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Frame {
    /// Frame of the body: x ahead, y to the left. It turns with the body, so that paths are arcs.
    #[default]
    Body,
    /// Frame of the arena.
    World,
}

impl MotionModel for Holonomic {
    type Memory = NoMemory;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Velocity, CommandForm::Course, CommandForm::Drive];

    fn integrate(&self, _: &mut NoMemory, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let (velocity, turn_rad_per_s, frame) = match *command {
            Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
                (DVec2::new(x_m_per_s, y_m_per_s), turn_rad_per_s, self.frame)
            }
            Command::Drive { v_m_per_s, turn_rad_per_s } => (DVec2::new(v_m_per_s, 0.0), turn_rad_per_s, Frame::Body),
            Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
                (DVec2::new(x_m_per_s, y_m_per_s), turn_rad_per_s, Frame::World)
            }
            Command::Wheels { .. } => return *pose,
        };
        let velocity = velocity.clamp_length_max(self.max_speed_m_per_s);
        let heading_rad = pose.heading_rad + turn_rad_per_s * dt_s;
        let moved = match frame {
            Frame::World => velocity * dt_s,
            // The ahead component moves the body along an arc, the left component along the same arc rotated by a
            // quarter turn.
            Frame::Body => {
                let facing = direction(pose.heading_rad);
                let ahead = along_arc(&Pose::default(), 1.0, turn_rad_per_s, dt_s).position_m;
                velocity.rotate(ahead).rotate(facing)
            }
        };
        Pose { position_m: pose.position_m + moved, heading_rad }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    const START: Pose = Pose { position_m: DVec2::new(1.0, 2.0), heading_rad: FRAC_PI_2 };

    fn velocity(x_m_per_s: f64, y_m_per_s: f64, turn_rad_per_s: f64) -> Command {
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
    }

    #[test]
    fn moves_along_the_axes_of_the_body_or_of_the_world() {
        let body = Holonomic::default().integrate(&mut NoMemory, &START, &velocity(0.5, 0.25, 0.0), 2.0);
        assert!((body.position_m - DVec2::new(0.5, 3.0)).length() < 1e-15);
        let world = Holonomic { frame: Frame::World, ..Default::default() };
        let pose = world.integrate(&mut NoMemory, &START, &velocity(0.5, 0.25, 3.0), 2.0);
        assert_eq!(pose, Pose { position_m: DVec2::new(2.0, 2.5), heading_rad: FRAC_PI_2 + 6.0 });
    }

    #[test]
    fn arcs_in_the_frame_of_the_body_are_exact() {
        let robot = Holonomic::default();
        let whole = robot.integrate(&mut NoMemory, &START, &velocity(1.0, -0.5, 2.0), 0.5);
        let half = robot.integrate(&mut NoMemory, &START, &velocity(1.0, -0.5, 2.0), 0.25);
        let halves = robot.integrate(&mut NoMemory, &half, &velocity(1.0, -0.5, 2.0), 0.25);
        assert!((whole.position_m - halves.position_m).length() < 1e-14);
    }

    #[test]
    fn a_course_is_over_the_ground_in_either_frame() {
        let course = Command::Course { x_m_per_s: 0.5, y_m_per_s: -1.0, turn_rad_per_s: 0.25 };
        for frame in [Frame::Body, Frame::World] {
            let robot = Holonomic { frame, ..Default::default() };
            let pose = robot.integrate(&mut NoMemory, &START, &course, 2.0);
            assert_eq!(pose, Pose { position_m: DVec2::new(2.0, 0.0), heading_rad: FRAC_PI_2 + 0.5 });
        }
    }

    #[test]
    fn driving_is_driving_in_either_frame() {
        let drive = Command::Drive { v_m_per_s: 0.7, turn_rad_per_s: -0.9 };
        let arc = along_arc(&START, 0.7, -0.9, 0.3);
        for frame in [Frame::Body, Frame::World] {
            let pose = Holonomic { frame, ..Default::default() }.integrate(&mut NoMemory, &START, &drive, 0.3);
            assert!((pose.position_m - arc.position_m).length() < 1e-15 && pose.heading_rad == arc.heading_rad);
        }
    }

    #[test]
    fn has_a_fastest_speed_in_every_direction() {
        let slow = Holonomic { frame: Frame::World, max_speed_m_per_s: 0.5 };
        let pose = slow.integrate(&mut NoMemory, &Pose::default(), &velocity(3.0, 4.0, 0.0), 1.0);
        assert!((pose.position_m - DVec2::new(0.3, 0.4)).length() < 1e-15);
    }
}
