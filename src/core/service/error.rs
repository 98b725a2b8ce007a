//! The reasons why a service is refused, in the words of MORSE, which its clients search for.

use swarmarium_base::problem::Problem;
use thiserror::Error;

use super::{MANAGER, MAX_TOLD, Value};

/// The reason why a component refuses a service, or data on its stream.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// No component or service has this name.
    #[error("The request {0} has not been registered in {MANAGER}")]
    Unknown(String),
    /// The kind of the sensor has no service with this name.
    #[error("there is no service `{0}`")]
    UnknownToSensor(String),
    /// More arguments than the service takes.
    #[error("{MANAGER}: wrong # of parameters for service {service}. {}", too_many(.service, *.least, *.most, *.given))]
    TooManyArguments {
        /// The service.
        service: &'static str,
        /// The number of parameters without a default.
        least: usize,
        /// The number of all parameters.
        most: usize,
        /// The number of arguments.
        given: usize,
    },
    /// Fewer arguments than the service takes.
    #[error("{MANAGER}: {}", too_few(.service, *.given, .missing))]
    MissingArguments {
        /// The service.
        service: &'static str,
        /// The number of arguments.
        given: usize,
        /// The parameters without an argument. Never empty.
        missing: Vec<&'static str>,
    },
    /// An argument has the wrong type, or is out of range.
    #[error("{MANAGER}: wrong parameter type. {service}(): {error}")]
    Argument {
        /// The service.
        service: &'static str,
        /// The reason.
        error: ValueError,
    },
    /// A value has the wrong type, or is out of range.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// None of the fields on a stream is one that the actuator accepts.
    #[error("no field is known: it takes {}", names_or_nothing(.0))]
    UnknownFields(Vec<&'static str>),
    /// The actuator is of an unknown kind.
    #[error("it takes nothing")]
    TakesNothing,
    /// The component is a sensor.
    #[error("it is a sensor, and takes no commands")]
    TakesNoCommands,
    /// The robot does not exist any more.
    #[error("it is gone")]
    Gone,
    /// The robot has no such actuator.
    #[error("there is no such actuator")]
    NoActuator,
    /// The component has no such property.
    #[error("Property {property} does not exist for object {component}")]
    UnknownProperty {
        /// The property.
        property: String,
        /// The full name of the component.
        component: String,
    },
    /// A property cannot have the value.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// The scene cannot have the value.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The reason of a kind from another program.
    #[error("{0}")]
    Refused(String),
}

/// The reason why a component cannot use a value from a client.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The value has another type.
    #[error("`{name}`: expected {expected}, found {found}")]
    Type {
        /// The parameter or field.
        name: String,
        /// The expected type, such as `a number`.
        expected: &'static str,
        /// The value.
        found: Value,
    },
    /// The number of numbers is wrong.
    #[error("`{name}`: expected {expected} numbers, found {found}")]
    Count {
        /// The parameter.
        name: String,
        /// The expected number.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A number is infinite or `NaN`.
    #[error("`{name}`: expected a finite number, found {found}")]
    Infinite {
        /// The parameter or field.
        name: String,
        /// The number.
        found: f64,
    },
    /// A number is beyond ±[`MAX_TOLD`].
    #[error("`{name}`: expected a number from -{MAX_TOLD} to {MAX_TOLD}, found {found}")]
    OutOfReach {
        /// The parameter or field.
        name: String,
        /// The number.
        found: f64,
    },
}

/// The reason why a property cannot have a value.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PropertyError {
    /// The value has another type.
    #[error("expected {expected}, found {found}")]
    Type {
        /// The expected type, such as `a number`.
        expected: &'static str,
        /// The value.
        found: Value,
    },
    /// A list has too many texts; their number.
    #[error("expected at most {most} texts, found {0}", most = Self::MAX_TEXTS)]
    TooManyTexts(usize),
    /// A text has too many characters; their number.
    #[error("expected a text of at most {most} characters, found {0}", most = Self::MAX_TEXT)]
    TooLong(usize),
    /// No scene can contain the text.
    #[error("{0}")]
    Unwritable(String),
}

impl PropertyError {
    /// The largest length of a text from a client, in characters.
    pub const MAX_TEXT: usize = 1000;
    /// The largest number of texts in a list from a client.
    pub const MAX_TEXTS: usize = 100;
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Counts as Python does, where the component itself is an argument.
fn too_many(service: &str, least: usize, most: usize, given: usize) -> String {
    let (least, most, given) = (least + 1, most + 1, given + 1);
    match least == most {
        true => format!("{service}() takes {most} positional argument{} but {given} were given", plural(most)),
        false => format!("{service}() takes from {least} to {most} positional arguments but {given} were given"),
    }
}

fn too_few(service: &str, given: usize, missing: &[&str]) -> String {
    let (count, quoted): (_, Vec<String>) = (missing.len(), missing.iter().map(|name| format!("'{name}'")).collect());
    let names = match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [before @ .., last] => format!("{}, and {last}", before.join(", ")),
    };
    let problem = match given {
        0 => format!("parameters expected for service {service}!"),
        _ => format!("wrong # of parameters for service {service}."),
    };
    format!("{problem} {service}() missing {count} required positional argument{}: {names}", plural(count))
}

fn names_or_nothing(names: &[&str]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}
