//! Measures the heading relative to north.

use std::f64::consts::{FRAC_PI_2, TAU};

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::earth::positive_angle;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;

use super::Mount;

/// Reads `heading`: the angle from north to the direction of the sensor, clockwise, from 0 up to but not including 2π.
#[kind(Copy, section = "Own state", words = "north, heading, direction")]
pub struct Compass {
    /// Direction of north, anticlockwise from x; by default along y.
    #[reflect(@Limits::between(-TAU, TAU))]
    #[default(FRAC_PI_2)]
    pub north_rad: f64,
    /// Position and orientation on the robot.
    pub mount: Mount,
}

impl Sensor for Compass {
    type Prepared = ();
    type Memory = NoMemory;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["heading"];
    fn prepare(&self) {}

    fn units(&self) -> &'static [&'static str] {
        &["rad"]
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading[0] = positive_angle(self.north_rad - self.mount.frame(&from).angles()[0]);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use bevy::math::DVec2;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{put, read, space_with};

    #[test]
    fn compass_headings_are_clockwise_from_north() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        for (heading, expected) in [(0.0, FRAC_PI_2), (FRAC_PI_2, 0.0), (PI, 1.5 * PI), (-FRAC_PI_2, PI)] {
            put(&mut space, DVec2::ZERO, heading);
            let found = read(&Compass::default(), &space)[0];
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
