//! Measures velocity and turn rates.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Value};

use super::{Mount, Past};

/// Reads its mean velocity and turn rates since the last reading, in its own axes, and its velocity in the axes of the
/// world, in m/s and rad/s; zeros at first (MORSE `Velocity`).
///
/// Pushes count as motion; relocations do not.
#[kind(Copy, section = "Own state", words = "speed, how fast")]
pub struct Velocity {
    /// Position and orientation on the robot. The sensor moves with it.
    pub mount: Mount,
}

impl Sensor for Velocity {
    type Prepared = ();
    type Memory = Past;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["vx", "vy", "vz", "wx", "wy", "wz", "world_vx", "world_vy", "world_vz"];
    const ABOUT: About = About::of_class("Velocity");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        9
    }

    fn units(&self) -> &'static [&'static str] {
        &["m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"]
    }

    fn read(&self, (): &(), past: &mut Past, from: Viewpoint, reading: &mut [f64]) {
        let moved = past.movement(&self.mount, &from);
        let linear = moved.halfway.sees_direction(moved.velocity);
        let angular = moved.halfway.sees_direction(moved.spin);
        let numbers = [linear, angular, moved.velocity].into_iter().flat_map(|vector| vector.to_array());
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn message(&self, _: &Past, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let names = ["linear_velocity", "angular_velocity", "world_linear_velocity"];
        let vectors = reading.chunks(3).map(|vector| Value::numbers(vector.iter().copied()));
        message.extend(names.map(String::from).into_iter().zip(vectors));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use bevy::math::DVec2;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn velocity_sensor_reads_in_its_own_axes() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let (plain, turned) = (
            Velocity::default(),
            // As MORSE's test has it.
            Velocity { mount: Mount { yaw_rad: FRAC_PI_2, pitch_rad: FRAC_PI_2, ..Mount::default() } },
        );
        let (mut own, mut other) = (Looks::of(&plain), Looks::of(&turned));
        assert_eq!(own.read(&space), [0.0; 9]);
        other.read(&space);
        put(&mut space, DVec2::new(0.1, 0.2), 0.0);
        let found = own.read_after(1, &space);
        assert!(near(&found, &[1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0], 1e-12), "{found:?}");
        let found = other.read_after(1, &space);
        assert!(near(&found, &[0.0, -1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0], 1e-12), "[vz, -vx, vy]: {found:?}");
        // It turns on the spot, by more than half a turn in 10 s.
        put(&mut space, DVec2::new(0.1, 0.2), 1.5 * PI);
        let found = other.read_after(100, &space);
        assert!(near(&found[..6], &[0.0, 0.0, 0.0, -0.15 * PI, 0.0, 0.0], 1e-12), "{found:?}");
        let message = other.message(&found).unwrap();
        let names: Vec<&str> = message.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["linear_velocity", "angular_velocity", "world_linear_velocity"]);
        assert_eq!(message[0].1, Value::numbers(found[..3].iter().copied()));
    }
}
