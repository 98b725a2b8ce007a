//! Services and streams: the descriptions of kinds for clients (the components of MORSE).
//!
//! A sensor or an actuator is a component for clients if it has [links](Link).

use bevy::prelude::*;

mod error;
pub mod note;
pub mod tasks;
pub mod value;

pub use error::{PropertyError, ServiceError, ValueError};
pub use note::Note;
pub use tasks::Tasks;
pub use value::{Fields, Value};

use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use crate::kind::Optional;

/// The largest absolute value of numbers in commands to an actuator: positions as far as a scene extends.
pub const MAX_TOLD: f64 = MAX_LENGTH_M;

/// A connection of a sensor or an actuator with external clients. This program serves sockets; other links are kept for
/// exports.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Link {
    /// A data stream: the readings of a sensor, or commands to an actuator.
    Stream {
        /// `socket`, or the class of another stream manager of MORSE.
        #[reflect(@Optional)]
        via: String,
        /// Class of the stream in MORSE; empty for the default.
        #[reflect(@Optional)]
        class: String,
        /// Direction of the data.
        #[reflect(@Optional)]
        way: StreamDirection,
        /// Port of a socket; 0 for the next free port.
        #[reflect(@Optional, @Limits::between(0.0, 65535.0))]
        port: u32,
        /// Additional options for MORSE: names, and values in the notation of Python.
        #[reflect(@Optional)]
        options: Vec<Note>,
    },
    /// Services: requests with replies.
    Services {
        /// `socket`, or the class of another request manager of MORSE.
        #[reflect(@Optional)]
        via: String,
    },
    /// Services under other names.
    Overlay {
        /// `socket`, or the class of another request manager of MORSE.
        #[reflect(@Optional)]
        via: String,
        /// Class of the overlay in MORSE, if it has one.
        #[reflect(@Optional)]
        class: String,
        /// Name of the component for these services; empty for its own name.
        #[reflect(@Optional)]
        name: String,
        /// The services.
        #[reflect(@Optional)]
        services: Vec<Alias>,
        /// Additional options for MORSE: names, and values in the notation of Python.
        #[reflect(@Optional)]
        options: Vec<Note>,
    },
}

/// The first due time of something with a phase: with links, it is counted from the first step, as in MORSE.
pub fn first_due_s(phase_s: f64, links: &[Link], dt_s: f64) -> f64 {
    if links.is_empty() { phase_s } else { phase_s + dt_s }
}

impl Default for Link {
    fn default() -> Self {
        Self::Services { via: String::new() }
    }
}

/// A service under another name.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Alias {
    /// Name for clients.
    pub name: String,
    /// Service of the component.
    pub calls: String,
}

/// The direction of the data of a stream.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum StreamDirection {
    /// Out of sensors and into actuators.
    #[default]
    Natural,
    /// Into the component.
    In,
    /// Out of the component.
    Out,
}

/// A service of a kind of components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Service {
    /// The name.
    pub name: &'static str,
    /// The parameters, in order; those with a default come last.
    pub parameters: &'static [Parameter],
    /// The parameter of the kind that the service sets, if it does nothing else. Its only argument is the value.
    pub sets: Option<&'static str>,
    /// Whether it is a task, which takes some time and can be interrupted.
    pub is_task: bool,
}

/// The sender of error messages about requests, as named by MORSE.
pub const MANAGER: &str = "Socket service manager";

impl Service {
    /// Checks the number of arguments.
    ///
    /// # Errors
    /// If there are too few or too many, with the expected number.
    pub fn check_count(&self, given: usize) -> Result<(), ServiceError> {
        let (service, most) = (self.name, self.parameters.len());
        if given > most {
            let least = self.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
            return Err(ServiceError::TooManyArguments { service, least, most, given });
        }
        let missing = self.parameters.iter().skip(given).filter(|parameter| parameter.default.is_none());
        let missing: Vec<_> = missing.map(|parameter| parameter.name).collect();
        if missing.is_empty() { Ok(()) } else { Err(ServiceError::MissingArguments { service, given, missing }) }
    }

    /// All arguments as numbers; missing ones have their defaults.
    ///
    /// # Errors
    /// If an argument is not a number, or too large.
    pub fn numbers(&self, given: &[Value]) -> Result<Vec<f64>, ServiceError> {
        let number = |(place, Parameter { name, default }): (usize, &Parameter)| match given.get(place) {
            None => Ok(default.unwrap_or_default()),
            Some(value) => {
                let refuse = || ValueError::Type { name: (*name).into(), expected: "a number", found: value.clone() };
                value.number().ok_or_else(refuse).and_then(|number| within_reach(name, number))
            }
        };
        let numbers = self.parameters.iter().enumerate().map(number).collect::<Result<_, _>>();
        numbers.map_err(|error| ServiceError::Argument { service: self.name, error })
    }
}

/// A parameter of a service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The default value; `None` if clients must send one.
    pub default: Option<f64>,
}

/// A parameter of a kind of components under its MORSE name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// The name in MORSE.
    pub name: &'static str,
    /// The parameter of the kind.
    pub field: &'static str,
    /// The unit of MORSE in terms of the unit of the parameter, such as radians per degree.
    pub unit: f64,
    /// Its type in MORSE: `float`, `string`, `bool`, `int`.
    pub type_name: &'static str,
    /// The attribute in the class of MORSE.
    pub attribute: &'static str,
}

/// The description of a kind of components for clients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct About {
    /// The name of the class in MORSE; empty for the name of the kind.
    pub class: &'static str,
    /// The services in addition to those that all components have.
    pub services: &'static [Service],
    /// The parameters under their MORSE names.
    pub properties: &'static [Property],
}

impl About {
    /// The description of a kind with the name of its type, without services and properties of its own.
    pub const NONE: Self = Self::of_class("");

    /// The description of a kind with the name of a class in MORSE, without services and properties of its own.
    pub const fn of_class(class: &'static str) -> Self {
        Self { class, services: &[], properties: &[] }
    }
}

/// A component of a simulation, as clients see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The id.
    pub id: ComponentId,
    /// The full name, such as `robot.pose`.
    pub name: String,
    /// The name of the kind in scenes.
    pub kind: &'static str,
    /// The description of the kind.
    pub about: About,
    /// The links.
    pub links: Vec<Link>,
}

/// The id of a component: a sensor or an actuator of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId {
    /// The number of the robot.
    pub agent: u32,
    /// The slot of the component on the robot.
    pub slot: ComponentSlot,
}

/// The slot of a component among the sensors or the actuators of its robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentSlot {
    /// A sensor.
    Sensor(u16),
    /// An actuator of the controller `External`.
    Actuator(u16),
}

/// Checks a number for an actuator.
///
/// # Errors
/// If it is beyond ±[`MAX_TOLD`].
pub fn within_reach(name: &str, number: f64) -> Result<f64, ValueError> {
    match number.abs() <= MAX_TOLD {
        true => Ok(number),
        false => Err(ValueError::OutOfReach { name: name.to_owned(), found: number }),
    }
}
