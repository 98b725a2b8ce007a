//! The Jinja templates that RobotSwarmSimulator runs YAML files through: `<% %>`, `<{ }>` and lines with `#%>`.
//!
//! Templates have limits: on their steps, on the length of their output, and on the values that they make.

use std::collections::BTreeMap;

use super::python::{Dialect, Evaluator, Value};

mod error;
mod node;
mod parser;
mod renderer;
mod tags;
mod value;

pub use error::TemplateError;
pub use node::Macro;
pub use renderer::call;
pub use tags::is_template;
pub use value::value_of;

use renderer::Renderer;

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
    /// The variables without a value that the template writes, as empty texts, each once.
    pub missing: Vec<TemplateError>,
}

/// Runs a template.
///
/// # Errors
/// When the template is malformed, needs a feature that is not known here, or exceeds a limit.
pub fn render(text: &str, variables: &Variables) -> Result<Rendered, TemplateError> {
    let nodes = parser::parse(text)?;
    let mut evaluator = Evaluator::new(Dialect::Jinja, variables.clone());
    let mut renderer = Renderer::new(&mut evaluator);
    if let Err(fault) = renderer.run(&nodes) {
        return Err(fault.locate(text));
    }
    let (text_written, lines, missing) = renderer.finish();
    let missing = missing.into_iter().map(|fault| fault.locate(text)).collect();
    Ok(Rendered { text: text_written, lines, variables: evaluator.into_variables(), missing })
}

#[cfg(test)]
mod tests;
