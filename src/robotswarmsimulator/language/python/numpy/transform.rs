//! The functions that change arrays, and the others.

use super::super::EvaluationError;
use super::super::array::{Array, Kind, size_of};
use super::super::evaluate::{Arguments, Outcome, items_of};
use super::super::method;
use super::super::operate::operate_arrays;
use super::super::value::Value;
use super::create::shape_of;
use super::invalid;

/// Functions that change arrays, and the others.
pub fn transform(name: &str, arguments: &Arguments) -> Outcome {
    let array = |place: usize, name: &str| Array::from_value(arguments.need(place, name)?);
    let axis = |array: &Array, place: usize, default: Option<i128>| -> Outcome<Option<usize>> {
        // `None` as the axis means all numbers.
        let is_given = arguments.positional.len() > place || arguments.named.iter().any(|(name, _)| name == "axis");
        let axis = if is_given { arguments.whole(place, "axis")? } else { default };
        axis.map(|axis| array.dimension(axis)).transpose()
    };
    let flat = |array: Array| Array { shape: vec![array.data.len()], ..array };
    // The function of each line along an axis; without one, of all numbers.
    let lines =
        |place: usize, default: Option<i128>, kind: Option<Kind>, function: &dyn Fn(&[f64]) -> Vec<f64>| -> Outcome {
            let array = array(0, "a")?;
            let kind = kind.unwrap_or(array.kind);
            let (array, axis) = match axis(&array, place, default)? {
                Some(axis) => (array, axis),
                None => (flat(array), 0),
            };
            array.map_lines(axis, kind, function).map(Value::array)
        };
    let running = |line: &[f64], combine: fn(f64, f64) -> f64, start: f64| {
        let mut total = start;
        let next = |x: &f64| {
            total = combine(total, *x);
            total
        };
        line.iter().map(next).collect::<Vec<f64>>()
    };
    let sorted_places = |line: &[f64]| {
        let mut places: Vec<usize> = (0..line.len()).collect();
        places.sort_by(|a, b| line[*a].total_cmp(&line[*b]));
        places
    };
    Ok(Value::array(match name {
        "cumsum" => return lines(1, None, None, &|line| running(line, |a, b| a + b, 0.0)),
        "cumprod" => return lines(1, None, None, &|line| running(line, |a, b| a * b, 1.0)),
        "diff" => {
            let mut value = arguments.need(0, "a")?.clone();
            for _ in 0..arguments.whole(1, "n")?.unwrap_or(1).clamp(0, 100) {
                let array = Array::from_value(&value)?;
                let axis = array.dimension(arguments.whole(2, "axis")?.unwrap_or(-1))?;
                let pairs = |line: &[f64]| line.windows(2).map(|pair| pair[1] - pair[0]).collect();
                value = Value::array(array.map_lines(axis, array.kind, &pairs)?);
            }
            return Ok(value);
        }
        "sort" => {
            return lines(1, Some(-1), None, &|line| {
                sorted_places(line).into_iter().map(|place| line[place]).collect()
            });
        }
        "argsort" => {
            let places = |line: &[f64]| sorted_places(line).into_iter().map(|place| place as f64).collect();
            return lines(1, Some(-1), Some(Kind::Whole), &places);
        }
        "flip" if arguments.get(1, "axis").is_none() => {
            let mut array = array(0, "m")?;
            array.data.reverse();
            array
        }
        "flip" | "fliplr" | "flipud" => {
            let array = array(0, "m")?;
            let axis = match name {
                "fliplr" => array.dimension(1)?,
                "flipud" => array.dimension(0)?,
                _ => array.dimension(arguments.whole(1, "axis")?.unwrap_or(0))?,
            };
            array.map_lines(axis, array.kind, &|line| line.iter().rev().copied().collect())?
        }
        "roll" => {
            let by = arguments.whole(1, "shift")?.unwrap_or(0);
            let roll = |line: &[f64]| {
                let mut line = line.to_vec();
                let length = (line.len() as i128).max(1);
                line.rotate_right(usize::try_from(by.rem_euclid(length)).unwrap_or_default());
                line
            };
            let whole = array(0, "a")?;
            match axis(&whole, 2, None)? {
                Some(axis) => whole.map_lines(axis, whole.kind, &roll)?,
                None => Array { data: roll(&whole.data), ..whole },
            }
        }
        "round" | "around" => {
            let array = array(0, "a")?;
            let decimals = arguments.whole(1, "decimals")?.unwrap_or(0).clamp(-300, 300) as i32;
            let unit = libm::pow(10.0, f64::from(decimals.abs()));
            let round = move |x: f64| match decimals {
                0 => libm::rint(x),
                1.. => libm::rint(x * unit) / unit,
                _ => libm::rint(x / unit) * unit,
            };
            array.map(array.kind, round)
        }
        "clip" => {
            let array = array(0, "a")?;
            let bound = |place, names: [&str; 2]| {
                arguments
                    .get(place, names[0])
                    .or_else(|| arguments.get(place, names[1]))
                    .map(Array::from_value)
                    .transpose()
            };
            let (low, high) = (bound(1, ["a_min", "min"])?, bound(2, ["a_max", "max"])?);
            let kind =
                [&low, &high].into_iter().flatten().map(|bound| bound.kind).max().unwrap_or(array.kind).max(array.kind);
            let array =
                low.map_or(Ok(array.clone()), |low| array.zip(&low, kind, |x, low| if x < low { low } else { x }))?;
            high.map_or(Ok(array.clone()), |high| array.zip(&high, kind, |x, high| if x > high { high } else { x }))?
        }
        "where" => {
            if arguments.positional.len() == 1 {
                let array = array(0, "condition")?;
                if array.shape.len() != 1 {
                    return invalid("`where` with one argument needs a list");
                }
                let places = (0..array.data.len()).filter(|place| array.data[*place] != 0.0).map(|place| place as f64);
                return Ok(Value::tuple(vec![Value::array(Array::line(places.collect(), Kind::Whole))]));
            }
            let (condition, yes, no) = (array(0, "condition")?, array(1, "x")?, array(2, "y")?);
            let shape = Array::common_shape(&Array::common_shape(&condition.shape, &yes.shape)?, &no.shape)?;
            let (condition, yes, no) = (condition.broadcast(&shape)?, yes.broadcast(&shape)?, no.broadcast(&shape)?);
            let pairs = yes.data.iter().zip(&no.data).zip(&condition.data);
            let data = pairs.map(|((yes, no), condition)| if *condition == 0.0 { *no } else { *yes }).collect();
            Array { shape, data, kind: yes.kind.max(no.kind) }
        }
        "reshape" => array(0, "a")?.reshape(&shape_of(arguments.need(1, "shape")?)?)?,
        "ravel" => flat(array(0, "a")?),
        "transpose" => {
            let array = array(0, "a")?;
            let order: Vec<usize> = match arguments.get(1, "axes") {
                Some(axes) => shape_of(axes)?.into_iter().map(|axis| array.dimension(axis)).collect::<Outcome<_>>()?,
                None => (0..array.shape.len()).rev().collect(),
            };
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != (0..array.shape.len()).collect::<Vec<_>>() {
                return invalid("the axes do not fit the array");
            }
            array.transpose(&order)?
        }
        "squeeze" => {
            let array = array(0, "a")?;
            Array { shape: array.shape.iter().copied().filter(|length| *length != 1).collect(), ..array }
        }
        "atleast_1d" => {
            let array = array(0, "a")?;
            if array.shape.is_empty() { flat(array) } else { array }
        }
        "concatenate" | "hstack" | "vstack" | "stack" | "column_stack" => joined(name, arguments)?,
        "tile" => {
            let mut array = array(0, "A")?;
            let repeats = shape_of(arguments.need(1, "reps")?)?;
            size_of(&vec![1; repeats.len()])?;
            while array.shape.len() < repeats.len() {
                array.shape.insert(0, 1);
            }
            let missing = array.shape.len() - repeats.len();
            for (place, count) in repeats.iter().enumerate() {
                let count = usize::try_from((*count).max(0)).map_err(|_| EvaluationError::TooLarge)?;
                size_of(&[array.data.len(), count])?;
                array = array.map_lines(missing + place, array.kind, &|line| line.repeat(count))?;
            }
            array
        }
        "repeat" => {
            let whole = array(0, "a")?;
            let count = usize::try_from(arguments.whole(1, "repeats")?.unwrap_or(1).max(0));
            let count = count.map_err(|_| EvaluationError::TooLarge)?;
            size_of(&[whole.data.len(), count])?;
            return lines(2, None, None, &|line| line.iter().flat_map(|x| std::iter::repeat_n(*x, count)).collect());
        }
        "unique" => {
            let mut array = flat(array(0, "ar")?);
            array.data.sort_by(f64::total_cmp);
            array.data.dedup();
            flat(array)
        }
        "dot" | "matmul" | "inner" => {
            let (left, right) = (array(0, "a")?, array(1, "b")?);
            if left.shape.is_empty() || right.shape.is_empty() {
                return operate_arrays("*", &left, &right).map(Value::array);
            }
            let right = if name == "inner" && right.shape.len() == 2 { right.transpose(&[1, 0])? } else { right };
            left.matmul(&right)?
        }
        "outer" => {
            let (left, right) = (flat(array(0, "a")?), flat(array(1, "b")?));
            let left = Array { shape: vec![left.data.len(), 1], ..left };
            operate_arrays("*", &left, &right)?
        }
        "cross" => {
            let (a, b) = (array(0, "a")?, array(1, "b")?);
            if a.shape != [3] || b.shape != [3] {
                return invalid("`cross` needs two vectors of three numbers");
            }
            let (u, v) = (&a.data, &b.data);
            let data = vec![u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            Array::line(data, a.kind.max(b.kind))
        }
        "norm" => {
            if arguments.get(1, "ord").is_some() {
                return invalid("`norm` has no `ord` here");
            }
            let array = array(0, "x")?;
            let length = |line: &[f64]| Ok(line.iter().fold(0.0, |sum, x| sum + x * x).sqrt());
            let axis = arguments.whole(2, "axis")?.map(|axis| array.dimension(axis)).transpose()?;
            array.reduce(axis, Kind::Float, &length)?
        }
        "trace" | "diag" | "diagonal" => diagonal(name, &array(0, "a")?)?,
        "interp" => {
            let (x, known, values) = (array(0, "x")?, array(1, "xp")?.data, array(2, "fp")?.data);
            if known.is_empty() || known.len() != values.len() {
                return invalid("the points do not fit");
            }
            x.map(Kind::Float, |x| interpolated(x, &known, &values))
        }
        "meshgrid" => {
            let axes = arguments
                .positional
                .iter()
                .map(|value| Ok(flat(Array::from_value(value)?)))
                .collect::<Outcome<Vec<_>>>()?;
            let [x, y] = &axes[..] else { return invalid("`meshgrid` needs two lists") };
            let shape = [y.data.len(), x.data.len()];
            let column = Array { shape: vec![y.data.len(), 1], ..y.clone() };
            return Ok(Value::tuple(vec![Value::array(x.broadcast(&shape)?), Value::array(column.broadcast(&shape)?)]));
        }
        "isclose" | "allclose" => {
            let relative = arguments.number(2, "rtol")?.unwrap_or(1e-5);
            let absolute = arguments.number(3, "atol")?.unwrap_or(1e-8);
            let close = |a: f64, b: f64| f64::from(a == b || (a - b).abs() <= absolute + relative * b.abs());
            let close = array(0, "a")?.zip(&array(1, "b")?, Kind::Truth, close)?;
            if name == "allclose" {
                return Ok(Value::Truth(close.data.iter().all(|x| *x != 0.0)));
            }
            close
        }
        "array_equal" => {
            let (a, b) = (array(0, "a1")?, array(1, "a2")?);
            return Ok(Value::Truth(a.shape == b.shape && a.data == b.data));
        }
        "shape" | "ndim" | "size" => return method::attribute(&Value::array(array(0, "a")?), name),
        "nan_to_num" => {
            let nan = arguments.number(9, "nan")?.unwrap_or(0.0);
            let finite = |x: f64| if x.is_nan() { nan } else { x.clamp(f64::MIN, f64::MAX) };
            let array = array(0, "x")?;
            array.map(array.kind, finite)
        }
        "polyval" => {
            let (factors, x) = (array(0, "p")?, array(1, "x")?);
            x.map(factors.kind.max(x.kind), |x| factors.data.iter().fold(0.0, |sum, factor| sum * x + factor))
        }
        "divmod" => {
            let (a, b) = (array(0, "x1")?, array(1, "x2")?);
            let both = ["//", "%"].map(|operator| operate_arrays(operator, &a, &b).map(Value::array));
            return Ok(Value::tuple(both.into_iter().collect::<Outcome<_>>()?));
        }
        _ => return invalid(format!("`{name}` is not known here, or takes other arguments")),
    }))
}

fn joined(name: &str, arguments: &Arguments) -> Outcome<Array> {
    let mut arrays = Vec::new();
    let mut total = 0_usize;
    for item in items_of(arguments.need(0, "arrays")?)? {
        if let Value::Array(array) = &item {
            size_of(&[total.saturating_add(array.data.len())])?;
        }
        let array = Array::from_value(&item)?;
        total = total.saturating_add(array.data.len());
        size_of(&[total])?;
        arrays.push(array);
    }
    let Some(dimensions) = arrays.first().map(|array| array.shape.len()) else {
        return invalid("need at least one array");
    };
    if name == "stack" {
        let stacked = Array::stack(&arrays)?;
        let axis = stacked.dimension(arguments.whole(1, "axis")?.unwrap_or(0))?;
        let mut order: Vec<usize> = (1..stacked.shape.len()).collect();
        order.insert(axis, 0);
        return stacked.transpose(&order);
    }
    for array in &mut arrays {
        match (name, array.shape.len()) {
            ("hstack", 0) => array.shape = vec![1],
            ("vstack", 0 | 1) => array.shape = vec![1, array.data.len()],
            ("column_stack", 0 | 1) => array.shape = vec![array.data.len(), 1],
            _ => {}
        }
    }
    let axis = match name {
        "vstack" => 0,
        "column_stack" => 1,
        "hstack" => i128::from(dimensions > 1),
        _ => match arguments.named.iter().any(|(name, value)| name == "axis" && matches!(value, Value::Nothing)) {
            true => {
                arrays.iter_mut().for_each(|array| array.shape = vec![array.data.len()]);
                0
            }
            false => arguments.whole(1, "axis")?.unwrap_or(0),
        },
    };
    let axis = arrays[0].dimension(axis)?;
    // Along the first dimension, the numbers of arrays follow each other.
    let mut order: Vec<usize> = (0..arrays[0].shape.len()).collect();
    order.swap(0, axis);
    let first = arrays[0].shape.clone();
    let fits = |array: &Array| {
        let same = |(at, length): (usize, &usize)| at == axis || first.get(at) == Some(length);
        array.shape.len() == first.len() && array.shape.iter().enumerate().all(same)
    };
    if !arrays.iter().all(fits) {
        return invalid("the shapes of the arrays do not fit");
    }
    let kind = arrays.iter().map(|array| array.kind).max().unwrap_or(Kind::Float);
    let moved = arrays.iter().map(|array| array.transpose(&order)).collect::<Outcome<Vec<_>>>()?;
    let mut shape = moved[0].shape.clone();
    shape[0] = moved.iter().map(|array| array.shape[0]).sum();
    size_of(&shape)?;
    Array { shape, data: moved.into_iter().flat_map(|array| array.data).collect(), kind }.transpose(&order)
}

fn diagonal(name: &str, array: &Array) -> Outcome<Array> {
    match array.shape[..] {
        [length] if name == "diag" => {
            let size = size_of(&[length, length])?;
            let mut data = vec![0.0; size];
            array.data.iter().enumerate().for_each(|(at, number)| data[at * (length + 1)] = *number);
            Ok(Array { shape: vec![length, length], data, kind: array.kind })
        }
        [rows, columns] => {
            let data: Vec<f64> = (0..rows.min(columns)).map(|at| array.data[at * columns + at]).collect();
            if name == "trace" {
                return Ok(Array {
                    shape: Vec::new(),
                    data: vec![data.iter().fold(0.0, |sum, x| sum + x)],
                    kind: array.kind,
                });
            }
            Ok(Array::line(data, array.kind))
        }
        _ => invalid("a matrix is needed"),
    }
}

fn interpolated(x: f64, known: &[f64], values: &[f64]) -> f64 {
    let after = known.partition_point(|at| *at <= x);
    match (after.checked_sub(1), known.get(after)) {
        (None, _) => values[0],
        (Some(before), None) => values[before],
        (Some(before), Some(next)) => {
            let slope = (values[after] - values[before]) / (next - known[before]);
            values[before] + slope * (x - known[before])
        }
    }
}
