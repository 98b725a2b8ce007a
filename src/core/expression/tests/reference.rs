//! The values of expressions by minijinja.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use minijinja::value::ValueKind;
use minijinja::{Environment, UndefinedBehavior, Value};
use swarmarium_base::math;

use super::super::{FUNCTIONS, LONGEST};

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut engine = Environment::empty();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.add_function("abs", |x: f64| x.abs());
    engine.add_function("sqrt", |x: f64| x.sqrt());
    engine.add_function("min", |a: f64, b: f64| a.min(b));
    engine.add_function("max", |a: f64, b: f64| a.max(b));
    engine.add_function("floor", |x: f64| x.floor());
    engine.add_function("sin", math::sin);
    engine.add_function("cos", math::cos);
    engine.add_function("exp", math::exp);
    engine.add_function("default", |x: f64, otherwise: f64| if x.is_nan() { otherwise } else { x });
    engine
});

/// The value of an expression, `NaN` if it has none; an error if minijinja does not parse it.
pub fn value(text: &str, value_of: impl Fn(&str) -> f64) -> Result<f64, String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_ .,+-*/%()<>=!".contains(c);
    if text.chars().count() > LONGEST || !text.chars().all(is_allowed) || text.contains("**") {
        return Err("it is not allowed".into());
    }
    let parsed = ENGINE.compile_expression_owned(text.to_owned()).map_err(|error| error.to_string())?;
    let mut names = parsed.undeclared_variables(true);
    names.retain(|name| !FUNCTIONS.contains(&name.as_str()));
    let names: BTreeSet<String> = names.into_iter().collect();
    let (required, optional) = names_by_use(text);
    let mut values = Values::default();
    for name in &names {
        let value = value_of(name);
        if value.is_nan() && (required.contains(name) || !optional.contains(name)) {
            return Ok(f64::NAN);
        }
        values.insert(name, value);
    }
    let values = values.parts.into_iter().map(|(name, values)| (name, values.into_value()));
    let values: BTreeMap<&str, Value> = values.collect();
    let Ok(value) = parsed.eval(values) else { return Ok(f64::NAN) };
    if value.is_none() || value.is_undefined() {
        return Ok(f64::NAN);
    }
    Ok(match value.kind() {
        ValueKind::Bool => f64::from(u8::from(value.is_true())),
        _ => f64::try_from(value).unwrap_or(f64::NAN),
    })
}

/// Values by the parts of their names: `centroid.x_m` is a part of `centroid`.
#[derive(Default)]
struct Values<'n> {
    value: f64,
    parts: BTreeMap<&'n str, Self>,
}

impl<'n> Values<'n> {
    fn insert(&mut self, name: &'n str, value: f64) {
        name.split('.').fold(self, |values, part| values.parts.entry(part).or_default()).value = value;
    }

    fn into_value(self) -> Value {
        if self.parts.is_empty() {
            return Value::from(self.value);
        }
        let parts = self.parts.into_iter().map(|(name, part)| (name, part.into_value()));
        Value::from(parts.collect::<BTreeMap<_, _>>())
    }
}

/// The names outside and inside the first arguments of `default`.
fn names_by_use(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut required, mut optional) = (BTreeSet::new(), BTreeSet::new());
    // For each open parenthesis: whether it is inside the first argument of a `default`.
    let mut open: Vec<bool> = Vec::new();
    let mut last = "";
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let token = &rest[..length.max(first.len_utf8())];
        let is_optional = open.contains(&true);
        match token {
            "(" => open.push(last == "default"),
            ")" => drop(open.pop()),
            "," => {
                if let Some(within) = open.last_mut() {
                    *within = false;
                }
            }
            _ if length > 0 && is_optional => drop(optional.insert(token.to_owned())),
            _ if length > 0 => drop(required.insert(token.to_owned())),
            _ => {}
        }
        rest = &rest[token.len()..];
        if !token.trim().is_empty() {
            last = token;
        }
    }
    (required, optional)
}
