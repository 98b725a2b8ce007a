//! Expressions over numbers: `circliness > 0.9 and step > 100`.
//!
//! They are Jinja expressions, as RobotSwarmSimulator has them, cut down to what can neither harm nor differ from one
//! machine to another: numbers, names, operators, comparisons, `and`, `or`, `not`, `… if … else …`, and the functions of
//! [`FUNCTIONS`]. There are no texts, lists, filters or loops, so time and memory are bounded by the length.
//!
//! A name without a value leaves the whole expression without one, except within the first argument of `default`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use minijinja::value::ValueKind;
use minijinja::{Environment, UndefinedBehavior, Value};
use swarmarium_base::math;
use thiserror::Error;

use crate::text::wording::suggestion;

/// The functions that an expression can call.
pub const FUNCTIONS: [&str; 9] = ["abs", "sqrt", "min", "max", "floor", "sin", "cos", "exp", "default"];
/// The prefix of a column's name that stands for its value one step before.
pub const PREVIOUS: &str = "previous.";
/// Words of the language itself.
const WORDS: [&str; 8] = ["true", "false", "True", "False", "none", "None", "not", "is"];
/// The longest expression, in characters.
const LONGEST: usize = 1000;
/// The most expressions that are kept.
const MOST: usize = 1024;

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

/// The reason why a text is no usable expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// More characters than an expression may have.
    #[error("an expression has at most {} characters", LONGEST)]
    TooLong,
    /// A character that no expression contains.
    #[error("`{}` has no place in an expression of numbers", .0.escape_default())]
    Character(char),
    /// The operator `**`.
    #[error("there is no power: write a product")]
    Power,
    /// A text that cannot be parsed.
    #[error("not an expression: {0}")]
    Syntax(String),
    /// A name that is not among those known.
    #[error("unknown name `{name}`{suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// The known names, as far as a message lists them.
        suggestion: String,
    },
    /// A function that does not exist, or that takes other arguments.
    #[error("{0}")]
    Evaluation(String),
    /// A value of another type.
    #[error("it has no number as its value")]
    NoNumber,
}

impl ExpressionError {
    fn reason(error: &minijinja::Error) -> String {
        error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
    }
}

/// An expression that was understood.
pub struct Expression {
    parsed: minijinja::Expression<'static, 'static>,
    /// What it names, in the order of the alphabet: `circliness`, `centroid.x_m`.
    names: Vec<String>,
    /// The names whose values it needs to have a value itself.
    required: BTreeSet<String>,
}

impl Expression {
    /// Understands a text.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if text.chars().nth(LONGEST).is_some() {
            return Err(ExpressionError::TooLong);
        }
        if let Some(odd) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || "_ .,+-*/%()<>=!".contains(*c))) {
            return Err(ExpressionError::Character(odd));
        }
        if text.contains("**") {
            return Err(ExpressionError::Power);
        }
        let parsed = ENGINE.compile_expression_owned(text.to_owned());
        let parsed = parsed.map_err(|error| ExpressionError::Syntax(ExpressionError::reason(&error)))?;
        let mut names: Vec<String> = parsed.undeclared_variables(true).into_iter().collect();
        names.retain(|name| !FUNCTIONS.contains(&name.as_str()));
        names.sort_unstable();
        let (required, optional) = names_by_use(text);
        let required = names.iter().filter(|name| required.contains(*name) || !optional.contains(*name));
        let required = required.cloned().collect();
        Ok(Self { parsed, names, required })
    }

    /// Understands a text whose names must be among those known.
    ///
    /// # Errors
    /// Says what is wrong with it, and the nearest known name.
    pub fn check(text: &str, known: &[&str]) -> Result<(), ExpressionError> {
        let expression = Self::parse(text)?;
        if let Some(name) = expression.names.iter().find(|name| !known.contains(&name.as_str())) {
            let suggestion = suggestion(name, known);
            return Err(ExpressionError::UnknownName { name: name.clone(), suggestion });
        }
        // What is called must be there, with the right number of arguments.
        expression.evaluate(&|_| Some(1.0)).map(drop)
    }

    /// The expression of a text, remembered from the last time.
    fn remembered(text: &str) -> Option<Arc<Self>> {
        static KEPT: Mutex<BTreeMap<String, Option<Arc<Expression>>>> = Mutex::new(BTreeMap::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(expression) = kept.get(text) {
            return expression.clone();
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        let expression = Self::parse(text).ok().map(Arc::new);
        kept.insert(text.to_owned(), expression.clone());
        expression
    }

    /// Its value; `NaN` when a required name has none.
    fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, ExpressionError> {
        let mut values = Values::default();
        for name in &self.names {
            let value = value_of(name).unwrap_or(f64::NAN);
            if value.is_nan() && self.required.contains(name) {
                return Ok(f64::NAN);
            }
            values.insert(name, value);
        }
        let values = values.parts.into_iter().map(|(name, values)| (name, values.into_value()));
        let values: BTreeMap<&str, Value> = values.collect();
        let value = self.parsed.eval(values);
        let value = value.map_err(|error| ExpressionError::Evaluation(ExpressionError::reason(&error)))?;
        if value.is_none() || value.is_undefined() {
            return Ok(f64::NAN);
        }
        match value.kind() {
            ValueKind::Bool => Ok(f64::from(u8::from(value.is_true()))),
            _ => f64::try_from(value).map_err(|_| ExpressionError::NoNumber),
        }
    }
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
        match self.parts.is_empty() {
            true => Value::from(self.value),
            false => {
                let parts = self.parts.into_iter().map(|(name, part)| (name, part.into_value()));
                Value::from(parts.collect::<BTreeMap<_, _>>())
            }
        }
    }
}

/// The names outside of and within the first arguments of `default`.
fn names_by_use(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut required, mut optional) = (BTreeSet::new(), BTreeSet::new());
    // For each open parenthesis: whether it is within the first argument of a `default`.
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

/// What expressions can name: the step, the time, how many agents there are, the metrics above, and one agent.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Steps done.
    pub step: u64,
    /// Simulated time in seconds.
    pub t_s: f64,
    /// How many agents there are.
    pub count: usize,
    /// Columns of metrics.
    pub columns: &'a [String],
    /// What they hold, as far as it is known.
    pub values: &'a [f64],
    /// Their values one step before, as far as these are known.
    pub previous: &'a [f64],
    /// More names.
    pub more: &'a [(&'static str, f64)],
}

/// What every scope can name.
pub const ALWAYS: [&str; 3] = ["step", "t_s", "count"];

impl Scope<'_> {
    /// The value of an expression: 1 and 0 for true and false, `NaN` when it has none.
    pub fn value(&self, text: &str) -> f64 {
        let expression = Expression::remembered(text);
        let value = expression.and_then(|expression| expression.evaluate(&|name| self.get(name)).ok());
        value.unwrap_or(f64::NAN)
    }

    /// Whether an expression holds: it has a value, and that is not 0.
    pub fn holds(&self, text: &str) -> bool {
        let value = self.value(text);
        !value.is_nan() && value != 0.0
    }

    fn get(&self, name: &str) -> Option<f64> {
        match name {
            "step" => return Some(self.step as f64),
            "t_s" => return Some(self.t_s),
            "count" => return Some(self.count as f64),
            _ => {}
        }
        let more = self.more.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let value =
            |column: &str, values: &[f64]| values.get(self.columns.iter().position(|known| known == column)?).copied();
        // A metric with the label `previous` has columns that begin with the prefix.
        more.or_else(|| value(name, self.values)).or_else(|| value(name.strip_prefix(PREVIOUS)?, self.previous))
    }
}

/// Whether a text can be named in an expression.
pub fn is_name(text: &str) -> bool {
    let fits = |(place, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || (place > 0 && c.is_ascii_digit());
    let taken = WORDS.contains(&text) || FUNCTIONS.contains(&text) || ALWAYS.contains(&text);
    !text.is_empty()
        && text.chars().enumerate().all(fits)
        && !taken
        && !matches!(text, "and" | "or" | "if" | "else" | "in")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let columns = ["circliness", "centroid.x_m", "void", "previous.y_m"].map(str::to_owned);
        let scope = Scope {
            step: 7,
            t_s: 0.5,
            count: 3,
            columns: &columns,
            values: &[0.25, 4.0, f64::NAN, 9.0],
            previous: &[0.125, 3.0],
            more: &[("y", 2.0)],
        };
        scope.value(text)
    }

    #[test]
    fn expressions_of_numbers_have_their_values() {
        for (text, expected) in [
            ("1 / 2 + 2 * 3", 6.5),
            ("circliness > 0.2", 1.0),
            ("step == 7", 1.0),
            ("step >= 7", 1.0),
            ("circliness > 0.2 and step == 7", 1.0),
            ("not (circliness > 0.2) or count < 3", 0.0),
            ("centroid.x_m - y", 2.0),
            ("min(3, y) + max(0, -1) + abs(-2) + sqrt(16) + floor(1.5)", 9.0),
            ("1 if t_s < 1 else 2", 1.0),
            ("7 // 2 + 7 % 4", 6.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_there_makes_no_condition_true() {
        for text in ["void > 0", "void < 0", "not void", "other == 0", "1 / 0 > 0 and void", "1 % 0", ""] {
            assert!(value(text).is_nan(), "{text}: {}", value(text));
        }
    }

    #[test]
    fn defaults_stand_for_missing_values() {
        for (text, expected) in [
            ("default(void, 7)", 7.0),
            ("default(circliness, 7)", 0.25),
            ("default(void + 1, 2) + 1", 3.0),
            ("default(void, 0) or step == 7", 1.0),
            ("default(default(void, previous.void), -1)", -1.0),
            ("previous.circliness + previous.centroid.x_m", 3.125),
            ("default(previous.void, 5)", 5.0),
            ("previous.y_m + previous.circliness", 9.125),
            ("1 if default(void, 0) == default(void, 1) else 2", 2.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        for text in ["default(void, 1) + void", "default(1, void)", "void + default(void, 1)", "previous.void", "none"]
        {
            assert!(value(text).is_nan(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_refused_in_no_time() {
        let known = ["step", "circliness"];
        for (text, why) in [
            ("stp > 1", "unknown name `stp`, did you mean `step`?"),
            ("step >", "not an expression: unexpected end of input, expected expression"),
            ("'a' * 1000000000", "`\\'` has no place in an expression of numbers"),
            ("[1]", "`[` has no place in an expression of numbers"),
            ("2 ** 1000", "there is no power: write a product"),
            ("sqrt(1, 2)", "too many arguments"),
        ] {
            assert_eq!(Expression::check(text, &known).unwrap_err().to_string(), why, "{text}");
        }
        for text in ["sin", "step()", "range(9)", "step|length", "x is defined", "step.x.y.z"] {
            assert!(Expression::check(text, &known).is_err() || value(text).is_nan(), "{text}");
        }
        for text in ["(".repeat(900), "-".repeat(900), "not ".repeat(240), "1+".repeat(2000)] {
            assert!(Expression::parse(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_are_told_from_words() {
        for (text, is) in
            [("fatness_2", true), ("_a", true), ("2a", false), ("a-b", false), ("step", false), ("or", false)]
        {
            assert_eq!(is_name(text), is, "{text}");
        }
    }
}
