//! Measures the true pose.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::About;
use swarmarium_core::state::NoMemory;

use super::Mount;

/// Reads the true pose of the sensor in the world, height and tilt included: the pose of the robot combined with that
/// of the mount (MORSE `Pose`). Angles are from −π to π; the angles of a robot that was set to a pitch beyond ±π/2 are
/// read as they were set.
#[kind(Copy, section = "Own state", words = "position, heading, location, where am i")]
pub struct Pose {
    /// Position and orientation on the robot.
    pub mount: Mount,
}

impl Sensor for Pose {
    type Prepared = ();
    type Memory = NoMemory;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["x", "y", "z", "yaw", "pitch", "roll"];
    const ABOUT: About = About::of_class("Pose");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        6
    }

    fn units(&self) -> &'static [&'static str] {
        &["m", "m", "m", "rad", "rad", "rad"]
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let frame = self.mount.frame(&from);
        let numbers = frame.at.to_array().into_iter().chain(self.mount.angles(&frame, &from));
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use bevy::math::DVec2;
    use swarmarium_core::agent::attitude::Attitude;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn pose_sensor_includes_mount_and_attitude() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        put(&mut space, DVec2::new(1.0, 2.0), FRAC_PI_2);
        let pose = Pose { mount: Mount { x_m: 0.5, z_m: -0.1, yaw_rad: FRAC_PI_2, ..Mount::default() } };
        let mut looks = Looks::of(&pose);
        looks.own.attitude = Attitude { z_m: 0.1, pitch_rad: 0.0, roll_rad: 0.0 };
        let found = looks.read(&space);
        assert!(near(&found, &[1.0, 2.5, 0.0, std::f64::consts::PI, 0.0, 0.0], 1e-12), "{found:?}");
        looks.own.attitude.pitch_rad = FRAC_PI_2;
        let found = looks.read(&space);
        assert!(near(&found[..3], &[1.0, 1.9, -0.4], 1e-12), "it looks down: {found:?}");
    }

    #[test]
    fn pose_sensor_of_an_overturned_robot_reads_its_rotation() {
        // MORSE's `teleport_testing.py`.
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let pose = Pose::default();
        let mut looks = Looks::of(&pose);
        for [yaw, pitch, roll] in
            [[0.0, 2.5, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 2.5], [2.8, 1.8, -0.4], [-3.0, 1.2, 3.0]]
        {
            put(&mut space, DVec2::ZERO, yaw);
            looks.own.attitude = Attitude { z_m: 0.0, pitch_rad: pitch, roll_rad: roll };
            let found = looks.read(&space);
            assert!(near(&found[3..], &[yaw, pitch, roll], 1e-12), "{found:?}");
        }
    }
}
