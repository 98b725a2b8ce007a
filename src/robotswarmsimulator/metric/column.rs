//! The columns that metrics fill, and the names that an expression can use.

use std::collections::BTreeMap;

use swarmarium_core::expression::PREVIOUS;

use super::keys::{METRICS, circle_fit_method};
use super::type_of;
use crate::fields::as_number;
use crate::term::{Term, TermError};
use crate::yaml::Node;

/// The column of a metric, and the values that it can have.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// The name of the column; `None` for a metric without a number, or with several.
    pub name: Option<String>,
    /// Whether the value is an agent in RobotSwarmSimulator. The column has its number.
    pub is_agent: bool,
    /// Whether the metric can have no value after an observation.
    pub may_be_nothing: bool,
    /// The value before the first observation.
    pub initial: Option<f64>,
    /// Whether the metric is left out, since its class or a part of it has no counterpart.
    pub is_left_out: bool,
}

impl Column {
    /// The column of a metric that is left out.
    pub fn left_out() -> Self {
        Self { is_left_out: true, ..Self::default() }
    }

    /// The column of a metric that always has a number.
    pub fn named(name: String) -> Self {
        Self { name: Some(name), ..Self::default() }
    }

    /// The value in this step, or in the step before.
    ///
    /// # Errors
    /// When the metric has no number, or several.
    pub fn term(&self, is_before: bool) -> Result<Term, TermError> {
        if self.is_left_out {
            return Err(TermError::LeftOut);
        }
        let Some(name) = &self.name else { return Err(TermError::NoNumber) };
        let name = if is_before { format!("{PREVIOUS}{name}") } else { name.clone() };
        Ok(match (self.is_agent, is_before || self.may_be_nothing) {
            (true, _) => Term::agent(&name, self.initial),
            (false, true) => Term::column(&name, self.initial),
            (false, false) => Term::number(name),
        })
    }
}

impl Column {
    /// The value before the first observation.
    pub fn initial_term(&self) -> Result<Term, TermError> {
        match self.initial {
            _ if self.is_left_out => Err(TermError::LeftOut),
            Some(number) => Ok(Term::number(format!("{number:?}"))),
            None => Ok(Term::nothing()),
        }
    }
}

/// The names that an expression can use besides those of the world.
#[derive(Default)]
pub(super) struct Scope<'s> {
    /// The inner metrics.
    pub inner: &'s [Column],
    /// Whether the first inner metric is called `metric`.
    pub has_single: bool,
    /// Whether the expression is evaluated before the inner metrics are observed.
    pub is_before: bool,
    /// The variables of the template.
    pub variables: BTreeMap<String, Term>,
    /// Whether the expression can name an agent.
    pub has_agent: bool,
    /// Whether the expression is evaluated before the first step, when no metric has been observed.
    pub is_at_start: bool,
}

/// The name of the column with the number that RobotSwarmSimulator calls the value.
pub(super) fn value_column(name: &str, kind: Option<&str>) -> String {
    match kind {
        Some("AlgebraicConn") => format!("{name}.connected"),
        Some("AgentsAtGoal" | "PercentageAtGoal") => format!("{name}.now"),
        Some(kind) if circle_fit_method(kind).is_some() => format!("{name}.residual"),
        _ => name.to_owned(),
    }
}

/// The column of a metric, as far as it is known before the metric is read.
pub(super) fn expected_column(node: &Node) -> Column {
    let kind = type_of(node);
    let default = node.get("default").and_then(as_number);
    let is_agent =
        kind == Some("AnyAgent") && node.get("value_on_found").is_none_or(|node| node.text() == Some("agent"));
    let initial = default.filter(|_| matches!(kind, Some("AnyAgent" | "StepsUntil" | "JinjaMetric")));
    let may_be_nothing = matches!(kind, Some("AnyAgent" | "StepsUntil")) && default.is_none();
    let is_left_out = kind.is_some_and(|kind| !METRICS.contains(&kind));
    Column { name: None, is_agent, may_be_nothing, initial, is_left_out }
}
