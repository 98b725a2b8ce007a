//! Python objects as PyYAML and RobotSwarmSimulator's `save_yaml` write them: tuples, numpy arrays, paths.
//!
//! No Python code runs: the results of a few known functions, such as those of numpy, are computed from their arguments.

use super::{Node, Value};
use crate::scalar::Scalar;
use crate::sources::Place;

const PYTHON: &str = "!!python/";
const APPLY: [&str; 2] = ["!!python/object/apply:", "!!python/object/new:"];
const OBJECT: &str = "!!python/object:";
const NAMES: [&str; 2] = ["!!python/name:", "!!python/module:"];
/// Tags of collections and scalars that PyYAML writes besides those with the prefix.
const OTHERS: [&str; 5] = ["!!set", "!!omap", "!!pairs", "!!binary", "!!timestamp"];
/// The most numbers of an array.
const MAX_NUMBERS: usize = 100_000;
/// The most dimensions of an array.
const MAX_DIMENSIONS: usize = 32;

/// Whether a tag is one that PyYAML writes for a Python object.
pub fn is_tag(tag: &str) -> bool {
    tag.starts_with(PYTHON) || OTHERS.contains(&tag)
}

/// Converts a node with such a tag into plain YAML. Returns the name of an unknown object, whose content stays as it is.
pub fn convert(node: &mut Node) -> Option<String> {
    let tag = node.tag.take_if(|tag| is_tag(tag))?;
    let function = APPLY.iter().find_map(|prefix| tag.strip_prefix(prefix));
    if let Some(name) = function {
        return match call(name, node) {
            Some(value) => {
                node.value = value;
                None
            }
            None => Some(name.to_owned()),
        };
    }
    if let Some(class) = tag.strip_prefix(OBJECT) {
        if let Value::Map(entries) = &mut node.value {
            with_type(entries, class, node.place);
        }
        return None;
    }
    if let Some(name) = NAMES.iter().find_map(|prefix| tag.strip_prefix(prefix)) {
        node.value = Value::Scalar { text: name.to_owned(), plain: false };
        return None;
    }
    match (tag.as_str(), &mut node.value) {
        ("!!set", Value::Map(entries)) => {
            let items = std::mem::take(entries).into_iter().map(|(key, _)| key);
            node.value = Value::List(items.collect());
        }
        ("!!python/none", _) => node.value = Value::Computed(Scalar::Null),
        (
            "!!python/str" | "!!python/unicode" | "!!python/bytes" | "!!binary" | "!!timestamp",
            Value::Scalar { plain, .. },
        ) => {
            *plain = false;
        }
        (_, Value::Scalar { plain, .. }) => *plain = true,
        _ => {}
    }
    None
}

/// Adds the class of an object as its `type`.
fn with_type(entries: &mut Vec<(Node, Node)>, class: &str, place: Place) {
    if entries.iter().any(|(key, _)| key.text() == Some("type")) {
        return;
    }
    let named = entries.iter().find(|(key, _)| key.text() == Some("associated_type"));
    let class = class.rsplit('.').next().unwrap_or(class);
    let class = named.and_then(|(_, value)| value.text()).unwrap_or(class.strip_suffix("Config").unwrap_or(class));
    entries.push((Node::quoted("type", place), Node::quoted(class, place)));
}

/// The result of a Python function, whose arguments are a list, or the `args` of a map.
fn call(name: &str, node: &Node) -> Option<Value> {
    let named = node.get("args").map(|arguments| &arguments.value);
    let ((Value::List(arguments), _) | (_, Some(Value::List(arguments)))) = (&node.value, named) else { return None };
    let first = arguments.first();
    match (name.split('.').next()?, name.rsplit('.').next()?) {
        ("numpy", "array" | "asarray" | "dtype") => first.map(|first| first.value.clone()),
        ("numpy", "scalar") => {
            let [dtype, bytes] = arguments.get(..2)? else { return None };
            numbers(dtype.text()?, bytes.text()?)?.into_iter().next()
        }
        ("numpy", "_reconstruct") => {
            let Value::List(state) = &node.get("state")?.value else { return None };
            let [_, shape, dtype, is_by_column, bytes] = state.get(..5)? else { return None };
            let Value::List(shape) = &shape.value else { return None };
            (shape.len() < 2 || is_by_column.scalar() != Scalar::Bool(true)).then_some(())?;
            let side = |node: &Node| node.text()?.parse::<usize>().ok().filter(|side| *side <= MAX_NUMBERS);
            let shape: Vec<usize> = shape.iter().map(side).collect::<Option<_>>()?;
            let items = numbers(dtype.text()?, bytes.text()?)?;
            shaped(&shape, items, node.place)
        }
        ("pathlib", _) => {
            let parts: Vec<&str> = arguments.iter().filter_map(Node::text).collect();
            // The first part of an absolute path can be `/` alone.
            Some(Value::Scalar { text: parts.join("/").replacen("//", "/", 1), plain: false })
        }
        // A set of flags is its number.
        (_, "CollisionMode") => first.map(|first| first.value.clone()),
        ("collections" | "builtins", "OrderedDict" | "list" | "tuple" | "set" | "frozenset") => {
            Some(first.map_or_else(|| Value::List(Vec::new()), |first| first.value.clone()))
        }
        _ => None,
    }
}

/// The numbers of an array as nested lists of its shape.
fn shaped(shape: &[usize], items: Vec<Value>, place: Place) -> Option<Value> {
    let node = |value| Node { place, tag: None, value };
    (shape.len() <= MAX_DIMENSIONS).then_some(())?;
    let Some((side, inner)) = shape.split_first() else { return items.into_iter().next() };
    if inner.is_empty() {
        return (items.len() == *side).then(|| Value::List(items.into_iter().map(node).collect()));
    }
    let each = inner.iter().try_fold(1_usize, |size, side| size.checked_mul(*side))?;
    if each == 0 || each.checked_mul(*side)? != items.len() {
        return None;
    }
    let rows = items.chunks(each).map(|row| Some(node(shaped(inner, row.to_vec(), place)?)));
    Some(Value::List(rows.collect::<Option<_>>()?))
}

/// The numbers of an array, whose bytes are encoded in base 64.
fn numbers(dtype: &str, text: &str) -> Option<Vec<Value>> {
    let bytes = bytes_of(text)?;
    let dtype = dtype.trim_start_matches(['<', '=', '|']);
    let size: usize = dtype.get(1..)?.parse().ok().filter(|size| matches!(size, 1 | 2 | 4 | 8))?;
    let number = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(chunk);
        let unsigned = u64::from_le_bytes(wide);
        let unused = 64 - 8 * size as u32;
        Some(Value::Computed(match (dtype.as_bytes()[0], size) {
            (b'f', 8) => Scalar::Float(f64::from_le_bytes(wide)),
            (b'f', 4) => Scalar::Float(f32::from_bits(unsigned as u32).into()),
            (b'i', _) => Scalar::Int(((unsigned << unused) as i64 >> unused).into()),
            (b'u', _) => Scalar::Int(unsigned.into()),
            (b'b', 1) => Scalar::Bool(unsigned != 0),
            _ => return None,
        }))
    };
    (bytes.len() % size == 0 && bytes.len() / size <= MAX_NUMBERS).then_some(())?;
    bytes.chunks(size).map(number).collect()
}

/// The bytes that a text in base 64 encodes.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=').collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut bits = 0_u32;
        for place in 0..4 {
            bits = bits << 6 | u32::from(four.get(place).map_or(Some(0), |c| digit(*c))?);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len().max(1)]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read_from_their_bytes() {
        let floats = |values: Option<Vec<Value>>| -> Vec<f64> {
            let float = |value: Value| match value {
                Value::Computed(Scalar::Float(number)) => number,
                Value::Computed(Scalar::Int(number)) => number as f64,
                other => panic!("{other:?}"),
            };
            values.unwrap().into_iter().map(float).collect()
        };
        // Printed by numpy 2.3 and PyYAML 6.0.3.
        assert_eq!(floats(numbers("f8", "AAAAAAAAJEA=")), [10.0]);
        assert_eq!(floats(numbers("<f8", "AAAAAAAA8D8AAAAAAAAAQA==")), [1.0, 2.0]);
        assert_eq!(floats(numbers("i8", "/v////////8=")), [-2.0]);
        assert_eq!(floats(numbers("i2", "//8sAQ==")), [-1.0, 300.0]);
        assert!(numbers("f8", "AAAA").is_none() && numbers("O8", "AAAAAAAAJEA=").is_none());
    }

    #[test]
    fn arrays_have_their_shapes() {
        let options = crate::Options::default();
        let place = crate::sources::Sources::new(&options).here(1, 1);
        let items = |count| (0..count).map(|number| Value::Computed(Scalar::Int(number))).collect::<Vec<_>>();
        let Some(Value::List(rows)) = shaped(&[2, 3], items(6), place) else { panic!() };
        assert!(matches!(&rows[1].value, Value::List(row) if row.len() == 3 && row[0].scalar() == Scalar::Int(3)));
        for (shape, count) in [(&[2, 3][..], 5), (&[usize::MAX, 2], 2), (&[0, 2], 1), (&[2, 0], 0), (&[1; 33], 1)] {
            assert!(shaped(shape, items(count), place).is_none(), "{shape:?}");
        }
    }
}
