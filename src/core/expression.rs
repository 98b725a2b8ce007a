//! Expressions over numbers: `circliness > 0.9 and step > 100`.
//!
//! They are Jinja expressions as in RobotSwarmSimulator, reduced to a safe subset with the same results on every
//! machine: numbers, names, operators, comparisons, `and`, `or`, `not`, `… if … else …`, and the functions of
//! [`FUNCTIONS`]. There are no texts, lists, filters or loops, so time and memory are bounded by the length.
//!
//! If a name has no value, the whole expression has none, except within the first argument of `default`.
//!
//! A text is compiled once, by [`Expression::new`] or at its first evaluation in a [`Scope`]: `parse` writes a program for a
//! stack machine, in which each name is the place of its value. `program` runs it with the arithmetic of `value`. An
//! evaluation handles no text, waits for no lock, and rarely allocates memory.

mod error;
mod parse;
mod program;
mod scope;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub use error::ExpressionError;
pub use scope::{Expressions, Scope};

use self::parse::{Parsed, parse};
use self::program::{Instruction, run};
use self::scope::Slot;
use self::value::{Fault, Value};
use crate::text::wording::suggestion;

/// The functions that an expression can call.
pub const FUNCTIONS: [&str; 9] = ["abs", "sqrt", "min", "max", "floor", "sin", "cos", "exp", "default"];
/// The names that every scope has.
pub const ALWAYS: [&str; 3] = ["step", "t_s", "count"];
/// The prefix for the value of a column one step before.
pub const PREVIOUS: &str = "previous.";
/// The number π, unless the name is that of a value.
const PI: &str = "pi";
/// Words of the language.
const WORDS: [&str; 8] = ["true", "false", "True", "False", "none", "None", "not", "is"];
/// The largest length of an expression, in characters.
const LONGEST: usize = 1000;
/// The largest number of expressions and operands inside each other, such as two for each pair of parentheses.
const MOST_NESTED: usize = 150;
/// The number of sets of values with which an expression is checked, so that most of its branches are calculated.
const SAMPLES: u32 = 8;

/// A compiled expression over the names of one kind of [`Scope`].
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    program: Vec<Instruction>,
    /// The names without whose values the expression has no value.
    required: Vec<Slot>,
}

impl Expression {
    /// Compiles an expression over the names that all scopes have, names of columns and additional names. An unknown
    /// name never has a value.
    ///
    /// # Errors
    /// If the text is not a valid expression.
    pub fn new(text: &str, columns: &[String], more_names: &[&str]) -> Result<Self, ExpressionError> {
        let Parsed { mut program, names, problem } = parse(text)?;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let slots: Vec<Slot> = names.iter().map(|name| Slot::of(&name.text, columns, more_names)).collect();
        let is_pi = |place: usize| slots[place] == Slot::Nothing && names[place].text == PI;
        for instruction in &mut program {
            let Instruction::Load(Slot::More(place)) = *instruction else { continue };
            *instruction = match is_pi(place) {
                true => Instruction::Constant(Value::Float(std::f64::consts::PI)),
                false => Instruction::Load(slots[place]),
            };
        }
        let required = (0..names.len()).filter(|place| names[*place].is_required && !is_pi(*place));
        let required = required.map(|place| slots[place]);
        Ok(Self { program, required: required.collect() })
    }

    /// Parses an expression and checks its names.
    ///
    /// # Errors
    /// If the text is not a valid expression, or contains an unknown name, with the nearest known one.
    pub fn check(text: &str, known: &[&str]) -> Result<(), ExpressionError> {
        let Parsed { program, names, problem } = parse(text)?;
        let mut sorted: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        sorted.sort_unstable();
        if let Some(name) = sorted.iter().find(|name| **name != PI && !known.contains(name)) {
            let suggestion = suggestion(name, known);
            return Err(ExpressionError::UnknownName { name: (*name).to_owned(), suggestion });
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        // A calculation that fails with some values, such as a division by zero, has no value in a run. Any other
        // fault is one of the expression.
        (0..SAMPLES).try_for_each(|sample| {
            let value = |name: &str| match sorted.binary_search(&name) {
                Ok(_) if name == PI && !known.contains(&name) => std::f64::consts::PI,
                place => sample_value(place.unwrap_or_default(), sample),
            };
            let more: Vec<f64> = names.iter().map(|name| value(&name.text)).collect();
            match run(&program, &Scope { more: &more, ..Scope::default() }) {
                Ok(_) | Err(Fault::Impossible) => Ok(()),
                Err(fault) => Err(ExpressionError::Evaluation(fault.to_string())),
            }
        })
    }

    /// The value: 1 and 0 for true and false, `NaN` if it has none.
    pub fn value(&self, scope: &Scope) -> f64 {
        if self.required.iter().any(|slot| slot.value(scope).is_nan()) {
            return f64::NAN;
        }
        run(&self.program, scope).map_or(f64::NAN, Value::result)
    }

    /// Whether the expression holds: it has a value other than 0.
    pub fn holds(&self, scope: &Scope) -> bool {
        is_true(self.value(scope))
    }
}

/// Whether the value of a condition means that it holds.
fn is_true(value: f64) -> bool {
    !value.is_nan() && value != 0.0
}

/// A value for a name in a check: no two names have the same value, and none is 0 or 1.
fn sample_value(place: usize, sample: u32) -> f64 {
    let size = [0.37, 17.3, 2.71, 1234.5][sample as usize % 4];
    let sign = if sample % 8 < 4 { 1.0 } else { -1.0 };
    sign * (size + 0.618 * place as f64)
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
    let value = Expression::new(text, &[], &[]).ok()?.value(&Scope::default());
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
