//! Turns its robot to a heading.

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{Frame, wrap_angle};
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Status};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Property};

/// Turns its robot to a heading and tilts it, by the shorter turn, without moving it (MORSE `Orientation`).
///
/// With a speed, it turns the robot at that rate about each axis of its body whose angle differs from the goal, as MORSE does.
/// Turns about several axes change the other angles: while an angle is off by more than twice the tolerance, only such angles
/// are corrected. It does nothing until it receives an orientation, and holds that from then on.
#[kind(Copy, section = "Driving", words = "turn, heading")]
pub struct Orientation {
    /// Turn rate about each axis of the body; `None`: at once.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub speed_rad_per_s: Option<f64>,
    /// Error of each axis that counts as zero.
    #[reflect(@Limits::between(0.0, std::f64::consts::PI))]
    #[default(0.02)]
    pub tolerance_rad: f64,
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
        let Attitude { pitch_rad, roll_rad, .. } = robot.attitude;
        let angles = [robot.pose.heading_rad, pitch_rad, roll_rad];
        let goal: [f64; 3] = memory.numbers();
        let ways: [f64; 3] = std::array::from_fn(|axis| wrap_angle(goal[axis] - angles[axis]));
        let beyond = |bound: f64, way: f64| if way.abs() < bound { 0.0 } else { way };
        let [heading_rad, pitch_rad, roll_rad] = match self.speed_rad_per_s {
            None => std::array::from_fn(|axis| angles[axis] + beyond(self.tolerance_rad, ways[axis])),
            Some(speed) => {
                let far = 2.0 * self.tolerance_rad;
                let bound = if ways.iter().any(|way| way.abs() >= far) { far } else { self.tolerance_rad };
                let most = speed * robot.period_s;
                turned_about_body(angles, ways.map(|way| beyond(bound, way).clamp(-most, most)))
            }
        };
        let attitude = Attitude { pitch_rad, roll_rad, ..robot.attitude };
        Actuation { pose: Some(Pose { heading_rad, ..robot.pose }), attitude: Some(attitude), ..Actuation::default() }
    }
}

/// Yaw, pitch and roll after turns (rad) about the z, y and x axes of a body at the same time.
fn turned_about_body(angles: [f64; 3], turns: [f64; 3]) -> [f64; 3] {
    let ([yaw, pitch, roll], [about_z, about_y, about_x]) = (angles, turns);
    if [pitch, roll, about_y, about_x] == [0.0; 4] {
        return [yaw + about_z, pitch, roll];
    }
    let body = Frame::new(DVec3::ZERO, angles);
    let turned = body.turned(body.direction(DVec3::new(about_x, about_y, about_z))).angles_like(angles);
    // The angles go on from the present ones, without a jump of a whole turn.
    std::array::from_fn(|axis| angles[axis] + wrap_angle(turned[axis] - angles[axis]))
}
