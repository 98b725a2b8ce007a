//! Drives and turns.

use bevy::prelude::*;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Velocity};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Parameter, Service, ServiceError, Value};

/// Drives ahead and turns with the commanded speed and turn rate (MORSE `MotionVW`).
#[kind(Copy, section = "Driving", words = "drive, wheels, speed")]
pub struct MotionVw {}

/// The services of actuators that drive and turn.
pub(super) const SERVICES: &[Service] = &[
    Service {
        name: "set_speed",
        parameters: &[Parameter { name: "v", default: None }, Parameter { name: "w", default: None }],
        sets: None,
        is_task: false,
    },
    Service { name: "stop", parameters: &[], sets: None, is_task: false },
];

/// The fields of actuators that drive and turn.
pub(super) const FIELDS: &[Field] = &[Field::number("v", 0.0), Field::number("w", 0.0)];

/// Sets the speeds of an actuator that drives and turns.
pub(super) fn set_speeds(memory: &mut Memory, service: &Service, arguments: &[Value]) -> Result<Value, ServiceError> {
    match service.name {
        "stop" => memory.tell(&[0.0, 0.0]),
        _ => memory.tell(&service.numbers(arguments)?),
    }
    Ok(Value::Null)
}

impl Actuator for MotionVw {
    const ABOUT: About = About { class: "MotionVW", services: SERVICES, properties: &[] };
    const FIELDS: &'static [Field] = FIELDS;

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        let [v, w] = memory.numbers();
        Velocity::drive(v, w).into()
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
