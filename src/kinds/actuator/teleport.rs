//! Places its robot somewhere else.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Parameter, Service, ServiceError, Value, within_reach};

/// Places its robot at another pose at once, with another height and tilt (MORSE `Teleport`).
///
/// It does nothing until it receives a command. Then the robot stays where it was placed, as in MORSE, until the
/// actuator is deactivated, another `Teleport` of the robot receives a command, or an edit moves the robot.
#[kind(Copy, section = "Driving", words = "jump, place")]
pub struct Teleport {}

const fn or_zero(name: &'static str) -> Parameter {
    Parameter { name, default: Some(0.0) }
}

impl Actuator for Teleport {
    const ABOUT: About = About {
        class: "Teleport",
        services: &[
            Service {
                name: "translate",
                parameters: &[Parameter { name: "x", default: None }, or_zero("y"), or_zero("z")],
                sets: None,
                is_task: false,
            },
            Service {
                name: "rotate",
                parameters: &[Parameter { name: "roll", default: None }, or_zero("pitch"), or_zero("yaw")],
                sets: None,
                is_task: false,
            },
        ],
        properties: &[],
    };
    const FIELDS: &'static [Field] = &[
        Field::number("x", 0.0),
        Field::number("y", 0.0),
        Field::number("z", 0.0),
        Field::number("yaw", 0.0),
        Field::number("pitch", 0.0),
        Field::number("roll", 0.0),
    ];

    fn start(&self, robot: &Robot, values: &mut [f64]) {
        values.iter_mut().zip(present(robot)).for_each(|(value, start)| *value = start);
    }

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        if !memory.fresh {
            return Actuation::default();
        }
        let [x, y, z_m, heading_rad, pitch_rad, roll_rad] = memory.numbers();
        Actuation {
            velocity: None,
            pose: Some(Pose { position_m: DVec2::new(x, y), heading_rad }),
            attitude: Some(Attitude { z_m, pitch_rad, roll_rad }),
            leaps: true,
        }
    }

    fn call(
        &self,
        robot: &Robot,
        memory: &mut Memory,
        service: &Service,
        arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        let by = service.numbers(arguments)?;
        let [first, second, third] = by[..] else { return Ok(Value::Null) };
        // A pending command is the starting point.
        let from = if memory.fresh { memory.numbers() } else { present(robot) };
        let by = match service.name {
            "translate" => [first, second, third, 0.0, 0.0, 0.0],
            _ => [0.0, 0.0, 0.0, third, second, first],
        };
        let mut to = from;
        for ((to, by), name) in to.iter_mut().zip(by).zip(Self::FIELDS) {
            *to = within_reach(name.name, *to + by)?;
        }
        memory.tell(&to);
        Ok(Value::Null)
    }
}

/// The present pose, in the order of the fields.
fn present(robot: &Robot) -> [f64; 6] {
    let Pose { position_m: DVec2 { x, y }, heading_rad } = robot.pose;
    let Attitude { z_m, pitch_rad, roll_rad } = robot.attitude;
    [x, y, z_m, heading_rad, pitch_rad, roll_rad]
}
