//! The expressions with the `!np` tag, evaluated as Python with numpy evaluates them.

use std::collections::BTreeMap;

use crate::language::python::{self, Dialect, EvaluationError, Evaluator, Value};

mod lists;

pub use lists::quote_lists;

/// The longest expression, in bytes.
const MAX_LENGTH: usize = 100_000;
/// The most items that an expression may give.
const MAX_ITEMS: usize = 100_000;

/// The value of an expression such as `1 / 40`, `np.pi / 2` or `array([15, 15]) / 2`.
///
/// # Errors
/// When it has none, or exceeds a limit. As in RobotSwarmSimulator, an unknown name anywhere in it is an error.
pub fn evaluate(text: &str) -> Result<Value, EvaluationError> {
    if text.len() > MAX_LENGTH {
        return Err(EvaluationError::TooLarge);
    }
    let expression = python::parse(text, Dialect::Python)?;
    let mut evaluator = Evaluator::new(Dialect::Python, BTreeMap::new());
    let mut unknown = None;
    python::visit_names(&expression, &mut |name| {
        if evaluator.get(name).is_none() {
            unknown.get_or_insert_with(|| name.to_owned());
        }
    });
    match unknown {
        Some(name) => Err(EvaluationError::invalid(format!("name `{name}` is not defined"))),
        None => {
            let value = evaluator.evaluate(&expression)?;
            if matches!(value, Value::Module(_) | Value::Function(_)) {
                return Err(EvaluationError::invalid("the expression has no value"));
            }
            // The same list can occur several times in others.
            if value.count_within(MAX_ITEMS) > MAX_ITEMS { Err(EvaluationError::TooLarge) } else { Ok(value) }
        }
    }
}

/// The value of an expression if it is a number.
pub fn number(text: &str) -> Option<f64> {
    evaluate(text).ok()?.as_f64()
}

#[cfg(test)]
mod tests;
