//! Functions of Python, of its module `math`, and of Jinja.

use std::f64::consts::{E, PI, TAU};

use swarmarium_base::math;

use super::EvaluationError;
use super::evaluate::{Arguments, Outcome, items_of};
use super::filter;
use super::value::{Callable, Value};

/// The text that stands for `...` among indices.
pub const ELLIPSIS: &str = "\u{0}...";
/// The most numbers of a range.
const MAX_RANGE: i128 = 100_000;

const NAMES: [&str; 18] = [
    "int",
    "float",
    "bool",
    "str",
    "repr",
    "list",
    "tuple",
    "set",
    "dict",
    "len",
    "range",
    "sorted",
    "zip",
    "bin",
    "oct",
    "complex",
    "slice",
    "enumerate",
];
const MATH: [&str; 33] = [
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "log2",
    "log10",
    "pow",
    "hypot",
    "dist",
    "radians",
    "degrees",
    "floor",
    "ceil",
    "trunc",
    "fabs",
    "fmod",
    "copysign",
    "prod",
    "gcd",
    "factorial",
    "comb",
    "isclose",
    "isnan",
    "isinf",
];

fn function(module: &'static str, name: &str) -> Value {
    Value::Function(Callable::Named(module, name.into()))
}

fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

/// The value of a name of Python's builtins.
pub fn name(name: &str) -> Option<Value> {
    match name {
        "Ellipsis" => Some(Value::text(ELLIPSIS)),
        "math" => Some(Value::Module("math")),
        _ => NAMES.contains(&name).then(|| function("", name)),
    }
}

/// The value of a name that templates can use.
pub fn jinja_name(name: &str) -> Option<Value> {
    match name {
        "np" => Some(Value::Module("np")),
        "math" => Some(Value::Module("math")),
        "range" | "dict" | "namespace" => Some(function("", name)),
        _ => None,
    }
}

/// The value of a name of a module other than numpy.
pub fn module_name(module: &'static str, name: &str) -> Option<Value> {
    match (module, name) {
        ("math", "pi") => Some(Value::Float(PI)),
        ("math", "e") => Some(Value::Float(E)),
        ("math", "tau") => Some(Value::Float(TAU)),
        ("math", "inf") => Some(Value::Float(f64::INFINITY)),
        ("math", "nan") => Some(Value::Float(f64::NAN)),
        ("math", name) => MATH.contains(&name).then(|| function("math", name)),
        ("np.linalg", "norm") => Some(function("np", "norm")),
        _ => None,
    }
}

/// Calls a function of Python, of `math`, or of Jinja.
///
/// # Errors
/// As those of the function.
pub fn call(module: &str, name: &str, arguments: Arguments) -> Outcome {
    match module {
        "math" => return call_math(name, &arguments),
        // `loop.cycle`, whose name is the number of the round.
        "cycle" => {
            let count = arguments.positional.len().max(1);
            let place = name.parse::<usize>().unwrap_or_default() % count;
            return Ok(arguments.positional.into_iter().nth(place).unwrap_or(Value::Nothing));
        }
        _ => {}
    }
    let first = arguments.positional.first();
    let items = || first.map_or(Ok(Vec::new()), items_of);
    match name {
        "int" => whole(first.unwrap_or(&Value::Whole(0)), arguments.whole(1, "base")?.unwrap_or(10)),
        "float" => float(first.unwrap_or(&Value::Float(0.0))),
        "bool" => first.map_or(Ok(false), Value::is_true).map(Value::Truth),
        "str" => Ok(first.map_or(Value::text(""), |value| Value::text(value.to_string()))),
        "repr" => Ok(Value::text(arguments.need(0, "object")?.repr())),
        "list" => Ok(Value::list(items()?)),
        "tuple" => Ok(Value::tuple(items()?)),
        "set" => Ok(Value::tuple(filter::distinct(items()?))),
        "len" => match arguments.need(0, "object")?.length() {
            Some(length) => Ok(Value::Whole(length as i128)),
            None => invalid("the value has no length"),
        },
        "range" => range(&arguments),
        "sorted" => {
            filter::only_reverse("sorted", &arguments)?;
            let sorted = filter::sorted(items()?, arguments.is_on(9, "reverse", false)?, &|item| Ok(item.clone()))?;
            Ok(Value::list(sorted))
        }
        "zip" => {
            let lists = arguments.positional.iter().map(items_of).collect::<Outcome<Vec<_>>>()?;
            let length = lists.iter().map(Vec::len).min().unwrap_or(0);
            let row = |index: usize| Value::tuple(lists.iter().map(|list| list[index].clone()).collect());
            Ok(Value::tuple((0..length).map(row).collect()))
        }
        "bin" | "oct" => {
            let Some(number) = arguments.whole(0, "number")? else { return invalid("a whole number is needed") };
            let (sign, number) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
            Ok(Value::text(if name == "bin" { format!("{sign}0b{number:b}") } else { format!("{sign}0o{number:o}") }))
        }
        "dict" | "namespace" => {
            let mut entries = match first {
                Some(Value::Dict(dict)) => dict.borrow().entries.clone(),
                Some(other) => pairs(other)?,
                None => Vec::new(),
            };
            entries.extend(arguments.named.iter().map(|(name, value)| (Value::text(name), value.clone())));
            Value::dict(entries)
        }
        _ => invalid(format!("`{name}` cannot be called here")),
    }
}

/// Pairs of a key and a value.
///
/// # Errors
/// When the value is not a list of pairs.
pub fn pairs(value: &Value) -> Outcome<Vec<(Value, Value)>> {
    let pair = |item: Value| match <[Value; 2]>::try_from(items_of(&item)?) {
        Ok([key, value]) => Ok((key, value)),
        Err(_) => invalid("a map is made from pairs"),
    };
    items_of(value)?.into_iter().map(pair).collect()
}

/// The value as a whole number.
///
/// # Errors
/// When it is not one.
pub fn whole(value: &Value, base: i128) -> Outcome {
    let text = match value {
        Value::Text(text) => text.trim().replace('_', ""),
        other => {
            return match (other.as_whole(), other.as_f64()) {
                (Some(whole), _) => Ok(Value::Whole(whole)),
                (None, Some(number)) if number.is_finite() => Ok(Value::Whole(number.trunc() as i128)),
                _ => invalid(format!("int() argument must be a number, not `{}`", other.type_name())),
            };
        }
    };
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base)).unwrap_or(10);
    let digits = match base {
        16 => text.trim_start_matches("0x"),
        8 => text.trim_start_matches("0o"),
        2 => text.trim_start_matches("0b"),
        _ => &text,
    };
    i128::from_str_radix(digits, base).map(Value::Whole).map_err(|_| EvaluationError::invalid("not a whole number"))
}

/// The value as a float.
///
/// # Errors
/// When it is not a number.
pub fn float(value: &Value) -> Outcome {
    let number = match value {
        Value::Text(text) => text.trim().replace('_', "").parse().ok(),
        other => other.as_f64(),
    };
    number.map(Value::Float).ok_or_else(|| EvaluationError::invalid("not a number"))
}

fn range(arguments: &Arguments) -> Outcome {
    let number = |place: usize| -> Outcome<Option<i128>> {
        let Some(value) = arguments.positional.get(place) else { return Ok(None) };
        value.as_whole().map(Some).ok_or_else(|| EvaluationError::invalid("a range needs whole numbers"))
    };
    let (Some(first), second, step) = (number(0)?, number(1)?, number(2)?.unwrap_or(1)) else {
        return invalid("a range needs a number");
    };
    let (start, stop) = second.map_or((0, first), |second| (first, second));
    if step == 0 {
        return invalid("a range has no step of 0");
    }
    let width = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
    let count = width.saturating_add(step.saturating_abs() - 1).div_euclid(step.saturating_abs());
    if count > MAX_RANGE {
        return Err(EvaluationError::TooLarge);
    }
    Ok(Value::tuple(
        (0..count.max(0)).map(|index| Value::Whole(start.wrapping_add(index.wrapping_mul(step)))).collect(),
    ))
}

fn call_math(name: &str, arguments: &Arguments) -> Outcome {
    let number = |place| -> Outcome<f64> {
        arguments.number(place, "")?.ok_or_else(|| EvaluationError::invalid(format!("`{name}` needs a number")))
    };
    let numbers = |place: usize| -> Outcome<Vec<f64>> {
        let items = arguments.positional.get(place).map_or(Ok(Vec::new()), items_of)?;
        let numbers = items.iter().map(Value::as_f64).collect::<Option<_>>();
        numbers.ok_or_else(|| EvaluationError::invalid("numbers are needed"))
    };
    let wholes = || {
        let wholes: Option<Vec<i128>> = arguments.positional.iter().map(Value::as_whole).collect();
        wholes.ok_or_else(|| EvaluationError::invalid("whole numbers are needed"))
    };
    let value = match name {
        "floor" | "ceil" | "trunc" => {
            let x = number(0)?;
            let x = match name {
                "floor" => x.floor(),
                "ceil" => x.ceil(),
                _ => x.trunc(),
            };
            return if x.is_finite() { Ok(Value::Whole(x as i128)) } else { invalid("not a finite number") };
        }
        "isnan" => return Ok(Value::Truth(number(0)?.is_nan())),
        "isinf" => return Ok(Value::Truth(number(0)?.is_infinite())),
        "isclose" => {
            let (a, b) = (number(0)?, number(1)?);
            let relative = arguments.number(9, "rel_tol")?.unwrap_or(1e-9);
            let absolute = arguments.number(9, "abs_tol")?.unwrap_or(0.0);
            return Ok(Value::Truth((a - b).abs() <= (relative * a.abs().max(b.abs())).max(absolute)));
        }
        "gcd" => {
            let gcd = |mut a: i128, mut b: i128| {
                while b != 0 {
                    (a, b) = (b, a.checked_rem(b).unwrap_or(0));
                }
                a
            };
            return Ok(Value::Whole(wholes()?.into_iter().fold(0, gcd).saturating_abs()));
        }
        "factorial" | "comb" => {
            let wholes = wholes()?;
            let (n, k) = match (name, &wholes[..]) {
                ("factorial", [n]) => (*n, *n),
                ("comb", [n, k]) if k <= n => (*n, (*k).min(n.saturating_sub(*k))),
                ("comb", [_, _]) => return Ok(Value::Whole(0)),
                _ => return invalid("whole numbers are needed"),
            };
            if n < 0 || k < 0 || n > 10_000 {
                return invalid("a whole number from 0 is needed");
            }
            let product = (0..k).try_fold(1_i128, |product, index| {
                let product = product.checked_mul(n - index)?;
                Some(if name == "comb" { product / (index + 1) } else { product })
            });
            return product.map(Value::Whole).ok_or(EvaluationError::TooLarge);
        }
        "prod" => {
            let items = arguments.positional.first().map_or(Ok(Vec::new()), items_of)?;
            let multiply =
                |product: Value, item: &Value| super::operate::operate(super::Dialect::Jinja, "*", &product, item);
            return items.iter().try_fold(Value::Whole(1), multiply);
        }
        "hypot" => match arguments.positional.len() {
            2 => math::hypot(number(0)?, number(1)?),
            count => {
                let squares = (0..count).map(|place| number(place).map(|x| x * x)).collect::<Outcome<Vec<f64>>>()?;
                squares.iter().sum::<f64>().sqrt()
            }
        },
        "dist" => numbers(0)?.iter().zip(numbers(1)?).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        "pow" => libm::pow(number(0)?, number(1)?),
        "atan2" => math::atan2(number(0)?, number(1)?),
        "fmod" => number(0)? % number(1)?,
        "copysign" => number(0)?.copysign(number(1)?),
        "log" if arguments.positional.len() == 2 => math::ln(number(0)?) / math::ln(number(1)?),
        name => match super::numpy::of_number(name) {
            Some(function) => function(number(0)?),
            None => return invalid(format!("`math.{name}` is not known here")),
        },
    };
    // Python raises an error where numpy gives `nan`.
    let is_defined =
        !value.is_nan() || arguments.positional.iter().any(|value| value.as_f64().is_some_and(f64::is_nan));
    let is_finite =
        !value.is_infinite() || arguments.positional.iter().any(|value| value.as_f64().is_some_and(f64::is_infinite));
    if is_defined && is_finite { Ok(Value::Float(value)) } else { invalid("math domain error") }
}
