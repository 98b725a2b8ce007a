//! Measures the time of the clock of the robot.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields};
use swarmarium_core::state::NoMemory;

/// Reads `clock`: the time of the clock of its robot, in seconds, or the simulated time if the robot has no clock of
/// its own (MORSE `Clock`). Clients receive the time alone, which the messages of all sensors contain.
#[kind(Copy, section = "Own state", words = "time, timer")]
pub struct Clock {}

impl Sensor for Clock {
    type Prepared = ();
    type Memory = NoMemory;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["clock"];
    const ABOUT: About = About::of_class("Clock");

    fn prepare(&self) {}

    fn units(&self) -> &'static [&'static str] {
        &["s"]
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading[0] = from.own.clock_s;
    }

    fn message(&self, _: &NoMemory, _: &[f64], _: &dyn Fn(u32) -> String, _: &mut Fields) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    #[test]
    fn clock_sensor_reads_the_clock_and_sends_only_the_time() {
        let space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let mut looks = Looks::of(&Clock {});
        assert_eq!(looks.read_after(5, &space), [0.5]);
        assert_eq!(looks.message(&[0.5]), Some(Fields::new()));
    }
}
