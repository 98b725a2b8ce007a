//! The functions of numpy.

use std::f64::consts::{E, PI, TAU};

use super::EvaluationError;
use super::array::{Array, Kind};
use super::evaluate::{Arguments, Outcome};
use super::operate::operate_arrays;
use super::value::{Callable, Value};

mod create;
mod of_numbers;
mod reduce;
mod transform;

use create::create;
pub use of_numbers::of_number;
use of_numbers::{of_same_kind, of_two, predicate};
use reduce::reduce;
use transform::transform;

/// The functions besides those of one number and of two arrays.
const FUNCTIONS: [&str; 82] = [
    "array",
    "asarray",
    "copy",
    "zeros",
    "ones",
    "empty",
    "full",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "eye",
    "identity",
    "arange",
    "linspace",
    "logspace",
    "geomspace",
    "sum",
    "prod",
    "mean",
    "average",
    "median",
    "std",
    "var",
    "min",
    "max",
    "amin",
    "amax",
    "ptp",
    "all",
    "any",
    "argmin",
    "argmax",
    "count_nonzero",
    "cumsum",
    "cumprod",
    "diff",
    "sort",
    "argsort",
    "flip",
    "fliplr",
    "flipud",
    "roll",
    "round",
    "around",
    "clip",
    "where",
    "reshape",
    "ravel",
    "transpose",
    "squeeze",
    "concatenate",
    "hstack",
    "vstack",
    "stack",
    "column_stack",
    "tile",
    "repeat",
    "unique",
    "dot",
    "matmul",
    "inner",
    "outer",
    "cross",
    "norm",
    "trace",
    "diag",
    "diagonal",
    "interp",
    "meshgrid",
    "isclose",
    "allclose",
    "percentile",
    "quantile",
    "array_equal",
    "shape",
    "ndim",
    "size",
    "nan_to_num",
    "polyval",
    "divmod",
    "atleast_1d",
];
/// The types, which convert values.
const TYPES: [(&str, Kind); 17] = [
    ("float64", Kind::Float),
    ("float32", Kind::Float),
    ("float16", Kind::Float),
    ("double", Kind::Float),
    ("single", Kind::Float),
    ("longdouble", Kind::Float),
    ("int64", Kind::Whole),
    ("int32", Kind::Whole),
    ("int16", Kind::Whole),
    ("int8", Kind::Whole),
    ("uint64", Kind::Whole),
    ("uint32", Kind::Whole),
    ("uint8", Kind::Whole),
    ("intp", Kind::Whole),
    ("int_", Kind::Whole),
    ("bool_", Kind::Truth),
    ("bool", Kind::Truth),
];
/// The names of operators.
const OPERATORS: [(&str, &str); 11] = [
    ("add", "+"),
    ("subtract", "-"),
    ("multiply", "*"),
    ("divide", "/"),
    ("true_divide", "/"),
    ("floor_divide", "//"),
    ("mod", "%"),
    ("remainder", "%"),
    ("power", "**"),
    ("pow", "**"),
    ("float_power", "**"),
];

fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

/// The value of a name of numpy.
pub fn name(name: &str) -> Option<Value> {
    match name {
        "pi" | "PI" => return Some(Value::Float(PI)),
        "e" => return Some(Value::Float(E)),
        "tau" => return Some(Value::Float(TAU)),
        "inf" => return Some(Value::Float(f64::INFINITY)),
        "nan" => return Some(Value::Float(f64::NAN)),
        "euler_gamma" => return Some(Value::Float(0.577_215_664_901_532_9)),
        "newaxis" => return Some(Value::Nothing),
        "np" | "numpy" => return Some(Value::Module("np")),
        "linalg" => return Some(Value::Module("np.linalg")),
        _ => {}
    }
    let is_known = FUNCTIONS.contains(&name)
        || TYPES.iter().any(|(known, _)| *known == name)
        || OPERATORS.iter().any(|(known, _)| *known == name)
        || of_number(name).is_some()
        || of_same_kind(name).is_some()
        || predicate(name).is_some()
        || of_two(name).is_some();
    (is_known && name != "norm").then(|| Value::Function(Callable::Named("np", name.into())))
}

/// The kind of numbers that a `dtype` names.
///
/// # Errors
/// When it is not a type of numbers.
pub fn kind_of(value: &Value) -> Outcome<Kind> {
    let name = match value {
        Value::Function(Callable::Named(_, name)) => &**name,
        Value::Text(name) => name,
        _ => "",
    };
    match name {
        "float" | "f" | "f8" | "f4" | "d" => Ok(Kind::Float),
        "int" | "i" | "i8" | "i4" => Ok(Kind::Whole),
        name => {
            let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
            known.ok_or_else(|| EvaluationError::invalid("unknown type of numbers"))
        }
    }
}

/// Calls a function of numpy.
///
/// # Errors
/// As those of the function.
pub fn call(name: &str, arguments: &Arguments) -> Outcome {
    let count = arguments.positional.len();
    // `log(x)` has one argument, `arctan2(y, x)` two.
    if count == 1 {
        let array = || Array::from_value(&arguments.positional[0]);
        if let Some(function) = of_number(name) {
            return array().map(|array| Value::array(array.map(Kind::Float, function)));
        }
        if let Some(function) = of_same_kind(name) {
            return array().map(|array| Value::array(array.map(array.kind, function)));
        }
        if let Some(predicate) = predicate(name) {
            return array().map(|array| Value::array(array.map(Kind::Truth, |x| f64::from(predicate(x)))));
        }
    }
    if count == 2 {
        let arrays = || -> Outcome<(Array, Array)> {
            Ok((Array::from_value(&arguments.positional[0])?, Array::from_value(&arguments.positional[1])?))
        };
        if let Some((_, operator)) = OPERATORS.iter().find(|(known, _)| *known == name) {
            let (left, right) = arrays()?;
            let left = if name == "float_power" { left.cast(Kind::Float) } else { left };
            return operate_arrays(operator, &left, &right).map(Value::array);
        }
        if let Some((function, kind)) = of_two(name) {
            let (left, right) = arrays()?;
            let kind = kind.unwrap_or(left.kind.max(right.kind));
            let is_whole = name == "fmod" && kind < Kind::Float;
            // A whole number divided by zero is 0 in numpy.
            let value = |a, b| if is_whole && b == 0.0 { 0.0 } else { function(a, b) };
            return left.zip(&right, kind, value).map(Value::array);
        }
    }
    if let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == name) {
        return convert(name, *kind, arguments);
    }
    if let Some(made) = create(name, arguments)? {
        return Ok(Value::array(match arguments.named.iter().find(|(name, _)| name == "dtype") {
            Some((_, kind)) => made.cast(kind_of(kind)?),
            None => made,
        }));
    }
    if let Some(reduced) = reduce(name, arguments)? {
        return Ok(Value::array(reduced));
    }
    transform(name, arguments)
}

/// The value of a type for its argument.
fn convert(name: &str, kind: Kind, arguments: &Arguments) -> Outcome {
    let Some(value) = arguments.positional.first() else { return Ok(Value::scalar(0.0, kind)) };
    let value = match value {
        Value::Text(_) if kind == Kind::Float => super::builtin::float(value)?,
        Value::Text(_) if kind == Kind::Whole => super::builtin::whole(value, 10)?,
        value => value.clone(),
    };
    let array = Array::from_value(&value)?.cast(kind);
    Ok(Value::array(if matches!(name, "float32" | "single") {
        array.map(kind, |x| f64::from(x as f32))
    } else {
        array
    }))
}
