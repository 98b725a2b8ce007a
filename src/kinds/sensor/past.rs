//! The memory of sensors of motion: their pose at the last reading.

use std::f64::consts::TAU;

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::math::Frame;
use swarmarium_core::sensor::Viewpoint;

use super::Mount;

/// The pose of a sensor at its last reading, and its motion then, as if its robot had never been relocated.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// `None` before the first reading.
    last: Option<Moment>,
}

/// A sensor at one of its readings.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
struct Moment {
    step: u64,
    place: Frame,
    heading_rad: f64,
    velocity_m_per_s: DVec3,
    turn_rad_per_s: DVec3,
}

/// The motion of a sensor since its last reading; none at the first one. A relocation of its robot does not count as motion.
///
/// Vectors are along the axes of the world; a rotation is a vector along its axis, anticlockwise, with the angle as its
/// length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Movement {
    /// Simulated time since the last reading, in seconds.
    pub elapsed_s: f64,
    /// The displacement (m), the shortest one in a periodic arena.
    pub way: DVec3,
    /// Mean velocity (m/s).
    pub velocity: DVec3,
    /// Mean turn rate (rad/s).
    pub spin: DVec3,
    /// Change of the mean velocity (m/s²).
    pub acceleration: DVec3,
    /// Change of the mean turn rate (rad/s²).
    pub spin_up: DVec3,
    /// The present frame.
    pub now: Frame,
    /// The present frame, turned back by half the rotation: on an arc, the velocity in this frame is constant.
    pub halfway: Frame,
    /// The frame if its robot had never been relocated.
    pub travelled: Frame,
    /// The displacement (m) in that case.
    pub travelled_way: DVec3,
}

impl Past {
    /// The motion of a sensor since its last reading, which the present one replaces.
    pub fn movement(&mut self, mount: &Mount, from: &Viewpoint) -> Movement {
        let (time, elsewhere) = (from.own.time, from.own.elsewhere);
        let now = mount.frame(from);
        let place = elsewhere.without(&now);
        let heading_rad = elsewhere.heading_without(from.space.bodies.headings()[from.row]);
        let first = Moment { step: time.step, place, heading_rad, ..Moment::default() };
        let last = self.last.unwrap_or(first);
        let elapsed_s = time.step.saturating_sub(last.step) as f64 * time.dt_s;
        let before = elsewhere.carry(&last.place);
        let way = from.space.arena.offset(before.at.truncate(), now.at.truncate()).extend(now.at.z - before.at.z);
        let turn = whole_turn(now.turn_from(&before), heading_rad - last.heading_rad);
        // Without elapsed time there is no motion.
        let rate = if elapsed_s > 0.0 { 1.0 / elapsed_s } else { 0.0 };
        let (velocity, spin) = (way * rate, turn * rate);
        // A quantity that was relocated with the robot keeps its value in the frame of the sensor.
        let came_along = |vector: DVec3| before.direction(last.place.sees_direction(vector));
        let acceleration = (velocity - came_along(last.velocity_m_per_s)) * rate;
        let spin_up = (spin - came_along(last.turn_rad_per_s)) * rate;
        let travelled = |vector: DVec3| place.direction(now.sees_direction(vector));
        self.last = Some(Moment { velocity_m_per_s: travelled(velocity), turn_rad_per_s: travelled(spin), ..first });
        let halfway = now.turned(-0.5 * turn);
        let travelled_way = travelled(way);
        Movement {
            elapsed_s,
            way,
            velocity,
            spin,
            acceleration,
            spin_up,
            now,
            halfway,
            travelled: place,
            travelled_way,
        }
    }
}

/// The full rotation, from a rotation that is known modulo whole turns and the angle by which the heading turned.
fn whole_turn(turn: DVec3, heading_rad: f64) -> DVec3 {
    let axis = turn.try_normalize().unwrap_or(DVec3::Z);
    // For an axis near the plane, the heading gives no information.
    if axis.z.abs() < 0.5 {
        return turn;
    }
    turn + ((heading_rad - turn.z) / (TAU * axis.z)).round() * TAU * axis
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use bevy::math::DVec2;
    use swarmarium_core::agent::Pose;
    use swarmarium_core::agent::attitude::Attitude;
    use swarmarium_core::sensor::{Own, Sensor};
    use swarmarium_space::{Boundary, Space};

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::accelerometer::Accelerometer;
    use crate::sensor::motion_odometry::{MotionOdometry, Seen};
    use crate::sensor::tests::{Looks, put, space_with};
    use crate::sensor::velocity::Velocity;

    #[test]
    fn past_motion_counts_full_turns() {
        for turn in [-9.0, -PI, -1.0, 0.0, 0.5, 3.0, PI, TAU, 20.0] {
            let found = Frame::default().turned(turn * DVec3::Z).turn_from(&Frame::default());
            assert!((whole_turn(found, turn) - turn * DVec3::Z).length() < 1e-9, "{turn}: {found}");
        }
        assert_eq!(whole_turn(0.3 * DVec3::X, 7.0), 0.3 * DVec3::X);
    }

    /// Puts the first body and its sensor elsewhere, then lets it go 0.1 m ahead, and reads.
    fn leap<K: Sensor>(looks: &mut Looks<K>, space: &mut Space, (to, tilt): (Pose, Attitude)) -> Vec<f64> {
        let before = Pose { position_m: space.bodies.positions()[0], heading_rad: space.bodies.headings()[0] };
        let Own { elsewhere, attitude, .. } = &mut looks.own;
        elsewhere.put((&before, attitude), (&to, &tilt));
        *attitude = tilt;
        put(space, to.position_m + 0.1 * swarmarium_base::math::direction(to.heading_rad), to.heading_rad);
        looks.read_after(1, space)
    }

    #[test]
    fn past_motion_ignores_a_move_by_an_edit() {
        for boundary in [Boundary::Open, Boundary::Periodic] {
            let start = |space: &mut Space| put(space, DVec2::new(1.0, 2.0), 0.0);
            let mut space = space_with(boundary, &[(DVec2::ZERO, 0.3)]);
            let tilt = Attitude { z_m: 3.0, pitch_rad: 0.0, roll_rad: 0.0 };
            let to = Pose { position_m: DVec2::new(8.0, 5.0), heading_rad: FRAC_PI_2 };
            let mount = Mount { x_m: 0.2, ..Mount::default() };

            let velocity = Velocity { mount };
            let mut looks = Looks::of(&velocity);
            start(&mut space);
            looks.read(&space);
            let found = leap(&mut looks, &mut space, (to, tilt));
            assert!(near(&found, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], 1e-9), "{found:?}");

            // It went on as before.
            let accelerometer = Accelerometer { mount };
            let mut looks = Looks::of(&accelerometer);
            start(&mut space);
            looks.read(&space);
            put(&mut space, DVec2::new(1.1, 2.0), 0.0);
            looks.read_after(1, &space);
            let found = leap(&mut looks, &mut space, (to, tilt));
            assert!(near(&found, &[0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-8), "{found:?}");

            let tilted = Attitude { roll_rad: 0.3, ..tilt };
            // Seen from the world, it is where it was put; across a boundary that wraps that may be the short way.
            for (frame, at, yaw, roll) in
                [(Seen::Start, [0.2, 0.0, 0.0], 0.0, 0.0), (Seen::World, [8.0, 5.3, 3.0], FRAC_PI_2, 0.3)]
            {
                let odometry = MotionOdometry { frame, mount, ..MotionOdometry::default() };
                let mut looks = Looks::of(&odometry);
                start(&mut space);
                looks.read(&space);
                leap(&mut looks, &mut space, (to, tilt));
                let found = leap(&mut looks, &mut space, (to, tilted));
                let off = (found[0] - at[0]).abs();
                let is_there = off < 1e-9 || boundary == Boundary::Periodic && (off - 10.0).abs() < 1e-9;
                assert!(is_there && near(&found[1..3], &at[1..], 1e-9), "{frame:?}: {found:?}");
                assert!(near(&found[3..7], &[yaw, 0.0, roll, 1.0], 1e-9), "{frame:?}: {found:?}");
            }
        }
    }

    #[test]
    fn past_motion_includes_tilting() {
        let space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let velocity = Velocity::default();
        let mut looks = Looks::of(&velocity);
        looks.read(&space);
        looks.own.attitude.pitch_rad = 0.5;
        let found = looks.read_after(5, &space);
        assert!(near(&found[3..6], &[0.0, 1.0, 0.0], 1e-9), "{found:?}");
        looks.own.attitude.roll_rad = -0.25;
        let found = looks.read_after(5, &space);
        assert!(near(&found[3..6], &[-0.5, 0.0, 0.0], 1e-9), "about its own x: {found:?}");
    }
}
