//! Observed quantities: columns of metrics, and expressions over them.

use swarmarium_core::expression::{ALWAYS, Expression, PREVIOUS, Scope};
use swarmarium_core::simulation::Simulation;
use swarmarium_core::text::wording::{shown, suggestion};

use super::check::PlanProblems;
use crate::plan::{Measure, Window};

/// A quantity that is observed after each step.
#[derive(Clone, Debug, PartialEq)]
pub enum Observable {
    /// The column of a metric, by its place.
    Column(usize),
    /// A column compared with a number, which is quicker than an expression.
    Comparison(usize, Comparison, f64),
    /// An expression.
    Expression(String),
}

/// The comparison of a column with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Observable {
    /// The value after the last step, from the values of the metrics. Without a value, `NaN`.
    pub fn value(&self, simulation: &Simulation, columns: &[String], metrics: &[f64]) -> f64 {
        match self {
            Self::Column(column) => metrics.get(*column).copied().unwrap_or(f64::NAN),
            Self::Comparison(column, comparison, number) => match metrics.get(*column) {
                Some(value) if !value.is_nan() => f64::from(u8::from(match comparison {
                    Comparison::Less => value < number,
                    Comparison::LessOrEqual => value <= number,
                    Comparison::Greater => value > number,
                    Comparison::GreaterOrEqual => value >= number,
                })),
                _ => f64::NAN,
            },
            Self::Expression(text) => {
                let (time, count) = (simulation.time(), simulation.agents().count());
                Scope { step: time.step, t_s: time.now_s(), count, columns, values: metrics, ..Scope::default() }
                    .value(text)
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
        let observable = observable(&measure.of, columns);
        if let Observable::Expression(text) = &observable
            && let Some(message) = problem(text, &known, columns, first)
        {
            found.add(&field("of"), message);
        }
        if measure.take.is_condition() && matches!(observable, Observable::Column(_)) {
            let message = format!("expected a condition such as `{0} > 0.9`, found `{0}`", shown(&measure.of));
            found.add(&field("of"), message);
        }
        observables.push(observable);
    }
    observables
}

/// Why a text cannot be observed, in words.
fn problem(text: &str, known: &[&str], columns: &[String], first: &Simulation) -> Option<String> {
    if text.contains(PREVIOUS) && !columns.iter().any(|column| column.starts_with(PREVIOUS)) {
        return Some(format!("a measure cannot look back with `{PREVIOUS}`: add a metric that does"));
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    match text.chars().all(is_name) && !known.contains(&text) {
        true => {
            let hint = Some(first.missing_metric(text)).filter(|hint| !hint.is_empty());
            let hint = hint.unwrap_or_else(|| suggestion(text, known));
            Some(format!("no metric of the scene has the column `{}`{hint}", shown(text)))
        }
        false => Expression::check(text, known).err().map(|error| error.with_hint(|name| first.missing_metric(name))),
    }
}

fn observable(text: &str, columns: &[String]) -> Observable {
    let column = |name: &str| columns.iter().position(|column| column == name.trim());
    if let Some(column) = column(text) {
        return Observable::Column(column);
    }
    const SIGNS: [(&str, Comparison); 4] = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    let compared = SIGNS.into_iter().find_map(|(sign, comparison)| {
        let (left, right) = text.split_once(sign)?;
        let number = right.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(Observable::Comparison(column(left)?, comparison, number))
    });
    compared.unwrap_or_else(|| Observable::Expression(text.to_owned()))
}
