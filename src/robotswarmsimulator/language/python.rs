//! Expressions as Python and Jinja evaluate them: those with the `!np` tag, and those of templates.
//!
//! Both languages share their values, operators, and the functions of numpy. All evaluation is bounded in time and memory.

mod array;
mod builtin;
mod evaluate;
mod filter;
mod format;
mod method;
mod numpy;
mod operate;
mod syntax;
mod syntax_error;
mod token;
mod tree;
mod value;

pub use evaluate::{Arguments, Evaluator, Outcome, items_of, visit_names};
pub use syntax::{Parser, parse};
pub use syntax_error::SyntaxError;
pub use token::is_in_name;
pub use tree::{Dialect, Expr};
pub use value::{Callable, Value};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    /// Python would raise an error with such a message.
    #[error("{0}")]
    Invalid(String),
    /// A variable, or a path such as `m.b`, has no value.
    #[error("`{0}` has no value")]
    Undefined(String),
    /// The expression takes more steps than is allowed.
    #[error("the expression takes too many steps")]
    Endless,
    /// The expression gives more, or a larger number, than is allowed.
    #[error("the expression or its value is too large")]
    TooLarge,
}

impl EvaluationError {
    /// An error that Python would raise.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

impl From<SyntaxError> for EvaluationError {
    fn from(error: SyntaxError) -> Self {
        match error {
            SyntaxError::TooDeep | SyntaxError::TooLong => Self::TooLarge,
            error => Self::Invalid(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
