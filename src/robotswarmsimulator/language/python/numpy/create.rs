//! The functions that make arrays.

use super::super::EvaluationError;
use super::super::array::{Array, Kind, size_of};
use super::super::evaluate::{Arguments, Outcome, items_of};
use super::super::value::Value;
use super::{invalid, kind_of};

/// The lengths of a shape: a number or a list of them.
pub fn shape_of(value: &Value) -> Outcome<Vec<i128>> {
    if let Some(length) = value.as_whole() {
        return Ok(vec![length]);
    }
    let lengths = items_of(value)?.iter().map(Value::as_whole).collect::<Option<Vec<_>>>();
    lengths.ok_or_else(|| EvaluationError::invalid("a shape needs whole numbers"))
}

fn filled(shape: &Value, number: f64, kind: Kind) -> Outcome<Array> {
    let shape: Option<Vec<usize>> = shape_of(shape)?.into_iter().map(|length| usize::try_from(length).ok()).collect();
    let shape = shape.ok_or_else(|| EvaluationError::invalid("negative dimensions are not allowed"))?;
    Ok(Array { data: vec![number; size_of(&shape)?], shape, kind })
}

/// Functions that make arrays; `None` for others.
pub fn create(name: &str, arguments: &Arguments) -> Outcome<Option<Array>> {
    let number = |place, name| -> Outcome<f64> {
        arguments.number(place, name)?.ok_or_else(|| EvaluationError::invalid(format!("`{name}` is missing")))
    };
    let like = |number: f64| -> Outcome<Array> {
        let array = Array::from_value(arguments.need(0, "a")?)?;
        Ok(array.map(array.kind, |_| number))
    };
    let whole_kind = |places: &[usize]| {
        let all_whole =
            places.iter().filter_map(|place| arguments.positional.get(*place)).all(|value| value.as_whole().is_some());
        if all_whole { Kind::Whole } else { Kind::Float }
    };
    Ok(Some(match name {
        "array" | "asarray" | "copy" => {
            let array = Array::from_value(arguments.need(0, "object")?)?;
            match arguments.positional.get(1) {
                Some(kind) => array.cast(kind_of(kind)?),
                None => array,
            }
        }
        "zeros" | "empty" => filled(arguments.need(0, "shape")?, 0.0, Kind::Float)?,
        "ones" => filled(arguments.need(0, "shape")?, 1.0, Kind::Float)?,
        "full" => {
            let value = Array::from_value(arguments.need(1, "fill_value")?)?;
            let shape = filled(arguments.need(0, "shape")?, 0.0, value.kind)?;
            value.broadcast(&shape.shape)?
        }
        "zeros_like" | "empty_like" => like(0.0)?,
        "ones_like" => like(1.0)?,
        "full_like" => like(number(1, "fill_value")?)?,
        "eye" | "identity" => {
            let rows = arguments.whole(0, "N")?.unwrap_or(0);
            let columns = arguments.whole(1, "M")?.filter(|_| name == "eye").unwrap_or(rows);
            let offset = arguments.whole(2, "k")?.unwrap_or(0);
            let mut array = filled(&Value::tuple(vec![Value::Whole(rows), Value::Whole(columns)]), 0.0, Kind::Float)?;
            for row in 0..rows {
                let column = row.saturating_add(offset);
                if (0..columns).contains(&column) {
                    array.data[usize::try_from(row * columns + column).unwrap_or_default()] = 1.0;
                }
            }
            array
        }
        "arange" => {
            let (start, stop, step) = match arguments.positional.len() {
                1 => (0.0, number(0, "stop")?, arguments.number(9, "step")?.unwrap_or(1.0)),
                _ => (number(0, "start")?, number(1, "stop")?, arguments.number(2, "step")?.unwrap_or(1.0)),
            };
            let length = ((stop - start) / step).ceil().max(0.0);
            if step == 0.0 || !length.is_finite() {
                return invalid("a range needs finite numbers, and a step other than 0");
            }
            if length > 1e6 {
                return Err(EvaluationError::TooLarge);
            }
            // As numpy, with the distance of the first two numbers.
            let distance = (start + step) - start;
            let numbers = (0..length as u32)
                .map(|index| if index == 1 { start + step } else { start + f64::from(index) * distance });
            Array::line(numbers.collect(), whole_kind(&[0, 1, 2]))
        }
        "linspace" => {
            let count = arguments.whole(2, "num")?.unwrap_or(50);
            spaced(number(0, "start")?, number(1, "stop")?, count, arguments.is_on(3, "endpoint", true)?)?
        }
        "logspace" => {
            let base = arguments.number(4, "base")?.unwrap_or(10.0);
            let count = arguments.whole(2, "num")?.unwrap_or(50);
            let exponents =
                spaced(number(0, "start")?, number(1, "stop")?, count, arguments.is_on(3, "endpoint", true)?)?;
            exponents.map(Kind::Float, |exponent| libm::pow(base, exponent))
        }
        "geomspace" => {
            let (start, stop, count) =
                (number(0, "start")?, number(1, "stop")?, arguments.whole(2, "num")?.unwrap_or(50));
            if start == 0.0 || stop == 0.0 || (start < 0.0) != (stop < 0.0) {
                return invalid("a geometric sequence needs numbers of one sign");
            }
            let exponents = spaced(
                libm::log10(start.abs()),
                libm::log10(stop.abs()),
                count,
                arguments.is_on(3, "endpoint", true)?,
            )?;
            exponents.map(Kind::Float, |exponent| start.signum() * libm::pow(10.0, exponent))
        }
        _ => return Ok(None),
    }))
}

fn spaced(start: f64, stop: f64, count: i128, has_end: bool) -> Outcome<Array> {
    let Ok(count) = usize::try_from(count) else { return invalid("the number of samples is negative") };
    size_of(&[count])?;
    let parts = if has_end { count.saturating_sub(1) } else { count };
    let step = if parts > 0 { (stop - start) / parts as f64 } else { 0.0 };
    let number = |index: usize| if has_end && index > 0 && index == parts { stop } else { start + index as f64 * step };
    Ok(Array::line((0..count).map(number).collect(), Kind::Float))
}
