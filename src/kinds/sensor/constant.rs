//! Always reads the same numbers.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;

/// Always reads the same numbers, to test a controller or noise (RobotSwarmSimulator `StaticSensor`).
#[kind(section = "Test", words = "fixed, dummy")]
pub struct Constant {
    /// Numbers of the reading, which never changes.
    #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
    #[default(vec![0.0])]
    pub values: Vec<f64>,
}

impl Sensor for Constant {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.values.len()
    }

    fn read(&self, (): &(), _: &mut NoMemory, _: Viewpoint, reading: &mut [f64]) {
        reading.copy_from_slice(&self.values);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{read, space_with};

    #[test]
    fn constant_sensor_reads_its_value() {
        let space = space_with(Boundary::Open, &[(bevy::math::DVec2::ZERO, 0.1)]);
        assert_eq!(read(&Constant { values: vec![3.0, -1.0] }, &space), [3.0, -1.0]);
        assert_eq!(read(&Constant::default(), &space), [0.0]);
    }
}
