//! Observed quantities: columns of metrics, and expressions over them.

use swarmarium_base::problem::Problem;
use swarmarium_core::expression::{ALWAYS, Expression, PREVIOUS, Scope};
use swarmarium_core::metric;
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_simulation::simulation::Simulation;

use super::check::PlanProblems;
use crate::plan::{Measure, Window};

/// A quantity that is observed after each step.
#[derive(Clone, Debug, PartialEq)]
pub enum Observable {
    /// The column of a metric, by its place.
    Column(usize),
    /// An expression.
    Expression(Expression),
}

impl Observable {
    /// The value after the last step, from the values of the metrics. Without a value, `NaN`.
    pub fn value(&self, simulation: &Simulation, metrics: &[f64]) -> f64 {
        match self {
            Self::Column(column) => metrics.get(*column).copied().unwrap_or(f64::NAN),
            Self::Expression(expression) => {
                let (time, count) = (simulation.time(), simulation.agents().count());
                let scope = Scope { step: time.step, t_s: time.now_s(), count, values: metrics, ..Scope::default() };
                expression.value(&scope)
            }
        }
    }
}

/// The quantities of all measures. Names that are left out are completed; problems are collected.
pub(super) fn resolve(
    measures: &mut [Measure],
    columns: &[String],
    first: &Simulation,
    found: &mut PlanProblems,
) -> Vec<Observable> {
    let known: Vec<&str> = columns.iter().map(String::as_str).chain(ALWAYS).collect();
    for measure in &mut *measures {
        if measure.of.is_empty() {
            measure.of.clone_from(&measure.name);
        }
        if measure.name.is_empty() {
            measure.name.clone_from(&measure.of);
        }
    }
    let names: Vec<String> = measures.iter().map(|measure| measure.name.clone()).collect();
    let mut observables = Vec::new();
    for (index, measure) in measures.iter().enumerate() {
        let field = |name: &str| format!("measures[{index}].{name}");
        if measure.of.is_empty() {
            found.add(&format!("measures[{index}]"), "the measure needs `of`, such as the column of a metric".into());
        } else if names[..index].contains(&measure.name) {
            found.add(&field("name"), format!("the name `{}` is taken by another measure", shown(&measure.name)));
        }
        if let Window::Between(from, to) = measure.over
            && to <= from
        {
            found.add(&field("over"), format!("the time from {from} s to {to} s is empty"));
        }
        let observable = match columns.iter().position(|column| column == measure.of.trim()) {
            Some(column) => Ok(Observable::Column(column)),
            None => expression(&measure.of, &known, columns, first).map(Observable::Expression),
        };
        if measure.take.is_condition() && matches!(observable, Ok(Observable::Column(_))) {
            let message = format!("expected a condition such as `{0} > 0.9`, found `{0}`", shown(&measure.of));
            found.add(&field("of"), message);
        }
        match observable {
            Ok(observable) => observables.push(observable),
            Err(problem) => found.add_problem(&field("of"), problem),
        }
    }
    observables
}

/// The expression of a measure.
///
/// # Errors
/// Why the text cannot be observed, without a place.
fn expression(text: &str, known: &[&str], columns: &[String], first: &Simulation) -> Result<Expression, Problem> {
    if text.contains(PREVIOUS) && !columns.iter().any(|column| column.starts_with(PREVIOUS)) {
        let message = format!("a measure cannot look back with `{PREVIOUS}`: add a metric that does");
        return Err(Problem::of_file(message));
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    if text.chars().all(is_name) && !known.contains(&text) {
        let lacks = metric::missing_metric(first.world(), text);
        let hint = if lacks.is_some() { metric::advice(lacks) } else { suggestion(text, known) };
        let message = format!("no metric of the scene has the column `{}`{hint}", shown(text));
        return Err(Problem { lacks, ..Problem::of_file(message) });
    }
    let expression = Expression::check(text, known).and_then(|()| Expression::new(text, columns, &[]));
    expression.map_err(|error| metric::expression_problem(first.world(), &error))
}
