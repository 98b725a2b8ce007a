//! Arrays of numpy: numbers with a shape.

use std::fmt;

use super::EvaluationError;
use super::value::{Value, float_text};

/// The most items of an array.
const MAX_ITEMS: usize = 1_000_000;
/// The most dimensions of an array.
const MAX_DIMENSIONS: usize = 8;

/// The kind of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Truth values.
    Truth,
    /// Whole numbers.
    Whole,
    /// Floats.
    Float,
}

/// An array. Without dimensions, it is a number of numpy.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers, the last dimension first.
    pub data: Vec<f64>,
    /// Their kind.
    pub kind: Kind,
}

type Outcome<T = Array> = Result<T, EvaluationError>;

/// The number of items in a shape.
///
/// # Errors
/// When there are too many.
pub fn size_of(shape: &[usize]) -> Outcome<usize> {
    // A length of 0 does not make room for a large one.
    let bound = shape.iter().try_fold(1_usize, |size, length| size.checked_mul((*length).max(1)));
    match bound {
        Some(bound) if bound <= MAX_ITEMS && shape.len() <= MAX_DIMENSIONS => Ok(shape.iter().product()),
        _ => Err(EvaluationError::TooLarge),
    }
}

impl Array {
    /// An array of one dimension.
    pub fn line(data: Vec<f64>, kind: Kind) -> Self {
        Self { shape: vec![data.len()], data, kind }
    }

    /// The array of a number, or of nested lists of numbers.
    ///
    /// # Errors
    /// When the lists contain something else, or have different lengths.
    pub fn from_value(value: &Value) -> Outcome {
        Self::nested(value, 0)
    }

    fn nested(value: &Value, depth: usize) -> Outcome {
        let scalar = |number, kind| Ok(Self { shape: Vec::new(), data: vec![number], kind });
        match value {
            Value::Array(array) => Ok((**array).clone()),
            Value::Truth(truth) => scalar(f64::from(*truth), Kind::Truth),
            Value::Whole(number) => scalar(*number as f64, Kind::Whole),
            Value::Float(number) => scalar(*number, Kind::Float),
            Value::List(_) | Value::Tuple(_) if depth < MAX_DIMENSIONS => {
                let items = value.items().unwrap_or_default();
                if items.is_empty() {
                    return Ok(Self::line(Vec::new(), Kind::Float));
                }
                let mut arrays: Vec<Self> = Vec::new();
                // All items must have the shape of the first.
                let check = |arrays: &[Self], shape: &[usize]| match arrays.first() {
                    None => size_of(&[&[items.len()], shape].concat()).map(drop),
                    Some(first) if first.shape == shape => Ok(()),
                    Some(_) => Err(EvaluationError::invalid("the lists have different lengths")),
                };
                for item in &items {
                    if let Value::Array(array) = item {
                        check(&arrays, &array.shape)?;
                    }
                    let array = Self::nested(item, depth + 1)?;
                    check(&arrays, &array.shape)?;
                    arrays.push(array);
                }
                Self::stack(&arrays)
            }
            other => Err(EvaluationError::invalid(format!("there are no arrays of {}", other.type_name()))),
        }
    }

    /// Arrays of the same shape along a new first dimension.
    ///
    /// # Errors
    /// When their shapes differ, or they have too many items.
    pub fn stack(arrays: &[Self]) -> Outcome {
        let Some(first) = arrays.first() else { return Err(EvaluationError::invalid("need at least one array")) };
        if arrays.iter().any(|array| array.shape != first.shape) {
            return Err(EvaluationError::invalid("the lists have different lengths"));
        }
        let shape: Vec<usize> = std::iter::once(arrays.len()).chain(first.shape.iter().copied()).collect();
        size_of(&shape)?;
        let kind = arrays.iter().map(|array| array.kind).max().unwrap_or(Kind::Float);
        Ok(Self { shape, data: arrays.iter().flat_map(|array| array.data.iter().copied()).collect(), kind })
    }

    /// The number of an array with one item.
    pub fn single(&self) -> Option<f64> {
        if self.data.len() == 1 { self.data.first().copied() } else { None }
    }

    /// The array as a value of Python: numbers, and lists of them.
    pub fn to_python(&self) -> Value {
        match self.shape.split_first() {
            None => self.number(0),
            Some((length, rest)) => {
                let size: usize = rest.iter().product();
                let row = |index: usize| {
                    let data = self.data[index * size..(index + 1) * size].to_vec();
                    Self { shape: rest.to_vec(), data, kind: self.kind }.to_python()
                };
                Value::list((0..*length).map(row).collect())
            }
        }
    }

    /// The number at a place as a value of Python.
    pub fn number(&self, place: usize) -> Value {
        let number = self.data.get(place).copied().unwrap_or(f64::NAN);
        match self.kind {
            Kind::Truth => Value::Truth(number != 0.0),
            Kind::Whole => Value::Whole(number as i128),
            Kind::Float => Value::Float(number),
        }
    }

    /// The items along the first dimension.
    pub fn rows(&self) -> Vec<Value> {
        let Some((length, rest)) = self.shape.split_first() else { return Vec::new() };
        let size: usize = rest.iter().product();
        let row = |index: usize| {
            let data = self.data[index * size..(index + 1) * size].to_vec();
            Value::array(Self { shape: rest.to_vec(), data, kind: self.kind })
        };
        (0..*length).map(row).collect()
    }

    /// The array with other numbers.
    pub fn map(&self, kind: Kind, function: impl Fn(f64) -> f64) -> Self {
        Self { shape: self.shape.clone(), data: self.data.iter().map(|number| function(*number)).collect(), kind }
    }

    /// The array with numbers of another kind.
    pub fn cast(&self, kind: Kind) -> Self {
        self.map(kind, |number| match kind {
            Kind::Truth => f64::from(number != 0.0),
            Kind::Whole => number.trunc(),
            Kind::Float => number,
        })
    }

    /// The array in another shape, in which one length can be −1.
    ///
    /// # Errors
    /// When the shape has another number of items.
    pub fn reshape(&self, shape: &[i128]) -> Outcome {
        let known =
            shape.iter().filter(|length| **length >= 0).try_fold(1_i128, |known, length| known.checked_mul(*length));
        let known = known.unwrap_or(0);
        let length = |length: &i128| match *length {
            -1 if known > 0 => usize::try_from(self.data.len() as i128 / known).ok(),
            length => usize::try_from(length).ok(),
        };
        let shape: Option<Vec<usize>> = shape.iter().map(length).collect();
        let shape = shape.filter(|shape| size_of(shape).is_ok_and(|size| size == self.data.len()));
        let shape = shape.ok_or_else(|| EvaluationError::invalid("the shape has another number of items"))?;
        Ok(Self { shape, ..self.clone() })
    }

    /// The numbers in another order: `source` gives the place of each from its indices in the new shape.
    pub fn gather(&self, shape: Vec<usize>, source: impl Fn(&[usize]) -> usize) -> Outcome {
        let size = size_of(&shape)?;
        let mut indices = vec![0; shape.len()];
        let mut data = Vec::with_capacity(size);
        for _ in 0..size {
            data.push(self.data.get(source(&indices)).copied().unwrap_or(f64::NAN));
            for place in (0..shape.len()).rev() {
                indices[place] += 1;
                if indices[place] < shape[place] {
                    break;
                }
                indices[place] = 0;
            }
        }
        Ok(Self { shape, data, kind: self.kind })
    }

    /// The distance in [`data`](Self::data) between two items along each dimension.
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.shape.len()];
        for place in (1..self.shape.len()).rev() {
            strides[place - 1] = strides[place] * self.shape[place];
        }
        strides
    }

    /// The array with its dimensions in another order.
    ///
    /// # Errors
    /// When the array has too many items.
    pub fn transpose(&self, order: &[usize]) -> Outcome {
        let strides = self.strides();
        let shape = order.iter().map(|place| self.shape[*place]).collect();
        self.gather(shape, |indices| indices.iter().zip(order).map(|(index, place)| index * strides[*place]).sum())
    }

    /// The array in a larger shape, with its numbers repeated.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn broadcast(&self, shape: &[usize]) -> Outcome {
        if self.shape == shape {
            return Ok(self.clone());
        }
        let missing = shape.len().saturating_sub(self.shape.len());
        let fits = self.shape.len() <= shape.len()
            && self.shape.iter().zip(&shape[missing..]).all(|(own, other)| own == other || *own == 1);
        if !fits {
            return Err(EvaluationError::invalid("the shapes of two arrays do not fit"));
        }
        let strides = self.strides();
        self.gather(shape.to_vec(), |indices| {
            let own = indices[missing..].iter().zip(&self.shape);
            own.zip(&strides).map(|((index, length), stride)| if *length == 1 { 0 } else { index * stride }).sum()
        })
    }

    /// The shape that fits two arrays.
    ///
    /// # Errors
    /// When there is none.
    pub fn common_shape(left: &[usize], right: &[usize]) -> Outcome<Vec<usize>> {
        let dimensions = left.len().max(right.len());
        let at = |shape: &[usize], place: usize| {
            (place + shape.len()).checked_sub(dimensions).map_or(1, |place| shape[place])
        };
        let lengths = (0..dimensions).map(|place| match (at(left, place), at(right, place)) {
            (one, other) if one == other || other == 1 => Ok(one),
            (1, other) => Ok(other),
            _ => Err(EvaluationError::invalid("the shapes of two arrays do not fit")),
        });
        let shape = lengths.collect::<Outcome<Vec<usize>>>()?;
        size_of(&shape)?;
        Ok(shape)
    }

    /// Combines two arrays number by number.
    ///
    /// # Errors
    /// When their shapes do not fit.
    pub fn zip(&self, other: &Self, kind: Kind, function: impl Fn(f64, f64) -> f64) -> Outcome {
        let shape = Self::common_shape(&self.shape, &other.shape)?;
        let (left, right) = (self.broadcast(&shape)?, other.broadcast(&shape)?);
        let data = left.data.iter().zip(&right.data).map(|(left, right)| function(*left, *right)).collect();
        Ok(Self { shape, data, kind })
    }

    /// The dimension with an index, which can count from the last.
    ///
    /// # Errors
    /// When there is none.
    pub fn dimension(&self, axis: i128) -> Outcome<usize> {
        let place = if axis < 0 { axis + self.shape.len() as i128 } else { axis };
        let place = usize::try_from(place).ok().filter(|place| *place < self.shape.len());
        place.ok_or_else(|| EvaluationError::invalid(format!("there is no axis {axis}")))
    }

    /// The lines along a dimension, in the order of the other dimensions.
    fn lines(&self, dimension: usize) -> Vec<Vec<f64>> {
        let stride = self.strides()[dimension];
        let length = self.shape[dimension];
        let count = self.data.len().checked_div(length).unwrap_or(0);
        let start = |line: usize| line / stride * stride * length + line % stride;
        let line = |line| (0..length).map(|index| self.data[start(line) + index * stride]).collect();
        (0..count).map(line).collect()
    }

    /// Replaces each line along a dimension by a number; without a dimension, all numbers.
    ///
    /// # Errors
    /// As those of the function.
    pub fn reduce(&self, axis: Option<usize>, kind: Kind, function: &dyn Fn(&[f64]) -> Outcome<f64>) -> Outcome {
        let Some(axis) = axis else {
            return Ok(Self { shape: Vec::new(), data: vec![function(&self.data)?], kind });
        };
        let mut shape = self.shape.clone();
        shape.remove(axis);
        let data = if self.shape[axis] == 0 {
            vec![function(&[])?; size_of(&shape)?]
        } else {
            self.lines(axis).iter().map(|line| function(line)).collect::<Outcome<_>>()?
        };
        Ok(Self { shape, data, kind })
    }

    /// Replaces each line along a dimension by another.
    ///
    /// # Errors
    /// When the array has too many items.
    pub fn map_lines(&self, axis: usize, kind: Kind, function: &dyn Fn(&[f64]) -> Vec<f64>) -> Outcome {
        let lines: Vec<Vec<f64>> = self.lines(axis).iter().map(|line| function(line)).collect();
        let mut shape = self.shape.clone();
        shape[axis] = lines.first().map_or(0, Vec::len);
        let others: Vec<usize> =
            shape.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, length)| *length).collect();
        let flat = Self { shape: vec![lines.len(), shape[axis]], data: lines.concat(), kind };
        let width = shape[axis];
        flat.gather(shape, |indices| {
            let rest = indices.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, index)| index);
            let line = rest.zip(&others).fold(0, |line, (index, length)| line * length + index);
            line * width + indices[axis]
        })
    }

    /// The product of two matrices or vectors.
    ///
    /// # Errors
    /// When their shapes do not fit.
    pub fn matmul(&self, other: &Self) -> Outcome {
        let (left, right) = (&self.shape[..], &other.shape[..]);
        let wrong = || EvaluationError::invalid("the shapes of two matrices do not fit");
        let (rows, inner) = match left {
            [inner] => (1, *inner),
            [rows, inner] => (*rows, *inner),
            _ => return Err(wrong()),
        };
        let (same, columns) = match right {
            [same] => (*same, 1),
            [same, columns] => (*same, *columns),
            _ => return Err(wrong()),
        };
        let work = rows.checked_mul(inner).and_then(|work| work.checked_mul(columns));
        if inner != same {
            return Err(wrong());
        }
        if work.is_none_or(|work| work > MAX_ITEMS) {
            return Err(EvaluationError::TooLarge);
        }
        let product = |row: usize, column: usize| {
            (0..inner).fold(0.0, |sum, at| sum + self.data[row * inner + at] * other.data[at * columns + column])
        };
        let data = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let data = data.map(|(row, column)| product(row, column)).collect();
        let mut shape = Vec::new();
        shape.extend((left.len() == 2).then_some(rows));
        shape.extend((right.len() == 2).then_some(columns));
        Ok(Self { shape, data, kind: self.kind.max(other.kind) })
    }
}

impl fmt::Display for Array {
    /// The array as numpy writes it, without the blanks that align its numbers.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = |number: f64| match self.kind {
            Kind::Truth => if number == 0.0 { "False" } else { "True" }.to_owned(),
            Kind::Whole => format!("{}", number as i128),
            Kind::Float if self.shape.is_empty() => float_text(number),
            Kind::Float => {
                let text = float_text(number);
                text.strip_suffix(".0").map_or_else(|| text.clone(), |whole| format!("{whole}."))
            }
        };
        if self.shape.is_empty() {
            return f.write_str(&number(self.data.first().copied().unwrap_or(f64::NAN)));
        }
        let rows: Vec<String> = match self.shape.len() {
            1 => self.data.iter().map(|item| number(*item)).collect(),
            _ => self.rows().iter().map(Value::repr).collect(),
        };
        write!(f, "[{}]", rows.join(" "))
    }
}
