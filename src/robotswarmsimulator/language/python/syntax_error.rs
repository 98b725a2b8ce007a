//! Syntax errors of expressions and templates.

/// Why a text is not an expression or a template that can be imported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SyntaxError {
    /// A tag of a template has no end.
    #[error("`{0}` is not closed")]
    UnclosedTag(String),
    /// A statement such as `else` stands outside an `if`.
    #[error("`{0}` has no `if`")]
    WithoutIf(String),
    /// An `if` has no end.
    #[error("an `if` has no `endif`")]
    WithoutEndif,
    /// A `set` takes the text of a block.
    #[error("a `set` that spans blocks cannot be imported")]
    BlockSet,
    /// A `set` has a target other than one name.
    #[error("`set {0}` cannot be imported: expected one name")]
    SetTarget(String),
    /// A statement has no counterpart.
    #[error("the statement `{0}` cannot be imported: only `set` and `if`")]
    Statement(String),
    /// Expressions or blocks are nested deeper than is allowed.
    #[error("it is nested too deeply")]
    TooDeep,
    /// The text has more tokens than is allowed.
    #[error("it is too long")]
    TooLong,
    /// A token has no place where it stands.
    #[error("unexpected {0}")]
    Unexpected(String),
    /// Another token is needed.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The token that is needed, or its kind.
        expected: String,
        /// The token in its place.
        found: String,
    },
    /// A token that begins like a number is none.
    #[error("`{0}` is not a number")]
    Number(String),
    /// A text in quotes has no end.
    #[error("a text is not closed")]
    UnclosedText,
}
