//! Errors in templates.

/// An error in a template, and its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("template: {fault}")]
pub struct TemplateError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// The cause.
    pub fault: TemplateFault,
}

impl TemplateError {
    /// An error in a line.
    pub fn in_line(line: usize, fault: TemplateFault) -> Self {
        Self { line, column: 1, fault }
    }
}

/// The cause of an error in a template.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TemplateFault {
    /// A variable has no value.
    #[error("the variable `{name}` has no value: give it one with `--var {name}=…`, or a `default`")]
    UndefinedVariable {
        /// The name of the variable.
        name: String,
    },
    /// An attribute or an item of a variable has no value.
    #[error("`{path}` has no value")]
    UndefinedPath {
        /// The variable with its attributes and indices.
        path: String,
    },
    /// A variable that was not found in the text has no value.
    #[error("a variable has no value: give it one with `--var name=value`, or a `default`")]
    Undefined,
    /// The template takes more steps than is allowed.
    #[error("it goes on for too long")]
    Endless,
    /// The output is longer than is allowed.
    #[error("it writes more than 16 MiB")]
    OutputTooLong,
    /// The engine refuses the template, for this reason.
    #[error("{0}")]
    Engine(String),
    /// The texts leave no characters for marks.
    #[error("it has all characters that mean nothing")]
    NoFreeMarks,
    /// A `set` takes the text of a block.
    #[error("a `set` that spans blocks cannot be imported: write `set name = value`")]
    BlockSet,
    /// Statements could make a text too long.
    #[error("too many `set` in a row that could make a text longer")]
    Growth,
    /// An expression is nested too deeply.
    #[error("an expression has more than {most} words and signs within each other")]
    DeepExpression {
        /// The most nested tokens.
        most: usize,
    },
    /// An `if` has too many branches.
    #[error("more than {most} `elif` are within each other")]
    DeepBranches {
        /// The most nested branches.
        most: usize,
    },
}
