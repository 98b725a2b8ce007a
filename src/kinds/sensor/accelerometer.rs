//! Measures acceleration.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Value};

use super::{Mount, Past};

/// Reads the distance travelled since its last reading, and its mean velocity, acceleration and angular acceleration
/// since then, in its own axes (MORSE `Accelerometer`). Gravity is excluded; `Imu` includes it.
///
/// A robot that reaches its commanded speed at once accelerates within one step.
#[kind(Copy, section = "Own state", words = "acceleration, distance travelled")]
pub struct Accelerometer {
    /// Position and orientation on the robot. The sensor moves with it.
    pub mount: Mount,
}

impl Sensor for Accelerometer {
    type Prepared = ();
    type Memory = Past;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] =
        &["distance", "vx", "vy", "vz", "ax", "ay", "az", "angular_ax", "angular_ay", "angular_az"];
    const ABOUT: About = About::of_class("Accelerometer");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        10
    }

    fn units(&self) -> &'static [&'static str] {
        &["m", "m/s", "m/s", "m/s", "m/s²", "m/s²", "m/s²", "rad/s²", "rad/s²", "rad/s²"]
    }

    fn read(&self, (): &(), past: &mut Past, from: Viewpoint, reading: &mut [f64]) {
        let moved = past.movement(&self.mount, &from);
        let vectors = [
            moved.halfway.sees_direction(moved.velocity),
            moved.now.sees_direction(moved.acceleration),
            moved.now.sees_direction(moved.spin_up),
        ];
        let numbers =
            std::iter::once(moved.way.length()).chain(vectors.into_iter().flat_map(|vector| vector.to_array()));
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn message(&self, _: &Past, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let [distance, vectors @ ..] = reading else { return false };
        message.push(("distance".into(), (*distance).into()));
        let names = ["velocity", "acceleration", "angular_acceleration"].map(String::from);
        message.extend(names.into_iter().zip(vectors.chunks(3).map(|vector| Value::numbers(vector.iter().copied()))));
        true
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn accelerometer_shows_one_peak_at_the_start_of_motion() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let accelerometer = Accelerometer::default();
        let mut looks = Looks::of(&accelerometer);
        assert_eq!(looks.read(&space), [0.0; 10]);
        put(&mut space, DVec2::new(0.2, 0.0), 0.0);
        let found = looks.read_after(1, &space);
        assert!(near(&found, &[0.2, 2.0, 0.0, 0.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12), "{found:?}");
        put(&mut space, DVec2::new(0.4, 0.0), 0.0);
        let found = looks.read_after(1, &space);
        assert!(near(&found, &[0.2, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-9), "{found:?}");
        assert_eq!(looks.message(&found).unwrap()[0], ("distance".into(), found[0].into()));
    }
}
