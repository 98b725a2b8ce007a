//! Values of variables, as `--var name=value` gives them.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::language::python::{EvaluationError, Value};
use crate::scalar::{self, Scalar};

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
    /// A key of a map is a list or a map.
    #[error(transparent)]
    Key(#[from] EvaluationError),
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
            Event::Scalar(text, ..) => Value::text(text),
            Event::SequenceStart(..) => {
                open.push(Collection::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Collection::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Collection::List(items)) => Value::list(items),
                Some(Collection::Map(entries, _)) => Value::dict(entries)?,
                None => continue,
            },
            Event::Alias(_) => return Err(ValueError::Alias),
            _ => continue,
        };
        match open.last_mut() {
            None => whole = Some(value),
            Some(Collection::List(items)) => items.push(value),
            Some(Collection::Map(entries, key)) => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
        }
    }
    whole.ok_or(ValueError::Empty)
}

/// A list or a map that has not ended, and of a map the key whose value comes next.
enum Collection {
    List(Vec<Value>),
    Map(Vec<(Value, Value)>, Option<Value>),
}

/// The value of a scalar without quotes.
fn plain_scalar(text: &str) -> Value {
    match scalar::resolve(text) {
        Scalar::Null => Value::Nothing,
        Scalar::Bool(truth) => Value::Truth(truth),
        Scalar::Int(number) => Value::Whole(number),
        Scalar::Float(number) => Value::Float(number),
        Scalar::Text => text.parse().map_or_else(|_| Value::text(text), Value::Float),
    }
}
