//! Measures orientation.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::About;
use swarmarium_core::state::NoMemory;

use super::Mount;

/// Reads its yaw, pitch and roll in the world, from −π to π (MORSE `Gyroscope`).
#[kind(Copy, section = "Own state", words = "turn rate, yaw, rotation")]
pub struct Gyroscope {
    /// Position and orientation on the robot.
    pub mount: Mount,
}

impl Sensor for Gyroscope {
    type Prepared = ();
    type Memory = NoMemory;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["yaw", "pitch", "roll"];
    const ABOUT: About = About::of_class("Gyroscope");

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        3
    }

    fn units(&self) -> &'static [&'static str] {
        &["rad", "rad", "rad"]
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading.copy_from_slice(&self.mount.angles(&self.mount.frame(&from), &from));
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use bevy::math::DVec2;
    use swarmarium_core::agent::attitude::Attitude;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn gyroscope_reads_the_angles_of_the_robot() {
        // MORSE's `gyroscope_testing.py`.
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        put(&mut space, DVec2::ZERO, PI / 2.0);
        let gyroscope = Gyroscope::default();
        let mut looks = Looks::of(&gyroscope);
        looks.own.attitude = Attitude { z_m: 0.0, pitch_rad: PI / 8.0, roll_rad: PI / 16.0 };
        let found = looks.read(&space);
        assert!(near(&found, &[PI / 2.0, PI / 8.0, PI / 16.0], 1e-12), "{found:?}");
    }
}
