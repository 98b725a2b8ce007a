//! One run of a sweep: from a scene to measures.

use std::panic::{AssertUnwindSafe, catch_unwind};

use swarmarium_base::decimal::push_number;
use swarmarium_base::problem::{Problem, Problems, cut};
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::state::Snapshot;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::Simulation;

use crate::driver::Driver;
use crate::plan::{Measure, Take, Window};
use crate::resolved::{OTHER_METRICS, Run, Sweep, advance};
use crate::sampling::short;
use crate::stats;

/// The number of steps between two checks that poses are finite.
const CHECK_EVERY_STEPS: u64 = 1024;

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The error that ended the run; `None` for a run that reached its end.
    pub error: Option<String>,
    /// The number of steps.
    pub steps: u64,
    /// The hash of the last state.
    pub hash: u64,
    /// The measures, in the order of the plan; empty for a run that failed.
    pub measures: Vec<MeasuredValue>,
    /// The rows of the series: step, time and metrics, separated by commas.
    pub series: Vec<String>,
    /// The groups with robots or objects that found no room, by their spawners. Logs do not keep them.
    pub without_room: Vec<Problem>,
}

/// The measure of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredValue {
    /// The value; `NaN` when the run has none.
    pub value: f64,
    /// Whether the value is a time at which the run ended before the event.
    pub is_censored: bool,
}

/// Executes runs one after the other. The runner restarts one simulation, because a new one takes longer than a short run.
pub struct Runner<'a> {
    sweep: &'a Sweep,
    simulation: Option<Simulation>,
    /// The state of a seed at the moment at which the runs begin, if that is not the start.
    moment: Option<(u64, Snapshot)>,
    /// The number of threads of a simulation.
    threads: usize,
    /// Whether a run is abandoned.
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    driver: Option<&'a dyn Driver>,
    /// The edits of the last run, if a program drove it and the plan keeps it.
    driven_edits: Option<Vec<LoggedEdit>>,
}

impl<'a> Runner<'a> {
    /// A runner of simulations with so many threads; it calls `is_stopped` between steps.
    pub fn new(sweep: &'a Sweep, threads: usize, is_stopped: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { sweep, simulation: None, moment: None, threads, is_stopped, driver: None, driven_edits: None }
    }

    /// Lets a program drive the simulations.
    #[must_use]
    pub fn driven_by(self, driver: Option<&'a dyn Driver>) -> Self {
        Self { driver, ..self }
    }

    /// Executes a run; `None` if it was abandoned. An error or a panic is the outcome of this run alone.
    pub fn run(&mut self, run: Run) -> Option<Outcome> {
        let result = catch_unwind(AssertUnwindSafe(|| self.outcome(run)));
        // A simulation that panicked may be in any state.
        let result = result.unwrap_or_else(|panic| {
            self.simulation = None;
            Ok(Some(Outcome { error: Some(panic_text(&*panic)), ..Outcome::default() }))
        });
        let outcome =
            result.unwrap_or_else(|problems| Some(Outcome { error: Some(problems.to_string()), ..Outcome::default() }));
        // Logs, tables and the report repeat the error.
        outcome.map(|outcome| Outcome { error: outcome.error.map(|error| cut(&error).into_owned()), ..outcome })
    }

    /// The simulation of the last run, in its last state; `None` if it panicked or could not be made.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// Takes the edits of the last run, such as its commands, if a program drove it and the plan keeps it: with them, the run
    /// repeats without the program.
    pub fn take_driven_edits(&mut self) -> Option<Vec<LoggedEdit>> {
        self.driven_edits.take()
    }

    fn outcome(&mut self, run: Run) -> Result<Option<Outcome>, Problems> {
        self.driven_edits = None;
        let (sweep, is_stopped) = (self.sweep, self.is_stopped);
        let refuse = |problem| Problems { source_name: "scene".into(), problems: vec![problem] };
        let scene = sweep.scene_of(run).map_err(refuse)?;
        if let Some(driver) = self.driver {
            let driven = driven(sweep, driver, run, &scene, is_stopped)?;
            return Ok(driven.map(|(outcome, edits)| {
                self.driven_edits = edits;
                outcome
            }));
        }
        let edits = sweep.edits_of(run).map_err(refuse)?;
        let Some(simulation) = self.start(&scene)? else { return Ok(None) };
        let begin = simulation.steps();
        let mut edits = Replay::new(edits);
        edits.go_on_from(begin);
        edits.due(begin + 1).try_for_each(|logged| simulation.replay(logged).map_err(refuse))?;
        let mut watch = Watch::new(sweep, &scene, simulation)?;
        while !watch.is_ended {
            if is_stopped() {
                return Ok(None);
            }
            let step = watch.step + 1;
            let is_edited = edits.next_step().is_some_and(|next| next <= step);
            if let Err(problem) = edits.due(step).try_for_each(|logged| simulation.replay(logged)) {
                watch.fail(format!("step {step}: invalid edit: {problem}"));
                break;
            }
            simulation.step(1);
            watch.note(simulation, is_edited);
        }
        Ok(Some(watch.outcome(simulation)))
    }

    /// The simulation of a scene, at the moment at which runs begin; `None` if it was stopped before.
    fn start(&mut self, scene: &Scene) -> Result<Option<&mut Simulation>, Problems> {
        let sweep = self.sweep;
        if let (Some(simulation), Some((seed, moment))) = (&mut self.simulation, &self.moment)
            && *seed == scene.seed
            && simulation.restore(moment).is_ok()
        {
            return Ok(self.simulation.as_mut());
        }
        let simulation = match self.simulation.take() {
            Some(mut simulation) => simulation.restart(scene).map(|()| simulation)?,
            None => Simulation::with(scene, &self.sweep.recipe, self.threads)?,
        };
        let simulation = self.simulation.insert(simulation);
        if sweep.begins_later() {
            if advance(simulation, &sweep.log, sweep.plan.begin.step, self.is_stopped)? {
                return Ok(None);
            }
            self.moment = Some((scene.seed, simulation.snapshot()));
        }
        Ok(Some(simulation))
    }
}

/// The outcome of a run that a program drives, and its edits if the plan keeps the run; `None` if it was abandoned.
fn driven(
    sweep: &Sweep,
    driver: &dyn Driver,
    run: Run,
    scene: &Scene,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<(Outcome, Option<Vec<LoggedEdit>>)>, Problems> {
    let values = sweep.controller_values(run);
    let values = values.map_err(|problem| Problems { source_name: "scene".into(), problems: vec![problem] })?;
    let refuse = |message: String| Problems::of_file("controllers", message);
    let mut own = driver.begin(run, scene, &values).map_err(refuse)?;
    let mut watch = None;
    own.read(&mut |simulation| watch = Some(Watch::new(sweep, scene, simulation))).map_err(refuse)?;
    let Some(mut watch) = watch.transpose()? else { return Ok(None) };
    while !watch.is_ended {
        if is_stopped() {
            return Ok(None);
        }
        // The program may change the scene at any step.
        let done = own.step().and_then(|()| own.read(&mut |simulation| watch.note(simulation, true)));
        if let Err(message) = done {
            watch.fail(message);
        }
    }
    let folders = sweep.plan.keep.folders;
    let (mut watch, mut ended) = (Some(watch), None);
    let read = own.read(&mut |simulation| {
        ended = watch.take().map(|watch| watch.outcome(simulation)).map(|outcome| {
            let is_kept = folders.keeps(run.repetition, outcome.error.is_some());
            (outcome, is_kept.then(|| simulation.edits().to_vec()))
        });
    });
    let (mut outcome, edits) = ended.unwrap_or_default();
    if let Err(message) = read {
        // The error of the run itself comes first.
        outcome.error.get_or_insert(message);
        outcome.measures.clear();
    }
    Ok(Some((outcome, edits)))
}

/// The measures and the series of a run while it goes on.
struct Watch<'a> {
    sweep: &'a Sweep,
    begin: u64,
    step: u64,
    /// The last step.
    end: u64,
    observed: Vec<Samples>,
    has_condition: bool,
    is_ended: bool,
    error: Option<String>,
    series: Vec<String>,
    /// The groups with robots outside of the areas of their spawners at the start.
    outside: Vec<Problem>,
}

impl<'a> Watch<'a> {
    /// A watch over a simulation at the start of a run.
    fn new(sweep: &'a Sweep, scene: &Scene, simulation: &Simulation) -> Result<Self, Problems> {
        if simulation.metric_columns() != sweep.metric_columns {
            return Err(Problems::of_file("metrics", OTHER_METRICS));
        }
        let (begin, dt_s) = (simulation.steps(), simulation.time().dt_s);
        let last_step = scene.stop.most_steps(dt_s);
        let is_fixed = scene.stop.when.is_empty() && scene.on_collision != OnCollision::Pause;
        let length = Length { dt_s, last_step, is_fixed };
        let end = begin + last_step;
        Ok(Self {
            sweep,
            begin,
            step: begin,
            end,
            observed: sweep.plan.measures.iter().map(|measure| Samples::new(measure, length)).collect(),
            has_condition: simulation.has_condition(),
            is_ended: begin == end || simulation.condition_holds(),
            error: None,
            series: Vec::new(),
            outside: if begin == 0 { simulation.outside_areas() } else { Vec::new() },
        })
    }

    /// Ends the run with an error.
    fn fail(&mut self, error: String) {
        (self.error, self.is_ended) = (Some(error), true);
    }

    /// Takes the values after a step.
    fn note(&mut self, simulation: &Simulation, is_edited: bool) {
        self.step += 1;
        if is_edited {
            self.has_condition = simulation.has_condition();
        }
        let step = self.step;
        self.is_ended = step == self.end || (self.has_condition && simulation.condition_holds());
        let mut metrics = None;
        for (samples, observable) in self.observed.iter_mut().zip(&self.sweep.observables) {
            if samples.wants(step - self.begin, self.is_ended) {
                let metrics = metrics.get_or_insert_with(|| simulation.observed());
                samples.add(observable.value(simulation, metrics));
            }
        }
        let series_every = self.sweep.plan.keep.series_every_steps;
        if series_every > 0 && (step.is_multiple_of(series_every) || self.is_ended) {
            self.series.push(series_row(simulation));
        }
        if (self.is_ended || step.is_multiple_of(CHECK_EVERY_STEPS))
            && let Some(error) = lost(simulation).or_else(|| failed_script(simulation))
        {
            self.fail(error);
        }
    }

    /// The outcome of the run that ended.
    fn outcome(self, simulation: &Simulation) -> Outcome {
        let Self { begin, observed, error, series, outside, .. } = self;
        let (steps, hash) = (simulation.steps(), simulation.hash_of_step().0);
        let measures = match error {
            None => observed.into_iter().map(|samples| samples.taken(steps - begin)).collect(),
            Some(_) => Vec::new(),
        };
        let without_room = [simulation.without_room(), outside].concat();
        Outcome { error, steps, hash, measures, series, without_room }
    }
}

/// The first failure of a script: its robots have stopped, so that the measures would be those of another swarm.
fn failed_script(simulation: &Simulation) -> Option<String> {
    simulation.failed_scripts().into_iter().next().map(|failure| failure.message)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.map_or_else(|| "the run panicked".into(), |text| format!("the run panicked: {text}"))
}

/// The agent whose pose is not finite, in words.
fn lost(simulation: &Simulation) -> Option<String> {
    let is_lost = |agent: &swarmarium_scene::agent_view::AgentView| {
        !(agent.pose.position_m.is_finite() && agent.pose.heading_rad.is_finite())
    };
    let agent = simulation.agents().find(is_lost)?;
    let (number, name, step) = (agent.id.index(), agent.name(), simulation.steps());
    Some(format!("the pose of agent {number} ({name}) is not finite at step {step}"))
}

fn series_row(simulation: &Simulation) -> String {
    let time = simulation.time();
    let mut row = format!("{},", time.step);
    push_number(&mut row, time.shown_s());
    for value in simulation.observed() {
        row.push(',');
        if !value.is_nan() {
            push_number(&mut row, *value);
        }
    }
    row
}

/// A number in a table: shortest text that reads back, empty for no number.
pub fn cell(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// The length of a run.
#[derive(Clone, Copy, Debug)]
struct Length {
    dt_s: f64,
    last_step: u64,
    /// Whether no condition can end the run before.
    is_fixed: bool,
}

/// The values that a measure has seen.
#[derive(Debug)]
struct Samples {
    take: Take,
    over: Window,
    dt_s: f64,
    /// The first and the last step of the window, as far as they are known.
    steps: [u64; 2],
    values: Vec<f64>,
}

impl Samples {
    fn new(measure: &Measure, Length { dt_s, last_step, is_fixed }: Length) -> Self {
        let step_at = |seconds: f64| (seconds / dt_s).round() as u64;
        let steps = match measure.over {
            Window::Last(seconds) if is_fixed => [last_step.saturating_sub(step_at(seconds)) + 1, u64::MAX],
            Window::Whole | Window::Last(_) => [1, u64::MAX],
            Window::Between(from_s, to_s) => [step_at(from_s).max(1), step_at(to_s)],
        };
        Self { take: measure.take, over: measure.over, dt_s, steps, values: Vec::new() }
    }

    /// Whether the value of a step counts.
    fn wants(&self, step: u64, is_last: bool) -> bool {
        let [first, last] = self.steps;
        let is_final = matches!(self.take, Take::Final | Take::Holds);
        match (is_final, self.over) {
            // A window that ends before the run has its own last step.
            (true, Window::Between(..)) => step == last || (is_last && (first..=last).contains(&step)),
            (true, _) => is_last,
            (false, _) => (first..=last).contains(&step),
        }
    }

    fn add(&mut self, value: f64) {
        self.values.push(value);
    }

    /// The measure of a run that ended after `end` steps.
    fn taken(mut self, end: u64) -> MeasuredValue {
        if let Window::Last(seconds) = self.over {
            let kept = (seconds / self.dt_s).round() as usize;
            self.values.drain(..self.values.len().saturating_sub(kept.max(1)));
        }
        let holds = |value: &f64| !value.is_nan() && *value != 0.0;
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let value = match self.take {
            Take::Final => self.values.last().copied().unwrap_or(f64::NAN),
            Take::Holds => self.values.last().map_or(f64::NAN, |value| f64::from(u8::from(holds(value)))),
            Take::Mean => stats::mean(&finite().collect::<Vec<_>>()),
            Take::Min => finite().reduce(f64::min).unwrap_or(f64::NAN),
            Take::Max => finite().reduce(f64::max).unwrap_or(f64::NAN),
            Take::Quantile { share } => stats::quantile(&finite().collect::<Vec<_>>(), share),
            Take::Reached { hold_s } => f64::from(u8::from(self.first_held(hold_s, holds).is_some())),
            Take::TimeUntil { hold_s } => {
                let first = self.first_held(hold_s, holds);
                let last = self.steps[1].min(end);
                let step = first.map_or(last, |place| self.first_step(end) + place as u64);
                return MeasuredValue { value: short(step as f64 * self.dt_s), is_censored: first.is_none() };
            }
        };
        MeasuredValue { value, is_censored: false }
    }

    /// The step of the first value.
    fn first_step(&self, end: u64) -> u64 {
        match self.over {
            Window::Last(_) => (end + 1).saturating_sub(self.values.len() as u64),
            Window::Whole | Window::Between(..) => self.steps[0],
        }
    }

    /// The place of the first value from which on the condition holds for a time without a break.
    fn first_held(&self, hold_s: f64, holds: impl Fn(&f64) -> bool) -> Option<usize> {
        let wanted = 1 + (hold_s / self.dt_s).round() as usize;
        let mut held = 0;
        for (place, value) in self.values.iter().enumerate() {
            held = if holds(value) { held + 1 } else { 0 };
            if held == wanted {
                return Some(place + 1 - wanted);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_simulation::edit::Edit;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;
    use crate::charts::tests::Made;
    use crate::controllers::{ControllerValue, Controllers};
    use crate::driver::{DrivenRun, check_driver};
    use crate::folder::{Folder, Shard};
    use crate::work::{Host, work};

    /// A program that only makes steps, and fails at one of them.
    struct Stepper {
        recipe: Recipe,
        fails_at: u64,
    }

    struct Stepping(Simulation, u64);

    impl Driver for Stepper {
        fn controllers(&self) -> Controllers {
            Controllers([("millers".to_owned(), "stepper".to_owned())].into())
        }

        fn begin(&self, _: Run, scene: &Scene, values: &[ControllerValue]) -> Result<Box<dyn DrivenRun>, String> {
            let mut simulation = Simulation::with(scene, &self.recipe, 1).map_err(|problems| problems.to_string())?;
            // An edit that changes nothing.
            let edit = Edit::Set { path: "groups.0.count".into(), value: scene.groups[0].count.to_string() };
            simulation.apply(edit).map_err(|problem| problem.to_string())?;
            // A parameter of its controller is the step at which it fails.
            let fails_at = values.first().map_or(self.fails_at, |given| given.value.parse().unwrap_or_default());
            Ok(Box::new(Stepping(simulation, fails_at)))
        }
    }

    impl DrivenRun for Stepping {
        fn step(&mut self) -> Result<(), String> {
            self.0.step(1);
            if self.0.steps() == self.1 { Err("no more".into()) } else { Ok(()) }
        }

        fn read(&self, act: &mut dyn FnMut(&Simulation)) -> Result<(), String> {
            act(&self.0);
            Ok(())
        }
    }

    #[test]
    fn a_run_that_a_program_drives_has_the_outcome_of_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let plan = "Plan(scene: \"x\", stop: (steps: 40), keep: (series_every_steps: 10), measures: [(name: \"c\", of: \"circliness\", take: Mean)])";
        let made = Made::new(folder.path(), plan, 0);
        let run = made.sweep.run(0);
        let expected = Runner::new(&made.sweep, 1, &|| false).run(run).unwrap();
        let driven = |fails_at| {
            let driver = Stepper { recipe: made.sweep.recipe.clone(), fails_at };
            Runner::new(&made.sweep, 1, &|| false).driven_by(Some(&driver)).run(run).unwrap()
        };
        assert_eq!(driven(0), expected);
        assert_eq!((expected.steps, expected.series.len(), expected.measures.len()), (40, 4, 1));
        let failed = driven(7);
        assert_eq!((failed.error.as_deref(), failed.steps, failed.measures.len()), (Some("no more"), 7, 0));
    }

    #[test]
    fn the_edits_of_driven_runs_are_known_if_the_plan_keeps_the_runs() {
        let folder = tempfile::tempdir().unwrap();
        let edits = |keep: &str, fails_at| {
            let plan = format!(
                "Plan(scene: \"x\", stop: (steps: 9), keep: (folders: {keep}), repetitions: 2, measures: [(name: \"c\", of: \
                 \"circliness\", take: Mean)])"
            );
            let made = Made::new(folder.path(), &plan, 0);
            let driver = Stepper { recipe: made.sweep.recipe.clone(), fails_at };
            let mut runner = Runner::new(&made.sweep, 1, &|| false).driven_by(Some(&driver));
            [0, 1].map(|place| {
                runner.run(made.sweep.run(place)).unwrap();
                runner.take_driven_edits().map(|edits| edits.len())
            })
        };
        assert_eq!(edits("None", 0), [None; 2]);
        assert_eq!(edits("First", 0), [Some(1), None]);
        assert_eq!(edits("Failed", 0), [None; 2]);
        assert_eq!(edits("Failed", 5), [Some(1); 2]);
    }

    #[test]
    fn a_program_cannot_drive_a_sweep_that_begins_later() {
        let check = |begin: &str| {
            let folder = tempfile::tempdir().unwrap();
            let plan = format!(
                "Plan(scene: \"x\", stop: (steps: 9), {begin} measures: [(name: \"c\", of: \"circliness\", take: Mean)])"
            );
            let sweep = Made::new(folder.path(), &plan, 0).sweep;
            let driver = Stepper { recipe: sweep.recipe.clone(), fails_at: 0 };
            check_driver(&sweep, Some(&driver)).map_err(|problems| problems.to_string())
        };
        assert_eq!(check(""), Ok(()));
        let refused = check("begin: (step: 5),").unwrap_err();
        assert!(refused.contains("drive runs from their start, and this plan begins later (`begin`)"), "{refused}");
    }

    #[test]
    fn factors_of_controllers_are_values_of_points_and_reach_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let factors = |path: &str| {
            format!(
                "Plan(scene: \"x\", stop: (steps: 9), factors: [(path: \"{path}\", values: List([4, 6]))], measures: [(name: \"c\", \
                 of: \"circliness\", take: Mean)])"
            )
        };
        let sweep = Made::planned(&factors("controllers.millers.fails_at")).unwrap();
        assert_eq!((sweep.points.len(), sweep.factors[0].label.as_str()), (2, "fails_at"));
        let runs = [sweep.run(0), sweep.run(1)];
        assert_ne!(sweep.key(runs[0]), sweep.key(runs[1]));
        // The scene has no such parameter.
        assert_eq!(sweep.overrides(runs[1]).unwrap().len(), 1);
        let driver = Stepper { recipe: sweep.recipe.clone(), fails_at: 0 };
        let steps = runs.map(|run| Runner::new(&sweep, 1, &|| false).driven_by(Some(&driver)).run(run).unwrap().steps);
        assert_eq!((steps, check_driver(&sweep, Some(&driver))), ([4, 6], Ok(())));
        // Without the program, the plan is refused before the first run.
        let begun = Folder::join(folder.path(), &sweep).unwrap();
        let log = begun.log(Shard::WHOLE).unwrap();
        let index = begun.index().unwrap();
        let refused = work(&sweep, (index, &log), Shard::WHOLE, 1, &Host::default()).unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.contains("`controllers.millers.fails_at` is a parameter of a controller in Python"),
            "{refused}"
        );
        let unknown = Made::planned(&factors("controllers.miller.gain")).err().unwrap().to_string();
        assert!(unknown.contains("there is no group `miller`; did you mean `millers`?"), "{unknown}");
    }

    fn taken(take: Take, over: Window, values: &[f64]) -> MeasuredValue {
        let measure = Measure { take, over, ..Measure::default() };
        let last_step = values.len() as u64;
        let mut samples = Samples::new(&measure, Length { dt_s: 0.5, last_step, is_fixed: true });
        for (step, value) in (1..).zip(values) {
            if samples.wants(step, step == last_step) {
                samples.add(*value);
            }
        }
        samples.taken(last_step)
    }

    #[test]
    fn measures_use_the_values_of_their_window() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let value = |take, over| taken(take, over, &values).value;
        assert_eq!(value(Take::Final, Window::Whole), 8.0);
        assert_eq!(value(Take::Mean, Window::Whole), 3.75);
        assert_eq!(value(Take::Mean, Window::Last(1.0)), 6.0);
        assert_eq!(value(Take::Mean, Window::Between(1.0, 1.5)), 3.0);
        assert_eq!(value(Take::Final, Window::Between(0.0, 1.0)), 2.0);
        assert_eq!(value(Take::Min, Window::Whole), 1.0);
        assert_eq!(value(Take::Max, Window::Between(0.0, 1.5)), 4.0);
        assert_eq!(value(Take::Quantile { share: 0.5 }, Window::Whole), 3.0);
        assert!(value(Take::Mean, Window::Between(10.0, 20.0)).is_nan());
    }

    #[test]
    fn time_until_is_the_start_of_a_held_condition() {
        let values = [0.0, 1.0, 0.0, 1.0, 1.0, 1.0];
        let until = |hold_s| taken(Take::TimeUntil { hold_s }, Window::Whole, &values);
        assert_eq!(until(0.0), MeasuredValue { value: 1.0, is_censored: false });
        assert_eq!(until(0.5), MeasuredValue { value: 2.0, is_censored: false });
        assert_eq!(until(2.0), MeasuredValue { value: 3.0, is_censored: true });
        let late = taken(Take::TimeUntil { hold_s: 0.0 }, Window::Last(1.0), &values);
        assert_eq!(late, MeasuredValue { value: 2.5, is_censored: false });
        assert_eq!(taken(Take::Reached { hold_s: 1.0 }, Window::Whole, &values).value, 1.0);
        assert_eq!(taken(Take::Holds, Window::Whole, &[1.0, 0.0]).value, 0.0);
    }

    #[test]
    fn measures_leave_out_missing_values() {
        let values = [f64::NAN, 2.0, f64::NAN];
        assert_eq!(taken(Take::Mean, Window::Whole, &values).value, 2.0);
        assert!(taken(Take::Final, Window::Whole, &values).value.is_nan());
        assert_eq!(taken(Take::Holds, Window::Whole, &values).value, 0.0);
    }
}
