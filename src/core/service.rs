//! Services and streams: the words in which kinds describe themselves to clients (MORSE's components).
//!
//! A sensor or an actuator is a component for clients when its [links](Link) say so.

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

/// The largest number that an actuator can be told, either way: positions as far as a scene reaches.
pub const MAX_TOLD: f64 = MAX_LENGTH_M;

/// What connects a sensor or an actuator with clients outside; the socket is served here, others are kept for exports.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Link {
    /// A data stream: the readings of a sensor, or commands to an actuator.
    Stream {
        /// `socket`, or the class of another manager of streams of MORSE.
        #[reflect(@Optional)]
        via: String,
        /// The class of the stream in MORSE; empty for the usual one.
        #[reflect(@Optional)]
        class: String,
        /// Which way the data go.
        #[reflect(@Optional)]
        way: Way,
        /// The port of a socket; 0 for the next one that is free.
        #[reflect(@Optional, @Limits::between(0.0, 65535.0))]
        port: u32,
        /// What else MORSE is told of it: names, and values as Python writes them.
        #[reflect(@Optional)]
        options: Vec<Note>,
    },
    /// Services: requests with replies.
    Services {
        /// `socket`, or the class of another manager of requests of MORSE.
        #[reflect(@Optional)]
        via: String,
    },
    /// Services under other names.
    Overlay {
        /// `socket`, or the class of another manager of requests of MORSE.
        #[reflect(@Optional)]
        via: String,
        /// The class of the overlay in MORSE, if it has one.
        #[reflect(@Optional)]
        class: String,
        /// The name that the component has with these services; empty for its own.
        #[reflect(@Optional)]
        name: String,
        /// The services.
        #[reflect(@Optional)]
        services: Vec<Alias>,
        /// What else MORSE is told of it: names, and values as Python writes them.
        #[reflect(@Optional)]
        options: Vec<Note>,
    },
}

/// When something with a phase is due for the first time: with links, counted from the first step, as MORSE does.
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
    /// The name for clients.
    pub name: String,
    /// The service of the component.
    pub calls: String,
}

/// Which way the data of a stream go.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Way {
    /// Out of sensors and into actuators.
    #[default]
    Natural,
    /// In.
    In,
    /// Out.
    Out,
}

/// A service of a kind of components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Service {
    /// Its name.
    pub name: &'static str,
    /// Its parameters, in order; those with a default come last.
    pub parameters: &'static [Parameter],
    /// The parameter of the kind that it sets, if that is all it does. Its only argument is the value.
    pub sets: Option<&'static str>,
    /// Whether it goes on for some time, and can be interrupted.
    pub is_task: bool,
}

/// The sender of error messages about requests, in the words of MORSE.
pub const MANAGER: &str = "Socket service manager";

impl Service {
    /// Whether it is told as much as it must be, and no more.
    ///
    /// # Errors
    /// Says how much it takes.
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

    /// All that it is told, as numbers; what is left out is at its default.
    ///
    /// # Errors
    /// Says what is no number, or too large a one.
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
    /// Its name.
    pub name: &'static str,
    /// Its value when a client does not say; `None` when it must.
    pub default: Option<f64>,
}

/// A parameter of a kind of components under the name that MORSE has for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// The name in MORSE.
    pub name: &'static str,
    /// The parameter of the kind.
    pub field: &'static str,
    /// The unit of MORSE in that of the parameter: such as radians per degree.
    pub unit: f64,
    /// Its type in MORSE: `float`, `string`, `bool`, `int`.
    pub type_name: &'static str,
    /// The attribute of MORSE's class.
    pub attribute: &'static str,
}

/// The description of a kind of components for clients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct About {
    /// The name of the class in MORSE; empty for the name of the kind.
    pub class: &'static str,
    /// Its services besides those that all components have.
    pub services: &'static [Service],
    /// Its parameters under the names of MORSE.
    pub properties: &'static [Property],
}

/// The components of a simulation, as its clients see them.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Which one it is.
    pub id: ComponentId,
    /// Its full name, such as `robot.pose`.
    pub name: String,
    /// The name of its kind in scenes.
    pub kind: &'static str,
    /// The description of its kind.
    pub about: About,
    /// Its links.
    pub links: Vec<Link>,
}

/// Which component: a sensor or an actuator of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId {
    /// The number of the robot.
    pub agent: u32,
    /// The place of the component on the robot.
    pub slot: ComponentSlot,
}

/// The place of a component among the sensors or the actuators of its robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentSlot {
    /// A sensor.
    Sensor(u16),
    /// An actuator of the controller `External`.
    Actuator(u16),
}

/// A number that an actuator can be told.
///
/// # Errors
/// When it is beyond ±[`MAX_TOLD`].
pub fn within_reach(name: &str, number: f64) -> Result<f64, ValueError> {
    match number.abs() <= MAX_TOLD {
        true => Ok(number),
        false => Err(ValueError::OutOfReach { name: name.to_owned(), found: number }),
    }
}
