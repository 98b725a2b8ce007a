//! Expressions and templates with the values that RobotSwarmSimulator 1.2.5 gives them (Python 3.12, numpy 2.4.6).

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::value::Value;
use super::{Dialect, EvaluationError, Evaluator, parse};
use crate::expression::evaluate;
use crate::language::template::render;

/// Whether a value is the recorded one. `NaN` and infinite numbers are recorded as texts with `!`.
fn is_recorded(value: &Value, recorded: &Json) -> bool {
    match (value, recorded) {
        (Value::Array(array), recorded) => is_recorded(&array.to_python(), recorded),
        (Value::Nothing, Json::Null) => true,
        (Value::Truth(truth), Json::Bool(recorded)) => truth == recorded,
        (Value::Text(text), Json::String(recorded)) => **text == **recorded,
        (Value::Float(number), Json::String(recorded)) => {
            *recorded == format!("{}!", super::value::float_text(*number))
        }
        (Value::Whole(number), Json::Number(recorded)) => recorded.to_string() == number.to_string(),
        (Value::Float(number), Json::Number(recorded)) => {
            let recorded = recorded.as_f64().unwrap();
            (number - recorded).abs() <= 1e-12 * recorded.abs().max(1e-300)
                || (number - recorded).abs() <= 4e-16 && recorded.abs() < 1.0
        }
        (Value::List(items) | Value::Tuple(items), Json::Array(recorded)) => {
            let items = items.borrow();
            items.len() == recorded.len()
                && items.iter().zip(recorded).all(|(item, recorded)| is_recorded(item, recorded))
        }
        (Value::Dict(dict), Json::Object(recorded)) => {
            let entries = &dict.borrow().entries;
            let same = |(key, value): &(Value, Value)| {
                recorded.get(&key.to_string()).is_some_and(|recorded| is_recorded(value, recorded))
            };
            entries.len() == recorded.len() && entries.iter().all(same)
        }
        _ => false,
    }
}

/// The table of a file: pairs of a text and its value.
fn table(text: &str) -> Vec<(String, Json)> {
    serde_json::from_str(text).unwrap()
}

/// Where the program keeps the text of an expression, there is no value here either.
#[test]
fn expressions_have_the_recorded_values() {
    let recorded = table(include_str!("../../../../tests/data/robotswarmsimulator/expressions.json"));
    let mut wrong = Vec::new();
    for (text, value) in &recorded {
        let is_kept = value.as_str() == Some(text);
        let same = match evaluate(text) {
            Ok(found) => !is_kept && is_recorded(&found, value),
            Err(_) => is_kept,
        };
        if !same {
            let found = evaluate(text).map(|value| value.repr());
            wrong.push(format!(
                "{text}: {found:?} instead of {}",
                value.to_string().chars().take(90).collect::<String>()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
}

#[test]
fn templates_have_the_recorded_output() {
    let recorded = table(include_str!("../../../../tests/data/robotswarmsimulator/templates.json"));
    let mut wrong = Vec::new();
    for (text, output) in &recorded {
        let found = render(text, &BTreeMap::new());
        // Jinja leaves out the end of the last line.
        let source = text.strip_suffix('\n').unwrap_or(text);
        let found = if source == text { found } else { render(source, &BTreeMap::new()) };
        let written = found.as_ref().ok().map(|found| found.text.as_str());
        if written != output.as_str() {
            wrong.push(format!("{text:?}: {:?} instead of {output}", found.map(|found| found.text)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
}

/// Expressions that Python refuses, and that have a plain meaning.
#[test]
fn some_expressions_have_a_value_here_alone() {
    for (text, number) in
        [("max(1, 3, 2)", 3.0), ("min(4, 5)", 4.0), ("tau", std::f64::consts::TAU), ("math.floor(2.5)", 2.0)]
    {
        assert_eq!(evaluate(text).unwrap().as_f64(), Some(number), "{text}");
    }
    assert_eq!(evaluate("[15, 15] / 2").unwrap().repr(), "[7.5 7.5]");
}

fn jinja(text: &str) -> Result<Value, EvaluationError> {
    Evaluator::new(Dialect::Jinja, BTreeMap::new()).evaluate(&parse(text, Dialect::Jinja)?)
}

#[test]
fn evaluation_is_bounded() {
    for text in ["'x' * 10 ** 10", "[0] * 10 ** 9", "10 ** 10 ** 10", "range(10 ** 12)", "[1] * 10 ** 5 * 10 ** 5"] {
        assert_eq!(jinja(text).unwrap_err(), EvaluationError::TooLarge, "{text}");
    }
    let doubled = format!("[0]{}", " * 2".repeat(40));
    assert_eq!(jinja(&doubled).unwrap_err(), EvaluationError::TooLarge);
    for text in ["'%1001d' % 1", "'{:1001}'.format(1)", "('x' * 10 ** 6).replace('x', 'y' * 10 ** 6)"] {
        assert!(jinja(text).is_err(), "{text}");
    }
}

/// Lists that contain each other end without a deep stack, and those that contain themselves are written in part.
#[test]
fn nested_lists_are_released() {
    let deep = "<% set s = namespace(l=[]) %><% for i in range(50000) %><% set s.l = [s.l] %><% endfor %>a: 1";
    assert_eq!(render(deep, &BTreeMap::new()).unwrap().text, "a: 1");
    let round = "<% set l = [1] %><% do l.append(l) %><{ l|length }> <{ l == l }> <{ (l|string)[:5] }>";
    assert_eq!(render(round, &BTreeMap::new()).unwrap().text, "2 True [1, [");
}
