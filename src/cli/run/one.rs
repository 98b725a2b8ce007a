//! A single run with its folder.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::{Context as _, bail};
use bevy::ecs::query::QueryState;
use swarmarium_base::files::{Draft, cannot_write, cut_to_whole_lines, partial, shown};
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problems;
use swarmarium_core::agent::Pose;
use swarmarium_core::clock::wall::unix_now_s;
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::edit::log::{self, Replay};
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::writer::{self, Style};
use swarmarium_core::simulation::Simulation;
use swarmarium_formats::load::locate_problems;

use super::super::progress::Progress;
use super::super::{Exit, interrupt, load, tell};
use super::Plan;
use super::folder::Folder;
use super::manifest::{Manifest, safe_stem};
use super::pacer::Pacer;
use super::table::{EVENTS, Table};

/// The bytes that a manifest reserves for an error, so that it can be written even when the disk is full.
const ROOM_FOR_ERROR: usize = 16 << 10;

/// The end of a run.
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
}

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The end of the run.
    pub status: Status,
    /// The number of steps.
    pub steps: u64,
    /// The duration of the steps in real seconds.
    pub wall_s: f64,
    /// The hash of the last state.
    pub hash: u64,
    /// The names of the metrics' columns.
    pub metric_columns: Vec<String>,
    /// The last values of the metrics.
    pub metrics: Vec<f64>,
    /// The collision that ended the run, in words.
    pub crash: Option<String>,
    /// The incomplete files: each is called partial, or is missing.
    pub incomplete: Vec<&'static str>,
    /// The first step whose state differs from that of the run that goes on.
    pub differs_at: Option<u64>,
}

/// Runs the plan once.
pub fn run(plan: &Plan) -> anyhow::Result<Exit> {
    let simulation = plan.simulation(&plan.scene)?;
    let _hold = interrupt::Hold::new();
    let folder = match &plan.output {
        Some(path) => Folder::open(path, plan.overwrite)?,
        None => Folder::numbered(Path::new("runs"), &format!("{}-{}", safe_stem(&plan.file), plan.scene.seed))?,
    };
    let progress = Progress::new("steps", plan.steps, plan.quiet);
    let outcome = into_folder(plan, &plan.scene, simulation, &folder, &progress);
    progress.finish();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            tell(format_args!("{error:#}"));
            return Ok(Exit::RunFailed);
        }
    };
    if !plan.quiet {
        tell(outcome.summary(folder.path(), plan.scene.time.dt_s));
    }
    if let Some(error) = outcome.status.error() {
        tell(error);
    }
    match (&plan.origin, outcome.differs_at) {
        (Some((origin, _)), Some(step)) if outcome.status == Status::Done => {
            tell(origin.difference(step));
            Ok(Exit::Differs)
        }
        _ => Ok(outcome.status.exit()),
    }
}

/// Runs a simulation of the plan's scene, perhaps with another seed, into a folder.
///
/// # Errors
/// When the run could not start. Later errors are part of the outcome.
pub fn into_folder(
    plan: &Plan,
    scene: &Scene,
    mut simulation: Simulation,
    folder: &Folder,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    simulation.begin_at(unix_now_s());
    let mut runner = Runner { plan, edits: Replay::new(plan.edits.clone()), progress, differs_at: None };
    runner.compare(&simulation);
    let approached = runner.approach(&mut simulation);
    let mut record = Record::start(plan, scene, &simulation, folder)?;
    let advanced = match approached {
        Status::Done => runner.advance(&mut simulation, &mut record),
        status => Ok(status),
    };
    let status = advanced.unwrap_or_else(|error| Status::Failed(format!("{error:#}")));
    let outcome = record.finish(&simulation, status)?;
    Ok(Outcome { differs_at: runner.differs_at, ..outcome })
}

/// Does the steps of a run with its edits.
struct Runner<'a> {
    plan: &'a Plan<'a>,
    edits: Replay,
    progress: &'a Progress,
    /// The first step whose state differs from that of the run that goes on.
    differs_at: Option<u64>,
}

impl Runner<'_> {
    /// Goes to the step that the results begin with.
    fn approach(&mut self, simulation: &mut Simulation) -> Status {
        while simulation.steps() < self.plan.from {
            if interrupt::requested() {
                return Status::Interrupted;
            }
            if let Err(status) = self.step(simulation) {
                return status;
            }
        }
        Status::Done
    }

    /// Does the steps of the results.
    fn advance(&mut self, simulation: &mut Simulation, record: &mut Record) -> anyhow::Result<Status> {
        let mut pacer = Pacer::new(self.plan.speed, simulation);
        // A run that goes on from its end goes beyond it.
        let goes_beyond = self.plan.from > 0 && simulation.condition_holds();
        while simulation.steps() < self.plan.steps && (goes_beyond || !simulation.condition_holds()) {
            if interrupt::requested() {
                return Ok(Status::Interrupted);
            }
            if let Err(status) = self.step(simulation) {
                return Ok(status);
            }
            record.after_step(simulation)?;
            pacer.wait(simulation);
        }
        Ok(Status::Done)
    }

    fn step(&mut self, simulation: &mut Simulation) -> Result<(), Status> {
        for logged in self.edits.due(simulation.steps() + 1) {
            if let Err(problem) = simulation.replay(logged.clone()) {
                let problems = load::invalid_edit(&self.plan.edits_file, &logged, problem);
                return Err(Status::BadEdit(problems.to_string()));
            }
        }
        simulation.step(1);
        self.compare(simulation);
        self.progress.at(simulation.steps());
        Ok(())
    }

    /// Compares the state with that of the run that goes on, where it is known.
    fn compare(&mut self, simulation: &Simulation) {
        let Some((_, hashes)) = &self.plan.origin else { return };
        let step = simulation.steps();
        if self.differs_at.is_none() && hashes.get(&step).is_some_and(|known| *known != simulation.hash().0) {
            self.differs_at = Some(step);
        }
    }
}

/// The files of a run in progress.
pub struct Record<'a> {
    plan: &'a Plan<'a>,
    scene: &'a Scene,
    folder: &'a Folder,
    tables: Vec<Table>,
    /// Whether an event happened: a run without events has no table of events.
    has_events: bool,
    poses: Poses,
    /// The log of edits; `None` without edits.
    edits: Option<log::Writer<File>>,
    /// The manifest is finished last; its space on the disk is reserved at the start.
    manifest: Draft,
    incomplete: Vec<&'static str>,
    started: SystemTime,
    clock: Instant,
}

/// The file of the log of edits.
const EDITS: &str = "edits.ron";

impl<'a> Record<'a> {
    /// Starts the files in a folder.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn start(
        plan: &'a Plan<'a>,
        scene: &'a Scene,
        simulation: &Simulation,
        folder: &'a Folder,
    ) -> anyhow::Result<Self> {
        let (started, clock) = (SystemTime::now(), Instant::now());
        folder.clear()?;
        let path = folder.path().join("manifest.json");
        let mut manifest = Draft::begin(&path)?;
        let empty = Manifest::new(plan, scene, (started, simulation.epoch_s()), &Outcome::default()).text()?;
        manifest.reserve(empty.len() + ROOM_FOR_ERROR).with_context(|| cannot_write(&path))?;
        folder.write("scene.ron", &(writer::write(plan.recipe.kinds(), scene, Style::Full) + "\n"))?;
        let tables = plan.tables.iter().map(|format| Table::start(*format, folder, simulation));
        let mut tables = tables.collect::<anyhow::Result<Vec<_>>>()?;
        for table in &mut tables {
            table.record(simulation)?;
        }
        let (poses, incomplete) = (Poses::of(simulation), Vec::new());
        Ok(Self {
            plan,
            scene,
            folder,
            tables,
            has_events: false,
            poses,
            edits: None,
            manifest,
            incomplete,
            started,
            clock,
        })
    }

    /// Writes the rows of a step.
    ///
    /// # Errors
    /// When they cannot be written, or the pose of an agent is not finite.
    pub fn after_step(&mut self, simulation: &Simulation) -> anyhow::Result<()> {
        if !self.has_events && simulation.events().count() > 0 {
            self.has_events = true;
            let table = Table::start(EVENTS, self.folder, simulation);
            self.tables.push(table.inspect_err(|_| self.incomplete.push(EVENTS.file()))?);
        }
        // An error of one table must not affect the rows of the others.
        let recorded = self.tables.iter_mut().map(|table| table.record(simulation)).fold(Ok(()), Result::and);
        recorded.and(self.poses.check(simulation))
    }

    /// Writes edits of the simulation.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn log(&mut self, edits: &[LoggedEdit]) -> anyhow::Result<()> {
        if edits.is_empty() || self.incomplete.contains(&EDITS) {
            return Ok(());
        }
        let path = self.folder.path().join(EDITS);
        let written = match &mut self.edits {
            Some(writer) => writer.append(edits),
            none => {
                File::create(&path).and_then(log::Writer::begin).and_then(|writer| none.insert(writer).append(edits))
            }
        };
        if written.is_err() {
            self.incomplete.push(EDITS);
            // The manifest also lists a file that cannot be cut or renamed.
            let _ = cut_to_whole_lines(&path).and_then(|()| fs::rename(&path, partial(&path)));
        }
        written.with_context(|| cannot_write(&path))
    }

    /// Completes all files.
    ///
    /// # Errors
    /// When the manifest cannot be created. Other errors are part of the outcome.
    pub fn finish(mut self, simulation: &Simulation, mut status: Status) -> anyhow::Result<Outcome> {
        status.note(self.log(simulation.edits()));
        for table in self.tables {
            let file = table.file();
            let finished = table.finish();
            self.incomplete.extend(finished.is_err().then_some(file));
            status.note(finished);
        }
        let mut outcome = Outcome {
            status,
            steps: simulation.steps(),
            wall_s: self.clock.elapsed().as_secs_f64(),
            hash: simulation.hash().0,
            metric_columns: simulation.metric_columns(),
            metrics: simulation.metrics(),
            crash: crash(simulation),
            incomplete: self.incomplete,
            differs_at: None,
        };
        let text = Manifest::new(self.plan, self.scene, (self.started, simulation.epoch_s()), &outcome).text()?;
        let written = self.manifest.replace(text.as_bytes()).with_context(|| cannot_write(self.manifest.path()));
        outcome.status.note(written.and_then(|()| self.manifest.finish()));
        Ok(outcome)
    }
}

/// The collision in the last step that ends the run, in words.
fn crash(simulation: &Simulation) -> Option<String> {
    let mut events = simulation.events().since(simulation.steps());
    let event = events.find(|_| simulation.has_crashed())?;
    let name = simulation.agent(event.who.index()).map(|agent| agent.name()).unwrap_or_default();
    Some(format!("{name} {}", event.text.replacen("Ran", "ran", 1)))
}

/// Checks that poses are finite.
struct Poses(Option<QueryState<(&'static StableId, &'static Pose)>>);

impl Poses {
    fn of(simulation: &Simulation) -> Self {
        Self(simulation.world().try_query())
    }

    fn check(&mut self, simulation: &Simulation) -> anyhow::Result<()> {
        let Some(query) = &mut self.0 else { return Ok(()) };
        let is_lost = |pose: &Pose| !(pose.position_m.is_finite() && pose.heading_rad.is_finite());
        let lost = query.iter(simulation.world()).filter(|(_, pose)| is_lost(pose)).map(|(id, _)| *id).min();
        let Some(lost) = lost else { return Ok(()) };
        let agent = simulation.agents().find(|agent| agent.id == lost).context("an agent is lost")?;
        let Pose { position_m, heading_rad } = agent.pose;
        bail!(
            "step {}: the pose of agent {} ({}) is not finite: x {} m, y {} m, heading {heading_rad} rad",
            simulation.steps(),
            lost.index(),
            agent.name(),
            position_m.x,
            position_m.y,
        );
    }
}

impl Status {
    /// Keeps the first error.
    pub(super) fn note(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result
            && self.error().is_none()
        {
            *self = Self::Failed(format!("{error:#}"));
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
        simulation.map_err(|problems| locate_problems(&self.file, problems))
    }
}

impl Outcome {
    /// The summary of the run, for the user.
    pub fn summary(&self, folder: &Path, dt_s: f64) -> String {
        let simulated_s = self.steps as f64 * dt_s;
        // Without the rounding errors of the product.
        let shown_s = (simulated_s * 1e6).round() / 1e6;
        let mut line = format!(
            "{}: {} steps ({shown_s} s) in {:.2} s, {:.0}×",
            shown(folder),
            self.steps,
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
    use swarmarium_core::simulation::Recipe;
    use swarmarium_core::step::{SimStep, Step};
    use swarmarium_core::time::SimTime;
    use swarmarium_formats::import::MetresPerUnit;
    use swarmarium_kinds::Standard as _;

    use super::super::{Args, Common};
    use super::*;

    /// Loses an agent at step 3.
    fn lose(time: Res<SimTime>, mut poses: Query<(&StableId, &mut Pose)>) {
        for (id, mut pose) in &mut poses {
            if time.step == 3 && id.index() == 2 {
                pose.heading_rad = f64::NAN;
            }
        }
    }

    #[test]
    fn a_pose_that_is_not_finite_ends_the_run_and_keeps_its_data() {
        let common = Common {
            seed: None,
            overrides: Vec::new(),
            variables: Vec::new(),
            allow_outside: false,
            lenient: false,
            all_groups: false,
            scale: MetresPerUnit::default(),
            threads: 1,
            quiet: true,
            command: Vec::new(),
        };
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
