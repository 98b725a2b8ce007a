//! Errors in templates.

use std::ops::Range;

use swarmarium_base::problem::Place;

use crate::language::python::{EvaluationError, SyntaxError, is_in_name};

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

/// The cause of an error in a template.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TemplateFault {
    /// A variable has no value.
    #[error("the variable `{0}` has no value: give it one with `--var {0}=…`, or a `default`")]
    UndefinedVariable(String),
    /// An attribute or an item of a variable has no value.
    #[error("`{0}` has no value")]
    UndefinedPath(String),
    /// An expression has no value.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A tag is malformed.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A statement is unknown.
    #[error("the statement `{0}` is not known here")]
    Statement(String),
    /// A statement such as `else` stands where none can be.
    #[error("`{0}` has no beginning")]
    NoBeginning(String),
    /// A statement has no end.
    #[error("there is no `{0}`")]
    NoEnd(&'static str),
    /// Statements are nested too deeply.
    #[error("more than {0} statements within each other")]
    TooDeep(usize),
    /// The output is longer than is allowed.
    #[error("it writes more than 16 MiB")]
    OutputTooLong,
}

/// A fault in a tag, with the bytes of the tag in the template.
#[derive(Clone, Debug)]
pub(super) struct TagFault {
    /// The bytes of the tag.
    pub tag: Range<usize>,
    /// The cause.
    pub fault: TemplateFault,
}

impl TagFault {
    /// A fault in a tag.
    pub fn new(tag: &Range<usize>, fault: impl Into<TemplateFault>) -> Self {
        Self { tag: tag.clone(), fault: fault.into() }
    }

    /// The fault with its place in the text of the template: that of the variable, if one has no value.
    pub fn locate(self, text: &str) -> TemplateError {
        let Place { line, .. } = Place::of(text, self.tag.start);
        let TemplateFault::Evaluation(EvaluationError::Undefined(path)) = self.fault else {
            return TemplateError { line, column: 1, fault: self.fault };
        };
        let inside = text.get(self.tag.clone()).unwrap_or_default();
        let Place { line, column } = Place::of(text, self.tag.start + find_name(inside, &path).unwrap_or(0));
        let is_name = path.chars().all(is_in_name);
        let fault = if is_name { TemplateFault::UndefinedVariable(path) } else { TemplateFault::UndefinedPath(path) };
        TemplateError { line, column, fault }
    }
}

/// The place of a path in a tag, outside of quotes and of longer names.
fn find_name(tag: &str, path: &str) -> Option<usize> {
    let base = &path[..path.find(|c| !is_in_name(c)).unwrap_or(path.len())];
    let find = |wanted: &str| {
        let mut quote = None;
        let mut before = ' ';
        tag.char_indices().find_map(|(at, c)| {
            let last = std::mem::replace(&mut before, c);
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if c == open => quote = None,
                (None, _) if !is_in_name(last) && last != '.' => {
                    let rest = tag[at..].strip_prefix(wanted)?;
                    return (!wanted.is_empty() && !rest.starts_with(is_in_name)).then_some(at);
                }
                _ => {}
            }
            None
        })
    };
    find(path).or_else(|| find(base))
}
