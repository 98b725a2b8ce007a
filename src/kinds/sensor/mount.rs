//! The position and orientation of a sensor on its robot.

use std::f64::consts::TAU;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{Frame, direction};
use swarmarium_core::sensor::Viewpoint;
use swarmarium_space::Space;

/// Position and orientation of a sensor on its robot. It is rotated by roll about x, then pitch about y, then yaw about
/// z.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Mount {
    /// Distance ahead of the centre of the robot.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub x_m: f64,
    /// Distance to the left of the centre.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub y_m: f64,
    /// Height above the centre.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub z_m: f64,
    /// Rotation anticlockwise from the heading.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub yaw_rad: f64,
    /// Rotation downwards, about the axis to the left.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub pitch_rad: f64,
    /// Rotation to the right, about the axis ahead.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub roll_rad: f64,
}

impl Mount {
    /// The frame of the sensor in the world. The tilt of the robot is included only for sensors that receive the state
    /// of their own robot.
    #[must_use]
    pub fn frame(&self, from: &Viewpoint) -> Frame {
        let (bodies, attitude) = (&from.space.bodies, from.own.attitude);
        let at = bodies.positions()[from.row].extend(attitude.z_m);
        let body = Frame::new(at, [bodies.headings()[from.row], attitude.pitch_rad, attitude.roll_rad]);
        let own = Frame::new(DVec3::new(self.x_m, self.y_m, self.z_m), [self.yaw_rad, self.pitch_rad, self.roll_rad]);
        body.holding(&own)
    }

    /// Yaw, pitch and roll (rad) of the sensor whose frame in the world is `frame`, from −π to π. Each orientation has
    /// two such triples; this is the one nearer to the angles of the robot and the mount, so that a robot reads the
    /// angles that it was set to.
    #[must_use]
    pub fn angles(&self, frame: &Frame, from: &Viewpoint) -> [f64; 3] {
        let attitude = from.own.attitude;
        let yaw = from.space.bodies.headings()[from.row] + self.yaw_rad;
        let (pitch, roll) = (attitude.pitch_rad + self.pitch_rad, attitude.roll_rad + self.roll_rad);
        frame.angles_like([yaw, pitch, roll])
    }

    /// In the plane: the position (m) of the sensor of the robot in a row, and the unit vector of its direction.
    #[must_use]
    pub fn eye(&self, space: &Space, row: usize) -> (DVec2, DVec2) {
        let facing = space.bodies.facings()[row];
        let ahead = if self.yaw_rad == 0.0 { facing } else { facing.rotate(direction(self.yaw_rad)) };
        (space.bodies.positions()[row] + facing.rotate(DVec2::new(self.x_m, self.y_m)), ahead)
    }
}
