//! Checks of a plan against its scene. Every problem has the place of its field in the text of the plan.

use std::collections::BTreeSet;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::{constants, path};
use swarmarium_core::text::wording::{shown, suggestion};

use super::factor::ResolvedFactor;
use super::{PlanText, of_value};
use crate::plan::{Expectation, Measure, Plan, Sampling, Seeds, Value, Values};

/// The most problems that are told one by one.
const MAX_PROBLEMS: usize = 20;

/// The problems of a plan.
pub(super) struct Found<'a> {
    source: PlanText<'a>,
    problems: Vec<Problem>,
    more: usize,
}

impl<'a> Found<'a> {
    pub(super) fn new(source: PlanText<'a>) -> Self {
        Self { source, problems: Vec::new(), more: 0 }
    }

    /// Adds a problem of a field of the plan. Its place is that of the nearest field around it that the text has.
    pub(super) fn add(&mut self, field: &str, message: String) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        let mut around = Some(field);
        let place = std::iter::from_fn(|| {
            let field = around?;
            around = field.rfind(['.', '[']).map(|end| &field[..end]);
            Some(path::place_of(self.source.text, field))
        });
        let place = place.flatten().next();
        self.problems.push(Problem { place, path: field.into(), message });
    }

    /// # Errors
    /// All problems so far, in the order of the text.
    pub(super) fn done(&mut self) -> Result<(), Problems> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let mut problems = std::mem::take(&mut self.problems);
        problems.sort_by_key(|problem| problem.place);
        if self.more > 0 {
            problems.push(Problem::of_file(format!("… and {} more", self.more)));
        }
        Err(Problems { source_name: self.source.name.into(), problems })
    }
}

/// Seeds that contradict each other.
pub(super) fn seeds(plan: &Plan, factors: &[ResolvedFactor], found: &mut Found) {
    if let Seeds::List(seeds) = &plan.seeds {
        if seeds.is_empty() {
            found.add("seeds", "expected at least one seed".into());
        }
        if plan.repetitions != 1 && plan.repetitions != seeds.len() as u64 {
            let message = format!("{} repetitions, but {} seeds: leave one of them out", plan.repetitions, seeds.len());
            found.add("repetitions", message);
        }
        let distinct: BTreeSet<_> = seeds.iter().collect();
        if distinct.len() < seeds.len() {
            found.add("seeds", "a seed stands twice: two runs with one seed are one run".into());
        }
    }
    if let Some(index) = factors.iter().position(|factor| factor.path == "seed")
        && (plan.repetitions != 1 || plan.seeds != Seeds::Common)
    {
        let message = "the seed is a factor: each point has one run, so there are neither repetitions nor other seeds";
        found.add(&format!("factors[{index}].path"), message.into());
    }
}

/// Values that do not fit their parameters.
pub(super) fn values(
    kinds: &Kinds,
    scene: &Scene,
    plan: &Plan,
    factors: &[ResolvedFactor],
    points: &[Vec<Value>],
    found: &mut Found,
) {
    for (index, factor) in factors.iter().enumerate() {
        if let Values::Range { from, to, count } | Values::LogRange { from, to, count } = factor.levels.values
            && from == to
            && count != 1
        {
            found.add(&format!("factors[{index}].values"), format!("the range from {from} to {to} is empty"));
            continue;
        }
        // Each value once, with the row that it stands in first.
        let mut tried = BTreeSet::new();
        for (row, point) in points.iter().enumerate() {
            let Some(value) = point.get(index).filter(|value| tried.insert(*value)) else { continue };
            let mut scene = scene.clone();
            let set = factor.overrides(value).and_then(|overrides| {
                overrides.iter().try_for_each(|one| constants::set(kinds, &mut scene, &one.path, &one.value).map(drop))
            });
            if let Err(problem) = set {
                let at = match (&plan.sampling, &factor.levels.values) {
                    (Sampling::Table { .. }, _) => format!("sampling.rows[{row}][{index}]"),
                    (_, Values::List(values)) => {
                        let place = values.iter().position(|other| other == value).unwrap_or_default();
                        format!("factors[{index}].values[0][{place}]")
                    }
                    _ => format!("factors[{index}].values"),
                };
                found.add(&at, format!("{}: {}", shown(value.text()), of_value(&problem)));
            }
        }
    }
}

/// Expectations of points and measures that do not exist.
pub(super) fn expectations(
    expect: &[Expectation],
    measures: &[Measure],
    factors: &[ResolvedFactor],
    points: &[Vec<Value>],
    found: &mut Found,
) {
    let names: Vec<&str> = measures.iter().map(|measure| measure.name.as_str()).collect();
    for (index, expected) in expect.iter().enumerate() {
        if !names.contains(&expected.measure.as_str()) {
            let message =
                format!("there is no measure `{}`{}", shown(&expected.measure), suggestion(&expected.measure, &names));
            found.add(&format!("expect[{index}].measure"), message);
        }
        let at = format!("expect[{index}].at");
        if expected.at.is_empty() {
            continue;
        }
        if expected.at.len() != factors.len() {
            found.add(&at, format!("{} values, but there are {} factors", expected.at.len(), factors.len()));
        } else if !points.iter().any(|point| is_at(point, &expected.at)) {
            found.add(&at, "no point has these values".into());
        }
    }
}

/// Whether two lists of values are the same point: numbers are compared as numbers.
pub(crate) fn is_at(point: &[Value], at: &[Value]) -> bool {
    let is_same = |(one, other): (&Value, &Value)| match (one.number(), other.number()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    };
    point.len() == at.len() && point.iter().zip(at).all(is_same)
}
