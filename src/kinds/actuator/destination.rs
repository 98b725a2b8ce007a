//! Moves straight to a point.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Status, Velocity};
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Property};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};

/// Moves straight to a point in space without turning, for robots that move in any direction (MORSE `Destination`).
#[kind(Copy, section = "Driving", words = "go to, fly")]
pub struct Destination {
    /// Distance from the point at which the robot has arrived.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(0.5)]
    pub tolerance_m: f64,
    /// Speed of the robot on its way to the point.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(5.0)]
    pub speed_m_per_s: f64,
    /// Whether the robot returns to the point when something moves it away.
    pub remain_at_destination: bool,
}

impl Actuator for Destination {
    const ABOUT: About = About {
        class: "Destination",
        services: &[],
        properties: &[
            Property {
                name: "Tolerance",
                field: "tolerance_m",
                unit: 1.0,
                type_name: "float",
                attribute: "_tolerance",
            },
            Property { name: "Speed", field: "speed_m_per_s", unit: 1.0, type_name: "float", attribute: "_speed" },
            Property {
                name: "RemainAtDestination",
                field: "remain_at_destination",
                unit: 1.0,
                type_name: "bool",
                attribute: "_remain_at_destination",
            },
        ],
    };
    const FIELDS: &'static [Field] = &[Field::number("x", 0.0), Field::number("y", 0.0), Field::number("z", 0.0)];
    const GOES_ANY_WAY: bool = true;

    fn start(&self, robot: &Robot, values: &mut [f64]) {
        let DVec2 { x, y } = robot.pose.position_m;
        values.iter_mut().zip([x, y, robot.attitude.z_m]).for_each(|(value, start)| *value = start);
    }

    fn act(&self, robot: &Robot, memory: &mut Memory) -> Actuation {
        if memory.status != Status::Transit && !memory.fresh && !self.remain_at_destination {
            return Actuation::default();
        }
        let [x, y, z] = memory.numbers();
        let (way, climb) = (robot.way_to(DVec2::new(x, y)), z - robot.attitude.z_m);
        let distance = (way.length_squared() + climb * climb).sqrt();
        if distance <= self.tolerance_m {
            memory.status = Status::Stop;
            return Velocity::ZERO.into();
        }
        memory.status = Status::Transit;
        let part_per_s = self.speed_m_per_s.min(distance / robot.period_s) / distance;
        let DVec2 { x, y } = robot.seen_from_body(way * part_per_s);
        let mut attitude = robot.attitude;
        attitude.z_m += climb * part_per_s * robot.period_s;
        let velocity = Velocity { x_m_per_s: x, y_m_per_s: y, turn_rad_per_s: 0.0 };
        Actuation { attitude: (climb != 0.0).then_some(attitude), ..velocity.into() }
    }

    fn draw(&self, memory: &Memory, pose: &Pose, shows_plan: bool, picture: &mut Picture) {
        if shows_plan && memory.status == Status::Transit {
            let [x, y] = memory.numbers();
            picture.arrow(Layer::Sensors, Role::Goal, [pose.position_m, DVec2::new(x, y)], 1.5);
        }
    }
}
