//! Expressions over numbers: `circliness > 0.9 and step > 100`.
//!
//! They are Jinja expressions as in RobotSwarmSimulator, reduced to a safe subset with the same results on every
//! machine: numbers, names, operators, comparisons, `and`, `or`, `not`, `… if … else …`, and the functions of
//! [`FUNCTIONS`]. There are no texts, lists, filters or loops, so time and memory are bounded by the length.
//!
//! If a name has no value, the whole expression has none, except within the first argument of `default`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use minijinja::value::ValueKind;
use minijinja::{Environment, UndefinedBehavior, Value};
use swarmarium_base::math;
use thiserror::Error;

use crate::text::wording::suggestion;

/// The functions that an expression can call.
pub const FUNCTIONS: [&str; 9] = ["abs", "sqrt", "min", "max", "floor", "sin", "cos", "exp", "default"];
/// The number π in [`arithmetic`].
const PI: &str = "pi";
/// The prefix for the value of a column one step before.
pub const PREVIOUS: &str = "previous.";
/// Words of the language.
const WORDS: [&str; 8] = ["true", "false", "True", "False", "none", "None", "not", "is"];
/// The largest length of an expression, in characters.
const LONGEST: usize = 1000;
/// The largest number of cached expressions.
const MOST: usize = 1024;

/// The number of sets of values with which an expression is checked, so that most of its branches are calculated.
const SAMPLES: u32 = 8;
/// The beginning of the engine's reasons for a calculation that fails with some values only.
const IMPOSSIBLE: &str = "unable to calculate";

/// A value for a name in a check: no two names have the same value, and none is 0 or 1.
fn sample_value(names: &[String], name: &str, sample: u32) -> f64 {
    let place = names.iter().position(|known| known == name).unwrap_or_default() as f64;
    let size = [0.37, 17.3, 2.71, 1234.5][sample as usize % 4];
    let sign = if sample % 8 < 4 { 1.0 } else { -1.0 };
    sign * (size + 0.618 * place)
}

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

/// The reason why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// The text has more characters than an expression may have.
    #[error("an expression has at most {} characters", LONGEST)]
    TooLong,
    /// The text contains a character that no expression contains.
    #[error("`{}` is not allowed in an expression of numbers", .0.escape_default())]
    Character(char),
    /// The text contains the operator `**`.
    #[error("`**` is not supported: write a product")]
    Power,
    /// The text cannot be parsed.
    #[error("not an expression: {0}")]
    Syntax(String),
    /// The text contains an unknown name.
    #[error("unknown name `{name}`{suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest known name, or a list of the known ones, as part of a message.
        suggestion: String,
    },
    /// The function does not exist, or takes other arguments.
    #[error("{0}")]
    Evaluation(String),
    /// The value is not a number.
    #[error("its value is not a number")]
    NoNumber,
}

impl ExpressionError {
    /// The message, with a better hint about an unknown name, if there is one.
    pub fn with_hint(&self, hint: impl Fn(&str) -> String) -> String {
        match self {
            Self::UnknownName { name, .. } if !hint(name).is_empty() => format!("unknown name `{name}`{}", hint(name)),
            _ => self.to_string(),
        }
    }

    fn reason(error: &minijinja::Error) -> String {
        error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
    }
}

/// A parsed expression.
pub struct Expression {
    parsed: minijinja::Expression<'static, 'static>,
    /// The names in the expression, sorted: `circliness`, `centroid.x_m`.
    names: Vec<String>,
    /// The names without whose values the expression has no value.
    required: BTreeSet<String>,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// If the text is not a valid expression.
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

    /// Parses an expression and checks its names.
    ///
    /// # Errors
    /// If the text is not a valid expression, or contains an unknown name, with the nearest known one.
    pub fn check(text: &str, known: &[&str]) -> Result<(), ExpressionError> {
        let expression = Self::parse(text)?;
        if let Some(name) = expression.names.iter().find(|name| !known.contains(&name.as_str())) {
            let suggestion = suggestion(name, known);
            return Err(ExpressionError::UnknownName { name: name.clone(), suggestion });
        }
        // Functions must exist and have the right number of arguments. A calculation that is impossible with some
        // values, such as a division by zero, has no value in a run.
        (0..SAMPLES).try_for_each(|sample| {
            let value = |name: &str| Some(sample_value(&expression.names, name, sample));
            match expression.evaluate(&value) {
                Err(ExpressionError::Evaluation(reason)) if !reason.starts_with(IMPOSSIBLE) => {
                    Err(ExpressionError::Evaluation(reason))
                }
                Err(ExpressionError::NoNumber) => Err(ExpressionError::NoNumber),
                _ => Ok(()),
            }
        })
    }

    /// The parsed expression of a text, cached.
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

    /// The value; `NaN` if a required name has none.
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

/// The names that expressions can use: the step, the time, the number of agents, the metrics above, and one agent.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Number of steps done.
    pub step: u64,
    /// Simulated time in seconds.
    pub t_s: f64,
    /// Number of agents.
    pub count: usize,
    /// Names of the columns of metrics.
    pub columns: &'a [String],
    /// Values of the columns, as far as they are known.
    pub values: &'a [f64],
    /// Values of the columns one step before, as far as they are known.
    pub previous: &'a [f64],
    /// Additional names with their values.
    pub more: &'a [(&'static str, f64)],
}

/// The names that every scope has.
pub const ALWAYS: [&str; 3] = ["step", "t_s", "count"];

impl Scope<'_> {
    /// The value of an expression: 1 and 0 for true and false, `NaN` if it has none.
    pub fn value(&self, text: &str) -> f64 {
        let expression = Expression::remembered(text);
        let value = expression.and_then(|expression| expression.evaluate(&|name| self.get(name)).ok());
        value.unwrap_or(f64::NAN)
    }

    /// Whether an expression holds: it has a value other than 0.
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

/// The value of arithmetic without names: numbers, operators, [`FUNCTIONS`] and `pi`, such as `pi / 6`. `None` for any other
/// text, and where the value is not finite.
///
/// ```
/// use swarmarium_core::expression::arithmetic;
///
/// assert_eq!(arithmetic("2 * (1.5 + 3)"), Some(9.0));
/// assert_eq!(arithmetic("pi / 6"), Some(std::f64::consts::PI / 6.0));
/// assert_eq!([arithmetic("1 / 0"), arithmetic("2 > 1"), arithmetic("circliness")], [None; 3]);
/// ```
pub fn arithmetic(text: &str) -> Option<f64> {
    let is_known =
        |word: &str| word == PI || FUNCTIONS.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit());
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    if text.contains(['<', '>', '=', '!']) || !words.all(is_known) {
        return None;
    }
    let value = Expression::parse(text).ok()?.evaluate(&|name| (name == PI).then_some(std::f64::consts::PI)).ok()?;
    value.is_finite().then_some(value)
}

/// Whether a text can be a name in an expression.
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
            ("1 / (1 - circliness)", 4.0 / 3.0),
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
    fn a_division_by_zero_is_no_error_and_has_no_value() {
        let known = ["step", "t_s", "count", "circliness", "y"];
        for text in [
            "circliness / (1 - circliness)",
            "1 / (count - 1)",
            "step % (count - 1) + 7 // (step - 1)",
            "1 / (step - step)",
            "1 / 0",
            "circliness / (count - 3) > 1 or y > 5",
            "1 / (circliness - 1) if circliness != 1 else 0",
        ] {
            assert_eq!(Expression::check(text, &known), Ok(()), "{text}");
        }
        for text in ["1 / (count - 3)", "y % (t_s - 0.5)", "7 // (step - 7)", "1 / 0"] {
            assert!(value(text).is_nan(), "{text}: {}", value(text));
        }
        // What fails whatever the values are is refused, also in a branch or beside a division by zero.
        for text in ["sqrt(1, 2) if y > 5 else 2", "1 / (1 - y) + floor()", "y and sin", "range(3)"] {
            assert!(Expression::check(text, &known).is_err(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_refused_in_no_time() {
        let known = ["step", "circliness"];
        for (text, why) in [
            ("stp > 1", "unknown name `stp`, did you mean `step`?"),
            ("step >", "not an expression: unexpected end of input, expected expression"),
            ("'a' * 1000000000", "`\\'` is not allowed in an expression of numbers"),
            ("[1]", "`[` is not allowed in an expression of numbers"),
            ("2 ** 1000", "`**` is not supported: write a product"),
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
