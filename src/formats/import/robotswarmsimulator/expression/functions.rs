//! Names and functions of Python and numpy.

use std::f64::consts::{E, PI, TAU};

use swarmarium_base::math;

use super::EvaluationError::{Invalid, TooLarge};
use super::operator::Operator;
use super::{Data, MAX_ITEMS, Outcome, as_number, is_true};

/// The constant with a name.
pub(super) fn constant(name: &str) -> Option<Data> {
    Some(match name {
        "pi" | "PI" => Data::Number(PI),
        "e" => Data::Number(E),
        "tau" => Data::Number(TAU),
        "inf" => Data::Number(f64::INFINITY),
        "nan" => Data::Number(f64::NAN),
        "True" => Data::Truth(true),
        "False" => Data::Truth(false),
        _ => return None,
    })
}

/// The result of a function for its arguments.
pub(super) fn call(name: &str, mut arguments: Vec<Data>) -> Outcome {
    if let ([argument], Some(function)) = (&arguments[..], function(name)) {
        return each(argument, &|number| {
            let value = function(number);
            // A result that is not defined raises an error in Python.
            if value.is_nan() && !number.is_nan() { Err(Invalid) } else { Ok(value) }
        });
    }
    let numbers: Outcome<Vec<f64>> = arguments.iter().map(as_number).collect();
    match (name, numbers.as_deref()) {
        ("arctan2" | "atan2", Ok([y, x])) => return Ok(Data::Number(math::atan2(*y, *x))),
        ("hypot", Ok([x, y])) => return Ok(Data::Number(math::hypot(*x, *y))),
        ("pow" | "power", Ok([base, exponent])) => return Operator::Power.apply(*base, *exponent).map(Data::Number),
        ("round", Ok([number, places])) => {
            let unit = Operator::Power.apply(10.0, *places)?;
            return Ok(Data::Number(libm::rint(number * unit) / unit));
        }
        ("range" | "arange", Ok([stop])) => return steps(0.0, *stop, 1.0),
        ("range" | "arange", Ok([start, stop])) => return steps(*start, *stop, 1.0),
        ("range" | "arange", Ok([start, stop, step])) => return steps(*start, *stop, *step),
        ("linspace", Ok([start, stop, count])) => return linspace(*start, *stop, *count),
        ("zeros", Ok([count])) => return linspace(0.0, 0.0, *count),
        ("ones", Ok([count])) => return linspace(1.0, 1.0, *count),
        ("min" | "max" | "minimum" | "maximum", Ok([_, _, ..])) => return extreme(name, &arguments),
        _ => {}
    }
    let (1, Some(argument)) = (arguments.len(), arguments.pop()) else { return Err(Invalid) };
    match (name, argument) {
        ("bool", data) => is_true(&data).map(Data::Truth),
        ("array" | "asarray", Data::List { items, .. }) => Ok(Data::List { items, is_array: true }),
        ("list" | "tuple", Data::List { items, .. }) => Ok(Data::List { items, is_array: false }),
        ("len", Data::List { items, .. }) => Ok(Data::Number(items.len() as f64)),
        ("min" | "max" | "amin" | "amax", Data::List { items, .. }) if !items.is_empty() => extreme(name, &items),
        ("sum", Data::List { items, .. }) => total(&items).map(Data::Number),
        ("mean" | "average", Data::List { items, .. }) if !items.is_empty() => {
            Ok(Data::Number(total(&items)? / items.len() as f64))
        }
        ("float" | "int", Data::Text(text)) => text.trim().parse().map(Data::Number).map_err(|_| Invalid),
        _ => Err(Invalid),
    }
}

/// The functions of one number.
pub fn function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "radians" | "deg2rad" => |x| x * (PI / 180.0),
        "degrees" | "rad2deg" => |x| x * (180.0 / PI),
        "cos" => math::cos,
        "sin" => math::sin,
        "tan" => math::tan,
        "arcsin" | "asin" => libm::asin,
        "arccos" | "acos" => math::acos,
        "arctan" | "atan" => libm::atan,
        "sqrt" => f64::sqrt,
        "exp" => math::exp,
        "log" => math::ln,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "abs" | "absolute" | "fabs" => f64::abs,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "round" | "rint" => libm::rint,
        "int" | "trunc" => f64::trunc,
        "float" | "float64" => |x| x,
        _ => return None,
    })
}

fn total(items: &[Data]) -> Outcome<f64> {
    items.iter().try_fold(0.0, |sum, item| Ok(sum + as_number(item)?))
}

fn extreme(name: &str, items: &[Data]) -> Outcome {
    let largest = name.contains("max");
    let mut numbers = items.iter().map(as_number);
    let first = numbers.next().ok_or(Invalid)??;
    let found = numbers.try_fold(first, |best, number| {
        let number = number?;
        Ok(if (number > best) == largest && number != best { number } else { best })
    });
    found.map(Data::Number)
}

fn steps(start: f64, stop: f64, step: f64) -> Outcome {
    if step == 0.0 || !(start.is_finite() && stop.is_finite() && step.is_finite()) {
        return Err(Invalid);
    }
    let count = ((stop - start) / step).ceil().max(0.0);
    if count > MAX_ITEMS as f64 {
        return Err(TooLarge);
    }
    let items = (0..count as u32).map(|index| Data::Number(start + f64::from(index) * step)).collect();
    Ok(Data::List { items, is_array: false })
}

fn linspace(start: f64, stop: f64, count: f64) -> Outcome {
    if count < 0.0 || count.fract() != 0.0 {
        return Err(Invalid);
    }
    if count > MAX_ITEMS as f64 {
        return Err(TooLarge);
    }
    let step = if count > 1.0 { (stop - start) / (count - 1.0) } else { 0.0 };
    let items = (0..count as u32).map(|index| Data::Number(start + f64::from(index) * step)).collect();
    Ok(Data::List { items, is_array: true })
}

/// Applies a function to a number, or to each item of a list or an array, which gives an array.
pub(super) fn each(data: &Data, function: &dyn Fn(f64) -> Outcome<f64>) -> Outcome {
    match data {
        Data::List { items, .. } => {
            let items = items.iter().map(|item| each(item, function)).collect::<Outcome<_>>()?;
            Ok(Data::List { items, is_array: true })
        }
        number => function(as_number(number)?).map(Data::Number),
    }
}
