//! Operators between two numbers.

use super::EvaluationError::{Invalid, TooLarge};
use super::Outcome;

/// An operator between two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
}

impl Operator {
    /// Applies the operator to two numbers.
    ///
    /// # Errors
    /// When Python would raise an error, or the result is infinite.
    pub fn apply(self, left: f64, right: f64) -> Outcome<f64> {
        let divides = matches!(self, Self::Divide | Self::FloorDivide | Self::Modulo);
        if divides && right == 0.0 {
            return Err(Invalid);
        }
        let value = match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::FloorDivide => floor_divide(left, right),
            Self::Modulo => modulo(left, right),
            Self::Power if left == 0.0 && right < 0.0 => return Err(Invalid),
            Self::Power => libm::pow(left, right),
        };
        // A negative base with a fractional exponent is complex in Python.
        if value.is_nan() && !left.is_nan() && !right.is_nan() && self == Self::Power {
            return Err(Invalid);
        }
        if value.is_infinite() && left.is_finite() && right.is_finite() {
            return Err(TooLarge);
        }
        Ok(value)
    }
}

/// Python's `%`: the remainder has the sign of the divisor.
fn modulo(value: f64, divisor: f64) -> f64 {
    let rest = value % divisor;
    if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) { rest + divisor } else { rest }
}

/// Python's `//`, rounded so that it agrees with [`modulo`].
fn floor_divide(value: f64, divisor: f64) -> f64 {
    libm::rint((value - modulo(value, divisor)) / divisor)
}
