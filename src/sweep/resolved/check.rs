//! Checks of a plan against its scene. Every problem has the place of its field in the text of the plan.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_base::math;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::expression::Expression;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_formats::load::Override;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::{constants, path};
use swarmarium_simulation::simulation::Simulation;

use super::factor::ResolvedFactor;
use super::{PlanText, Run, Sweep, of_value};
use crate::controllers;
use crate::plan::{Expectation, Formula, Measure, Plan, Sampling, Seeds, Statistic, Value, Values, Window};

/// The largest number of problems that a message lists.
const MAX_PROBLEMS: usize = 20;
/// The field of the condition that ends runs, in plans and in scenes.
const CONDITION: &str = "stop.when";

/// The problems of a plan.
pub(super) struct PlanProblems<'a> {
    source: PlanText<'a>,
    problems: Vec<Problem>,
    more: usize,
}

impl<'a> PlanProblems<'a> {
    pub(super) fn new(source: PlanText<'a>) -> Self {
        Self { source, problems: Vec::new(), more: 0 }
    }

    /// Adds a problem of a field of the plan, in words.
    pub(super) fn add(&mut self, field: &str, message: String) {
        self.add_problem(field, Problem::of_file(message));
    }

    /// Adds a problem of a field of the plan. Its place is that of the nearest field around it that the text has.
    pub(super) fn add_problem(&mut self, field: &str, problem: Problem) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        let place = path::nearest_place_of(self.source.text, field);
        self.problems.push(Problem { place, path: field.into(), ..problem });
    }

    /// Problems with the first simulation: those of the condition that the plan has are problems of the plan.
    pub(super) fn of_condition(&mut self, when: &str, told: Problems) -> Problems {
        let is_of_plan = |problem: &&Problem| !when.is_empty() && problem.path == CONDITION;
        told.problems.iter().filter(is_of_plan).for_each(|problem| self.add_problem(CONDITION, problem.clone()));
        self.done().err().unwrap_or(told)
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
pub(super) fn seeds(plan: &Plan, factors: &[ResolvedFactor], found: &mut PlanProblems) {
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
    if let Some(index) = factors.iter().position(|factor| factor.is_seed)
        && (plan.repetitions != 1 || plan.seeds != Seeds::Common)
    {
        let message = "the seed is a factor: each point has one run, so there are neither repetitions nor other seeds";
        found.add(&format!("factors[{index}].path"), message.into());
    }
}

/// The columns of tables besides those of factors and measures.
const COLUMNS: [&str; 8] = ["point", "repetition", "seed", "status", "steps", "final_state_hash", "error", "measure"];

/// Two columns of the same name.
pub(super) fn columns(measures: &[Measure], factors: &[ResolvedFactor], found: &mut PlanProblems) {
    for (index, factor) in factors.iter().enumerate() {
        let is_taken = COLUMNS.contains(&factor.label.as_str())
            || factors[..index].iter().any(|other| other.label == factor.label);
        if is_taken {
            found.add(
                &format!("factors[{index}].label"),
                format!("the tables have another column `{}`", shown(&factor.label)),
            );
        }
    }
    for (index, measure) in measures.iter().enumerate() {
        let name = measure.name.as_str();
        let is_reached = |other: &Measure| other.take.is_time() && name.strip_suffix("_reached") == Some(&other.name);
        if COLUMNS.contains(&name)
            || measures.iter().any(is_reached)
            || factors.iter().any(|factor| factor.label == name)
        {
            found.add(&format!("measures[{index}].name"), format!("the tables have another column `{}`", shown(name)));
        }
    }
}

/// Windows of measures that begin after the end of all runs.
pub(super) fn windows(measures: &[Measure], scene: &Scene, found: &mut PlanProblems) {
    let end_s = scene.stop.most_steps(scene.time.dt_s) as f64 * scene.time.dt_s;
    for (index, measure) in measures.iter().enumerate() {
        if let Window::Between(from_s, _) = measure.over
            && from_s >= end_s
        {
            found.add(
                &format!("measures[{index}].over"),
                format!("the window begins at {from_s} s, and runs end at {end_s} s"),
            );
        }
    }
}

/// Windows at the end of runs that are longer than the runs, as warnings.
pub(super) fn long_windows(measures: &[Measure], scene: &Scene, source: PlanText) -> Vec<Problem> {
    let mut found = PlanProblems::new(source);
    let end_s = math::decimal_product(scene.stop.most_steps(scene.time.dt_s) as f64 * scene.time.dt_s);
    let at_most = if scene.stop.when.is_empty() { "" } else { " at most" };
    for (index, measure) in measures.iter().enumerate() {
        if let Window::Last(seconds) = measure.over
            && seconds > end_s
        {
            let (name, whole) = (shown(&measure.name), format!("`over last {seconds}` is the whole run"));
            let message = format!("measure `{name}`: a run lasts {end_s} s{at_most}: {whole}");
            found.add(&format!("measures[{index}].over"), message);
        }
    }
    found.problems
}

/// The texts of a plan that figures show, with letters that the fonts of figures lack, as warnings.
pub(super) fn letters(plan: &Plan, columns: &[String], source: PlanText) -> Vec<Problem> {
    let mut found = PlanProblems::new(source);
    let mut check = |field: String, text: &str| {
        if let Some(letter) = swarmarium_figure::missing_letter(text) {
            let text = shown(text);
            found.add(
                &field,
                format!("the font of figures has no `{letter}` of `{text}`: files have a box in its place"),
            );
        }
    };
    for (index, measure) in plan.measures.iter().enumerate() {
        check(format!("measures[{index}].name"), &measure.name);
    }
    for (index, factor) in plan.factors.iter().enumerate() {
        check(format!("factors[{index}].label"), &factor.label);
        if let Values::List(values) = &factor.values {
            values.iter().for_each(|value| check(format!("factors[{index}].values"), value.shown()));
        }
    }
    for (index, formula) in plan.formulas.iter().enumerate() {
        check(format!("formulas[{index}].label"), &formula.label);
    }
    for (index, expected) in plan.expect.iter().enumerate() {
        check(format!("expect[{index}].source"), &expected.source);
    }
    // Metrics are measures where the plan has none, and have figures over time where it keeps series.
    if plan.measures.is_empty() || plan.keep.series_every_steps > 0 {
        columns.iter().for_each(|column| check("metrics".into(), column));
    }
    found.problems
}

/// A reference that is not a point.
pub(super) fn reference(sweep: &Sweep, found: &mut PlanProblems) {
    let reference = &sweep.plan.reference;
    if !reference.is_empty() && !sweep.points.iter().any(|point| is_at(point, reference)) {
        found.add("reference", "no point has these values".into());
    }
}

/// Points without those that stand twice. Where the plan lists its points, one that stands twice is a mistake.
pub(super) fn distinct(
    plan: &Plan,
    factors: &[ResolvedFactor],
    points: Vec<Vec<Value>>,
    found: &mut PlanProblems,
) -> Vec<Vec<Value>> {
    let is_listed = matches!(plan.sampling, Sampling::Grid | Sampling::Zip | Sampling::Table { .. });
    let mut seen = BTreeMap::new();
    let mut kept = Vec::new();
    for (place, point) in points.into_iter().enumerate() {
        let first = *seen.entry(point.iter().map(Value::canonical).collect::<Vec<_>>()).or_insert(place);
        if first == place {
            kept.push(point);
        } else if is_listed {
            // In a grid, a value of one factor stands twice.
            let twice = |factor: &&ResolvedFactor| match &factor.levels.values {
                Values::List(values) => {
                    values.iter().map(Value::canonical).collect::<BTreeSet<_>>().len() < values.len()
                }
                _ => factor.levels.is_whole,
            };
            let factor = factors.iter().position(|factor| twice(&factor));
            let field = match (&plan.sampling, factor) {
                (Sampling::Table { .. }, _) => format!("sampling.rows[{place}]"),
                (_, Some(factor)) => format!("factors[{factor}].values"),
                (_, None) => "factors".into(),
            };
            found.add(&field, format!("points {} and {} have the same values", first + 1, place + 1));
            break;
        }
    }
    kept
}

/// The error of a run that has other metrics than the first run.
pub(crate) const OTHER_METRICS: &str = "the metrics differ from those of the first point, so tables would mix them";
/// The most points that are tried for a value.
const MAX_TRIED: usize = 20;
/// The most values of a factor whose scenes are built.
const MAX_BUILT: usize = 200;

/// Values with which no scene can be built. Where other values at the same point are the reason, its runs fail.
pub(super) fn scenes(sweep: &Sweep, found: &mut PlanProblems) {
    let mut simulation = None;
    for (index, factor) in sweep.factors.iter().enumerate() {
        let mut by_value: BTreeMap<&Value, Vec<usize>> = BTreeMap::new();
        for (point, values) in sweep.points.iter().enumerate() {
            by_value.entry(&values[index]).or_default().push(point);
        }
        for (value, points) in by_value.into_iter().take(MAX_BUILT) {
            let mut problem = None;
            let mut is_built = |point: &usize| match build(sweep, *point, &mut simulation) {
                Ok(()) => true,
                Err(new) => {
                    problem.get_or_insert(new);
                    false
                }
            };
            let any_is_built = points.iter().take(MAX_TRIED).any(&mut is_built);
            if let Some(problems) = problem.filter(|_| !any_is_built) {
                let first = problems.problems.first().map(of_value).unwrap_or_default();
                found.add(&value_field(factor, index, value), format!("{}: {first}", shown(value.text())));
            }
        }
    }
}

/// Builds the simulation of a point, and compares its metrics with those of the first point.
fn build(sweep: &Sweep, point: usize, simulation: &mut Option<Simulation>) -> Result<(), Problems> {
    let refuse = |problem| Problems { source_name: sweep.source_name.clone(), problems: vec![problem] };
    let scene = sweep.scene_of(Run { point, repetition: 0 }).map_err(refuse)?;
    // Spawners need not run for that.
    let scene = Scene { spawn_before_first_step: false, ..scene };
    let built = match simulation.take() {
        Some(mut simulation) => simulation.restart(&scene).map(|()| simulation),
        None => Simulation::with(&scene, &sweep.recipe, 1),
    };
    let built = simulation.insert(built?);
    match built.metric_columns() == sweep.metric_columns {
        true => Ok(()),
        false => Err(refuse(Problem::of_file(OTHER_METRICS))),
    }
}

/// The field of a plan that a value of a factor stands in.
fn value_field(factor: &ResolvedFactor, index: usize, value: &Value) -> String {
    match &factor.levels.values {
        Values::List(values) => {
            let place = values.iter().position(|other| other == value).unwrap_or_default();
            format!("factors[{index}].values[0][{place}]")
        }
        _ => format!("factors[{index}].values"),
    }
}

/// Values that do not fit their parameters.
pub(super) fn values(
    kinds: &Kinds,
    scene: &Scene,
    plan: &Plan,
    factors: &[ResolvedFactor],
    points: &[Vec<Value>],
    found: &mut PlanProblems,
) {
    for (index, factor) in factors.iter().enumerate() {
        if let Values::Range { from, to, count } | Values::LogRange { from, to, count } = factor.levels.values
            && from == to
            && count != 1
        {
            found.add(&format!("factors[{index}].values"), format!("the range from {from} to {to} is empty"));
            continue;
        }
        // Each value once, with the row that it stands in first; each linked parameter with its first problem.
        let (mut tried, mut reported) = (BTreeSet::new(), BTreeSet::new());
        for (row, point) in points.iter().enumerate() {
            let Some(value) = point.get(index).filter(|value| tried.insert(*value)) else { continue };
            let mut scene = scene.clone();
            let mut put = |one: Override| match controllers::parameter(&one.path) {
                Some(_) => Ok(()),
                None => constants::set(kinds, &mut scene, &one.path, &one.value).map(drop),
            };
            let own = put(factor.own_override(value));
            for (place, link) in factor.linked.iter().enumerate().filter(|_| own.is_ok()) {
                let set = ResolvedFactor::linked_override(link, value).and_then(&mut put);
                if let Err(problem) = set.map_err(|problem| of_value(&problem))
                    && reported.insert(place)
                {
                    let at = format!("factors[{index}].linked[{place}].value");
                    found.add(&at, format!("with {} for `{}`: {problem}", shown(value.text()), shown(&factor.path)));
                }
            }
            if let Err(problem) = own {
                let at = match &plan.sampling {
                    Sampling::Table { .. } => format!("sampling.rows[{row}][{index}]"),
                    _ => value_field(factor, index, value),
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
    found: &mut PlanProblems,
) {
    let names: Vec<&str> = measures.iter().map(|measure| measure.name.as_str()).collect();
    for (index, expected) in expect.iter().enumerate() {
        if !names.contains(&expected.measure.as_str()) {
            let message =
                format!("there is no measure `{}`{}", shown(&expected.measure), suggestion(&expected.measure, &names));
            found.add(&format!("expect[{index}].measure"), message);
        }
        if let Some(measure) = measures.iter().find(|measure| measure.name == expected.measure) {
            let fits = match expected.statistic {
                Statistic::Share => measure.take.is_condition(),
                Statistic::Median => true,
                _ => !measure.take.is_time(),
            };
            if !fits {
                let message = format!("{:?} is not a statistic of a {measure}", expected.statistic);
                found.add(&format!("expect[{index}].statistic"), message);
            }
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

/// Formulas that cannot be evaluated, or that no heat map shows.
pub(super) fn formulas(formulas: &[Formula], points: &[Vec<Value>], found: &mut PlanProblems) {
    let are_numbers = |point: &Vec<Value>| point.len() == 2 && point.iter().all(|value| value.number().is_some());
    if !formulas.is_empty() && !points.iter().all(are_numbers) {
        found.add("formulas", "only a plan with two factors that are numbers can show formulas".into());
    }
    for (index, formula) in formulas.iter().enumerate() {
        if let Err(error) = Expression::check(&formula.value, &["x"]) {
            found.add(&format!("formulas[{index}].value"), error.to_string());
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
