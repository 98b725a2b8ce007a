//! The filters and tests of Jinja.

use std::cmp::Ordering;

use super::EvaluationError;
use super::evaluate::{Arguments, Evaluator, Outcome, items_of, work};
use super::format::{percent, rounded};
use super::operate::{MAX_TEXT, bounded, compare, contains, operate};
use super::tree::Dialect;
use super::value::{Value, float_text};
use super::{builtin, method};

fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

/// Sorts values by a key.
///
/// # Errors
/// When two keys have no order.
pub fn sorted(items: Vec<Value>, reverse: bool, key: &dyn Fn(&Value) -> Outcome) -> Outcome<Vec<Value>> {
    let keys = items.iter().map(key).collect::<Outcome<Vec<_>>>()?;
    let is_before = |one: usize, other: usize| match keys[one].order(&keys[other]) {
        Some(order) => Ok(order == if reverse { Ordering::Greater } else { Ordering::Less }),
        None => invalid("the values have no order"),
    };
    // A merge sort, since those of Rust may panic where the order is not total, as with lists that contain `NaN`.
    let mut places: Vec<usize> = (0..items.len()).collect();
    let mut width = 1;
    while width < places.len() {
        let mut merged = Vec::with_capacity(places.len());
        for pair in places.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some(one), Some(other)) = (left.first(), right.first()) {
                let side = if is_before(*other, *one)? { &mut right } else { &mut left };
                merged.extend(side.split_off_first().copied());
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        places = merged;
        width *= 2;
    }
    let mut items: Vec<Option<Value>> = items.into_iter().map(Some).collect();
    Ok(places.into_iter().filter_map(|place| items[place].take()).collect())
}

/// Refuses arguments of a sort other than `reverse`.
///
/// # Errors
/// When there are any.
pub fn only_reverse(name: &str, arguments: &Arguments) -> Outcome<()> {
    if arguments.named.iter().any(|(argument, _)| argument != "reverse") {
        return invalid(format!("`{name}` has only `reverse` here"));
    }
    Ok(())
}

/// Whether a filter reads or compares the values within the items of a value.
pub fn reads_all(name: &str) -> bool {
    matches!(name, "string" | "tojson" | "pprint" | "join" | "sort" | "unique" | "min" | "max" | "dictsort" | "groupby")
        || matches!(name, "lower" | "upper" | "title" | "capitalize" | "trim" | "replace" | "center" | "format")
        || matches!(name, "indent" | "wordcount" | "truncate")
}

/// The values without those that equal an earlier one.
pub fn distinct(items: Vec<Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// The text with each word capitalized.
pub fn title(text: &str) -> String {
    let mut is_inside = false;
    let letter = |c: char| {
        let written: String = if is_inside { c.to_lowercase().collect() } else { c.to_uppercase().collect() };
        is_inside = c.is_alphanumeric();
        written
    };
    text.chars().map(letter).collect()
}

/// The text with only its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &characters.as_str().to_lowercase()
}

/// A text in lower case, for comparisons that do not distinguish cases.
fn folded(value: &Value) -> Value {
    value.as_text().map_or_else(|| value.clone(), |text| Value::text(text.to_lowercase()))
}

/// An attribute of a value by its path, such as `pose.x` or `0`.
fn attribute_at(value: &Value, path: &str) -> Outcome {
    let mut value = value.clone();
    for part in path.split('.') {
        let index = part.parse().map_or_else(|_| Value::text(part), Value::Whole);
        let found = method::item(&value, &index).or_else(|_| method::attribute(&value, part));
        value = found.unwrap_or_else(|_| Value::Undefined(path.into()));
    }
    Ok(value)
}

/// The key by which values are sorted or compared.
fn key(value: &Value, path: Option<&String>, is_sensitive: bool) -> Outcome {
    let value = path.map_or(Ok(value.clone()), |path| attribute_at(value, path))?;
    Ok(if is_sensitive { value } else { folded(&value) })
}

/// The filters.
const FILTERS: [&str; 49] = [
    "default",
    "d",
    "abs",
    "round",
    "int",
    "float",
    "bool",
    "string",
    "safe",
    "tojson",
    "pprint",
    "length",
    "count",
    "bin",
    "hex",
    "attr",
    "lower",
    "upper",
    "title",
    "capitalize",
    "trim",
    "replace",
    "center",
    "format",
    "indent",
    "wordcount",
    "truncate",
    "map",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "first",
    "last",
    "list",
    "min",
    "max",
    "sum",
    "alltrue",
    "anytrue",
    "sort",
    "reverse",
    "unique",
    "join",
    "batch",
    "slice",
    "items",
    "dictsort",
    "groupby",
];

/// Applies a filter.
///
/// # Errors
/// When the filter is unknown, or does not fit the value.
pub fn apply(evaluator: &mut Evaluator, name: &str, value: Value, arguments: Arguments) -> Outcome {
    if !FILTERS.contains(&name) {
        return invalid(format!("unknown filter `{name}`"));
    }
    if let Some(value) = of_value(name, &value, &arguments)? {
        return Ok(value);
    }
    if let Some(value) = of_text(name, &value, &arguments)? {
        return Ok(value);
    }
    let items = items_of(&value)?;
    evaluator.step(items.len())?;
    match name {
        "map" => {
            if let Some(path) = arguments.text(9, "attribute") {
                let default = arguments.get(9, "default").cloned();
                let item = |item: &Value| {
                    let found = attribute_at(item, &path)?;
                    Ok(match (&found, &default) {
                        (Value::Undefined(_), Some(default)) => default.clone(),
                        _ => found,
                    })
                };
                return items.iter().map(item).collect::<Outcome<_>>().map(Value::list);
            }
            let filter = arguments.need(0, "filter")?.to_string();
            let rest = Arguments { positional: arguments.positional[1..].to_vec(), named: arguments.named };
            let mut mapped = Vec::new();
            for item in items {
                mapped.push(evaluator.filter(&filter, item, rest.clone())?);
            }
            Ok(Value::list(mapped))
        }
        "select" | "reject" | "selectattr" | "rejectattr" => {
            let by_attribute = name.ends_with("attr");
            let path = if by_attribute { Some(arguments.need(0, "attribute")?.to_string()) } else { None };
            let place = usize::from(by_attribute);
            let named = arguments.text(place, "test");
            let rest = Arguments::from_positional(arguments.positional.get(place + 1..).unwrap_or_default().to_vec());
            let mut chosen = Vec::new();
            for item in items {
                let tested = path.as_ref().map_or(Ok(item.clone()), |path| attribute_at(&item, path))?;
                if named.is_some() {
                    evaluator.step(work(&tested) + rest.positional.iter().map(work).sum::<usize>())?;
                }
                let holds = named.as_ref().map_or_else(|| tested.is_true(), |name| test(name, &tested, &rest))?;
                if holds == name.starts_with("select") {
                    chosen.push(item);
                }
            }
            Ok(Value::list(chosen))
        }
        _ => {
            match name {
                "unique" => evaluator.step_pairs(items.len())?,
                "batch" | "slice" => {
                    let count = arguments.whole(0, "linecount")?.unwrap_or(0).clamp(0, 100_000);
                    evaluator.step(usize::try_from(count).unwrap_or_default())?;
                }
                _ => {}
            }
            of_items(name, &value, items, &arguments)
        }
    }
}

/// Filters of any value; `None` for others.
fn of_value(name: &str, value: &Value, arguments: &Arguments) -> Outcome<Option<Value>> {
    if matches!(name, "default" | "d") {
        let is_missing = match value {
            Value::Undefined(_) => true,
            value => arguments.is_on(1, "boolean", false)? && !value.is_true()?,
        };
        let default = || arguments.positional.first().or_else(|| arguments.get(0, "default_value"));
        return Ok(Some(if is_missing {
            default().cloned().unwrap_or_else(|| Value::text(""))
        } else {
            value.clone()
        }));
    }
    let is_lenient =
        matches!(name, "string" | "list" | "length" | "count" | "join" | "int" | "float" | "first" | "last");
    if let (Value::Undefined(path), false) = (value, is_lenient) {
        return Err(EvaluationError::Undefined(path.to_string()));
    }
    Ok(Some(match name {
        "abs" => match value {
            Value::Whole(number) => Value::Whole(number.saturating_abs()),
            Value::Truth(truth) => Value::Whole(i128::from(*truth)),
            Value::Float(number) => Value::Float(number.abs()),
            Value::Array(array) => Value::array(array.map(array.kind, f64::abs)),
            other => return invalid(format!("bad operand type for abs(): `{}`", other.type_name())),
        },
        "round" => {
            if arguments.positional.is_empty() && matches!(value, Value::Whole(_) | Value::Truth(_)) {
                return Ok(Some(Value::Whole(value.as_whole().unwrap_or_default())));
            }
            let Some(number) = value.as_f64() else { return invalid("only numbers can be rounded") };
            let places = arguments.whole(0, "precision")?.unwrap_or(0).clamp(-300, 300);
            let unit = libm::pow(10.0, places as f64);
            Value::Float(match arguments.text(1, "method").as_deref() {
                None | Some("common") => rounded(number, places),
                Some("floor") => (number * unit).floor() / unit,
                Some("ceil") => (number * unit).ceil() / unit,
                Some(_) => return invalid("method must be common, ceil or floor"),
            })
        }
        "int" => {
            let default = arguments.positional.first().cloned().unwrap_or(Value::Whole(0));
            let base = arguments.whole(1, "base")?.unwrap_or(10);
            let found = builtin::whole(value, base);
            found.or_else(|_| builtin::float(value).and_then(|number| builtin::whole(&number, 10))).unwrap_or(default)
        }
        "float" => {
            builtin::float(value).unwrap_or_else(|_| arguments.positional.first().cloned().unwrap_or(Value::Float(0.0)))
        }
        "bool" => Value::Truth(value.is_true()?),
        "string" => Value::text(value.to_string()),
        "safe" => value.clone(),
        "tojson" => {
            let mut output = String::new();
            json(value, &mut output, 0)?;
            bounded(escaped(&output))?
        }
        "pprint" => bounded(value.repr())?,
        "length" | "count" => match value.length() {
            Some(length) => Value::Whole(length as i128),
            None => return invalid(format!("a `{}` has no length", value.type_name())),
        },
        "bin" => builtin::call("", "bin", Arguments::from_positional(vec![value.clone()]))?,
        "hex" => match value.as_whole() {
            Some(number) => Value::text(format!("{}0x{:x}", if number < 0 { "-" } else { "" }, number.unsigned_abs())),
            None => return invalid("a whole number is needed"),
        },
        "attr" => {
            let name = arguments.need(0, "name")?.to_string();
            method::attribute(value, &name).unwrap_or_else(|_| Value::Undefined(name.as_str().into()))
        }
        _ => return Ok(None),
    }))
}

/// Filters of texts; `None` for others.
fn of_text(name: &str, value: &Value, arguments: &Arguments) -> Outcome<Option<Value>> {
    let text = || value.to_string();
    let call = |method: &str| method::call(&Value::text(text()), method, arguments).map(Some);
    match name {
        "lower" | "upper" | "title" => call(name),
        "capitalize" => Ok(Some(Value::text(capitalized(&text())))),
        "trim" => call("strip"),
        "replace" => call("replace"),
        "center" => {
            let width = arguments.whole(0, "width")?.unwrap_or(80);
            method::call(&Value::text(text()), "center", &Arguments::from_positional(vec![Value::Whole(width)]))
                .map(Some)
        }
        "format" => {
            let values = match arguments.named.is_empty() {
                true => Value::tuple(arguments.positional.clone()),
                false => Value::dict(
                    arguments.named.iter().map(|(name, value)| (Value::text(name), value.clone())).collect(),
                )?,
            };
            bounded(percent(&text(), &values)?).map(Some)
        }
        "indent" => {
            let width = match arguments.get(0, "width") {
                Some(Value::Text(text)) => text.to_string(),
                Some(width) => " ".repeat(width.as_whole().unwrap_or(4).clamp(0, 1000) as usize),
                None => "    ".to_owned(),
            };
            let (first, blank) = (arguments.is_on(1, "first", false)?, arguments.is_on(2, "blank", false)?);
            let text = text();
            if text.lines().count().saturating_mul(width.len()) > MAX_TEXT {
                return Err(EvaluationError::TooLarge);
            }
            let line = |(index, line): (usize, &str)| {
                let is_indented = if index == 0 { first } else { blank || !line.is_empty() };
                format!("{}{line}", if is_indented { &width } else { "" })
            };
            let lines: Vec<String> = text.split('\n').enumerate().map(line).collect();
            bounded(lines.join("\n")).map(Some)
        }
        "wordcount" => Ok(Some(Value::Whole(text().split_whitespace().count() as i128))),
        "truncate" => {
            let length = arguments.whole(0, "length")?.unwrap_or(255).clamp(0, 1 << 20) as usize;
            let text = text();
            let end = arguments.text(2, "end").unwrap_or_else(|| "...".into());
            if text.chars().count() <= length + 5 {
                return Ok(Some(Value::text(text)));
            }
            let kept: String = text.chars().take(length.saturating_sub(end.len())).collect();
            let kept = match kept.rsplit_once(' ') {
                Some((kept, _)) if !arguments.is_on(1, "killwords", false)? => kept.to_owned(),
                _ => kept,
            };
            Ok(Some(Value::text(kept + &end)))
        }
        _ => Ok(None),
    }
}

/// Filters of lists.
fn of_items(name: &str, value: &Value, items: Vec<Value>, arguments: &Arguments) -> Outcome {
    let is_sensitive = |place| arguments.is_on(place, "case_sensitive", false);
    let path = |place| arguments.text(place, "attribute");
    Ok(match name {
        "first" => items.into_iter().next().unwrap_or_else(|| Value::Undefined("first".into())),
        "last" => items.into_iter().last().unwrap_or_else(|| Value::Undefined("last".into())),
        "list" => Value::list(items),
        "min" | "max" => {
            let (path, is_sensitive) = (path(1), is_sensitive(0)?);
            let mut items = sorted(items, name == "max", &|item| key(item, path.as_ref(), is_sensitive))?;
            if items.is_empty() {
                return Ok(Value::Undefined(name.into()));
            }
            items.swap_remove(0)
        }
        "sum" => {
            let start = arguments.positional.first().cloned().unwrap_or(Value::Whole(0));
            items.iter().try_fold(start, |sum, item| operate(Dialect::Jinja, "+", &sum, item))?
        }
        "alltrue" => {
            Value::Truth(items.iter().map(Value::is_true).collect::<Outcome<Vec<_>>>()?.into_iter().all(|is| is))
        }
        "anytrue" => {
            Value::Truth(items.iter().map(Value::is_true).collect::<Outcome<Vec<_>>>()?.into_iter().any(|is| is))
        }
        "sort" => {
            let (path, is_sensitive) = (path(2), is_sensitive(1)?);
            let reverse = arguments.is_on(0, "reverse", false)?;
            Value::list(sorted(items, reverse, &|item| key(item, path.as_ref(), is_sensitive))?)
        }
        "reverse" => match value {
            Value::Text(text) => Value::text(text.chars().rev().collect::<String>()),
            _ => Value::list(items.into_iter().rev().collect()),
        },
        "unique" => {
            let (path, is_sensitive) = (path(1), is_sensitive(0)?);
            let mut keys = Vec::new();
            let mut found = Vec::new();
            for item in items {
                let key = key(&item, path.as_ref(), is_sensitive)?;
                if !keys.contains(&key) {
                    keys.push(key);
                    found.push(item);
                }
            }
            Value::list(found)
        }
        "join" => {
            let between = arguments.text(0, "d").unwrap_or_default();
            let path = path(1);
            let mut joined = String::new();
            for (index, item) in items.iter().enumerate() {
                joined += if index > 0 { &between } else { "" };
                joined += &key(item, path.as_ref(), true)?.to_string();
                if joined.len() > MAX_TEXT {
                    return Err(EvaluationError::TooLarge);
                }
            }
            Value::text(joined)
        }
        "batch" | "slice" => {
            let count = arguments.whole(0, "linecount")?.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
            if count == 0 || count > 100_000 {
                return invalid("a whole number above 0 is needed");
            }
            let fill = arguments.positional.get(1);
            let rows: Vec<Vec<Value>> = if name == "batch" {
                items.chunks(count).map(<[Value]>::to_vec).collect()
            } else {
                // The first slices have one item more.
                let (length, extra) = (items.len() / count, items.len() % count);
                let start = |slice: usize| slice * length + slice.min(extra);
                (0..count).map(|slice| items[start(slice)..start(slice + 1)].to_vec()).collect()
            };
            let width = if name == "batch" { count } else { items.len().div_ceil(count) };
            let filled = |mut row: Vec<Value>| {
                if let Some(fill) = fill {
                    row.resize(width.max(row.len()), fill.clone());
                }
                Value::list(row)
            };
            Value::list(rows.into_iter().map(filled).collect())
        }
        "items" => method::call(value, "items", &Arguments::default())?,
        "dictsort" => {
            let by_value = arguments.text(1, "by").as_deref() == Some("value");
            let pairs = items_of(&method::call(value, "items", &Arguments::default())?)?;
            let is_sensitive = is_sensitive(0)?;
            let place = if by_value { "1" } else { "0" }.to_owned();
            let reverse = arguments.is_on(2, "reverse", false)?;
            Value::list(sorted(pairs, reverse, &|pair| key(pair, Some(&place), is_sensitive))?)
        }
        "groupby" => {
            let path = arguments.need(0, "attribute")?.to_string();
            let items = sorted(items, false, &|item| key(item, Some(&path), false))?;
            let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
            for item in items {
                let key = key(&item, Some(&path), true)?;
                match groups.last_mut() {
                    Some((last, items)) if *last == key => items.push(item),
                    _ => groups.push((key, vec![item])),
                }
            }
            Value::list(groups.into_iter().map(|(key, items)| Value::tuple(vec![key, Value::list(items)])).collect())
        }
        _ => return invalid(format!("unknown filter `{name}`")),
    })
}

/// Writes a value as JSON, with the keys of maps sorted, as Jinja does.
fn json(value: &Value, output: &mut String, depth: u32) -> Outcome<()> {
    if depth >= 64 || output.len() > MAX_TEXT {
        return Err(EvaluationError::TooLarge);
    }
    match value {
        Value::Text(text) => *output += &quoted(text),
        Value::Truth(truth) => *output += &truth.to_string(),
        Value::Nothing => *output += "null",
        Value::Whole(number) => *output += &number.to_string(),
        Value::Float(number) if number.is_nan() => *output += "NaN",
        Value::Float(number) if number.is_infinite() => *output += if *number > 0.0 { "Infinity" } else { "-Infinity" },
        Value::Float(number) => *output += &float_text(*number),
        Value::List(items) | Value::Tuple(items) => {
            output.push('[');
            for (index, item) in items.borrow().iter().enumerate() {
                *output += if index > 0 { ", " } else { "" };
                json(item, output, depth + 1)?;
            }
            output.push(']');
        }
        Value::Dict(dict) => {
            let dict = dict.borrow();
            let written = |key: &Value| match key {
                Value::Text(text) => Ok(text.to_string()),
                Value::Truth(_) | Value::Nothing | Value::Whole(_) | Value::Float(_) => {
                    let mut written = String::new();
                    json(key, &mut written, depth + 1).map(|()| written)
                }
                other => invalid(format!("keys of JSON must not be `{}`", other.type_name())),
            };
            let mut entries = dict
                .entries
                .iter()
                .map(|(key, value)| Ok((written(key)?, value)))
                .collect::<Outcome<Vec<(String, &Value)>>>()?;
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            output.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                *output += if index > 0 { ", " } else { "" };
                *output += &quoted(&key);
                *output += ": ";
                json(value, output, depth + 1)?;
            }
            output.push('}');
        }
        Value::Array(array) if array.shape.is_empty() => json(&array.number(0), output, depth + 1)?,
        other => return invalid(format!("a `{}` has no JSON", other.type_name())),
    }
    Ok(())
}

/// A text in quotes as in JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// JSON without the characters of HTML, and without those beyond ASCII, as Jinja writes it.
fn escaped(json: &str) -> String {
    let mut output = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && !matches!(c, '<' | '>' | '&' | '\'') {
            output.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                output += &format!("\\u{unit:04x}");
            }
        }
    }
    output
}

/// Whether a test of Jinja holds.
///
/// # Errors
/// When the test is unknown, or does not fit the value.
pub fn test(name: &str, value: &Value, arguments: &Arguments) -> Outcome<bool> {
    let other = || arguments.positional.first().ok_or_else(|| EvaluationError::invalid("the test needs an argument"));
    let compared = |operator: &str| compare(operator, value, other()?)?.is_true();
    let whole = || match value {
        Value::Undefined(path) => Err(EvaluationError::Undefined(path.to_string())),
        value => value.as_f64().ok_or_else(|| EvaluationError::invalid("a number is needed")),
    };
    let is_number = matches!(value, Value::Whole(_) | Value::Float(_) | Value::Truth(_))
        || matches!(value, Value::Array(array) if array.shape.is_empty());
    Ok(match name {
        "defined" => !matches!(value, Value::Undefined(_)),
        "undefined" => matches!(value, Value::Undefined(_)),
        "none" => matches!(value, Value::Nothing),
        "number" => is_number,
        "integer" => matches!(value, Value::Whole(_)),
        "float" => matches!(value, Value::Float(_)),
        "string" => matches!(value, Value::Text(_)),
        "boolean" => matches!(value, Value::Truth(_)),
        "true" => matches!(value, Value::Truth(true)),
        "false" => matches!(value, Value::Truth(false)),
        "sequence" | "iterable" => value.length().is_some(),
        "mapping" => matches!(value, Value::Dict(_)),
        "callable" => matches!(value, Value::Function(_)),
        "odd" => whole()?.rem_euclid(2.0) == 1.0,
        "even" => whole()?.rem_euclid(2.0) == 0.0,
        "divisibleby" => operate(Dialect::Jinja, "%", value, other()?)?.as_f64() == Some(0.0),
        "lower" => value.to_string().chars().all(|c| !c.is_uppercase()),
        "upper" => value.to_string().chars().all(|c| !c.is_lowercase()),
        "in" => contains(other()?, value)?,
        "eq" | "equalto" | "==" => compared("==")?,
        "ne" | "!=" => compared("!=")?,
        "lt" | "lessthan" | "<" => compared("<")?,
        "le" | "<=" => compared("<=")?,
        "gt" | "greaterthan" | ">" => compared(">")?,
        "ge" | ">=" => compared(">=")?,
        "sameas" => compare("is", value, other()?)?.is_true()?,
        _ => return invalid(format!("unknown test `{name}`")),
    })
}
