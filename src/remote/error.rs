//! The errors of requests and commands. Clients read their texts, which are those of MORSE where it has the error.

use std::io;

use swarmarium_base::problem::Problem;
use swarmarium_core::service::{MANAGER, ServiceError};

use super::json::JsonError;

/// The reason why a request fails.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The component, or the simulator, has no such service. `hint` names a similar one.
    #[error("The request {service} has not been registered in {manager}{hint}", manager = MANAGER)]
    UnknownService {
        /// The name of the service.
        service: String,
        /// A similar name, in words.
        hint: String,
    },
    /// The service of a component refuses the request, or the number of arguments is wrong.
    #[error(transparent)]
    Refused(#[from] ServiceError),
    /// The simulation refuses the edit or the time scale of the request.
    #[error("{0}")]
    Invalid(Problem),
    /// An argument has a wrong type.
    #[error("{manager}: wrong parameter type. `{parameter}`: expected {expected}", manager = MANAGER)]
    WrongType {
        /// The name of the parameter.
        parameter: String,
        /// The type of the parameter, in words.
        expected: &'static str,
    },
    /// Too many edits of the client wait for the next step.
    #[error("{}: too many changes of this client wait for the next step", MANAGER)]
    QueueFull,
    /// Too many requests of the client are running.
    #[error("{max} requests of this client go on already")]
    TooManyJobs {
        /// The largest number of running requests.
        max: usize,
    },
    /// The simulation has no such robot.
    // The blank at the end is that of MORSE.
    #[error("{0} does not exist in the simulation ")]
    UnknownRobot(String),
    /// The scene has no such robot or object.
    #[error("Object '{name}' does not appear in the scene.{hint}")]
    UnknownObject {
        /// The name.
        name: String,
        /// A similar name, in words.
        hint: String,
    },
    /// Only robots can be moved.
    #[error("Object '{0}' is not a robot, and cannot be moved while time goes on.")]
    Immovable(String),
    /// The component does not exist, so that it can be neither activated nor deactivated; MORSE has one text for both.
    #[error("Component '{name}' not found. Can't activate{hint}")]
    UnknownComponent {
        /// The name of the component.
        name: String,
        /// A similar name, in words.
        hint: String,
    },
    /// The component does not exist, or has no stream.
    #[error("Stream unavailable for component {component}{hint}")]
    NoStream {
        /// The name of the component.
        component: String,
        /// A similar name, in words.
        hint: String,
    },
    /// No port can be opened for the stream of a component.
    #[error("Stream unavailable for component {component}: {error}")]
    NoPort {
        /// The name of the component.
        component: String,
        /// The error of the system.
        error: io::Error,
    },
    /// MORSE has no such level of its log.
    #[error("Unknown level: '{0}'")]
    UnknownLogLevel(String),
    /// The time scale is not positive.
    #[error("time scale must be > 0")]
    TimeScale,
}

/// The reason why a command for an actuator is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// The line is not UTF-8.
    #[error("a line is not UTF-8")]
    NotUtf8,
    /// The line is not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The value for one actuator is not an object.
    #[error("expected an object with names and values")]
    ExpectedFields,
    /// The value for several actuators is not an object.
    #[error("expected an object of components")]
    ExpectedComponents,
    /// The simulation has no such component.
    #[error("there is no component `{name}`{hint}")]
    UnknownComponent {
        /// The name of the component.
        name: String,
        /// A similar name, in words.
        hint: String,
    },
    /// The component refuses the fields.
    #[error(transparent)]
    Refused(#[from] ServiceError),
    /// Too many edits wait for the next step.
    #[error("too many changes wait for the next step")]
    QueueFull,
}
