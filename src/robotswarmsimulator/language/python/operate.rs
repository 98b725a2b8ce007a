//! Operators, and the numbers that they give in Python and numpy.

use super::array::{Array, Kind};
use super::evaluate::Outcome;
use super::format::percent;
use super::value::Value;
use super::{Dialect, EvaluationError};

use EvaluationError::TooLarge;

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 16 << 20;
/// The most items of a list.
pub const MAX_LIST: usize = 1_000_000;

fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

/// A text, unless it is too long.
pub fn bounded(text: String) -> Outcome<Value> {
    if text.len() > MAX_TEXT { Err(TooLarge) } else { Ok(Value::text(text)) }
}

/// Applies an operator to two values. In the dialect of `!np`, operators that Python does not define for lists apply to each
/// item, as for arrays.
pub fn operate(dialect: Dialect, operator: &str, left: &Value, right: &Value) -> Outcome {
    for side in [left, right] {
        if let Value::Undefined(path) = side
            && operator != "~"
        {
            return Err(EvaluationError::Undefined(path.to_string()));
        }
    }
    if let Some(value) = operate_sequences(operator, left, right)? {
        return Ok(value);
    }
    let is_array = |value: &Value| matches!(value, Value::Array(_));
    let is_list = |value: &Value| matches!(value, Value::List(_) | Value::Tuple(_));
    if is_array(left) || is_array(right) || (dialect == Dialect::Python && (is_list(left) || is_list(right))) {
        return operate_arrays(operator, &Array::from_value(left)?, &Array::from_value(right)?).map(Value::array);
    }
    if let (Some(left), Some(right)) = (left.as_whole(), right.as_whole())
        && let Some(value) = operate_whole(operator, left, right)?
    {
        return Ok(value);
    }
    match (left.as_f64(), right.as_f64()) {
        (Some(one), Some(other)) => operate_floats(operator, one, other).map(Value::Float),
        _ => {
            let (left, right) = (left.type_name(), right.type_name());
            invalid(format!("unsupported operand types for {operator}: `{left}` and `{right}`"))
        }
    }
}

/// Operators of texts and lists; `None` for other operands.
fn operate_sequences(operator: &str, left: &Value, right: &Value) -> Outcome<Option<Value>> {
    let repeated = |length: usize, times: &Value, most: usize| -> Outcome<Option<usize>> {
        if matches!(times, Value::Array(_)) {
            return Ok(None);
        }
        let Some(times) = times.as_whole() else { return Ok(None) };
        let times = usize::try_from(times.max(0)).map_err(|_| TooLarge)?;
        if length.checked_mul(times).is_none_or(|size| size > most) { Err(TooLarge) } else { Ok(Some(times)) }
    };
    let joined = |mut items: Vec<Value>, more: Vec<Value>| {
        items.extend(more);
        if items.len() > MAX_LIST { Err(TooLarge) } else { Ok(items) }
    };
    Ok(Some(match (operator, left, right) {
        ("~", left, right) => bounded(format!("{left}{right}"))?,
        ("%", Value::Text(text), value) => bounded(percent(text, value)?)?,
        ("+", Value::Text(left), Value::Text(right)) => bounded(format!("{left}{right}"))?,
        ("+", Value::List(_), Value::List(_)) => {
            Value::list(joined(left.items().unwrap_or_default(), right.items().unwrap_or_default())?)
        }
        ("+", Value::Tuple(left), Value::Tuple(right)) => {
            Value::tuple(joined(left.borrow().clone(), right.borrow().clone())?)
        }
        ("*", Value::Text(text), times) | ("*", times, Value::Text(text)) => {
            let Some(times) = repeated(text.len(), times, MAX_TEXT)? else { return Ok(None) };
            Value::text(text.repeat(times))
        }
        ("*", list @ (Value::List(_) | Value::Tuple(_)), times)
        | ("*", times, list @ (Value::List(_) | Value::Tuple(_))) => {
            let items = list.items().unwrap_or_default();
            let weight = list.count_within(MAX_LIST);
            let Some(times) = repeated(weight, times, MAX_LIST)? else {
                // A list times a float has no meaning in Python.
                return if matches!(times, Value::Float(_)) {
                    invalid("a list can only be repeated")
                } else {
                    Ok(None)
                };
            };
            let items = items.iter().cycle().take(items.len() * times).cloned().collect();
            if matches!(list, Value::List(_)) { Value::list(items) } else { Value::tuple(items) }
        }
        ("|", Value::Dict(left), Value::Dict(right)) => {
            let entries = left.borrow().entries.iter().chain(&right.borrow().entries).cloned().collect();
            Value::dict(entries)?
        }
        _ => return Ok(None),
    }))
}

/// Operators between whole numbers; `None` for those that give floats.
fn operate_whole(operator: &str, left: i128, right: i128) -> Outcome<Option<Value>> {
    let divided = |value: Option<i128>| value.ok_or(TooLarge);
    Ok(Some(Value::Whole(match operator {
        "+" => left.checked_add(right).ok_or(TooLarge)?,
        "-" => left.checked_sub(right).ok_or(TooLarge)?,
        "*" => left.checked_mul(right).ok_or(TooLarge)?,
        "//" | "%" if right == 0 => return invalid("division by zero"),
        "//" => {
            let quotient = divided(left.checked_div(right))?;
            if left % right != 0 && (left < 0) != (right < 0) { quotient - 1 } else { quotient }
        }
        "%" => {
            let rest = divided(left.checked_rem(right))?;
            if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
        }
        "**" if right >= 0 => {
            let exponent = u32::try_from(right).map_err(|_| TooLarge);
            match left {
                0 | 1 => left.pow(u32::from(right > 0)),
                -1 => {
                    if right % 2 == 0 {
                        1
                    } else {
                        -1
                    }
                }
                _ => left.checked_pow(exponent?).ok_or(TooLarge)?,
            }
        }
        "|" => left | right,
        "&" => left & right,
        "^" => left ^ right,
        "<<" => {
            let by = u32::try_from(right).ok().filter(|by| *by < 100).ok_or(TooLarge)?;
            left.checked_mul(1 << by).ok_or(TooLarge)?
        }
        ">>" => left >> u32::try_from(right.min(127)).map_err(|_| EvaluationError::invalid("negative shift count"))?,
        _ => return Ok(None),
    })))
}

/// Operators between floats, with Python's errors.
fn operate_floats(operator: &str, left: f64, right: f64) -> Outcome<f64> {
    if right == 0.0 && matches!(operator, "/" | "//" | "%") {
        return invalid("division by zero");
    }
    let value = number_of(operator, left, right)
        .ok_or_else(|| EvaluationError::invalid(format!("unsupported operand types for {operator}: numbers")))?;
    if operator == "**" && left.is_finite() && right.is_finite() && !value.is_finite() {
        // A root of a negative number is complex.
        return invalid("the power has no value");
    }
    Ok(value)
}

/// The value of an operator as IEEE 754 has it; `None` for an unknown operator.
fn number_of(operator: &str, left: f64, right: f64) -> Option<f64> {
    Some(match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => floor_divide(left, right),
        "%" => modulo(left, right),
        "**" => libm::pow(left, right),
        _ => return None,
    })
}

/// Python's `%`: the remainder has the sign of the divisor.
fn modulo(value: f64, divisor: f64) -> f64 {
    let rest = value % divisor;
    if rest == 0.0 {
        return 0.0_f64.copysign(divisor);
    }
    if (rest < 0.0) != (divisor < 0.0) { rest + divisor } else { rest }
}

/// Python's `//`, rounded so that it agrees with [`modulo`].
fn floor_divide(value: f64, divisor: f64) -> f64 {
    if divisor == 0.0 {
        return value / divisor;
    }
    libm::rint((value - modulo(value, divisor)) / divisor)
}

/// Applies an operator to two arrays, number by number.
pub fn operate_arrays(operator: &str, left: &Array, right: &Array) -> Outcome<Array> {
    if operator == "@" {
        return left.matmul(right);
    }
    let kind = left.kind.max(right.kind);
    let is_whole = kind < Kind::Float;
    let logic: Option<fn(f64, f64) -> f64> = match (operator, kind) {
        ("|" | "+", Kind::Truth) => Some(|a, b| f64::from(a != 0.0 || b != 0.0)),
        ("&" | "*", Kind::Truth) => Some(|a, b| f64::from(a != 0.0 && b != 0.0)),
        ("^", Kind::Truth) => Some(|a, b| f64::from((a != 0.0) != (b != 0.0))),
        ("|", Kind::Whole) => Some(|a, b| (a as i64 | b as i64) as f64),
        ("&", Kind::Whole) => Some(|a, b| (a as i64 & b as i64) as f64),
        ("^", Kind::Whole) => Some(|a, b| (a as i64 ^ b as i64) as f64),
        _ => None,
    };
    if let Some(logic) = logic {
        return left.zip(right, kind, logic);
    }
    if operator == "-" && kind == Kind::Truth {
        return invalid("truth values cannot be subtracted");
    }
    if operator == "**" && is_whole && right.data.iter().any(|exponent| *exponent < 0.0) {
        return invalid("whole numbers to negative whole powers are not allowed");
    }
    if number_of(operator, 1.0, 1.0).is_none() {
        return invalid(format!("unsupported operator {operator} for arrays"));
    }
    let kind = if operator == "/" { Kind::Float } else { kind.max(Kind::Whole) };
    left.zip(right, kind, |left, right| match operator {
        // A whole number divided by zero is 0 in numpy.
        "//" | "%" if is_whole && right == 0.0 => 0.0,
        _ => number_of(operator, left, right).unwrap_or(f64::NAN),
    })
}

/// The value of a comparison.
pub fn compare(operator: &str, left: &Value, right: &Value) -> Outcome {
    match operator {
        "in" => return contains(right, left).map(Value::Truth),
        "not in" => return contains(right, left).map(|is_in| Value::Truth(!is_in)),
        "is" | "is not" => {
            let is_same = std::mem::discriminant(left) == std::mem::discriminant(right) && left == right;
            return Ok(Value::Truth(is_same == (operator == "is")));
        }
        _ => {}
    }
    let is_array = [left, right].iter().any(|side| matches!(side, Value::Array(_)));
    let is_number = |value: &Value| Array::from_value(value).is_ok();
    if is_array && is_number(left) && is_number(right) {
        let compare: fn(f64, f64) -> f64 = match operator {
            "==" => |a, b| f64::from(a == b),
            "!=" => |a, b| f64::from(a != b),
            "<" => |a, b| f64::from(a < b),
            "<=" => |a, b| f64::from(a <= b),
            ">" => |a, b| f64::from(a > b),
            _ => |a, b| f64::from(a >= b),
        };
        return Array::from_value(left)?.zip(&Array::from_value(right)?, Kind::Truth, compare).map(Value::array);
    }
    match operator {
        "==" => return Ok(Value::Truth(left == right)),
        "!=" => return Ok(Value::Truth(left != right)),
        _ => {}
    }
    for side in [left, right] {
        if let Value::Undefined(path) = side {
            return Err(EvaluationError::Undefined(path.to_string()));
        }
    }
    let order = left.order(right);
    let is_nan = |value: &Value| value.as_f64().is_some_and(f64::is_nan);
    if order.is_none() && !is_nan(left) && !is_nan(right) {
        let (left, right) = (left.type_name(), right.type_name());
        return invalid(format!("`{operator}` is not supported between `{left}` and `{right}`"));
    }
    Ok(Value::Truth(order.is_some_and(|order| match operator {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })))
}

/// Whether a sequence has an item, a map a key, or a text a part.
pub fn contains(all: &Value, item: &Value) -> Outcome<bool> {
    match (all, item) {
        (Value::Text(text), Value::Text(part)) => Ok(text.contains(&**part)),
        (Value::Array(array), item) => {
            let number = item.as_f64();
            Ok(array.data.iter().any(|found| Some(*found) == number))
        }
        (Value::Undefined(path), _) => Err(EvaluationError::Undefined(path.to_string())),
        (Value::Text(_), _) => invalid("only texts can be in a text"),
        (Value::Dict(dict), key) => {
            key.need_key()?;
            Ok(dict.borrow().get(key).is_some())
        }
        _ => match all.items() {
            Some(items) => Ok(items.contains(item)),
            None => invalid(format!("a `{}` has no items", all.type_name())),
        },
    }
}

/// The value of a sign before a value.
pub fn sign(dialect: Dialect, sign: &str, value: &Value) -> Outcome {
    let factor = if sign == "-" { -1.0 } else { 1.0 };
    match value {
        Value::Truth(_) | Value::Whole(_) => {
            let number = value.as_whole().unwrap_or_default();
            Ok(Value::Whole(match sign {
                "-" => number.checked_neg().ok_or(TooLarge)?,
                "~" => !number,
                _ => number,
            }))
        }
        Value::Float(number) if sign != "~" => Ok(Value::Float(factor * number)),
        Value::Array(array) if sign == "~" => Ok(Value::array(match array.kind {
            Kind::Truth => array.map(Kind::Truth, |truth| f64::from(truth == 0.0)),
            Kind::Whole => array.map(Kind::Whole, |number| -number - 1.0),
            Kind::Float => return invalid("`~` needs whole numbers"),
        })),
        Value::Array(array) if array.kind == Kind::Truth => invalid("truth values have no sign"),
        Value::Array(array) => Ok(Value::array(array.map(array.kind, |number| factor * number))),
        Value::List(_) | Value::Tuple(_) if dialect == Dialect::Python && sign != "~" => {
            let array = Array::from_value(value)?;
            Ok(Value::array(array.map(array.kind, |number| factor * number)))
        }
        Value::Undefined(path) => Err(EvaluationError::Undefined(path.to_string())),
        other => invalid(format!("bad operand type for {sign}: `{}`", other.type_name())),
    }
}
