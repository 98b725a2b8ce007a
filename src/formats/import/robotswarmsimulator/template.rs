//! The Jinja templates that RobotSwarmSimulator runs YAML files through: `<% %>`, `<{ }>` and lines with `#%>`.
//!
//! Templates have limits: on their steps, on the length of their output, and on the growth of texts.

use std::cell::RefCell;
use std::collections::BTreeMap;

use minijinja::{Error, ErrorKind, Value};

use self::engine::{BoundedOutput, new_engine};
use self::marks::{mark_lines, marked_lines, remove_marks, unused_marks};
use self::tags::insides;
use self::undefined::{find_undefined, written_tags};

mod depth;
mod engine;
mod error;
mod growth;
mod marks;
mod tags;
mod undefined;
mod value;

pub use error::{TemplateError, TemplateFault};
pub use tags::is_template;
pub use value::value_of;

/// Variables by name.
pub type Variables = BTreeMap<String, Value>;

/// The result of a template.
#[derive(Debug)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The line of the template, counted from 1, for each line of the text.
    pub lines: Vec<usize>,
    /// The variables given to the template, and those that it set.
    pub variables: Variables,
    /// The first variable without a value that the template writes, as an empty text.
    pub missing: Option<TemplateError>,
}

/// Runs a template.
///
/// # Errors
/// When the template is malformed, needs a feature that the engine lacks, or exceeds a limit.
pub fn render(text: &str, variables: &Variables) -> Result<Rendered, TemplateError> {
    let failed = |error: Error| describe(&error, text, variables);
    let texts = variables.values().filter_map(Value::as_str).chain([text]);
    let marks = unused_marks(texts).ok_or(TemplateError::in_line(1, TemplateFault::NoFreeMarks))?;
    let marked = mark_lines(text, marks);
    growth::check(text, variables)?;
    depth::check(text)?;
    let engine = new_engine().map_err(failed)?;
    let output = RefCell::new(Vec::new());
    let template = engine.template_from_str(&marked).map_err(failed)?;
    let captured =
        template.render_captured_to(Value::from(variables.clone()), BoundedOutput(&output)).map_err(failed)?;
    let mut variables = variables.clone();
    let state = captured.state();
    for name in state.exports() {
        if let Some(value) = state.lookup(name) {
            variables.insert(name.to_string(), value);
        }
    }
    let written = String::from_utf8_lossy(&output.borrow()).into_owned();
    let [possible, shown] = [&marked, &written].map(|lines: &String| marked_lines(lines, marks));
    let missing = find_undefined(text, 1, &variables, &written_tags(text, &possible, &shown));
    let (text, lines) = remove_marks(&written, marks);
    Ok(Rendered { text, lines, variables, missing })
}

/// The error of a template for one of the engine: a variable without a value, where the text names one.
fn describe(error: &Error, text: &str, variables: &Variables) -> TemplateError {
    let line = error.line().unwrap_or(1);
    let mut tags = insides(text);
    if error.kind() == ErrorKind::InvalidOperation {
        // Such an error can have another cause, and variables of later lines do not cause it.
        let end: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        tags.retain(|tag| tag.start <= end);
    }
    if matches!(error.kind(), ErrorKind::UndefinedError | ErrorKind::InvalidOperation)
        && let Some(undefined) = find_undefined(text, line, variables, &tags)
    {
        return undefined;
    }
    let fault = match error.kind() {
        ErrorKind::UndefinedError => TemplateFault::Undefined,
        ErrorKind::OutOfFuel => TemplateFault::Endless,
        ErrorKind::WriteFailure => TemplateFault::OutputTooLong,
        kind => TemplateFault::Engine(error.detail().map_or_else(|| kind.to_string(), str::to_string)),
    };
    TemplateError::in_line(line, fault)
}

#[cfg(test)]
mod tests;
