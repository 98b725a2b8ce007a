//! The expression that pauses the run when it becomes true.

use swarmarium_simulation::simulation::Simulation;

use crate::plots::error::PinError;
use crate::plots::formula::{Formula, is_in_word};
use crate::plots::pin::Watched;

/// An expression, with its value after the last step.
///
/// It uses the language of `stop.when` of a scene, and can also contain paths. It only reads: no result depends on it.
#[derive(Clone, Debug)]
pub struct Trigger {
    text: String,
    formula: Formula,
    holds: bool,
    /// The number of edits at the last step.
    edits: usize,
}

impl Trigger {
    /// Parses an expression; `None` if the text is empty.
    ///
    /// # Errors
    /// When the text is not an expression, or it names an unknown value.
    pub fn new(text: &str, watched: Watched) -> Result<Option<Self>, PinError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let formula = Formula::new(text, watched)?;
        let mut trigger = Self { text: text.into(), formula, holds: false, edits: 0 };
        trigger.observe(watched);
        Ok(Some(trigger))
    }

    /// Returns an example of an expression: over the first metric that an expression can name, or over time.
    pub fn example(simulation: &Simulation) -> String {
        let columns = simulation.metric_columns();
        let metric = columns.iter().find(|column| column.chars().all(is_in_word));
        metric.map_or_else(|| "t_s > 10".into(), |metric| format!("{metric} > 0.5"))
    }

    /// Whether the expression was true at the last evaluation.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Explains why the expression cannot pause the run at present: a part has no value, or it is already true.
    pub fn obstacle(&self, watched: Watched) -> Option<String> {
        match self.formula.reason_without_value(watched) {
            Some(reason) => Some(format!("cannot be evaluated: {reason}")),
            None if self.holds => Some("is already true: the run pauses the next time it becomes true".into()),
            None => None,
        }
    }

    /// Returns the text of the expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Updates the expression after a step. Returns whether it became true.
    pub fn observe(&mut self, watched: Watched) -> bool {
        let edits = watched.simulation.edits().len();
        let edited = std::mem::replace(&mut self.edits, edits) != edits;
        self.formula.observe(watched, edited);
        let value = self.formula.value(watched);
        let holds = !value.is_nan() && value != 0.0;
        let held = std::mem::replace(&mut self.holds, holds);
        holds && !held
    }
}
