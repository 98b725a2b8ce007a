//! The expressions with the `!np` tag, evaluated as Python with numpy evaluates them.
//!
//! Numbers, truth values, texts, lists and arrays; `+ - * / // % **`, comparisons, `and or not`, `a if c else b`, and the
//! functions of [`functions`]. All numbers are floats.

mod functions;
mod lists;
mod operator;
mod parser;

pub use functions::function;
pub use lists::quote_lists;
use parser::Parser;

/// The deepest nesting of an expression. Python's own limit is far higher.
const MAX_DEPTH: u32 = 128;
/// The most items that all lists of an expression may have together.
const MAX_ITEMS: usize = 100_000;
/// The longest expression, in bytes.
const MAX_LENGTH: usize = 100_000;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A number.
    Number(f64),
    /// `True` or `False`.
    Truth(bool),
    /// A text in quotes.
    Text(String),
    /// A list, a tuple or an array. The operators `+` and `*` of arrays apply to their items.
    List {
        /// The items.
        items: Vec<Self>,
        /// Whether it is an array.
        is_array: bool,
    },
}

impl Data {
    /// The approximate memory of the value, in numbers.
    fn weight(&self) -> f64 {
        match self {
            Self::Number(_) | Self::Truth(_) => 1.0,
            Self::Text(text) => 1.0 + text.len() as f64 / 16.0,
            Self::List { items, .. } => 1.0 + items.iter().map(Self::weight).sum::<f64>(),
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// Python would raise an error. RobotSwarmSimulator then keeps the text.
    #[error("the expression has no value")]
    Invalid,
    /// The expression would take more time or memory than any world needs.
    #[error("the expression gives too much, or too large a number")]
    TooLarge,
}

use EvaluationError::{Invalid, TooLarge};

type Outcome<T = Data> = Result<T, EvaluationError>;

/// The value of an expression such as `1 / 40`, `np.pi / 2` or `array([15, 15]) / 2`.
///
/// # Errors
/// When it has none, or exceeds a limit.
pub fn evaluate(text: &str) -> Outcome {
    if text.len() > MAX_LENGTH {
        return Err(TooLarge);
    }
    Parser::new(text).whole()
}

/// The value of an expression if it is a number.
pub fn number(text: &str) -> Option<f64> {
    match evaluate(text) {
        Ok(Data::Number(number)) => Some(number),
        _ => None,
    }
}

fn is_true(data: &Data) -> Outcome<bool> {
    match data {
        Data::Truth(truth) => Ok(*truth),
        Data::Number(number) => Ok(*number != 0.0),
        Data::Text(text) => Ok(!text.is_empty()),
        Data::List { items, is_array: false } => Ok(!items.is_empty()),
        Data::List { is_array: true, .. } => Err(Invalid),
    }
}

fn is_equal(left: &Data, right: &Data) -> bool {
    match (as_number(left), as_number(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

fn as_number(data: &Data) -> Outcome<f64> {
    match data {
        Data::Number(number) => Ok(*number),
        Data::Truth(truth) => Ok(f64::from(*truth)),
        Data::Text(_) | Data::List { .. } => Err(Invalid),
    }
}

#[cfg(test)]
mod tests;
