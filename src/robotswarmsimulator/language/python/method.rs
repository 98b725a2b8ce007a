//! Attributes, items and methods of values.

use std::cell::RefCell;
use std::rc::Rc;

use super::array::{Array, Kind};
use super::evaluate::{Arguments, Outcome, items_of};
use super::format::braces;
use super::operate::{MAX_LIST, MAX_TEXT, bounded};
use super::value::{Callable, Items, Value};
use super::{EvaluationError, builtin, filter, numpy};

fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

const TEXT_METHODS: [&str; 28] = [
    "upper",
    "lower",
    "title",
    "capitalize",
    "strip",
    "lstrip",
    "rstrip",
    "split",
    "rsplit",
    "splitlines",
    "join",
    "replace",
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "format",
    "zfill",
    "rjust",
    "ljust",
    "center",
    "isdigit",
    "isalpha",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
];
const LIST_METHODS: [&str; 11] =
    ["append", "extend", "insert", "pop", "remove", "index", "count", "sort", "reverse", "copy", "clear"];
const DICT_METHODS: [&str; 9] = ["get", "items", "keys", "values", "update", "pop", "setdefault", "copy", "clear"];
const ARRAY_METHODS: [&str; 29] = [
    "tolist",
    "astype",
    "item",
    "flatten",
    "copy",
    "sum",
    "mean",
    "std",
    "var",
    "min",
    "max",
    "prod",
    "cumsum",
    "cumprod",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "round",
    "clip",
    "reshape",
    "ravel",
    "transpose",
    "dot",
    "repeat",
    "squeeze",
    "trace",
    "diagonal",
];

/// An attribute of a value.
///
/// # Errors
/// When the value has no such attribute.
pub fn attribute(value: &Value, name: &str) -> Outcome {
    let methods: &[&str] = match value {
        Value::Undefined(path) => return Err(EvaluationError::Undefined(path.to_string())),
        Value::Module(module) => {
            let found = if *module == "np" { numpy::name(name) } else { builtin::module_name(module, name) };
            return found.ok_or_else(|| EvaluationError::invalid(format!("`{module}.{name}` is not known here")));
        }
        Value::Array(array) => {
            let lengths = || array.shape.iter().map(|length| Value::Whole(*length as i128)).collect();
            match name {
                "T" => return numpy::call("transpose", &Arguments::from_positional(vec![value.clone()])),
                "shape" => return Ok(Value::tuple(lengths())),
                "size" => return Ok(Value::Whole(array.data.len() as i128)),
                "ndim" => return Ok(Value::Whole(array.shape.len() as i128)),
                "real" => return Ok(value.clone()),
                _ => &ARRAY_METHODS,
            }
        }
        Value::Text(_) => &TEXT_METHODS,
        Value::List(_) => &LIST_METHODS,
        Value::Tuple(_) => &["index", "count"],
        Value::Dict(_) => &DICT_METHODS,
        Value::Whole(_) | Value::Truth(_) | Value::Float(_) if name == "real" => return Ok(value.clone()),
        Value::Float(_) => &["is_integer"],
        _ => &[],
    };
    if methods.contains(&name) {
        return Ok(Value::Function(Callable::Method(Rc::new(value.clone()), name.into())));
    }
    // The attributes of a `namespace`, and of `loop`, are the entries of a map.
    if let Value::Dict(dict) = value
        && let Some(value) = dict.borrow().get(&Value::text(name))
    {
        return Ok(value.clone());
    }
    invalid(format!("a `{}` has no `{name}`", value.type_name()))
}

/// An item of a value.
///
/// # Errors
/// When the value has no such item.
pub fn item(value: &Value, index: &Value) -> Outcome {
    match value {
        Value::Undefined(path) => Err(EvaluationError::Undefined(path.to_string())),
        Value::Dict(dict) => match dict.borrow().get(index) {
            Some(value) => Ok(value.clone()),
            None => invalid(format!("there is no {}", index.repr())),
        },
        Value::Array(array) => index_array(array, index).map(Value::array),
        Value::Text(_) | Value::List(_) | Value::Tuple(_) => {
            let length = value.length().unwrap_or_default();
            if let Value::Slice(bounds) = index {
                let items = items_of(value)?;
                let chosen: Vec<Value> = slice(bounds, length)?.into_iter().map(|at| items[at].clone()).collect();
                return Ok(match value {
                    Value::Text(_) => Value::text(chosen.iter().map(Value::to_string).collect::<String>()),
                    Value::List(_) => Value::list(chosen),
                    _ => Value::tuple(chosen),
                });
            }
            let Some(place) = index.as_whole() else {
                return invalid(format!("an index must be a whole number, not `{}`", index.type_name()));
            };
            let place = place_of(place, length)?;
            match value {
                Value::Text(text) => Ok(Value::text(text.chars().nth(place).map(String::from).unwrap_or_default())),
                Value::List(items) | Value::Tuple(items) => Ok(items.borrow()[place].clone()),
                _ => invalid("no items"),
            }
        }
        other => invalid(format!("a `{}` has no items", other.type_name())),
    }
}

/// The place of an index, which can count from the end.
fn place_of(index: i128, length: usize) -> Outcome<usize> {
    let place = if index < 0 { index + length as i128 } else { index };
    let place = usize::try_from(place).ok().filter(|place| *place < length);
    place.ok_or_else(|| EvaluationError::invalid(format!("index {index} is out of range")))
}

/// The places that a slice takes of a sequence.
fn slice(bounds: &[Value; 3], length: usize) -> Outcome<Vec<usize>> {
    let mut numbers = [None; 3];
    for (number, bound) in numbers.iter_mut().zip(bounds) {
        *number = match bound {
            Value::Nothing => None,
            bound => Some(bound.as_whole().ok_or_else(|| EvaluationError::invalid("slices need whole numbers"))?),
        };
    }
    let [start, stop, step] = numbers;
    let (step, length) = (step.unwrap_or(1), length as i128);
    if step == 0 {
        return invalid("slice step cannot be zero");
    }
    let (least, most) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let bound = |bound: Option<i128>, default| {
        bound.map_or(default, |bound| (if bound < 0 { bound + length } else { bound }).clamp(least, most))
    };
    let (start, stop) =
        if step > 0 { (bound(start, 0), bound(stop, length)) } else { (bound(start, most), bound(stop, -1)) };
    let mut places = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        places.push(usize::try_from(at).unwrap_or_default());
        at += step.clamp(-length - 1, length + 1);
    }
    Ok(places)
}

/// The items of a dimension that an index selects.
enum Part {
    /// One item: the dimension goes.
    One(usize),
    /// Several items.
    Many(Vec<usize>),
    /// A new dimension of length 1.
    New,
}

/// The items of an array at an index: numbers, slices, lists of places, truth values, `None` and `...`.
fn index_array(array: &Array, index: &Value) -> Outcome<Array> {
    if let Ok(mask) = Array::from_value(index)
        && mask.kind == Kind::Truth
        && mask.shape == array.shape
        && !mask.shape.is_empty()
    {
        let data = array.data.iter().zip(&mask.data).filter(|(_, chosen)| **chosen != 0.0).map(|(number, _)| *number);
        return Ok(Array::line(data.collect(), array.kind));
    }
    let parts = match index {
        Value::Tuple(parts) => parts.borrow().clone(),
        other => vec![other.clone()],
    };
    let is_rest = |part: &Value| part.as_text() == Some(builtin::ELLIPSIS);
    let is_new = |part: &Value| matches!(part, Value::Nothing);
    let used = parts.iter().filter(|part| !is_rest(part) && !is_new(part)).count();
    if used > array.shape.len() {
        return invalid("too many indices for the array");
    }
    let mut taken = Vec::new();
    let mut dimension = 0;
    let all = |dimension: usize| Part::Many((0..array.shape[dimension]).collect());
    for part in &parts {
        if is_new(part) {
            taken.push(Part::New);
            continue;
        }
        if is_rest(part) {
            for _ in used..array.shape.len() {
                taken.push(all(dimension));
                dimension += 1;
            }
            continue;
        }
        let length = array.shape[dimension];
        taken.push(match part {
            Value::Slice(bounds) => Part::Many(slice(bounds, length)?),
            part => match part.as_whole() {
                Some(place) if !matches!(part, Value::Truth(_)) => Part::One(place_of(place, length)?),
                _ => {
                    let places = Array::from_value(part)?;
                    if places.shape.len() != 1 || (places.kind == Kind::Float && !places.data.is_empty()) {
                        return invalid("arrays used as indices must be lists of whole numbers");
                    }
                    if places.kind == Kind::Truth {
                        if places.data.len() != length {
                            return invalid("the truth values of an index do not fit the array");
                        }
                        Part::Many((0..length).filter(|place| places.data[*place] != 0.0).collect())
                    } else {
                        let places = places.data.iter().map(|place| place_of(*place as i128, length));
                        Part::Many(places.collect::<Outcome<_>>()?)
                    }
                }
            },
        });
        dimension += 1;
    }
    while dimension < array.shape.len() {
        taken.push(all(dimension));
        dimension += 1;
    }
    let shape = taken.iter().filter_map(|part| match part {
        Part::One(_) => None,
        Part::Many(places) => Some(places.len()),
        Part::New => Some(1),
    });
    let strides = array.strides();
    array.gather(shape.collect(), |indices| {
        let (mut offset, mut dimension, mut place) = (0, 0, 0);
        for part in &taken {
            match part {
                Part::One(at) => offset += at * strides[dimension],
                Part::Many(places) => offset += places[indices[place]] * strides[dimension],
                Part::New => {}
            }
            dimension += usize::from(!matches!(part, Part::New));
            place += usize::from(!matches!(part, Part::One(_)));
        }
        offset
    })
}

/// Calls a method of a value.
///
/// # Errors
/// As those of the method.
pub fn call(value: &Value, name: &str, arguments: &Arguments) -> Outcome {
    match value {
        Value::Text(text) => of_text(text, name, arguments),
        Value::List(items) => {
            if let Some(result) = change_list(items, name, arguments)? {
                return Ok(result);
            }
            of_sequence(value, name, arguments)
        }
        Value::Tuple(_) => of_sequence(value, name, arguments),
        Value::Dict(_) => of_dict(value, name, arguments),
        Value::Float(number) if name == "is_integer" => Ok(Value::Truth(number.fract() == 0.0)),
        Value::Array(array) => of_array(value, array, name, arguments),
        other => invalid(format!("a `{}` has no `{name}`", other.type_name())),
    }
}

fn of_sequence(value: &Value, name: &str, arguments: &Arguments) -> Outcome {
    let items = items_of(value)?;
    let wanted = arguments.need(0, "value")?;
    match name {
        "index" => match items.iter().position(|item| item == wanted) {
            Some(place) => Ok(Value::Whole(place as i128)),
            None => invalid(format!("{} is not in the list", wanted.repr())),
        },
        "count" => Ok(Value::Whole(items.iter().filter(|item| *item == wanted).count() as i128)),
        _ => invalid(format!("a `{}` has no `{name}`", value.type_name())),
    }
}

/// Methods that change a list; `None` for others.
fn change_list(list: &Items, name: &str, arguments: &Arguments) -> Outcome<Option<Value>> {
    let mut result = Value::Nothing;
    match name {
        "append" => list.borrow_mut().push(arguments.positional.first().cloned().unwrap_or(Value::Nothing)),
        "extend" => {
            let more = items_of(arguments.need(0, "iterable")?)?;
            list.borrow_mut().extend(more);
        }
        "insert" => {
            let length = list.borrow().len();
            let place = arguments.whole(0, "index")?.unwrap_or(0);
            let place = if place < 0 { place + length as i128 } else { place }.clamp(0, length as i128);
            let item = arguments.positional.get(1).cloned().unwrap_or(Value::Nothing);
            list.borrow_mut().insert(usize::try_from(place).unwrap_or_default(), item);
        }
        "pop" => {
            let place = place_of(arguments.whole(0, "index")?.unwrap_or(-1), list.borrow().len())?;
            result = list.borrow_mut().remove(place);
        }
        "remove" => {
            let wanted = arguments.need(0, "value")?;
            let place = list.borrow().iter().position(|item| item == wanted);
            let Some(place) = place else { return invalid(format!("{} is not in the list", wanted.repr())) };
            list.borrow_mut().remove(place);
        }
        "sort" => {
            filter::only_reverse("sort", arguments)?;
            let sorted =
                filter::sorted(list.borrow().clone(), arguments.is_on(9, "reverse", false)?, &|item| Ok(item.clone()))?;
            *list.borrow_mut() = sorted;
        }
        "reverse" => list.borrow_mut().reverse(),
        "clear" => list.borrow_mut().clear(),
        "copy" => result = Value::list(list.borrow().clone()),
        _ => return Ok(None),
    }
    if list.borrow().len() > MAX_LIST { Err(EvaluationError::TooLarge) } else { Ok(Some(result)) }
}

fn of_dict(value: &Value, name: &str, arguments: &Arguments) -> Outcome {
    let Value::Dict(dict) = value else { return invalid("not a map") };
    let key = arguments.positional.first().cloned().unwrap_or(Value::Nothing);
    let default = arguments.positional.get(1).cloned();
    if matches!(name, "get" | "setdefault" | "pop") {
        key.need_key()?;
    }
    let found = dict.borrow().get(&key).cloned();
    match name {
        "get" => Ok(found.or(default).unwrap_or(Value::Nothing)),
        "keys" => Ok(Value::tuple(value.items().unwrap_or_default())),
        "values" => Ok(Value::tuple(dict.borrow().entries.iter().map(|(_, value)| value.clone()).collect())),
        "items" => {
            let entries = dict.borrow();
            let pairs = entries.entries.iter().map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
            Ok(Value::tuple(pairs.collect()))
        }
        "update" => {
            let mut changes = Vec::new();
            match &key {
                Value::Dict(other) => changes.extend(other.borrow().entries.iter().cloned()),
                Value::Nothing => {}
                other => changes.extend(builtin::pairs(other)?),
            }
            changes.extend(arguments.named.iter().map(|(name, value)| (Value::text(name), value.clone())));
            changes.into_iter().try_for_each(|(key, value)| dict.borrow_mut().set(key, value))?;
            Ok(Value::Nothing)
        }
        "setdefault" => {
            let value = found.or(default).unwrap_or(Value::Nothing);
            dict.borrow_mut().set(key, value.clone())?;
            Ok(value)
        }
        "pop" => {
            dict.borrow_mut().entries.retain(|(known, _)| *known != key);
            found.or(default).ok_or_else(|| EvaluationError::invalid(format!("there is no {}", key.repr())))
        }
        "copy" => Ok(Value::Dict(Rc::new(RefCell::new(dict.borrow().clone())))),
        "clear" => {
            dict.borrow_mut().entries.clear();
            Ok(Value::Nothing)
        }
        _ => invalid(format!("a map has no `{name}`")),
    }
}

fn of_array(value: &Value, array: &Array, name: &str, arguments: &Arguments) -> Outcome {
    match name {
        "tolist" => Ok(array.to_python()),
        "item" => match arguments.positional.first() {
            Some(index) => {
                item(value, index).map(|item| if let Value::Array(array) = &item { array.number(0) } else { item })
            }
            None if array.data.len() == 1 => Ok(array.number(0)),
            None => invalid("only an array of one item is a number"),
        },
        "flatten" => numpy::call("ravel", &Arguments::from_positional(vec![value.clone()])),
        "copy" => Ok(value.clone()),
        "astype" => Ok(Value::array(array.cast(numpy::kind_of(arguments.need(0, "dtype")?)?))),
        "reshape" | "transpose" if arguments.positional.len() > 1 => {
            let shape = Value::tuple(arguments.positional.clone());
            numpy::call(name, &Arguments::from_positional(vec![value.clone(), shape]))
        }
        name => {
            let positional = std::iter::once(value.clone()).chain(arguments.positional.iter().cloned()).collect();
            numpy::call(name, &Arguments { positional, named: arguments.named.clone() })
        }
    }
}

fn of_text(text: &str, name: &str, arguments: &Arguments) -> Outcome {
    let first = arguments.text(0, "");
    let strip = |c: char| first.as_ref().map_or(c.is_whitespace(), |all| all.contains(c));
    let width = || -> Outcome<usize> {
        Ok(arguments.whole(0, "width")?.and_then(|width| usize::try_from(width).ok()).unwrap_or(0).min(10_000))
    };
    let fill = || arguments.text(1, "fillchar").unwrap_or_else(|| " ".into());
    let missing = |width: usize| width.saturating_sub(text.chars().count());
    let truth = |truth: bool| Ok(Value::Truth(truth));
    let parts = |parts: &mut dyn Iterator<Item = &str>| -> Outcome<Vec<Value>> {
        let parts: Vec<Value> = parts.take(MAX_LIST + 1).map(Value::text).collect();
        if parts.len() > MAX_LIST { Err(EvaluationError::TooLarge) } else { Ok(parts) }
    };
    let starts = |test: &dyn Fn(&str) -> bool| match arguments.get(0, "prefix") {
        Some(Value::Tuple(all)) => all.borrow().iter().any(|part| test(&part.to_string())),
        Some(part) => test(&part.to_string()),
        None => false,
    };
    match name {
        "upper" => bounded(text.to_uppercase()),
        "lower" => bounded(text.to_lowercase()),
        "title" => Ok(Value::text(filter::title(text))),
        "capitalize" => Ok(Value::text(filter::capitalized(text))),
        "strip" => Ok(Value::text(text.trim_matches(strip))),
        "lstrip" => Ok(Value::text(text.trim_start_matches(strip))),
        "rstrip" => Ok(Value::text(text.trim_end_matches(strip))),
        "removeprefix" => Ok(Value::text(text.strip_prefix(first.as_deref().unwrap_or("")).unwrap_or(text))),
        "removesuffix" => Ok(Value::text(text.strip_suffix(first.as_deref().unwrap_or("")).unwrap_or(text))),
        "splitlines" => parts(&mut text.lines()).map(Value::list),
        "split" | "rsplit" => {
            let most = arguments.whole(1, "maxsplit")?.and_then(|most| usize::try_from(most).ok());
            let most = most.map(|most| most.saturating_add(1));
            let parts = match (&first, most) {
                (None, _) => parts(&mut text.split_whitespace())?,
                (Some(mark), _) if mark.is_empty() => return invalid("empty separator"),
                (Some(mark), None) => parts(&mut text.split(mark.as_str()))?,
                (Some(mark), Some(most)) if name == "split" => parts(&mut text.splitn(most, mark.as_str()))?,
                (Some(mark), Some(most)) => {
                    let mut parts = parts(&mut text.rsplitn(most, mark.as_str()))?;
                    parts.reverse();
                    parts
                }
            };
            Ok(Value::list(parts))
        }
        "partition" | "rpartition" => {
            let mark = arguments.need(0, "sep")?.to_string();
            let parts =
                if name == "partition" { text.split_once(mark.as_str()) } else { text.rsplit_once(mark.as_str()) };
            let parts = match parts {
                Some((before, after)) => [before, &mark, after],
                None if name == "partition" => [text, "", ""],
                None => ["", "", text],
            };
            Ok(Value::tuple(parts.map(Value::text).to_vec()))
        }
        "join" => {
            let mut joined = String::new();
            for (index, item) in items_of(arguments.need(0, "iterable")?)?.iter().enumerate() {
                let Some(item) = item.as_text() else { return invalid("only texts can be joined") };
                joined += if index > 0 { text } else { "" };
                joined += item;
                if joined.len() > MAX_TEXT {
                    return Err(EvaluationError::TooLarge);
                }
            }
            Ok(Value::text(joined))
        }
        "replace" => {
            let (from, to) = (arguments.need(0, "old")?.to_string(), arguments.need(1, "new")?.to_string());
            if text.matches(from.as_str()).count().saturating_mul(to.len()) > MAX_TEXT {
                return Err(EvaluationError::TooLarge);
            }
            bounded(text.replace(from.as_str(), &to))
        }
        "startswith" => truth(starts(&|part| text.starts_with(part))),
        "endswith" => truth(starts(&|part| text.ends_with(part))),
        "find" | "index" => {
            let at = text.find(first.as_deref().unwrap_or("")).map(|at| text[..at].chars().count() as i128);
            match at {
                None if name == "index" => invalid("substring not found"),
                at => Ok(Value::Whole(at.unwrap_or(-1))),
            }
        }
        "count" => Ok(Value::Whole(text.matches(first.as_deref().unwrap_or("")).count() as i128)),
        "format" => bounded(braces(text, &arguments.positional, &arguments.named)?),
        "zfill" => {
            let (sign, digits) = text.split_at(text.len() - text.trim_start_matches(['-', '+']).len());
            Ok(Value::text(format!("{sign}{}{digits}", "0".repeat(missing(width()?)))))
        }
        "rjust" => Ok(Value::text(format!("{}{text}", fill().repeat(missing(width()?))))),
        "ljust" => Ok(Value::text(format!("{text}{}", fill().repeat(missing(width()?))))),
        "center" => {
            let missing = missing(width()?);
            Ok(Value::text(format!("{}{text}{}", fill().repeat(missing / 2), fill().repeat(missing - missing / 2))))
        }
        "isdigit" => truth(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())),
        "isalpha" => truth(!text.is_empty() && text.chars().all(char::is_alphabetic)),
        _ => invalid(format!("a text has no `{name}`")),
    }
}
