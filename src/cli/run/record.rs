//! The files of a run: written step by step, completed at its end.

use std::fs::{self, File};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use anyhow::{Context as _, bail};
use swarmarium_base::files::{self, Draft, cannot_write, cut_to_whole_lines, partial};
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Pose;
use swarmarium_core::time::SimTime;
use swarmarium_formats::export::mcap::RunLog;
use swarmarium_formats::run_folder::MANIFEST;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log;
use swarmarium_simulation::simulation::{LastStep, Simulation};

use super::super::run_log;
use super::Plan;
use super::folder::Folder;
use super::manifest::Manifest;
use super::one::{End, Outcome, Status};
use super::table::{EVENTS, Table};

/// The bytes that a manifest reserves for an error, so that it can be written even when the disk is full.
const ROOM_FOR_ERROR: usize = 16 << 10;

/// The files of a run in progress.
pub struct Record<'a> {
    plan: &'a Plan<'a>,
    scene: &'a Scene,
    folder: &'a Folder,
    last: CompletedStep,
    /// The step that the results begin with.
    from: u64,
    tables: Vec<Table>,
    /// The log of messages, if there is one.
    messages: Option<RunLog>,
    /// Whether an event happened: a run without events has no table of events.
    has_events: bool,
    /// The log of edits; `None` without edits.
    edits: Option<log::Writer<File>>,
    /// The manifest is finished last; its space on the disk is reserved at the start.
    manifest: Draft,
    incomplete: Vec<&'static str>,
    /// The warnings about the start.
    warnings: Vec<Problem>,
    started: SystemTime,
    clock: Instant,
}

/// The values of the last completed step, for its rows and for the manifest of a run that is stopped within the next step.
#[derive(Default)]
pub struct CompletedStep {
    /// The clock.
    pub time: SimTime,
    /// The values of the metrics; empty before the first step.
    pub metrics: Vec<f64>,
    epoch_s: f64,
    metric_columns: Vec<String>,
}

impl CompletedStep {
    /// The step that a simulation has completed.
    pub fn from_simulation(simulation: &Simulation) -> Self {
        let (epoch_s, metric_columns) = (simulation.epoch_s(), simulation.metric_columns());
        let mut last = Self { epoch_s, metric_columns, ..Self::default() };
        last.note(simulation.last_step());
        last
    }

    fn note(&mut self, now: LastStep) {
        self.time = now.time;
        if !self.metric_columns.is_empty() {
            self.metrics.clear();
            self.metrics.extend_from_slice(now.observed);
        }
    }
}

/// A record that the thread of the steps fills, and another thread completes if a step does not end.
pub struct SharedRecord<'a>(Mutex<Option<Record<'a>>>);

impl<'a> SharedRecord<'a> {
    /// Shares a record.
    pub fn new(record: Record<'a>) -> Self {
        Self(Mutex::new(Some(record)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Record<'a>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the record, to complete it; `None` if the other thread has done so.
    pub fn take(&self) -> Option<Record<'a>> {
        self.lock().take()
    }

    /// As [`Record::after_step`].
    ///
    /// # Errors
    /// As there.
    pub fn after_step(&self, simulation: &Simulation) -> anyhow::Result<()> {
        self.lock().as_mut().map_or(Ok(()), |record| record.after_step(simulation))
    }

    /// As [`Record::log`].
    ///
    /// # Errors
    /// As there.
    pub fn log(&self, edits: &[LoggedEdit]) -> anyhow::Result<()> {
        self.lock().as_mut().map_or(Ok(()), |record| record.log(edits))
    }
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
        // Its file is outside of the folder. If it cannot be written, the folder stays as it is.
        let messages = plan.log.as_ref().map(|log| log.begin(simulation)).transpose()?;
        folder.clear()?;
        let path = folder.path().join(MANIFEST);
        let mut manifest = Draft::begin(&path)?;
        let empty = Manifest::new(plan, scene, (started, simulation.epoch_s()), &Outcome::default()).text()?;
        manifest.reserve(empty.len() + ROOM_FOR_ERROR).with_context(|| cannot_write(&path))?;
        folder.write("scene.ron", &(writer::write(plan.recipe.kinds(), scene, Style::Full) + "\n"))?;
        let has_events = simulation.events().count() > 0;
        let formats = plan.tables.iter().chain(has_events.then_some(&EVENTS));
        let tables = formats.map(|format| Table::start(*format, folder, simulation));
        let mut tables = tables.collect::<anyhow::Result<Vec<_>>>()?;
        let last = CompletedStep::from_simulation(simulation);
        for table in &mut tables {
            table.record(simulation, &last)?;
        }
        Ok(Self {
            plan,
            scene,
            folder,
            from: simulation.steps(),
            last,
            tables,
            messages,
            has_events,
            edits: None,
            manifest,
            incomplete: Vec::new(),
            warnings: simulation.start_warnings(),
            started,
            clock,
        })
    }

    /// Writes the rows of a step.
    ///
    /// # Errors
    /// When they cannot be written, or the pose of an agent is not finite.
    pub fn after_step(&mut self, simulation: &Simulation) -> anyhow::Result<()> {
        let now = simulation.last_step();
        if now.events > 0 && !self.has_events {
            self.has_events = true;
            let table = Table::start(EVENTS, self.folder, simulation);
            self.tables.push(table.inspect_err(|_| self.incomplete.push(EVENTS.file()))?);
        }
        self.last.note(now);
        let mut recorded = Ok(());
        for table in &mut self.tables {
            // An error of one table must not affect the rows of the others.
            recorded = recorded.and(table.record(simulation, &self.last));
        }
        if let Some(log) = &mut self.messages {
            recorded = recorded.and(log.after_step(simulation));
        }
        if now.has_finite_poses { recorded } else { recorded.and(lost(simulation)) }
    }

    /// Adds edits to the log of the run, before the rows of their step.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn log(&mut self, edits: &[LoggedEdit]) -> anyhow::Result<()> {
        if edits.is_empty() || self.incomplete.contains(&EDITS) {
            return Ok(());
        }
        let path = self.folder.path().join(EDITS);
        let incomplete = partial(&path);
        let written = match &mut self.edits {
            Some(writer) => writer.append(edits),
            none => {
                // The file gets its name with its first edits in it.
                let file = files::open_with(&incomplete, File::options().write(true).create(true).truncate(true));
                let writer = file.map_err(Into::into).and_then(|file| log::Writer::begin(file, edits));
                writer.and_then(|writer| {
                    *none = Some(writer);
                    fs::rename(&incomplete, &path)
                })
            }
        };
        if written.is_err() {
            self.incomplete.push(EDITS);
            // The manifest also lists a file that cannot be cut or renamed.
            let _ = cut_to_whole_lines(&path).and_then(|()| fs::rename(&path, &incomplete));
            let _ = cut_to_whole_lines(&incomplete);
        }
        written.with_context(|| cannot_write(&path))
    }

    /// Completes all files.
    ///
    /// # Errors
    /// When the manifest cannot be created. Other errors are part of the outcome.
    pub fn finish(mut self, simulation: &Simulation, status: Status, end: Option<End>) -> anyhow::Result<Outcome> {
        self.last = CompletedStep::from_simulation(simulation);
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(simulation.without_room());
        let outcome = Outcome {
            status,
            end,
            hash: Some(simulation.hash_of_step().0),
            crash: if end == Some(End::Collision) { crash(simulation) } else { None },
            warnings,
            ..Outcome::default()
        };
        self.conclude(outcome, simulation.failed_scripts())
    }

    /// As [`finish`](Self::finish), for a run that is stopped within a step: its results end with the step before.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn finish_within_step(self) -> anyhow::Result<Outcome> {
        self.conclude(Outcome { status: Status::Interrupted, ..Outcome::default() }, Vec::new())
    }

    /// Completes all files of a run with an outcome, apart from what the last step says, and with the failures of scripts.
    fn conclude(
        mut self,
        Outcome { mut status, end, hash, crash, mut warnings, .. }: Outcome,
        mut failures: Vec<Problem>,
    ) -> anyhow::Result<Outcome> {
        let CompletedStep { time, epoch_s, metric_columns, metrics } = std::mem::take(&mut self.last);
        for table in self.tables {
            let file = table.file();
            let finished = table.finish();
            self.incomplete.extend(finished.is_err().then_some(file));
            status.note(finished);
        }
        let logged = self.messages.map(run_log::finish).transpose().unwrap_or_else(|error| {
            status.note(Err(error));
            None
        });
        // The measures of a run whose robots stopped are not those of its scene. Errors of files come first.
        if status == Status::Done && !failures.is_empty() {
            status = Status::Failed(failures.remove(0).message);
        }
        warnings.extend(failures);
        let mut outcome = Outcome {
            status,
            end,
            from: self.from,
            steps: time.step,
            wall_s: self.clock.elapsed().as_secs_f64(),
            hash,
            metric_columns,
            metrics,
            crash,
            logged,
            incomplete: self.incomplete,
            differs_at: None,
            other_end: None,
            warnings,
        };
        let text = Manifest::new(self.plan, self.scene, (self.started, epoch_s), &outcome).text()?;
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

/// The error of an agent whose pose is not finite.
#[cold]
fn lost(simulation: &Simulation) -> anyhow::Result<()> {
    let is_finite = |pose: &Pose| pose.position_m.is_finite() && pose.heading_rad.is_finite();
    let lost = simulation.agents().find(|agent| !is_finite(&agent.pose)).context("an object is lost")?;
    let Pose { position_m, heading_rad } = lost.pose;
    bail!(
        "step {}: the pose of agent {} ({}) is not finite: x {} m, y {} m, heading {heading_rad} rad",
        simulation.steps(),
        lost.id.index(),
        lost.name(),
        position_m.x,
        position_m.y,
    );
}
