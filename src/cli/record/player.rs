//! What is recorded: a simulation that goes on step by step, perhaps after the trace of an earlier run.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use swarmarium_base::files::shown;
use swarmarium_base::problem::Problems;
use swarmarium_core::draw::{Moment, Past, Poses, TrailLength};
use swarmarium_core::edit::log::Replay;
use swarmarium_core::scene::Scene;
use swarmarium_core::scene::reader::read_text;
use swarmarium_core::simulation::{Recipe, Simulation};
use swarmarium_formats::load::located;

use super::super::{Common, interrupt, load};
use super::tape::Tape;

/// Plays a scene, or the folder of a run.
///
/// The folder of a run is played by running its resolved scene with its edits again. Where it has a trace, the trace
/// has the last word on poses and readings, so that also what another version of the program ran, or what a camera
/// tracked, is shown as it was.
pub(super) struct Player {
    simulation: Simulation,
    /// Where all were before the last step.
    before: Poses,
    edits: Replay,
    edits_file: PathBuf,
    tape: Option<Tape>,
    /// The last step of an earlier run, and the file that says so.
    last_step: Option<(u64, PathBuf)>,
    /// What was seen of the run, if pictures show it.
    past: Option<Past>,
}

/// How far the player came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// To where it should.
    There,
    /// To the end of the run, before that.
    ToTheEnd,
    /// Somebody asked to stop.
    Interrupted,
    /// To an edit of the run that makes no sense.
    ToABadEdit(Problems),
}

impl Player {
    /// Opens a scene or the folder of a run; `arrange` has a say in how it looks.
    ///
    /// # Errors
    /// When it cannot be read, or asks for what cannot be.
    pub fn open(
        file: &str,
        common: &Common,
        recipe: &Recipe,
        arrange: impl FnOnce(&mut Scene),
    ) -> anyhow::Result<Self> {
        let folder = Path::new(file);
        let is_run = folder.is_dir();
        let scene_file = if is_run { folder.join("scene.ron").display().to_string() } else { file.to_owned() };
        let in_run = |name: &str| Some(folder.join(name)).filter(|path| is_run && path.exists());
        let mut scene = load::scene(&scene_file, common, recipe.kinds())?.scene;
        arrange(&mut scene);
        let edits_file = in_run("edits.ron").unwrap_or_default();
        let edits = in_run("edits.ron").as_deref().map(load::edits).transpose()?.unwrap_or_default();
        let simulation = Simulation::with(&scene, recipe, common.threads);
        let mut simulation = simulation.map_err(|problems| located(&scene_file, problems))?;
        let mut tape = in_run("trace.csv").as_deref().map(Tape::open).transpose()?;
        let last_step = match (&tape, in_run("manifest.json")) {
            (Some(tape), _) => Some((tape.last_step(), folder.join("trace.csv"))),
            (None, Some(manifest)) => steps_of(&manifest)?.map(|steps| (steps, manifest)),
            (None, None) => None,
        };
        if let Some(tape) = &mut tape {
            simulation.place(&tape.at(0)?).map_err(|agent| tape.unknown(0, agent))?;
        }
        let before = simulation.poses();
        Ok(Self { simulation, before, edits: Replay::new(edits), edits_file, tape, last_step, past: None })
    }

    /// Remembers from now on where robots are, for pictures that show it.
    pub fn remember(&mut self) {
        self.past = Some(Past::of(self.simulation.world()));
    }

    /// The simulation as it is.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// When the run ended, if it is an earlier run.
    pub fn last_s(&self) -> Option<f64> {
        let dt_s = self.simulation.time().dt_s;
        self.last_step.as_ref().map(|(step, _)| *step as f64 * dt_s)
    }

    /// The last step of an earlier run and the file that says so, in words; `None` for a scene.
    pub fn end(&self) -> Option<String> {
        self.last_step.as_ref().map(|(step, file)| format!("{}: the run ends with step {step}", shown(file)))
    }

    /// Goes on until a time lies at or before the end of the last step.
    ///
    /// # Errors
    /// When the trace makes no sense.
    pub fn go_to(&mut self, time_s: f64) -> anyhow::Result<Came> {
        let time = self.simulation.time();
        // A time that is a step, but for rounding, is that step.
        let wanted = (time_s / time.dt_s - 1e-6).ceil().max(0.0) as u64;
        while self.simulation.steps() < wanted {
            if interrupt::asked() {
                return Ok(Came::Interrupted);
            }
            if self.is_at_end() {
                return Ok(Came::ToTheEnd);
            }
            self.before = self.simulation.poses();
            let step = self.simulation.steps() + 1;
            for logged in self.edits.due(step) {
                if let Err(problem) = self.simulation.replay(logged.clone()) {
                    return Ok(Came::ToABadEdit(load::senseless(&self.edits_file, &logged, problem)));
                }
            }
            match &mut self.tape {
                Some(tape) => {
                    let placed = tape.at(step)?;
                    self.simulation.step_along(placed).map_err(|agent| tape.unknown(step, agent))?;
                }
                None => self.simulation.step(1),
            }
            if let Some(past) = &mut self.past {
                past.observe(self.simulation.world(), TrailLength::default());
            }
        }
        Ok(if interrupt::asked() { Came::Interrupted } else { Came::There })
    }

    fn is_at_end(&self) -> bool {
        let is_over = self.last_step.as_ref().is_some_and(|(last, _)| *last <= self.simulation.steps());
        is_over || self.simulation.condition_holds()
    }

    /// The simulation at a time that it has come to: between the last two steps, or at the last one.
    pub fn moment(&self, time_s: f64) -> Moment<'_> {
        let time = self.simulation.time();
        let part = 1.0 - (time.now_s() - time_s) / time.dt_s;
        // As for the step: what is nearly one is one.
        let part = if part > 1.0 - 1e-6 { 1.0 } else { part.max(0.0) };
        let moment = self.simulation.between(&self.before, part);
        match &self.past {
            Some(past) => moment.remembering(past),
            None => moment,
        }
    }
}

/// The number of steps of an earlier run, if its manifest has it.
fn steps_of(manifest: &Path) -> anyhow::Result<Option<u64>> {
    let text = read_text(manifest)?;
    let parsed: serde_json::Value = serde_json::from_str(&text).with_context(|| shown(manifest))?;
    Ok(parsed.get("steps").and_then(serde_json::Value::as_u64))
}
