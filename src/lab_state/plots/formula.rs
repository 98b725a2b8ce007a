//! Formulas of pinned values, such as `selected.speed_m_per_s * 100 - agents.0.x_m`.

use swarmarium_core::expression::{ALWAYS, Expression, Scope, is_name};

use crate::plots::error::PinError;
use crate::plots::pin::{Pin, Watched};

/// An expression over paths and metrics.
#[derive(Clone, Debug)]
pub struct Formula {
    expression: Expression,
    /// The values of the names in the expression.
    operands: Vec<Operand>,
}

/// A formula that is being read.
#[derive(Default)]
struct Draft {
    /// The expression, with placeholders for paths.
    text: String,
    /// The placeholders.
    names: Vec<String>,
    operands: Vec<Operand>,
}

#[derive(Clone, Debug)]
enum Operand {
    /// The index and the name of the column of a metric.
    Metric(usize, String),
    Path(Box<Pin>),
}

/// Whether a text has operators that no path contains; a minus can be part of a name.
pub fn looks_like_one(text: &str) -> bool {
    let has_two_paths = || text.split('-').filter(|operand| operand.contains('.')).count() > 1;
    text.contains(|c: char| "+*/%()<>=".contains(c) || c.is_ascii_whitespace()) || has_two_paths()
}

/// Whether a character can be part of a path or of the name of a metric.
pub fn is_in_word(c: char) -> bool {
    c == '_' || c == '.' || c.is_ascii_alphanumeric()
}

impl Draft {
    /// Appends a word: a keyword of the language is kept, any other word is resolved to a number.
    fn push_word(&mut self, word: &str, watched: Watched) -> Result<(), PinError> {
        let columns = watched.simulation.metric_columns();
        let operand = match columns.iter().position(|column| column == word) {
            Some(place) => Operand::Metric(place, word.to_owned()),
            None if ALWAYS.contains(&word) || !(word.contains('.') || is_name(word)) => {
                self.text.push_str(word);
                return Ok(());
            }
            None => Operand::Path(Box::new(Pin::at_path(watched, word)?)),
        };
        let name = format!("_{}", self.operands.len());
        self.text.push_str(&name);
        self.names.push(name);
        self.operands.push(operand);
        Ok(())
    }
}

impl Formula {
    /// Parses a formula.
    ///
    /// # Errors
    /// When the text is not a formula, or it names an unknown value.
    pub fn new(text: &str, watched: Watched) -> Result<Self, PinError> {
        let mut draft = Draft::default();
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (word, after) = rest.split_at(end);
            let is_word = first == '_' || first.is_ascii_alphabetic();
            if is_word && !after.trim_start().starts_with('(') {
                draft.push_word(word, watched)?;
            } else {
                draft.text.push_str(word);
            }
            rest = after;
        }
        let Draft { text, names, operands } = draft;
        let known: Vec<&str> = names.iter().map(String::as_str).chain(ALWAYS).collect();
        Expression::check(&text, &known)?;
        Ok(Self { expression: Expression::new(&text, &names, &[])?, operands })
    }

    /// Updates the formula after a step.
    pub fn observe(&mut self, watched: Watched, edited: bool) {
        for operand in &mut self.operands {
            if let Operand::Path(pin) = operand {
                pin.observe(watched, edited);
            }
        }
    }

    /// Explains why the formula has no value at present; `None` if all its parts have values.
    pub fn reason_without_value(&self, watched: Watched) -> Option<String> {
        let (metrics, step) = (watched.simulation.metrics(), watched.simulation.steps());
        self.operands.iter().find_map(|operand| match operand {
            Operand::Metric(place, name) => match metrics.get(*place) {
                Some(value) if !value.is_nan() => None,
                _ if step == 0 => Some(format!("{name} has no value before the first step")),
                _ => Some(format!("{name} has no value now")),
            },
            Operand::Path(pin) if !pin.value(watched).is_nan() => None,
            Operand::Path(pin) => Some(match watched.selected {
                None if pin.path().starts_with("selected.") => format!("{}: no robot is selected", pin.path()),
                _ => format!("{} has no value now", pin.path()),
            }),
        })
    }

    /// Returns the present value: 1 and 0 for true and false, NaN if a part has no value.
    pub fn value(&self, watched: Watched) -> f64 {
        let metrics = watched.simulation.metrics();
        let value = |operand: &Operand| match operand {
            Operand::Metric(place, _) => metrics.get(*place).copied().unwrap_or(f64::NAN),
            Operand::Path(pin) => pin.value(watched),
        };
        let values: Vec<f64> = self.operands.iter().map(value).collect();
        let time = watched.simulation.time();
        let count = watched.simulation.count();
        let scope = Scope { step: time.step, t_s: time.now_s(), count, values: &values, ..Scope::default() };
        self.expression.value(&scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swarmarium_lab_testing::{do_steps, lab_on};

    #[test]
    fn paths_metrics_and_functions_make_a_formula() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 3);
        let simulation = lab.run.host.simulation();
        let watched = Watched { simulation, selected: Some(2) };
        let value = |text: &str| Formula::new(text, watched).map(|formula| formula.value(watched));
        let x = |agent: u32| simulation.agent(agent).unwrap().pose.position_m.x;
        assert_eq!(value("selected.x_m - agents.0.x_m"), Ok(x(2) - x(0)));
        assert_eq!(value("max(selected.x_m, 100) * 2"), Ok(200.0));
        assert_eq!(value("step + count if t_s > 0 else 0"), Ok(9.0));
        assert_eq!(value("circliness + 1"), Ok(simulation.metrics()[0] + 1.0));
        assert_eq!(value("selected.readings.0 > 2"), Ok(0.0));
        let none = Watched { simulation, selected: None };
        assert!(Formula::new("selected.x_m + 1", none).unwrap().value(none).is_nan(), "nothing is selected");
    }

    #[test]
    fn bad_formulas_are_refused() {
        let lab = lab_on("milling");
        let watched = Watched { simulation: lab.run.host.simulation(), selected: None };
        let refused = |text: &str| Formula::new(text, watched).unwrap_err().to_string();
        assert!(refused("agents.0.xm + 1").contains("did you mean `x_m`"), "{}", refused("agents.0.xm + 1"));
        assert!(refused("selected.x_m +").starts_with("not an expression"), "{}", refused("selected.x_m +"));
        assert!(refused("sqroot(4)").contains("sqroot"), "{}", refused("sqroot(4)"));
        assert!(refused("circlines * 2").contains("circlines"), "{}", refused("circlines * 2"));
    }
}
