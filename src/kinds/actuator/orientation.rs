//! Turns its robot to a heading.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Status};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::service::{About, Property};

/// Turns its robot to a heading and tilts it, by the shorter turn, without moving it (MORSE `Orientation`).
///
/// It does nothing until it receives an orientation, and holds that from then on.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Orientation {
    /// Turn rate about each axis; `None`: at once.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub speed_rad_per_s: Option<f64>,
    /// Error of each axis that counts as zero.
    #[reflect(@Limits::between(0.0, std::f64::consts::PI))]
    pub tolerance_rad: f64,
}

impl Default for Orientation {
    fn default() -> Self {
        Self { speed_rad_per_s: None, tolerance_rad: 0.02 }
    }
}

impl Actuator for Orientation {
    const ABOUT: About = About {
        class: "Orientation",
        services: &[],
        properties: &[
            Property { name: "speed", field: "speed_rad_per_s", unit: 1.0, type_name: "float", attribute: "_speed" },
            Property {
                name: "tolerance",
                field: "tolerance_rad",
                unit: 1.0,
                type_name: "float",
                attribute: "_tolerance",
            },
        ],
    };
    const FIELDS: &'static [Field] =
        &[Field::number("yaw", 0.0), Field::number("pitch", 0.0), Field::number("roll", 0.0)];

    fn start(&self, robot: &Robot, values: &mut [f64]) {
        let Attitude { pitch_rad, roll_rad, .. } = robot.attitude;
        let start = [robot.pose.heading_rad, pitch_rad, roll_rad];
        values.iter_mut().zip(start).for_each(|(value, start)| *value = start);
    }

    fn act(&self, robot: &Robot, memory: &mut Memory) -> Actuation {
        if memory.fresh {
            memory.status = Status::Transit;
        }
        if memory.status != Status::Transit {
            return Actuation::default();
        }
        let [yaw, pitch, roll] = memory.numbers();
        let most = self.speed_rad_per_s.map_or(f64::MAX, |speed| speed * robot.period_s);
        let turned = |from: f64, to: f64| {
            let way = wrap_angle(to - from);
            if way.abs() < self.tolerance_rad { from } else { from + way.clamp(-most, most) }
        };
        let heading_rad = turned(robot.pose.heading_rad, yaw);
        let attitude = Attitude {
            pitch_rad: turned(robot.attitude.pitch_rad, pitch),
            roll_rad: turned(robot.attitude.roll_rad, roll),
            ..robot.attitude
        };
        Actuation { pose: Some(Pose { heading_rad, ..robot.pose }), attitude: Some(attitude), ..Actuation::default() }
    }
}
