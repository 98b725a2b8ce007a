//! The player: a simulation that advances step by step, optionally along the trace of an earlier run.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use swarmarium_base::files::shown;
use swarmarium_base::problem::Problems;
use swarmarium_core::draw::{Moment, Past, Poses, TrailLength};
use swarmarium_core::edit::log::Replay;
use swarmarium_core::scene::Scene;
use swarmarium_core::scene::reader::read_text;
use swarmarium_core::simulation::{Recipe, Simulation, UnknownAgent};
use swarmarium_formats::load::locate_problems;

use super::super::{Common, interrupt, load};
use super::trace::TraceReader;

/// Plays a scene, or the folder of a run.
///
/// The folder of a run is played by running its resolved scene again with its edits. A trace in the folder overrides poses
/// and readings, so that runs of other versions of the program, and recordings of tracking systems, are shown as they were.
pub(super) struct Player {
    simulation: Simulation,
    /// The poses before the last step.
    before: Poses,
    edits: Replay,
    edits_file: PathBuf,
    trace: Option<TraceReader>,
    /// The last step of an earlier run, and the file with its number.
    last_step: Option<(u64, PathBuf)>,
    /// Past poses, if an overlay shows them.
    past: Option<Past>,
}

/// The result of advancing to a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Playback {
    /// The time is reached.
    Reached,
    /// The run ended before the time.
    Ended,
    /// The user interrupted the program.
    Interrupted,
    /// An edit of the run is invalid.
    InvalidEdit(Problems),
}

impl Player {
    /// Opens a scene or the folder of a run; `adapt` may change the scene.
    ///
    /// # Errors
    /// When a file cannot be read, or the scene is invalid.
    pub fn open(file: &str, common: &Common, recipe: &Recipe, adapt: impl FnOnce(&mut Scene)) -> anyhow::Result<Self> {
        let folder = Path::new(file);
        let is_run = folder.is_dir();
        let scene_file = if is_run { folder.join("scene.ron").display().to_string() } else { file.to_owned() };
        let in_run = |name: &str| Some(folder.join(name)).filter(|path| is_run && path.exists());
        let loaded = load::scene(&scene_file, common, recipe)?;
        let mut scene = loaded.scene;
        adapt(&mut scene);
        let edits_file = in_run("edits.ron").unwrap_or_default();
        let edits = in_run("edits.ron").as_deref().map(load::edits).transpose()?.unwrap_or(loaded.edits);
        let simulation = Simulation::with(&scene, recipe, common.threads);
        let mut simulation = simulation.map_err(|problems| locate_problems(&scene_file, problems))?;
        let mut trace = in_run("trace.csv").as_deref().map(TraceReader::open).transpose()?;
        let last_step = match (&trace, in_run("manifest.json")) {
            (Some(trace), _) => Some((trace.last_step(), folder.join("trace.csv"))),
            (None, Some(manifest)) => steps_of(&manifest)?.map(|steps| (steps, manifest)),
            (None, None) => None,
        };
        if let Some(trace) = &mut trace {
            simulation.place(&trace.at(0)?).map_err(|UnknownAgent(agent)| trace.unknown_agent(0, agent))?;
        }
        let before = simulation.poses();
        Ok(Self { simulation, before, edits: Replay::new(edits), edits_file, trace, last_step, past: None })
    }

    /// Records the poses of robots from now on, for overlays that show them.
    pub fn remember(&mut self) {
        self.past = Some(Past::of(self.simulation.world()));
    }

    /// The simulation at its present step.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The time of the last step of an earlier run, in seconds; `None` for a scene.
    pub fn last_s(&self) -> Option<f64> {
        let dt_s = self.simulation.time().dt_s;
        self.last_step.as_ref().map(|(step, _)| *step as f64 * dt_s)
    }

    /// The last step of an earlier run and the file with its number, in words; `None` for a scene.
    pub fn end(&self) -> Option<String> {
        self.last_step.as_ref().map(|(step, file)| format!("{}: the run ends with step {step}", shown(file)))
    }

    /// Advances until a time lies at or before the end of the last step.
    ///
    /// # Errors
    /// When the trace is invalid.
    pub fn advance_to(&mut self, time_s: f64) -> anyhow::Result<Playback> {
        let time = self.simulation.time();
        // The tolerance absorbs rounding errors of times at steps.
        let target = (time_s / time.dt_s - 1e-6).ceil().max(0.0) as u64;
        while self.simulation.steps() < target {
            if interrupt::requested() {
                return Ok(Playback::Interrupted);
            }
            if self.is_at_end() {
                return Ok(Playback::Ended);
            }
            self.before = self.simulation.poses();
            let step = self.simulation.steps() + 1;
            for logged in self.edits.due(step) {
                if let Err(problem) = self.simulation.replay(logged.clone()) {
                    return Ok(Playback::InvalidEdit(load::invalid_edit(&self.edits_file, &logged, problem)));
                }
            }
            match &mut self.trace {
                Some(trace) => {
                    let placed = trace.at(step)?;
                    self.simulation
                        .step_along(placed)
                        .map_err(|UnknownAgent(agent)| trace.unknown_agent(step, agent))?;
                }
                None => self.simulation.step(1),
            }
            if let Some(past) = &mut self.past {
                past.observe(self.simulation.world(), TrailLength::default());
            }
        }
        Ok(if interrupt::requested() { Playback::Interrupted } else { Playback::Reached })
    }

    fn is_at_end(&self) -> bool {
        let is_over = self.last_step.as_ref().is_some_and(|(last, _)| *last <= self.simulation.steps());
        is_over || self.simulation.condition_holds()
    }

    /// The simulation at a time between the last two steps, or at the last one.
    pub fn moment(&self, time_s: f64) -> Moment<'_> {
        let time = self.simulation.time();
        let part = 1.0 - (time.now_s() - time_s) / time.dt_s;
        // The tolerance is that of `advance_to`.
        let part = if part > 1.0 - 1e-6 { 1.0 } else { part.max(0.0) };
        let moment = self.simulation.between(&self.before, part);
        match &self.past {
            Some(past) => moment.remembering(past),
            None => moment,
        }
    }
}

/// The number of steps in the manifest of an earlier run.
fn steps_of(manifest: &Path) -> anyhow::Result<Option<u64>> {
    let text = read_text(manifest)?;
    let parsed: serde_json::Value = serde_json::from_str(&text).with_context(|| shown(manifest))?;
    Ok(parsed.get("steps").and_then(serde_json::Value::as_u64))
}
