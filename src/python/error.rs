//! Exceptions, with the messages of the command line.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use swarmarium_base::problem::cut;

create_exception!(swarmarium, SwarmariumError, PyValueError, "A scene, a value or a request that is not valid.");
create_exception!(
    swarmarium,
    PoisonedError,
    PyRuntimeError,
    "A simulation that panicked. It cannot be used any more; all others can."
);

/// The exception with the message of an error.
pub fn error(error: impl std::fmt::Display) -> PyErr {
    let text = format!("{error:#}");
    // The parser of arguments adds its usage.
    let text = cut(text.split("\n\nUsage:").next().unwrap_or(&text));
    SwarmariumError::new_err(text.trim_end().trim_start_matches("error: ").trim_start_matches("--").to_owned())
}

/// The exception of a simulation that panicked with this message.
pub fn poisoned(message: &str) -> PyErr {
    PoisonedError::new_err(format!("the simulation panicked: {message}; it cannot be used any more"))
}

/// Runs simulation code; the error is the message of its panic.
pub fn catch<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| message(&*payload))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
