//! The lamp of a robot.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot};
use swarmarium_core::agent::Pose;
use swarmarium_core::service::{About, Parameter, Property, Service, ServiceError, Value};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};

/// A lamp that shines ahead, and can be switched (MORSE `Light`). It is for people: no sensor sees it.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Light {
    /// Whether it shines; clients can switch it, too.
    pub emit: bool,
    /// How far it shines.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
    /// The angle of its cone.
    #[reflect(@Limits::between(0.0, std::f64::consts::PI))]
    pub cone_rad: f64,
    /// How bright it is: from 0, dark, to 1; brighter ones look alike.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub energy: f64,
    /// Its colour, such as `#f0e442`; that of lights when empty.
    pub color: String,
}

impl Default for Light {
    fn default() -> Self {
        Self { emit: true, range_m: 10.0, cone_rad: std::f64::consts::FRAC_PI_2, energy: 1.0, color: String::new() }
    }
}

impl Actuator for Light {
    const ABOUT: About = About {
        class: "Light",
        services: &[Service {
            name: "toggle",
            // It changes over when nothing is said.
            parameters: &[Parameter { name: "emit", default: Some(0.0) }],
            sets: None,
            is_task: false,
        }],
        properties: &[
            Property { name: "emit", field: "emit", unit: 1.0, type_name: "bool", attribute: "_emit" },
            Property { name: "distance", field: "range_m", unit: 1.0, type_name: "float", attribute: "_distance" },
            Property { name: "color", field: "color", unit: 1.0, type_name: "string", attribute: "_color" },
            Property { name: "size", field: "cone_rad", unit: 1.0, type_name: "float", attribute: "_size" },
            Property { name: "energy", field: "energy", unit: 1.0, type_name: "float", attribute: "_energy" },
        ],
    };
    const FIELDS: &'static [Field] = &[Field::flag("emit")];

    fn start(&self, _: &Robot, values: &mut [f64]) {
        values.fill(f64::from(u8::from(self.emit)));
    }

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        let emit = f64::from(u8::from(self.emit));
        // Who sets the parameter switches the lamp; who does not leaves it as it was told.
        if memory.kept.first().is_some_and(|known| *known != emit) {
            memory.values.fill(emit);
        }
        memory.kept.resize(1, emit);
        memory.kept.fill(emit);
        Actuation::default()
    }

    fn call(
        &self,
        _: &Robot,
        memory: &mut Memory,
        service: &Service,
        arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        let [was_on] = memory.numbers();
        let on = match arguments.first() {
            None | Some(Value::Null) => was_on == 0.0,
            Some(Value::Bool(on)) => *on,
            Some(_) => service.numbers(arguments)?.iter().any(|number| *number != 0.0),
        };
        memory.tell(&[f64::from(u8::from(on))]);
        Ok(Value::Null)
    }

    fn problem(&self) -> Option<String> {
        let is_fine = self.color.is_empty() || Role::named(&self.color).is_some();
        (!is_fine).then(|| Role::no_color(&self.color))
    }

    fn draw(&self, memory: &Memory, pose: &Pose, _: bool, picture: &mut Picture) {
        // Before the first step it remembers nothing yet.
        if !memory.values.first().map_or(self.emit, |emit| *emit != 0.0) {
            return;
        }
        let role = Role::named(&self.color).unwrap_or(Role::Light);
        let paint = role.faint(0.18 * self.energy.min(1.0) as f32);
        let edge = |part: f64| {
            let bearing = pose.heading_rad + (part - 0.5) * self.cone_rad;
            pose.position_m + self.range_m * direction(bearing)
        };
        let rim = (0..=CORNERS).map(|corner| edge(f64::from(corner) / f64::from(CORNERS)));
        let cone: Vec<DVec2> = std::iter::once(pose.position_m).chain(rim).collect();
        picture.add(Layer::Sensors, paint, Shape::Polygon(cone));
    }
}

/// Into how many edges the rim of its cone is cut.
const CORNERS: u32 = 24;
