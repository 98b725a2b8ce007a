//! Measures orientation and turn rates.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Value};

use super::{Mount, Past};

/// Reads its roll, pitch and yaw in the world, from −π to π, and its mean turn rates since the last reading, in its own
/// axes, in rad/s (MORSE `Attitude`). The first rates are 0. Clients receive the angles by name.
#[kind(Copy, section = "Own state", words = "tilt, roll, pitch")]
pub struct Attitude {
    /// Position and orientation on the robot.
    pub mount: Mount,
}

impl Sensor for Attitude {
    type Prepared = ();
    type Memory = Past;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["roll", "pitch", "yaw", "wx", "wy", "wz"];
    const ABOUT: About = About::of_class("Attitude");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        6
    }

    fn units(&self) -> &'static [&'static str] {
        &["rad", "rad", "rad", "rad/s", "rad/s", "rad/s"]
    }

    fn read(&self, (): &(), past: &mut Past, from: Viewpoint, reading: &mut [f64]) {
        let moved = past.movement(&self.mount, &from);
        let [yaw, pitch, roll] = self.mount.angles(&moved.now, &from);
        let rates = moved.now.sees_direction(moved.spin).to_array();
        reading.iter_mut().zip([roll, pitch, yaw].into_iter().chain(rates)).for_each(|(value, number)| *value = number);
    }

    fn message(&self, _: &Past, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let [roll, pitch, yaw, ref rates @ ..] = *reading else { return false };
        let angles = [("yaw", yaw), ("pitch", pitch), ("roll", roll)];
        let angles = angles.map(|(name, angle)| (name.to_owned(), Value::Number(angle)));
        message.push(("rotation".into(), Value::Map(angles.into())));
        message.push(("angular_velocity".into(), Value::numbers(rates.iter().copied())));
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
    fn attitude_reads_angles_and_their_rates() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let attitude = Attitude::default();
        let mut looks = Looks::of(&attitude);
        assert_eq!(looks.read(&space), [0.0; 6]);
        put(&mut space, DVec2::ZERO, 0.5);
        let found = looks.read_after(10, &space);
        assert!(near(&found, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.5], 1e-12), "{found:?}");
        looks.own.attitude.roll_rad = -0.25;
        let found = looks.read_after(5, &space);
        assert!(near(&found, &[-0.25, 0.0, 0.5, -0.5, 0.0, 0.0], 1e-12), "{found:?}");
        // The names are in the order of MORSE.
        let angles = [("yaw", found[2]), ("pitch", found[1]), ("roll", found[0])];
        let angles = Value::Map(angles.map(|(name, angle)| (name.to_owned(), Value::Number(angle))).into());
        let rates = Value::numbers(found[3..].iter().copied());
        let expected = vec![("rotation".to_owned(), angles), ("angular_velocity".to_owned(), rates)];
        assert_eq!(looks.message(&found), Some(expected));
    }
}
