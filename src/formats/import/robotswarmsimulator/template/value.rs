//! Values of variables, as `--var name=value` gives them.

use std::collections::BTreeMap;

use minijinja::Value;
use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::import::robotswarmsimulator::scalar::{self, Scalar};

/// Why a text is not the value of a variable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// The text begins like a list, a map or a quoted text, but is not valid YAML.
    #[error("not valid YAML: {0}")]
    Yaml(String),
    /// The text repeats a value by an alias.
    #[error("aliases are not allowed")]
    Alias,
    /// The text has no value.
    #[error("there is no value")]
    Empty,
}

/// The value of a variable from `--var name=value`, in YAML: a number, a truth value, a text, a list such as
/// `[0.2, 0.5]`, or a map such as `{a: 1}`.
///
/// # Errors
/// When the value begins like a list, a map or a quoted text, but is not valid YAML, or has an alias.
pub fn value_of(text: &str) -> Result<Value, ValueError> {
    if !text.trim_start().starts_with(['[', '{', '"', '\'']) {
        return Ok(plain_scalar(text));
    }
    let mut open: Vec<Collection> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(text) {
        let event = event.map_err(|error| ValueError::Yaml(error.info().to_owned()))?.0;
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => plain_scalar(&text),
            Event::Scalar(text, ..) => Value::from(text.into_owned()),
            Event::SequenceStart(..) => {
                open.push(Collection::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Collection::Map(BTreeMap::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Collection::List(items)) => items.into(),
                Some(Collection::Map(entries, _)) => entries.into(),
                None => continue,
            },
            Event::Alias(_) => return Err(ValueError::Alias),
            _ => continue,
        };
        match open.last_mut() {
            None => whole = Some(value),
            Some(Collection::List(items)) => items.push(value),
            Some(Collection::Map(entries, key)) => match key.take() {
                Some(key) => drop(entries.insert(key, value)),
                None => *key = Some(value.to_string()),
            },
        }
    }
    whole.ok_or(ValueError::Empty)
}

/// A list or a map that has not ended, and of a map the key whose value comes next.
enum Collection {
    List(Vec<Value>),
    Map(BTreeMap<String, Value>, Option<String>),
}

/// The value of a scalar without quotes.
fn plain_scalar(text: &str) -> Value {
    match scalar::resolve(text) {
        Scalar::Null => Value::from(()),
        Scalar::Bool(truth) => truth.into(),
        Scalar::Int(number) => number.into(),
        Scalar::Float(number) => number.into(),
        Scalar::Text => text.parse::<f64>().map_or_else(|_| text.into(), Value::from),
    }
}
