//! Detects whether the gripper holds an object.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_space::Target;

/// Reads 1 while the gripper of the robot holds an object, else 0. The robot must have a gripper.
#[kind(Copy, section = "Own state", words = "gripper, holding, carry")]
pub struct GripSensor {}

impl Sensor for GripSensor {
    type Prepared = ();
    type Memory = NoMemory;
    const NEEDS_GRIPPER: bool = true;
    const NAMES: &'static [&'static str] = &["holds"];

    fn prepare(&self) {}

    fn gauge(&self) -> Gauge {
        Gauge::Lamps
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading.fill(f64::from(from.space.held_by(from.row).is_some()));
    }

    fn sees(&self, (): &(), _: &NoMemory, from: Viewpoint) -> Option<Target> {
        from.space.held_by(from.row).map(Target::Thing)
    }
}
