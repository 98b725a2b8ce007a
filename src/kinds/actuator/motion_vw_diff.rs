//! Drives two wheels.

use bevy::prelude::*;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Velocity};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Service, ServiceError, Value};

use super::motion_vw::{FIELDS, SERVICES, set_speeds};

/// Drives and turns with the commanded speed and turn rate by turning the wheels, within the limits of the wheels and
/// the motion model (MORSE `MotionVWDiff`).
#[kind(Copy, section = "Driving", words = "drive, wheels, speed")]
pub struct MotionVwDiff {}

/// Smaller speeds, in m/s and in rad/s, count as 0.
const STANDSTILL: f64 = 1e-3;

impl Actuator for MotionVwDiff {
    const ABOUT: About = About { class: "MotionVWDiff", services: SERVICES, properties: &[] };
    const FIELDS: &'static [Field] = FIELDS;

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        let [v, w] = memory.numbers();
        let stands = v.abs() < STANDSTILL && w.abs() < STANDSTILL;
        if stands { Velocity::ZERO } else { Velocity::drive(v, w) }.into()
    }

    fn call(
        &self,
        _: &Robot,
        memory: &mut Memory,
        service: &Service,
        arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        set_speeds(memory, service, arguments)
    }
}
