//! What stands between two numbers.

use super::Failure::{Senseless, TooLarge};
use super::Outcome;

/// What stands between two numbers.
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
    pub fn of(self, left: f64, right: f64) -> Outcome<f64> {
        let divides = matches!(self, Self::Divide | Self::FloorDivide | Self::Modulo);
        if divides && right == 0.0 {
            return Err(Senseless);
        }
        let value = match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::FloorDivide => floor_divide(left, right),
            Self::Modulo => modulo(left, right),
            Self::Power if left == 0.0 && right < 0.0 => return Err(Senseless),
            Self::Power => libm::pow(left, right),
        };
        // A negative base with a broken exponent is complex in Python.
        if value.is_nan() && !left.is_nan() && !right.is_nan() && self == Self::Power {
            return Err(Senseless);
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
