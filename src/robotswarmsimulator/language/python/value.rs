//! The values of expressions.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use super::EvaluationError;
use super::array::{Array, Kind};
use super::operate::MAX_TEXT;
use crate::language::template::Macro;

/// The deepest nesting of lists that are written or compared. A list can contain itself.
const MAX_DEPTH: u32 = 64;
/// The most comparisons of the items of two values.
const MAX_COMPARISONS: u32 = 200_000;

/// The most values within a key of a map.
const MAX_KEY: usize = 10_000;

/// A value. Lists and maps are shared: a change of one is seen under all its names.
#[derive(Clone, Debug)]
pub enum Value {
    /// A variable, or a path such as `m.b`, that has no value.
    Undefined(Rc<str>),
    /// `None`.
    Nothing,
    /// `True` or `False`.
    Truth(bool),
    /// A whole number of Python.
    Whole(i128),
    /// A float of Python.
    Float(f64),
    /// A text.
    Text(Rc<str>),
    /// A list.
    List(Rc<Items>),
    /// A tuple, a set, a range, or another sequence that does not change.
    Tuple(Rc<Items>),
    /// A map.
    Dict(Rc<RefCell<Dict>>),
    /// An array or a number of numpy.
    Array(Rc<Array>),
    /// `a:b:c` within an index.
    Slice(Rc<[Self; 3]>),
    /// A module such as `np`.
    Module(&'static str),
    /// A function, a type, or a macro.
    Function(Callable),
}

/// A value that can be called.
#[derive(Clone, Debug)]
pub enum Callable {
    /// A function of a module; an empty name stands for the builtins.
    Named(&'static str, Rc<str>),
    /// A method of a value.
    Method(Rc<Value>, Rc<str>),
    /// A macro of a template.
    Macro(Rc<Macro>),
}

/// The items of a list or a tuple.
#[derive(Debug, Default)]
pub struct Items(RefCell<Vec<Value>>);

impl Items {
    /// The items.
    pub fn borrow(&self) -> Ref<'_, Vec<Value>> {
        self.0.borrow()
    }

    /// The items, to change them.
    pub fn borrow_mut(&self) -> RefMut<'_, Vec<Value>> {
        self.0.borrow_mut()
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        release(std::mem::take(self.0.get_mut()));
    }
}

/// The entries of a map, in order.
#[derive(Clone, Debug, Default)]
pub struct Dict {
    /// The keys with their values.
    pub entries: Vec<(Value, Value)>,
}

impl Drop for Dict {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        release(entries.into_iter().flat_map(|(key, value)| [key, value]).collect());
    }
}

/// Drops values one by one: those that are nested in each other would take a stack as deep.
fn release(mut values: Vec<Value>) {
    while let Some(value) = values.pop() {
        match value {
            Value::List(items) | Value::Tuple(items) => {
                values.extend(
                    Rc::into_inner(items).map(|mut items| std::mem::take(items.0.get_mut())).into_iter().flatten(),
                );
            }
            Value::Dict(dict) => {
                let entries = Rc::into_inner(dict).map(|dict| std::mem::take(&mut dict.into_inner().entries));
                values.extend(entries.into_iter().flatten().flat_map(|(key, value)| [key, value]));
            }
            Value::Function(Callable::Method(value, _)) => values.extend(Rc::into_inner(value)),
            _ => {}
        }
    }
}

impl Dict {
    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        if !key.is_key(0) {
            return None;
        }
        self.entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Sets the value of a key.
    ///
    /// # Errors
    /// When the key cannot be one.
    pub fn set(&mut self, key: Value, value: Value) -> Result<(), EvaluationError> {
        key.need_key()?;
        match self.entries.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
        Ok(())
    }
}

impl Value {
    /// A text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(text.as_ref().into())
    }

    /// A list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(Items(RefCell::new(items))))
    }

    /// A tuple.
    pub fn tuple(items: Vec<Self>) -> Self {
        Self::Tuple(Rc::new(Items(RefCell::new(items))))
    }

    /// A map.
    ///
    /// # Errors
    /// When a key cannot be one.
    pub fn dict(entries: Vec<(Self, Self)>) -> Result<Self, EvaluationError> {
        let mut dict = Dict::default();
        entries.into_iter().try_for_each(|(key, value)| dict.set(key, value))?;
        Ok(Self::Dict(Rc::new(RefCell::new(dict))))
    }

    /// Whether the value can be a key of a map: no list, map or array, and no tuple of them.
    fn is_key(&self, depth: u32) -> bool {
        match self {
            Self::List(_) | Self::Dict(_) => false,
            Self::Array(array) => array.shape.is_empty(),
            Self::Tuple(items) => {
                (depth > 0 || self.count_within(MAX_KEY) <= MAX_KEY)
                    && items.borrow().iter().all(|item| item.is_key(depth + 1))
            }
            _ => true,
        }
    }

    /// Checks that the value can be a key of a map.
    ///
    /// # Errors
    /// When it cannot.
    pub fn need_key(&self) -> Result<(), EvaluationError> {
        if self.is_key(0) {
            return Ok(());
        }
        Err(EvaluationError::invalid(format!("unhashable type: `{}`", self.type_name())))
    }

    /// A number of numpy.
    pub fn scalar(number: f64, kind: Kind) -> Self {
        Self::array(Array { shape: Vec::new(), data: vec![number], kind })
    }

    /// An array of numpy.
    pub fn array(array: Array) -> Self {
        Self::Array(Rc::new(array))
    }

    /// The name of the type in Python.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined(_) => "Undefined",
            Self::Nothing => "NoneType",
            Self::Truth(_) => "bool",
            Self::Whole(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Array(_) => "numpy.ndarray",
            Self::Slice(_) => "slice",
            Self::Module(_) => "module",
            Self::Function(_) => "function",
        }
    }

    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Truth(truth) => Some(f64::from(*truth)),
            Self::Whole(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            Self::Array(array) => array.single(),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_whole(&self) -> Option<i128> {
        match self {
            Self::Truth(truth) => Some(i128::from(*truth)),
            Self::Whole(number) => Some(*number),
            Self::Array(array) if array.kind < Kind::Float => array.single().map(|number| number as i128),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether Python treats the value as true.
    ///
    /// # Errors
    /// For an array of several items.
    pub fn is_true(&self) -> Result<bool, EvaluationError> {
        Ok(match self {
            Self::Undefined(_) | Self::Nothing => false,
            Self::Truth(truth) => *truth,
            Self::Whole(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) | Self::Tuple(items) => !items.borrow().is_empty(),
            Self::Dict(dict) => !dict.borrow().entries.is_empty(),
            Self::Array(array) => match array.data[..] {
                [number] => number != 0.0,
                _ => return Err(EvaluationError::invalid("the truth value of an array is ambiguous")),
            },
            Self::Slice(_) | Self::Module(_) | Self::Function(_) => true,
        })
    }

    /// The items of a sequence, of a map its keys, of a text its characters.
    pub fn items(&self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Undefined(_) => Vec::new(),
            Self::Text(text) => text.chars().map(|c| Self::text(c.to_string())).collect(),
            Self::List(items) | Self::Tuple(items) => items.borrow().clone(),
            Self::Dict(dict) => dict.borrow().entries.iter().map(|(key, _)| key.clone()).collect(),
            Self::Array(array) if !array.shape.is_empty() => array.rows(),
            _ => return None,
        })
    }

    /// The number of items.
    pub fn length(&self) -> Option<usize> {
        Some(match self {
            Self::Undefined(_) => 0,
            Self::Text(text) => text.chars().count(),
            Self::List(items) | Self::Tuple(items) => items.borrow().len(),
            Self::Dict(dict) => dict.borrow().entries.len(),
            Self::Array(array) => *array.shape.first()?,
            _ => return None,
        })
    }

    /// The order of two numbers, texts or lists.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        self.order_within(other, &Cell::new(MAX_COMPARISONS), 0)
    }

    fn order_within(&self, other: &Self, left: &Cell<u32>, depth: u32) -> Option<Ordering> {
        if let (Self::Whole(one), Self::Whole(other)) = (self, other) {
            return Some(one.cmp(other));
        }
        if let (Some(one), Some(other)) = (self.as_f64(), other.as_f64()) {
            return one.partial_cmp(&other);
        }
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            (Self::List(one), Self::List(two)) | (Self::Tuple(one), Self::Tuple(two)) if depth < MAX_DEPTH => {
                let (one, two) = (one.borrow(), two.borrow());
                match one.iter().zip(two.iter()).find(|(one, two)| !one.is_equal_within(two, left, depth + 1)) {
                    Some((one, two)) => one.order_within(two, left, depth + 1),
                    None => Some(one.len().cmp(&two.len())),
                }
            }
            _ => None,
        }
    }

    /// Whether two values are equal. Two values that take too many comparisons count as different: lists that contain each
    /// other several times would take any time.
    fn is_equal_within(&self, other: &Self, left: &Cell<u32>, depth: u32) -> bool {
        if depth > MAX_DEPTH || left.get() == 0 {
            return false;
        }
        left.set(left.get() - 1);
        let same = |one: &[Self], other: &[Self]| {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| one.is_equal_within(other, left, depth + 1))
        };
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => one == other,
            (Self::Undefined(_), Self::Undefined(_)) | (Self::Nothing, Self::Nothing) => true,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::List(one), Self::List(other)) | (Self::Tuple(one), Self::Tuple(other)) => {
                Rc::ptr_eq(one, other) || same(&one.borrow(), &other.borrow())
            }
            (Self::Dict(one), Self::Dict(other)) if Rc::ptr_eq(one, other) => true,
            (Self::Dict(one), Self::Dict(other)) => {
                let (one, other) = (one.borrow(), other.borrow());
                let has = |(key, value): &(Self, Self)| {
                    other.get(key).is_some_and(|other| value.is_equal_within(other, left, depth + 1))
                };
                one.entries.len() == other.entries.len() && one.entries.iter().all(has)
            }
            (Self::Array(one), Self::Array(other)) => one.shape == other.shape && one.data == other.data,
            _ => matches!((self.as_f64(), other.as_f64()), (Some(one), Some(other)) if one == other),
        }
    }

    /// The number of values within the value, as often as they occur, up to a limit.
    pub fn count_within(&self, limit: usize) -> usize {
        self.count_at(limit, 0)
    }

    fn count_at(&self, limit: usize, depth: u32) -> usize {
        let add = |count: usize, item: &Self| {
            if count > limit { count } else { count + item.count_at(limit - count, depth + 1) }
        };
        match self {
            _ if depth > MAX_DEPTH => limit + 1,
            Self::List(items) | Self::Tuple(items) => items.borrow().iter().fold(1, add),
            Self::Dict(dict) => dict.borrow().entries.iter().map(|(_, value)| value).fold(1, add),
            Self::Array(array) => array.data.len() + 1,
            Self::Text(text) => 1 + text.len() / 16,
            _ => 1,
        }
    }

    /// Writes the value as Python's `repr` does, and a text within quotes.
    fn write(&self, output: &mut String, depth: u32) -> fmt::Result {
        use fmt::Write as _;
        // The same list can occur several times in others. Texts that are too long are refused where they are used.
        if depth > MAX_DEPTH || output.len() > MAX_TEXT {
            return output.write_str("…");
        }
        let list = |output: &mut String, items: &[Self]| {
            for (index, item) in items.iter().enumerate() {
                if output.len() > MAX_TEXT {
                    break;
                }
                output.push_str(if index > 0 { ", " } else { "" });
                item.write(output, depth + 1)?;
            }
            Ok(())
        };
        match self {
            Self::Undefined(_) => Ok(()),
            Self::Nothing => output.write_str("None"),
            Self::Truth(truth) => output.write_str(if *truth { "True" } else { "False" }),
            Self::Whole(number) => write!(output, "{number}"),
            Self::Float(number) => output.write_str(&float_text(*number)),
            Self::Text(text) => {
                let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
                output.push(quote);
                for c in text.chars() {
                    match c {
                        '\n' => output.push_str("\\n"),
                        '\t' => output.push_str("\\t"),
                        '\\' => output.push_str("\\\\"),
                        c if c == quote => output.extend(['\\', c]),
                        c => output.push(c),
                    }
                }
                output.push(quote);
                Ok(())
            }
            Self::List(items) => {
                output.push('[');
                list(output, &items.borrow())?;
                output.write_str("]")
            }
            Self::Tuple(items) => {
                output.push('(');
                list(output, &items.borrow())?;
                output.write_str(if items.borrow().len() == 1 { ",)" } else { ")" })
            }
            Self::Dict(dict) => {
                output.push('{');
                for (index, (key, value)) in dict.borrow().entries.iter().enumerate() {
                    output.push_str(if index > 0 { ", " } else { "" });
                    key.write(output, depth + 1)?;
                    output.push_str(": ");
                    value.write(output, depth + 1)?;
                }
                output.write_str("}")
            }
            Self::Array(array) => output.write_str(&array.to_string()),
            Self::Slice(_) => output.write_str("slice"),
            Self::Module(name) => write!(output, "<module '{name}'>"),
            Self::Function(_) => output.write_str("<function>"),
        }
    }

    /// The value as Python's `repr` writes it.
    pub fn repr(&self) -> String {
        let mut output = String::new();
        // Writing into a text never fails.
        let _ = self.write(&mut output, 0);
        output
    }
}

impl fmt::Display for Value {
    /// The value as Python's `str` writes it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            other => f.write_str(&other.repr()),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.is_equal_within(other, &Cell::new(MAX_COMPARISONS), 0)
    }
}

/// A float as Python writes it: with a dot or an exponent.
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if number == 0.0 || (1e-4..1e16).contains(&number.abs()) {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}
