//! Reads the declarations of a script from its globals after loading.

use mlua::{Table, Value as LuaValue};

use crate::analysis::Analysis;
use crate::error::ScriptError;
use crate::wrapper::{MAX_LIST, MAX_TEXT};
use crate::{Face, Form, Parameter, StateField, Value};
use swarmarium_base::problem::did_you_mean;

/// The message for a script without `step`.
pub const NO_STEP: &str = "the script needs a function `step(self, senses)`";
/// Largest number of parameters, and of fields of the state.
const MAX_FIELDS: usize = 100;
/// Fields of a parameter's table.
const OPTIONS: [&str; 4] = ["unit", "min", "max", "doc"];
/// Names that `self` has already.
const METHODS: [&str; 6] = ["id", "send", "random", "led", "grip", "emit"];

/// Reads all declarations.
pub fn read(globals: &Table, analysis: &Analysis) -> Result<Face, ScriptError> {
    let mut face = Face { commands: commands(globals)?, ..Face::default() };
    for (name, line, value) in fields(globals, "parameters", &analysis.parameters)? {
        face.parameters.push(parameter(name, value).map_err(|error| with_line(error, line))?);
    }
    for (name, line, value) in fields(globals, "state", &analysis.state)? {
        if face.parameters.iter().any(|parameter| parameter.name == name) {
            let message = format!("`{name}` is a parameter and a field of the state: rename one of them");
            return Err(with_line(ScriptError::of_script(&message), line));
        }
        let expected = "a number, a boolean, a string or a list of numbers";
        let Some(initial) = value_of(&value) else {
            let message = format!("state `{name}`: expected {expected}, found {}", found(&value));
            return Err(with_line(ScriptError::of_script(&message), line));
        };
        face.state.push(StateField { name, initial });
    }
    Ok(face)
}

fn with_line(error: ScriptError, line: Option<u32>) -> ScriptError {
    ScriptError { line, ..error }
}

fn unreadable(error: mlua::Error) -> ScriptError {
    crate::error::Failure::from(error).into_error()
}

fn commands(globals: &Table) -> Result<Form, ScriptError> {
    let value: LuaValue = globals.raw_get("commands").map_err(unreadable)?;
    let names = Form::ALL.map(Form::name);
    let expected = format!("`commands`: expected one of \"{}\"", names.join("\", \""));
    match &value {
        LuaValue::Nil => Ok(Form::default()),
        LuaValue::String(name) => {
            let name = name.to_string_lossy();
            let form = Form::ALL.into_iter().find(|form| form.name() == name);
            form.ok_or_else(|| {
                ScriptError::of_script(&format!("{expected}, found {name:?}{}", did_you_mean(&name, names)))
            })
        }
        other => Err(ScriptError::of_script(&format!("{expected}, found {}", found(other)))),
    }
}

/// Names, lines and values of a table of declarations, in the order of the text. Names that the text does not show come
/// last, in alphabetical order.
fn fields(
    globals: &Table,
    table: &str,
    order: &[(String, u32)],
) -> Result<Vec<(String, Option<u32>, LuaValue)>, ScriptError> {
    let values = match globals.raw_get::<LuaValue>(table).map_err(unreadable)? {
        LuaValue::Nil => return Ok(Vec::new()),
        LuaValue::Table(values) => values,
        other => {
            return Err(ScriptError::of_script(&format!("`{table}`: expected a table, found {}", found(&other))));
        }
    };
    let mut fields = Vec::new();
    for pair in values.pairs::<LuaValue, LuaValue>() {
        let (key, value) = pair.map_err(unreadable)?;
        let LuaValue::String(name) = &key else {
            let message = format!("`{table}`: expected a name for each value, found {} as a name", found(&key));
            return Err(ScriptError::of_script(&message));
        };
        let name = name.to_string_lossy();
        let line = order.iter().find(|(known, _)| *known == name).map(|(_, line)| *line);
        check_name(&name, table).map_err(|error| with_line(error, line))?;
        fields.push((name, line, value));
    }
    let place = |name: &str| order.iter().position(|(known, _)| known == name).unwrap_or(usize::MAX);
    fields.sort_by_cached_key(|(name, ..)| (place(name), name.clone()));
    if fields.len() > MAX_FIELDS {
        let message = format!("`{table}` has {} fields, at most {MAX_FIELDS} are allowed", fields.len());
        return Err(ScriptError::of_script(&message));
    }
    Ok(fields)
}

fn check_name(name: &str, table: &str) -> Result<(), ScriptError> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 64;
    if !is_name {
        let rule = "letters, digits and underscores, at most 64, without a digit at the start";
        return Err(ScriptError::of_script(&format!("`{table}`: `{name}` is not a name: it has {rule}")));
    }
    if METHODS.contains(&name) {
        return Err(ScriptError::of_script(&format!("`{table}`: `self` has a `{name}` already: use another name")));
    }
    Ok(())
}

fn parameter(name: String, value: LuaValue) -> Result<Parameter, ScriptError> {
    let mut parameter = Parameter {
        name,
        default: Value::Flag(false),
        unit: String::new(),
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
        about: String::new(),
    };
    let value = match value {
        LuaValue::Table(options) => read_options(&options, &mut parameter)?,
        value => value,
    };
    let expected = "a number, a boolean or a string";
    let wrong = |found: &str| {
        ScriptError::of_script(&format!(
            "parameter `{}`: expected {expected} as its default, found {found}",
            parameter.name
        ))
    };
    parameter.default = match value_of(&value) {
        None | Some(Value::Numbers(_)) => return Err(wrong(found(&value))),
        Some(value) => value,
    };
    check_range(&parameter)?;
    Ok(parameter)
}

/// Reads the options of a parameter, and returns its default.
fn read_options(options: &Table, parameter: &mut Parameter) -> Result<LuaValue, ScriptError> {
    let name = parameter.name.clone();
    let wrong = |message: String| ScriptError::of_script(&format!("parameter `{name}`: {message}"));
    let mut default = LuaValue::Nil;
    let mut others = Vec::new();
    for pair in options.pairs::<LuaValue, LuaValue>() {
        let (key, value) = pair.map_err(unreadable)?;
        match &key {
            LuaValue::Integer(1) | LuaValue::Number(1.0) => default = value,
            LuaValue::String(key) => others.push((key.to_string_lossy(), value)),
            other => return Err(wrong(format!("expected one default value, found {} as a name too", found(other)))),
        }
    }
    others.sort_by(|a, b| a.0.cmp(&b.0));
    for (key, value) in others {
        match (key.as_str(), value_of(&value)) {
            ("unit", Some(Value::Text(unit))) => parameter.unit = unit,
            ("doc", Some(Value::Text(about))) => parameter.about = about,
            ("min", Some(Value::Number(min))) => parameter.min = min,
            ("max", Some(Value::Number(max))) => parameter.max = max,
            ("unit" | "doc", _) => {
                return Err(wrong(format!("expected a string for `{key}`, found {}", found(&value))));
            }
            ("min" | "max", _) => return Err(wrong(format!("expected a number for `{key}`, found {}", found(&value)))),
            _ => return Err(wrong(format!("it has no option `{key}`{}", did_you_mean(&key, OPTIONS)))),
        }
    }
    Ok(default)
}

fn check_range(parameter: &Parameter) -> Result<(), ScriptError> {
    let Parameter { name, default, min, max, .. } = parameter;
    let wrong = |message: String| Err(ScriptError::of_script(&format!("parameter `{name}`: {message}")));
    let has_range = min.is_finite() || max.is_finite();
    match default {
        Value::Number(default) if !default.is_finite() => wrong("its default is not finite".into()),
        Value::Number(_) if min > max => wrong(format!("`min` {min} is above `max` {max}")),
        Value::Number(default) if default < min || default > max => {
            wrong(format!("its default {default} is outside of its range {min} … {max}"))
        }
        Value::Number(_) => Ok(()),
        _ if has_range => wrong("only numbers have `min` and `max`".into()),
        _ => Ok(()),
    }
}

/// A value of Luau as a value of a declaration. Numbers other than NaN only.
fn value_of(value: &LuaValue) -> Option<Value> {
    match value {
        LuaValue::Boolean(flag) => Some(Value::Flag(*flag)),
        LuaValue::Integer(number) => Some(Value::Number(*number as f64)),
        LuaValue::Number(number) => (!number.is_nan()).then_some(Value::Number(*number)),
        LuaValue::String(text) => {
            text.to_str().ok().filter(|text| text.len() <= MAX_TEXT).map(|text| Value::Text((*text).to_owned()))
        }
        LuaValue::Table(list) => numbers_of(list).map(Value::Numbers),
        _ => None,
    }
}

/// The numbers of a table without other keys.
fn numbers_of(list: &Table) -> Option<Vec<f64>> {
    let length = list.raw_len();
    let has_others = list.pairs::<LuaValue, LuaValue>().count() != length;
    if has_others || length > MAX_LIST || list.metatable().is_some() {
        return None;
    }
    let number = |place| match value_of(&list.raw_get(place).ok()?) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    (1..=length).map(number).collect()
}

/// A value in words.
fn found(value: &LuaValue) -> &'static str {
    match value {
        LuaValue::Nil => "nothing",
        LuaValue::Boolean(_) => "a boolean",
        LuaValue::Number(number) if number.is_nan() => "NaN",
        LuaValue::Integer(_) | LuaValue::Number(_) => "a number",
        LuaValue::String(text) if text.to_str().is_err() => "a text that is not valid UTF-8",
        LuaValue::String(text) if text.as_bytes().len() > MAX_TEXT => "a text of more than 65,536 bytes",
        LuaValue::String(_) => "a string",
        LuaValue::Table(table) if table.raw_len() > MAX_LIST => "a list of more than 4,096 numbers",
        LuaValue::Table(_) => "a table",
        LuaValue::Function(_) => "a function",
        _ => "something else",
    }
}
