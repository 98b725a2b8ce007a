//! Errors of expressions.

use thiserror::Error;

use super::LONGEST;

/// The reason why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// The text has more characters than an expression may have.
    #[error("an expression has at most {} characters", LONGEST)]
    TooLong,
    /// The text contains a character that no expression contains.
    #[error("`{}` is not allowed in an expression of numbers{}", shown(*.0), instead_of(*.0))]
    Character(char),
    /// The text contains the operator `**`.
    #[error("`**` is not supported: write a product")]
    Power,
    /// The text has more parentheses and calls inside each other than an expression may have.
    #[error("too many parentheses inside each other")]
    TooDeep,
    /// The text cannot be parsed.
    #[error("not an expression: {0}")]
    Syntax(String),
    /// The text is valid in Jinja, but has no meaning for numbers.
    #[error("not an expression of numbers: {0}")]
    Unsupported(&'static str),
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
}

impl ExpressionError {
    /// The message, with a better hint about an unknown name, if there is one.
    pub fn with_hint(&self, hint: impl Fn(&str) -> String) -> String {
        match self {
            Self::UnknownName { name, .. } if !hint(name).is_empty() => format!("unknown name `{name}`{}", hint(name)),
            _ => self.to_string(),
        }
    }
}

/// A character as it is, unless it is a control character.
fn shown(c: char) -> String {
    if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
}

/// The operator to write in place of a character, as an addition to a message.
fn instead_of(c: char) -> &'static str {
    match c {
        '&' => ": write `and`",
        '|' => ": write `or`",
        '^' => ": write a product",
        '≥' => ": write `>=`",
        '≤' => ": write `<=`",
        '≠' => ": write `!=`",
        '×' => ": write `*`",
        _ => "",
    }
}
