//! Switches the lamp of a robot.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot};
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Parameter, Property, Service, ServiceError, Value};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};

/// A lamp that shines ahead and can be switched (MORSE `Light`). It is only drawn: no sensor detects it.
#[kind(section = "Acting", words = "lamp, headlight")]
pub struct Light {
    /// Whether the lamp is on. Clients can switch it, too.
    #[default(true)]
    pub emit: bool,
    /// Range of the light.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(10.0)]
    pub range_m: f64,
    /// Opening angle of the cone of light.
    #[reflect(@Limits::between(0.0, std::f64::consts::PI))]
    #[default(std::f64::consts::FRAC_PI_2)]
    pub cone_rad: f64,
    /// Brightness: 0 is dark, and all values from 1 on look the same.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub energy: f64,
    /// Colour, such as `#f0e442`. Empty: the colour of lights.
    pub color: String,
}

impl Actuator for Light {
    const ABOUT: About = About {
        class: "Light",
        services: &[Service {
            name: "toggle",
            // Without an argument, the lamp is toggled.
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
        // An edit of the parameter switches the lamp; otherwise it stays as commanded.
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
        // Before the first step its memory is empty.
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

/// The number of edges of the rim of the cone.
const CORNERS: u32 = 24;
