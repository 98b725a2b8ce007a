//! Measures turn rates, acceleration with gravity, and the magnetic field.

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Value};

use super::{Mount, Past};

/// Reads turn rates, acceleration including gravity, and the magnetic field, all in its own axes (MORSE `IMU`).
#[kind(Copy, section = "Own state", words = "inertial, acceleration, magnetometer, turn rate")]
pub struct Imu {
    /// Acceleration of gravity, which the sensor reads upwards at rest.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(9.81)]
    pub gravity_m_per_s2: f64,
    /// Magnetic field along x, y and z of the world; by default approximately that of central Europe, with north along
    /// y.
    #[reflect(@Limits::between(-1e6, 1e6))]
    #[default([0.0, 21.0, -43.0])]
    pub magnetic_field_ut: [f64; 3],
    /// Position and orientation on the robot. The sensor moves with it.
    pub mount: Mount,
}

impl Sensor for Imu {
    type Prepared = ();
    type Memory = Past;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["wx", "wy", "wz", "ax", "ay", "az", "mx", "my", "mz"];
    const ABOUT: About = About::of_class("IMU");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        9
    }

    fn units(&self) -> &'static [&'static str] {
        &["rad/s", "rad/s", "rad/s", "m/s²", "m/s²", "m/s²", "µT", "µT", "µT"]
    }

    fn read(&self, (): &(), past: &mut Past, from: Viewpoint, reading: &mut [f64]) {
        let moved = past.movement(&self.mount, &from);
        let felt = moved.acceleration + self.gravity_m_per_s2 * DVec3::Z;
        let vectors = [moved.spin, felt, self.magnetic_field_ut.into()];
        let numbers = vectors.into_iter().flat_map(|vector| moved.now.sees_direction(vector).to_array());
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn message(&self, _: &Past, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let names = ["angular_velocity", "linear_acceleration", "magnetic_field"].map(String::from);
        message.extend(names.into_iter().zip(reading.chunks(3).map(|vector| Value::numbers(vector.iter().copied()))));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use bevy::math::DVec2;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn imu_rotates_gravity_and_north_into_its_frame() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let imu = Imu::default();
        let mut looks = Looks::of(&imu);
        let found = looks.read(&space);
        assert!(near(&found, &[0.0, 0.0, 0.0, 0.0, 0.0, 9.81, 0.0, 21.0, -43.0], 1e-12), "{found:?}");
        put(&mut space, DVec2::ZERO, FRAC_PI_2);
        looks.own.attitude.roll_rad = FRAC_PI_2;
        let found = looks.read_after(10, &space);
        assert!(near(&found[3..], &[0.0, 9.81, 0.0, 21.0, -43.0, 0.0], 1e-9), "it lies on its side: {found:?}");
        // A third of a turn about the diagonal of the axes.
        assert!(near(&found[..3], &[std::f64::consts::TAU / (3.0 * 3.0_f64.sqrt()); 3], 1e-9), "{found:?}");
    }
}
