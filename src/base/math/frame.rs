//! Coordinate frames in space.

use std::f64::consts::PI;

use bevy::math::{DMat3, DQuat, DVec3};
use bevy::prelude::*;

use super::{atan2, hypot, sin_cos, wrap_angle};

/// A coordinate frame: a position and an orientation, relative to a parent frame.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Its origin, in metres.
    pub at: DVec3,
    /// Its axes as columns.
    axes: DMat3,
}

impl Default for Frame {
    fn default() -> Self {
        Self { at: DVec3::ZERO, axes: DMat3::IDENTITY }
    }
}

/// Rotation about z.
fn about_z(angle_rad: f64) -> DMat3 {
    let (sin, cos) = sin_cos(angle_rad);
    DMat3::from_cols(DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0), DVec3::Z)
}

impl Frame {
    /// A frame rotated by `roll` about x, then `pitch` about y, then `yaw` about z (rad), each axis of the parent
    /// frame.
    #[must_use]
    pub fn new(at: DVec3, [yaw, pitch, roll]: [f64; 3]) -> Self {
        let mut axes = about_z(yaw);
        if (pitch, roll) != (0.0, 0.0) {
            let ((sin_p, cos_p), (sin_r, cos_r)) = (sin_cos(pitch), sin_cos(roll));
            let about_y = DMat3::from_cols(DVec3::new(cos_p, 0.0, -sin_p), DVec3::Y, DVec3::new(sin_p, 0.0, cos_p));
            let about_x = DMat3::from_cols(DVec3::X, DVec3::new(0.0, cos_r, sin_r), DVec3::new(0.0, -sin_r, cos_r));
            axes = axes * about_y * about_x;
        }
        Self { at, axes }
    }

    /// Converts a frame given relative to this one into one relative to the parent frame.
    #[must_use]
    pub fn holding(&self, inner: &Self) -> Self {
        Self { at: self.at + self.axes * inner.at, axes: self.axes * inner.axes }
    }

    /// Another frame of the same parent, relative to this one.
    #[must_use]
    pub fn sees(&self, other: &Self) -> Self {
        let back = self.axes.transpose();
        Self { at: back * (other.at - self.at), axes: back * other.axes }
    }

    /// Converts a direction from the parent frame to this frame.
    #[must_use]
    pub fn sees_direction(&self, direction: DVec3) -> DVec3 {
        self.axes.transpose() * direction
    }

    /// Converts a direction from this frame to the parent frame.
    #[must_use]
    pub fn direction(&self, seen: DVec3) -> DVec3 {
        self.axes * seen
    }

    /// This frame rotated in place about a vector of the parent frame, by the length of the vector (rad).
    #[must_use]
    pub fn turned(&self, turn: DVec3) -> Self {
        let Some(axis) = turn.try_normalize() else { return *self };
        let (sin, cos) = sin_cos(0.5 * turn.length());
        let DVec3 { x, y, z } = axis * sin;
        Self { axes: DMat3::from_quat(DQuat::from_xyzw(x, y, z, cos)) * self.axes, ..*self }
    }

    /// The shortest rotation from the axes of another frame to those of this one: an axis whose length is the angle
    /// (rad).
    #[must_use]
    pub fn turn_from(&self, other: &Self) -> DVec3 {
        let turn = DQuat::from_mat3(&(self.axes * other.axes.transpose()));
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let sin = turn.xyz().length();
        if sin > 0.0 { turn.xyz() * (2.0 * atan2(sin, turn.w) / sin) } else { DVec3::ZERO }
    }

    /// Yaw, pitch and roll (rad), from −π to π. In gimbal lock (x axis vertical), the whole rotation is yaw.
    #[must_use]
    pub fn angles(&self) -> [f64; 3] {
        let [x, y, z] = [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis];
        let level = hypot(x.x, x.y);
        let pitch = atan2(-x.z, level);
        if level < 1e-12 {
            return [atan2(-y.x, y.y), pitch, 0.0];
        }
        [atan2(x.y, x.x), pitch, atan2(y.z, z.z)]
    }

    /// As [`angles`](Self::angles), but of the two triples that describe each orientation, the one nearer to `like`.
    /// This preserves a pitch beyond ±π/2.
    #[must_use]
    pub fn angles_like(&self, like: [f64; 3]) -> [f64; 3] {
        let upright = self.angles();
        let [yaw, pitch, roll] = upright;
        let overturned = [wrap_angle(yaw + PI), wrap_angle(PI - pitch), wrap_angle(roll + PI)];
        let off = |angles: [f64; 3]| -> f64 { angles.iter().zip(like).map(|(a, b)| wrap_angle(a - b).abs()).sum() };
        if off(overturned) < off(upright) { overturned } else { upright }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn euler_angles_of_a_frame_round_trip(yaw in -3.1..3.1, pitch in -1.5..1.5, roll in -3.1..3.1) {
            let found = Frame::new(DVec3::ZERO, [yaw, pitch, roll]).angles();
            for (a, b) in found.into_iter().zip([yaw, pitch, roll]) {
                prop_assert!((a - b).abs() < 1e-9, "{found:?}");
            }
        }

        #[test]
        fn euler_angles_near_given_ones_round_trip(yaw in -3.1..3.1, pitch in -3.1..3.1, roll in -3.1..3.1) {
            prop_assume!((f64::abs(pitch) - FRAC_PI_2).abs() > 0.01);
            let found = Frame::new(DVec3::ZERO, [yaw, pitch, roll]).angles_like([yaw, pitch, roll]);
            for (a, b) in found.into_iter().zip([yaw, pitch, roll]) {
                prop_assert!((a - b).abs() < 1e-9, "{found:?}");
            }
        }

        #[test]
        fn rotations_of_a_frame_round_trip(x in -1.7..1.7, y in -1.7..1.7, z in -1.7..1.7, yaw in -3.0..3.0, pitch in -1.5..1.5) {
            let frame = Frame::new(DVec3::ZERO, [yaw, pitch, 0.5]);
            let turn = DVec3::new(x, y, z);
            prop_assert!((frame.turned(turn).turn_from(&frame) - turn).length() < 1e-9);
            prop_assert!((frame.direction(frame.sees_direction(turn)) - turn).length() < 1e-12);
        }

        #[test]
        fn a_parent_frame_contains_its_child(x in -9.0..9.0, yaw in -3.0..3.0, pitch in -1.5..1.5, roll in -3.0..3.0) {
            let outer = Frame::new(DVec3::new(x, 2.0, -1.0), [yaw, pitch, roll]);
            let inner = Frame::new(DVec3::new(0.5, x, 0.25), [roll, pitch, yaw]);
            let again = outer.sees(&outer.holding(&inner));
            prop_assert!((again.at - inner.at).length() < 1e-9);
            for (a, b) in again.angles().into_iter().zip(inner.angles()) {
                prop_assert!((a - b).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn turned_sensors_see_velocities_as_those_of_morse_do() {
        // `velocity_testing.py`: turned by π/2 about z and y.
        let sensor = Frame::new(DVec3::ZERO, [FRAC_PI_2, FRAC_PI_2, 0.0]);
        let seen = sensor.sees_direction(DVec3::new(1.0, 2.0, 0.0));
        assert!((seen - DVec3::new(0.0, -1.0, 2.0)).length() < 1e-12, "{seen}");
        let spin = sensor.sees_direction(DVec3::Z);
        assert!((spin + DVec3::X).length() < 1e-12, "{spin}");
    }

    #[test]
    fn at_a_pitch_of_90_degrees_all_rotation_is_yaw() {
        let [yaw, pitch, roll] = Frame::new(DVec3::ZERO, [0.5, FRAC_PI_2, 0.2]).angles();
        assert!((pitch - FRAC_PI_2).abs() < 1e-9 && roll == 0.0 && (yaw - 0.3).abs() < 1e-9, "{yaw} {pitch}");
        let back = Frame::default().turned(PI * DVec3::Z).angles()[0];
        assert!((back.abs() - PI).abs() < 1e-12, "{back}");
    }
}
