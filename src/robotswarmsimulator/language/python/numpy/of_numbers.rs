//! The functions of one or two numbers.

use std::f64::consts::PI;

use swarmarium_base::math;

use super::super::array::Kind;

/// The functions of one number that give a float.
pub fn of_number(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "radians" | "deg2rad" => |x| x * (PI / 180.0),
        "degrees" | "rad2deg" => |x| x * (180.0 / PI),
        "cos" => math::cos,
        "sin" => math::sin,
        "tan" => math::tan,
        "arcsin" | "asin" => libm::asin,
        "arccos" | "acos" => math::acos,
        "arctan" | "atan" => libm::atan,
        "sinh" => libm::sinh,
        "cosh" => libm::cosh,
        "tanh" => libm::tanh,
        "arcsinh" | "asinh" => libm::asinh,
        "arccosh" | "acosh" => libm::acosh,
        "arctanh" | "atanh" => libm::atanh,
        "sqrt" => f64::sqrt,
        "cbrt" => libm::cbrt,
        "exp" => math::exp,
        "exp2" => libm::exp2,
        "expm1" => libm::expm1,
        "log" => math::ln,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "log1p" => libm::log1p,
        "fabs" => f64::abs,
        "rint" => libm::rint,
        "sinc" => |x| if x == 0.0 { 1.0 } else { math::sin(PI * x) / (PI * x) },
        _ => return None,
    })
}

/// The functions of one number that give a number of its kind.
pub fn of_same_kind(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" | "absolute" => f64::abs,
        "negative" => |x| -x,
        "positive" | "conj" | "conjugate" | "real" => |x| x,
        "square" => |x| x * x,
        "sign" => |x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                x
            }
        },
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "trunc" | "fix" => f64::trunc,
        "reciprocal" => |x| 1.0 / x,
        _ => return None,
    })
}

/// The functions of one number that give a truth value.
pub fn predicate(name: &str) -> Option<fn(f64) -> bool> {
    Some(match name {
        "isnan" => f64::is_nan,
        "isinf" => f64::is_infinite,
        "isfinite" => f64::is_finite,
        "logical_not" => |x| x == 0.0,
        "signbit" => f64::is_sign_negative,
        _ => return None,
    })
}

/// The functions of two numbers, and the kind of their values; `None` for that of their arguments.
pub fn of_two(name: &str) -> Option<(fn(f64, f64) -> f64, Option<Kind>)> {
    let (float, truth) = (Some(Kind::Float), Some(Kind::Truth));
    Some(match name {
        "arctan2" | "atan2" => (math::atan2, float),
        "hypot" => (math::hypot, float),
        "copysign" => (f64::copysign, float),
        "heaviside" => (
            |x, half| {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    0.0
                } else {
                    half
                }
            },
            float,
        ),
        "maximum" => (|a, b| if a.is_nan() || a > b { a } else { b }, None),
        "minimum" => (|a, b| if a.is_nan() || a < b { a } else { b }, None),
        "fmax" => (libm::fmax, None),
        "fmin" => (libm::fmin, None),
        "fmod" => (|a, b| a % b, None),
        "equal" => (|a, b| f64::from(a == b), truth),
        "not_equal" => (|a, b| f64::from(a != b), truth),
        "less" => (|a, b| f64::from(a < b), truth),
        "less_equal" => (|a, b| f64::from(a <= b), truth),
        "greater" => (|a, b| f64::from(a > b), truth),
        "greater_equal" => (|a, b| f64::from(a >= b), truth),
        "logical_and" => (|a, b| f64::from(a != 0.0 && b != 0.0), truth),
        "logical_or" => (|a, b| f64::from(a != 0.0 || b != 0.0), truth),
        "logical_xor" => (|a, b| f64::from((a != 0.0) != (b != 0.0)), truth),
        _ => return None,
    })
}
