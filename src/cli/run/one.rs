//! A single run with its folder.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use swarmarium_base::files::shown;
use swarmarium_base::math;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_host::clock::wall::unix_now_s;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::Simulation;

use super::super::messages::{
    counted, part_of, tell_error, tell_error_of_run, tell_failure, tell_warning, warn_of_size,
};
use super::super::moment::problem_of_set;
use super::super::progress::Progress;
use super::super::run_log::{LogPlan, quoted};
use super::super::{Exit, environment, interrupt, is_broken_pipe, json, load, tell};
use super::Plan;
use super::folder::Folder;
use super::pacer::Pacer;
use super::record::{Record, SharedRecord};

/// Whether a run did its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The run reached its last step.
    #[default]
    Done,
    /// The user interrupted the run with Ctrl-C.
    Interrupted,
    /// An edit is invalid: the log of edits is bad input.
    BadEdit(String),
    /// Another error ended the run.
    Failed(String),
}

impl Status {
    /// The error that ended the run.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::BadEdit(error) | Self::Failed(error) => Some(error),
            Self::Done | Self::Interrupted => None,
        }
    }

    /// The exit status of the program after such a run.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Done => Exit::Fine,
            Self::Interrupted => Exit::Interrupted,
            Self::BadEdit(_) => Exit::BadInput,
            Self::Failed(_) => Exit::RunFailed,
        }
    }

    /// The status in `results.csv`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::BadEdit(_) | Self::Failed(_) => "failed",
        }
    }

    /// Keeps the first error.
    pub(super) fn note(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result
            && self.error().is_none()
        {
            *self = Self::Failed(format!("{error:#}"));
        }
    }
}

/// The reason why a run made no further step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// It has all of its steps.
    LastStep,
    /// The condition of the scene, or that of `--until`, was true.
    Condition,
    /// A collision of a scene with `on_collision: Pause`.
    Collision,
    /// A client of `serve` ended the simulation.
    Client,
}

impl End {
    /// The reason why a simulation makes no further step, if there is one: a collision or its condition, if these can end
    /// it, or the last step.
    pub fn of(simulation: &Simulation, can_end: bool, has_all_steps: bool) -> Option<Self> {
        if can_end && simulation.condition_holds() {
            return Some(if simulation.has_crashed() { Self::Collision } else { Self::Condition });
        }
        has_all_steps.then_some(Self::LastStep)
    }
}

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Whether the run did its steps.
    pub status: Status,
    /// The reason why it made no further step; `None` if it was interrupted, or failed before.
    pub end: Option<End>,
    /// The step that the results begin with: 0, unless the run goes on from another one.
    pub from: u64,
    /// The last step.
    pub steps: u64,
    /// The duration of the steps in real seconds.
    pub wall_s: f64,
    /// The hash of the last state; `None` if the run was stopped within the step after it, or could not start.
    pub hash: Option<u64>,
    /// The names of the metrics' columns.
    pub metric_columns: Vec<String>,
    /// The last values of the metrics.
    pub metrics: Vec<f64>,
    /// The collision that ended the run, in words.
    pub crash: Option<String>,
    /// What is in the log, in words.
    pub logged: Option<String>,
    /// The incomplete files: each is called partial, or is missing.
    pub incomplete: Vec<&'static str>,
    /// The first step whose state differs from that of the run that goes on.
    pub differs_at: Option<u64>,
    /// The difference of the run from its row in the tables of a sweep, in words.
    pub other_end: Option<String>,
    /// The groups with robots that found no room, and failures of scripts that are not the error of the run.
    pub warnings: Vec<Problem>,
}

/// Runs the plan once.
pub fn run(plan: &Plan) -> anyhow::Result<Exit> {
    // A large scene takes long to set up.
    let progress = Progress::new("steps", plan.steps, plan.hides_progress);
    let simulation = plan.simulation(&plan.scene).inspect_err(|_| progress.finish())?;
    plan.warn_of_size(&simulation, 1);
    let _hold = interrupt::Hold::new();
    let folder = match &plan.output {
        Some(path) => Folder::open(path, FolderKind::Run, plan.overwrite)?,
        None => Folder::numbered(&environment::runs(), &format!("{}-{}", plan.stem, plan.scene.seed))?,
    };
    let report = |outcome: anyhow::Result<Outcome>| {
        progress.finish();
        let failed = |error: &anyhow::Error| {
            tell_failure(error);
            if plan.json {
                json::print_failure(error);
            }
        };
        let outcome = outcome.inspect_err(failed).ok()?;
        let never_true = (plan.has_until && outcome.end == Some(End::LastStep)).then(|| {
            let steps = counted(outcome.steps - outcome.from, "step");
            Problem::of_file(format!("--until: `{}` was not true in {steps}", plan.scene.stop.when))
        });
        if !plan.quiet {
            plan.warn_of_simulation(&outcome.warnings);
            never_true.iter().for_each(tell_warning);
            if outcome.status != Status::Interrupted {
                tell(outcome.summary(folder.path(), plan.scene.time.dt_s));
            }
            outcome.logged.iter().for_each(tell);
            if outcome.status == Status::Interrupted {
                tell(plan.interruption(&outcome, folder.path()));
            }
        }
        // The user knows the error of a run that is repeated with it.
        if let Some(error) = outcome.status.error().filter(|error| plan.error.as_deref() != Some(*error)) {
            tell_error_of_run(&plan.file, error);
        }
        let mut result = plan.result(folder.path(), &outcome);
        result.warnings.extend(json::messages("--until", never_true.as_slice()));
        if plan.json
            && let Err(error) = json::print(&result)
            && !is_broken_pipe(&error)
        {
            tell_failure(&error.context("stdout: cannot be written"));
            return None;
        }
        Some(outcome)
    };
    let abandon = |outcome: Option<anyhow::Result<Outcome>>| {
        let exit = match outcome {
            Some(outcome) => report(outcome).map_or(Exit::BadInput, |outcome| outcome.status.exit()),
            None => {
                progress.finish();
                if !plan.quiet {
                    tell(format_args!(
                        "interrupted before step {}, with which the results begin: nothing is written",
                        plan.from
                    ));
                }
                // A folder with other files stays.
                let _ = fs::remove_dir(folder.path());
                Exit::Interrupted
            }
        };
        std::process::exit(exit as i32);
    };
    let outcome = into_folder(plan, &plan.scene, simulation, &folder, (&progress, &abandon));
    let Some(outcome) = report(outcome) else { return Ok(Exit::BadInput) };
    let difference = match (&plan.origin, outcome.differs_at) {
        (Some((origin, _)), Some(step)) => Some(origin.difference(step)),
        _ => outcome.other_end.clone(),
    };
    // A run that did not come to its end differs for another reason, which has been reported.
    let difference = difference.filter(|_| outcome.end.is_some());
    difference.iter().for_each(tell_error);
    match outcome.status {
        Status::Done if difference.is_some() => Ok(Exit::Differs),
        _ => Ok(outcome.status.exit()),
    }
}

/// Runs a simulation of the plan's scene, perhaps with another seed, into a folder. If a step goes on for too long after
/// an interruption, the files are completed without it, and `abandon` gets the outcome: it ends the program. Before the
/// step with which the results begin, there are no files, and the outcome is `None`.
///
/// # Errors
/// When the run could not start. Later errors are part of the outcome.
pub fn into_folder(
    plan: &Plan,
    scene: &Scene,
    mut simulation: Simulation,
    folder: &Folder,
    (progress, abandon): (&Progress, &(dyn Fn(Option<anyhow::Result<Outcome>>) + Sync)),
) -> anyhow::Result<Outcome> {
    simulation.begin_at(unix_now_s());
    let mut runner =
        Runner { plan, edits: Replay::new(plan.edits.clone()), progress, differs_at: None, end_hash: None, end: None };
    runner.compare(&simulation);
    let approached = interrupt::guarded(|| runner.approach(&mut simulation), || abandon(None));
    let record = SharedRecord::new(Record::start(plan, scene, &simulation, folder)?);
    let logged = record.log(simulation.edits());
    // A run that has done its steps is completed within the watch, so that it cannot be recorded as interrupted.
    let advance = || -> anyhow::Result<Outcome> {
        let advanced = match approached {
            Status::Done if logged.is_err() => logged.map(|()| Status::Done),
            Status::Done => runner.advance(&mut simulation, &record),
            status => Ok(status),
        };
        let mut status = advanced.unwrap_or_else(|error| Status::Failed(format!("{error:#}")));
        if let (Status::Done, Some(error)) = (&status, &plan.error) {
            status = Status::Failed(error.clone());
        }
        record.take().context("the run was interrupted within a step")?.finish(&simulation, status, runner.end)
    };
    let outcome = interrupt::guarded(advance, || {
        if let Some(record) = record.take() {
            abandon(Some(record.finish_within_step()));
        }
    })?;
    let other_end = plan.known_end.and_then(|end| super::other_end(&plan.file, end, outcome.steps, runner.end_hash));
    Ok(Outcome { differs_at: runner.differs_at, other_end, ..outcome })
}

/// Does the steps of a run with its edits.
struct Runner<'a> {
    plan: &'a Plan<'a>,
    edits: Replay,
    progress: &'a Progress,
    /// The first step whose state differs from that of the run that goes on.
    differs_at: Option<u64>,
    /// The hash at the step at which the run ended before, if it is known and reached.
    end_hash: Option<u64>,
    /// The reason why the run made no further step.
    end: Option<End>,
}

impl Runner<'_> {
    /// Goes to the step that the results begin with.
    fn approach(&mut self, simulation: &mut Simulation) -> Status {
        let mut step = simulation.steps();
        while step < self.plan.from {
            if interrupt::requested() {
                return Status::Interrupted;
            }
            if let Err(status) = self.replay_due(simulation, step + 1) {
                return status;
            }
            step += 1;
            self.step(simulation, step);
        }
        Status::Done
    }

    /// Does the steps of the results.
    fn advance(&mut self, simulation: &mut Simulation, record: &SharedRecord) -> anyhow::Result<Status> {
        let mut pacer = Pacer::new(self.plan.speed, simulation);
        // A run that goes on from its end goes beyond it.
        let goes_beyond = self.plan.from > 0 && simulation.condition_holds();
        let (mut step, mut has_condition) = (simulation.steps(), simulation.has_condition());
        loop {
            let can_end = !goes_beyond && has_condition && self.plan.begin <= step;
            self.end = End::of(simulation, can_end, self.plan.steps <= step);
            if self.end.is_some() {
                return Ok(Status::Done);
            }
            if interrupt::requested() {
                return Ok(Status::Interrupted);
            }
            step += 1;
            let is_edited = self.edits.next_step().is_some_and(|next| next <= step);
            if is_edited {
                // Edits are in the folder before their step, so that a run that is killed repeats itself.
                match self.replay_due(simulation, step) {
                    Ok(edits) => record.log(&edits)?,
                    Err(status) => return Ok(status),
                }
            }
            self.step(simulation, step);
            if is_edited {
                has_condition = simulation.has_condition();
            }
            record.after_step(simulation)?;
            pacer.wait(simulation);
        }
    }

    /// Queues the edits of a step, and returns them as the log has them: with paths of fields, without constants.
    fn replay_due(&mut self, simulation: &mut Simulation, step: u64) -> Result<Vec<LoggedEdit>, Status> {
        if self.edits.next_step().is_none_or(|next| next > step) {
            return Ok(Vec::new());
        }
        let mut due: Vec<LoggedEdit> = self.edits.due(step).collect();
        for logged in &mut due {
            let mut resolved = logged.clone();
            if let Edit::Set { path, .. } = &mut resolved.edit
                && let Ok(field) = constants::resolve(simulation.kinds(), simulation.scene_ahead(), path)
            {
                *path = field;
            }
            if let Err(problem) = simulation.replay(logged.clone()) {
                let problems = problem_of_set(self.plan.sets, logged, &problem)
                    .unwrap_or_else(|| load::invalid_edit(&self.plan.edits_file, logged, problem));
                return Err(Status::BadEdit(problems.to_string()));
            }
            *logged = resolved;
        }
        Ok(due)
    }

    fn step(&mut self, simulation: &mut Simulation, step: u64) {
        simulation.step(1);
        self.compare(simulation);
        self.progress.at(step);
    }

    /// Compares the state with that of the run that goes on, where it is known.
    fn compare(&mut self, simulation: &Simulation) {
        if self.plan.known_end.is_some_and(|end| end.steps == simulation.steps()) {
            self.end_hash = Some(simulation.hash().0);
        }
        let Some((_, hashes)) = &self.plan.origin else { return };
        let step = simulation.steps();
        if self.differs_at.is_none() && hashes.get(&step).is_some_and(|known| *known != simulation.hash().0) {
            self.differs_at = Some(step);
        }
    }
}

impl Plan<'_> {
    /// A simulation of a scene with the recipe and threads of the plan.
    ///
    /// # Errors
    /// When the scene is invalid.
    pub(super) fn simulation(&self, scene: &Scene) -> Result<Simulation, Problems> {
        let simulation = Simulation::with(scene, self.recipe, self.threads);
        simulation.map_err(|problems| load::of_flags(load::locate(&self.file, problems), self.has_until))
    }

    /// Warns if the requested tables of a number of runs will be large.
    pub(super) fn warn_of_size(&self, simulation: &Simulation, runs: u64) {
        if self.quiet {
            return;
        }
        let tables = self.tables.iter().filter(|table| !table.flags().is_empty());
        // With a condition, a run may end long before its last step.
        let is_known = self.scene.stop.when.is_empty();
        let moments = self.steps.saturating_sub(self.from) as f64 + 1.0;
        for table in tables {
            let bytes = table.bytes_of_step(simulation) as f64 * moments * runs as f64;
            match runs {
                1 => warn_of_size(table.file(), bytes, is_known),
                runs => warn_of_size(&format!("{} of {}", table.file(), counted(runs, "run")), bytes, is_known),
            }
        }
    }

    /// Warns of what happened in a simulation, such as groups with robots that found no room.
    pub(in crate::cli) fn warn_of_simulation(&self, warnings: &[Problem]) {
        load::warn_of_simulation(&self.file, warnings.to_vec());
    }

    /// The message about an interrupted run: the step, what is kept, and the command that continues it.
    fn interruption(&self, outcome: &Outcome, folder: &Path) -> String {
        let step = outcome.steps;
        if step < self.from {
            return format!("interrupted at step {step}, before step {} with which the results begin", self.from);
        }
        let span = match outcome.from {
            0 => part_of(step, self.steps, "step"),
            _ => format!("{} of {}", outcome.span(), self.steps),
        };
        let kept = format!("interrupted: {} has {span}", shown(folder));
        let mut command =
            format!("{} run {} --at {step} --steps {}", self.recipe.program_name(), quoted(folder), self.steps - step);
        // The folder has the edits up to the interruption only, with those of a step that was abandoned.
        let logged_to = step + u64::from(outcome.hash.is_none());
        if self.edits.iter().any(|logged| logged.step > logged_to) {
            match self.edits_file.as_os_str().is_empty() {
                true => {
                    return format!("{kept}, but not the edits of later steps: the same command repeats the run");
                }
                false => command += &format!(" --edits {}", quoted(&self.edits_file)),
            }
        }
        for table in &self.tables {
            command += table.flags();
        }
        command += &self.log.as_ref().map(LogPlan::flags).unwrap_or_default();
        format!("{kept}; `{command}` continues the run")
    }
}

impl Outcome {
    /// The steps of the results, such as `400 steps`, or `steps 200 to 400` of a run that goes on from another one.
    fn span(&self) -> String {
        match self.from {
            0 => counted(self.steps, "step"),
            from => format!("steps {from} to {}", self.steps),
        }
    }

    /// The simulated time that the results span, in seconds.
    fn duration_s(&self, dt_s: f64) -> f64 {
        math::decimal_product(self.steps.saturating_sub(self.from) as f64 * dt_s)
    }

    /// The summary of the run, for the user.
    pub fn summary(&self, folder: &Path, dt_s: f64) -> String {
        let simulated_s = self.duration_s(dt_s);
        let mut line = format!(
            "{}: {} ({simulated_s} s) in {:.2} s, {:.0}×",
            shown(folder),
            self.span(),
            self.wall_s,
            simulated_s / self.wall_s.max(1e-9),
        );
        if let Some(crash) = &self.crash {
            line += &format!(", ended by a collision: {crash}");
        }
        for (name, value) in self.metric_columns.iter().zip(&self.metrics) {
            line += &format!(", {name} {value:.4}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use swarmarium_base::id::StableId;
    use swarmarium_core::step::{CurrentArena, SimStep, Step};
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;

    use super::super::{Args, Common};
    use swarmarium_core::agent::Pose;

    use super::*;

    /// Loses an agent at step 3.
    fn lose(arena: Res<CurrentArena>, mut poses: Query<(&StableId, &mut Pose)>) {
        for (id, mut pose) in &mut poses {
            if arena.time.step == 3 && id.index() == 2 {
                pose.heading_rad = f64::NAN;
            }
        }
    }

    #[test]
    fn a_pose_that_is_not_finite_ends_the_run_and_keeps_its_data() {
        let common = Common { quiet: true, ..Common::for_program("swarmarium") };
        let recipe = Recipe::standard().with(|app: &mut App| {
            app.add_systems(SimStep, lose.in_set(Step::Objects));
        });
        let mut plan = Args::of_file("milling").resolve(&common, &recipe).unwrap();
        let place = tempfile::tempdir().unwrap();
        plan.output = Some(place.path().join("run"));
        assert_eq!(run(&plan).unwrap(), Exit::RunFailed);
        let read = |name: &str| fs::read_to_string(place.path().join("run").join(name)).unwrap();
        assert!(read("manifest.json").contains("step 3: the pose of agent 2 (millers-2) is not finite"));
        assert_eq!(read("metrics.csv").lines().count(), 1 + 3);
    }
}
