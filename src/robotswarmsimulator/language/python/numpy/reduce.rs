//! The functions that make a number from the numbers along an axis.

use super::super::array::{Array, Kind};
use super::super::evaluate::{Arguments, Outcome};
use super::super::value::Value;
use super::create::shape_of;
use super::invalid;

/// Functions that make a number from the numbers along an axis; `None` for others.
pub fn reduce(name: &str, arguments: &Arguments) -> Outcome<Option<Array>> {
    // Without numbers, the sum of floats in Rust is −0.
    let sum = |line: &[f64]| if line.is_empty() { 0.0 } else { line.iter().sum::<f64>() };
    let mean = |line: &[f64]| if line.is_empty() { f64::NAN } else { sum(line) / line.len() as f64 };
    let ddof = arguments.number(4, "ddof")?.unwrap_or(0.0);
    let variance = |line: &[f64]| {
        let mean = mean(line);
        line.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (line.len() as f64 - ddof)
    };
    let extreme = |line: &[f64], largest: bool| {
        let best = |best: f64, x: f64| {
            if best.is_nan() || (x > best) == largest && x != best { best_or_nan(best, x) } else { best }
        };
        match line.iter().copied().reduce(best) {
            Some(found) => Ok(if line.iter().any(|x| x.is_nan()) { f64::NAN } else { found }),
            None => invalid("an empty list has no extreme"),
        }
    };
    let place = |line: &[f64], largest: bool| {
        let found = extreme(line, largest)?;
        Ok(line.iter().position(|x| *x == found || x.is_nan()).unwrap_or(0) as f64)
    };
    type Function<'f> = Box<dyn Fn(&[f64]) -> Outcome<f64> + 'f>;
    let (kind, function): (Option<Kind>, Function) = match name {
        "sum" => (None, Box::new(|line| Ok(sum(line)))),
        "prod" => (None, Box::new(|line| Ok(line.iter().product()))),
        "mean" => (Some(Kind::Float), Box::new(|line| Ok(mean(line)))),
        "average" if arguments.get(2, "weights").is_none() => (Some(Kind::Float), Box::new(|line| Ok(mean(line)))),
        "average" => {
            let weights = Array::from_value(arguments.need(2, "weights")?)?.data;
            let weighted = move |line: &[f64]| {
                let total: f64 = weights.iter().sum();
                if weights.len() != line.len() || total == 0.0 {
                    return invalid("the weights do not fit");
                }
                Ok(line.iter().zip(&weights).map(|(x, weight)| x * weight).sum::<f64>() / total)
            };
            (Some(Kind::Float), Box::new(weighted))
        }
        "median" => (Some(Kind::Float), Box::new(|line| Ok(quantile(line, 0.5)))),
        "std" => (Some(Kind::Float), Box::new(|line| Ok(variance(line).sqrt()))),
        "var" => (Some(Kind::Float), Box::new(|line| Ok(variance(line)))),
        "max" | "amax" => (None, Box::new(|line| extreme(line, true))),
        "min" | "amin" => (None, Box::new(|line| extreme(line, false))),
        "ptp" => (None, Box::new(|line| Ok(extreme(line, true)? - extreme(line, false)?))),
        "all" => (Some(Kind::Truth), Box::new(|line| Ok(f64::from(line.iter().all(|x| *x != 0.0))))),
        "any" => (Some(Kind::Truth), Box::new(|line| Ok(f64::from(line.iter().any(|x| *x != 0.0))))),
        "argmax" => (Some(Kind::Whole), Box::new(|line| place(line, true))),
        "argmin" => (Some(Kind::Whole), Box::new(|line| place(line, false))),
        "count_nonzero" => (Some(Kind::Whole), Box::new(|line| Ok(line.iter().filter(|x| **x != 0.0).count() as f64))),
        "percentile" | "quantile" => {
            if arguments.named.iter().any(|(name, _)| matches!(name.as_str(), "method" | "interpolation")) {
                return invalid(format!("`{name}` has no `method` here"));
            }
            let scale = if name == "percentile" { 100.0 } else { 1.0 };
            let Some(q) = arguments.number(1, "q")? else { return invalid("`q` is missing") };
            (Some(Kind::Float), Box::new(move |line| Ok(quantile(line, q / scale))))
        }
        _ => return Ok(None),
    };
    let axis_place = if matches!(name, "percentile" | "quantile") { 2 } else { 1 };
    let array = Array::from_value(arguments.need(0, "a")?)?;
    let kind = kind.unwrap_or(if matches!(name, "sum" | "prod") { array.kind.max(Kind::Whole) } else { array.kind });
    let is_of_numbers = arguments.positional.len() > 1 && array.shape.is_empty();
    if is_of_numbers && matches!(name, "max" | "min") {
        // Python's own `max(1, 2)`, which numpy's hides.
        let all = Array::from_value(&Value::tuple(arguments.positional.clone()))?;
        return all.reduce(None, all.kind, &*function).map(Some);
    }
    let reduced = match arguments.get(axis_place, "axis") {
        None => array.reduce(None, kind, &*function)?,
        Some(axis) => {
            // Several axes go one after the other, the last first.
            let axes = shape_of(axis)?.into_iter().map(|axis| array.dimension(axis)).collect::<Outcome<Vec<_>>>()?;
            let [axis] = axes[..] else { return several_axes(&array, axes, kind, &*function).map(Some) };
            array.reduce(Some(axis), kind, &*function)?
        }
    };
    if !arguments.is_on(9, "keepdims", false)? {
        return Ok(Some(reduced));
    }
    let axis = arguments.whole(axis_place, "axis")?.map(|axis| array.dimension(axis)).transpose()?;
    let shape =
        array.shape.iter().enumerate().map(|(at, length)| if axis.is_none_or(|axis| axis == at) { 1 } else { *length });
    Ok(Some(Array { shape: shape.collect(), ..reduced }))
}

/// The second of two numbers, or `NaN` if the first is.
fn best_or_nan(best: f64, x: f64) -> f64 {
    if best.is_nan() { best } else { x }
}

/// Reduces an array along several dimensions at once.
fn several_axes(
    array: &Array,
    mut axes: Vec<usize>,
    kind: Kind,
    function: &dyn Fn(&[f64]) -> Outcome<f64>,
) -> Outcome<Array> {
    axes.sort_unstable();
    axes.dedup();
    let kept: Vec<usize> = (0..array.shape.len()).filter(|place| !axes.contains(place)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let moved = array.transpose(&order)?;
    let shape: Vec<i128> = kept.iter().map(|place| array.shape[*place] as i128).chain([-1]).collect();
    let flat = moved.reshape(&shape)?;
    flat.reduce(Some(kept.len()), kind, function)
}

/// The value below which a share of the numbers lies, between the two nearest of them.
fn quantile(line: &[f64], share: f64) -> f64 {
    let mut sorted = line.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * (at - at.floor())
}
