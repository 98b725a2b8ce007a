//! The player: a simulation that advances step by step, optionally along the trace of an earlier run.

#![cfg_attr(not(feature = "video"), expect(dead_code, reason = "the recorder needs more of it than pages"))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use swarmarium_base::files::shown;
use swarmarium_base::math;
use swarmarium_base::problem::Problems;
use swarmarium_draw::{Moment, Past, Poses, TrailLength};
use swarmarium_formats::load::{KnownEnd, Override};
use swarmarium_formats::run_folder::{MANIFEST, RunFolder, RunMoment};
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_scene::scene::{Scene, current};
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::{Recipe, Simulation, UnknownAgent};

use super::messages::tell_error;
use super::moment::{MomentArgument, continued, drop_later_edits, problem_of_set};
use super::run::other_end;
use super::run_log::{LogPlan, SharedLog};
use super::{Common, Exit, interrupt, load, tell};

mod trace;

use trace::TraceReader;

/// The largest number of steps before the first frame.
const MAX_STEPS: f64 = 1e9;

/// The part of a run that is shown, as given on the command line.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct PartArguments {
    /// Moment of the first frame: of a scene, a time such as 90, 90s, 2m or 1h; of a run folder, a step, a time such as 35s, or
    /// a bookmark [default: the start]
    #[arg(long, value_name = "MOMENT")]
    from: Option<MomentArgument>,
    /// Moment of the last frame, as for --from, instead of --duration
    #[arg(long, value_name = "MOMENT", conflicts_with_all = ["duration", "frames"])]
    to: Option<MomentArgument>,
    /// Branch of the run folder [default: the branch of the bookmark or of edits.ron]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The flag of the first moment, for messages
    #[arg(skip = "--from")]
    flag: &'static str,
}

impl PartArguments {
    /// One moment, of `--at`.
    pub fn at(moment: MomentArgument, branch: Option<String>) -> Self {
        Self { from: Some(moment), to: None, branch, flag: "--at" }
    }
}

/// The part of a run that is shown.
struct Part {
    /// The times of the first and of the last frame, in seconds.
    from_s: f64,
    to_s: Option<f64>,
    /// The first moment, in the folder of a run.
    moment: Option<RunMoment>,
}

impl PartArguments {
    fn resolve(&self, run: Option<&RunFolder>, dt_s: f64) -> anyhow::Result<Part> {
        let start = MomentArgument::START;
        let from = self.from.as_ref().unwrap_or(&start);
        let Some(run) = run else {
            ensure!(self.branch.is_none(), "--branch: only folders of runs have branches");
            let to_s = self.to.as_ref().map(|to| to.seconds("--to")).transpose()?;
            let from_s = from.seconds(self.flag)?;
            return Part { from_s, to_s, moment: None }.checked();
        };
        let moment = run.moment(Some(&from.of_run(self.flag)?), self.branch.as_deref(), dt_s)?;
        let to =
            self.to.as_ref().map(|to| run.moment(Some(&to.of_run("--to")?), Some(&moment.branch), dt_s)).transpose()?;
        let time_s = |moment: &RunMoment| moment.step as f64 * dt_s;
        Part { from_s: time_s(&moment), to_s: to.as_ref().map(time_s), moment: Some(moment) }.checked()
    }
}

impl Part {
    fn checked(self) -> anyhow::Result<Self> {
        let Self { from_s, to_s, .. } = self;
        if let Some(to_s) = to_s {
            let (to_s, from_s) = (math::decimal_product(to_s), math::decimal_product(from_s));
            ensure!(from_s <= to_s, "--to: the last frame, at {to_s} s, comes before the first one, at {from_s} s");
        }
        Ok(self)
    }
}

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
    /// The values that are edits of a run that continues.
    sets: Vec<Override>,
    /// The run, and the hashes that its states have up to the moment from which on it continues with other values.
    origin: Option<RunFolder>,
    known: BTreeMap<u64, u64>,
    /// The first step with another hash.
    differs_at: Option<u64>,
    trace: Option<TraceReader>,
    /// The time of the first frame, and that of the last one if it was asked for, in seconds.
    from_s: f64,
    to_s: Option<f64>,
    /// The last step of an earlier run, and the file with its number.
    last_step: Option<(u64, PathBuf)>,
    /// The step before which no condition ends the run.
    begin: u64,
    /// The end of the run in the tables of its sweep, if it repeats one, and its address.
    known_end: Option<(KnownEnd, String)>,
    /// The difference from that end, in words.
    other_end: Option<String>,
    /// Past poses, if an overlay shows them.
    past: Option<Past>,
    /// The log of the steps from a moment on.
    log: Option<SharedLog>,
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
    /// Opens a part of a scene or of the folder of a run; `adapt` may change the scene.
    ///
    /// # Errors
    /// When a file cannot be read, the scene is invalid, or there is no such part.
    pub fn open(
        file: &str,
        part: &PartArguments,
        common: &Common,
        recipe: &Recipe,
        adapt: impl FnOnce(&mut Scene),
    ) -> anyhow::Result<Self> {
        let folder = Path::new(file);
        let run = load::run_folder(file, recipe)?;
        let scene_file = run.as_ref().map_or_else(|| file.to_owned(), RunFolder::scene_file);
        let in_run = |name: &str| Some(folder.join(name)).filter(|path| run.is_some() && path.exists());
        // In a run folder, the values of `--set` are edits from the moment of the first frame on.
        let is_changed = run.is_some() && !common.overrides().is_empty();
        let continues = is_changed && part.from.is_some();
        if is_changed && !continues && !common.quiet {
            tell(format_args!("{}: with other values, this is not its run but another one", shown(file)));
        }
        let loaded = match continues {
            true => load::scene(&scene_file, &common.without_overrides(), recipe)?,
            false => load::scene(&scene_file, common, recipe)?,
        };
        let mut scene = loaded.scene;
        let part = part.resolve(run.as_ref(), scene.time.dt_s)?;
        let edits_file = in_run("edits.ron").unwrap_or_default();
        let mut edits = part.moment.as_ref().map_or(loaded.edits, |moment| moment.edits.clone());
        let mut known = BTreeMap::new();
        let mut known_end = loaded.known_end.filter(|_| run.is_none()).map(|end| (end, file.to_owned()));
        if let (Some(run), Some(moment), true) = (&run, &part.moment, continues) {
            drop_later_edits(&mut edits, moment.step);
            edits = continued(common, recipe.kinds(), &scene, (moment.step, &edits))?;
            known = run.hashes_of(&moment.branch);
            known.retain(|step, _| *step <= moment.step);
        }
        let digest = current::digest(recipe.kinds(), &scene);
        adapt(&mut scene);
        if current::digest(recipe.kinds(), &scene) != digest {
            // The hashes of the run are those of its own scene.
            known.clear();
            known_end = None;
        }
        let simulation = Simulation::with(&scene, recipe, common.threads);
        let mut simulation = simulation.map_err(|problems| load::locate(&scene_file, problems))?;
        if !common.quiet && run.is_none() {
            load::warn_of_simulation(&scene_file, [simulation.without_room(), simulation.start_warnings()].concat());
        }
        // The tables are those of one branch.
        let is_present = |moment: &RunMoment| run.as_ref().is_some_and(|run| run.timeline().present == moment.branch);
        let has_tables = part.moment.as_ref().is_none_or(is_present);
        let trace = in_run("trace.csv").filter(|_| has_tables);
        let mut trace = trace.as_deref().map(TraceReader::open).transpose()?;
        let traced = trace.as_ref().map(TraceReader::last_step);
        if is_changed {
            // The trace does not have the changes.
            trace = None;
        }
        let end = [TIMELINE, MANIFEST].into_iter().find_map(in_run);
        // The trace ends before the run where all robots are removed, and a trace of another program has no run.
        let of_run = part.moment.as_ref().and_then(|moment| moment.end).zip(end);
        let of_trace = traced.map(|last_step| (last_step, folder.join("trace.csv")));
        let last_step = of_run.into_iter().chain(of_trace).max_by_key(|(step, _)| *step);
        if let Some(trace) = &mut trace {
            simulation.place(&trace.at(0)?).map_err(|UnknownAgent(agent)| trace.unknown_agent(0, agent))?;
        }
        let before = simulation.poses();
        let edits = Replay::new(edits);
        Ok(Self {
            simulation,
            before,
            edits,
            edits_file,
            sets: if continues { common.overrides.clone() } else { Vec::new() },
            origin: run,
            known,
            differs_at: None,
            trace,
            last_step,
            from_s: part.from_s,
            to_s: part.to_s,
            begin: loaded.begin,
            known_end,
            other_end: None,
            past: None,
            log: None,
        })
    }

    /// Records the poses of robots from now on, for overlays that show them.
    pub fn remember(&mut self) {
        self.past = Some(self.simulation.start_past());
    }

    /// Begins a log with the present state.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin_log(&mut self, plan: &LogPlan, log: &SharedLog) -> anyhow::Result<()> {
        log.set(plan.begin(&self.simulation)?);
        self.log = Some(log.clone());
        Ok(())
    }

    /// The bookmarks of the folder of a run on its branch: steps and names.
    pub fn bookmarks(&self) -> Vec<(u64, String)> {
        let timeline = self.origin.as_ref().map(RunFolder::timeline);
        let of_branch = timeline
            .into_iter()
            .flat_map(|timeline| timeline.bookmarks.iter().filter(|bookmark| bookmark.branch == timeline.present));
        of_branch.map(|bookmark| (bookmark.step, bookmark.name.clone())).collect()
    }

    /// The simulation at its present step.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Refuses a first frame that is too far away.
    ///
    /// # Errors
    /// When it is, with the flag that asks for it.
    pub fn check_reach(&self, flag: &str) -> anyhow::Result<()> {
        let steps = (self.from_s / self.simulation().time().dt_s).ceil();
        ensure!(steps <= MAX_STEPS, "{flag}: expected a moment after at most {MAX_STEPS} steps, found {steps}");
        Ok(())
    }

    /// The time of the first frame, in seconds.
    pub fn first_s(&self) -> f64 {
        self.from_s
    }

    /// The time of the last frame in seconds, if it was asked for.
    pub fn to_s(&self) -> Option<f64> {
        self.to_s
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
    /// When the trace is invalid, or the log cannot be written.
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
                    let problems = problem_of_set(&self.sets, &logged, &problem)
                        .unwrap_or_else(|| load::invalid_edit(&self.edits_file, &logged, problem));
                    return Ok(Playback::InvalidEdit(problems));
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
            let is_other = |known: &u64| *known != self.simulation.hash().0;
            if self.differs_at.is_none() && self.known.get(&step).is_some_and(is_other) {
                self.differs_at = Some(step);
            }
            if let Some((end, file)) = self.known_end.as_ref().filter(|(end, _)| end.steps == step) {
                self.other_end = other_end(file, *end, step, Some(self.simulation.hash().0));
            }
            if let Some(past) = &mut self.past {
                self.simulation.add_to_past(past, TrailLength::default());
            }
            if let Some(log) = &self.log {
                log.after_step(&self.simulation)?;
            }
        }
        Ok(if interrupt::requested() { Playback::Interrupted } else { Playback::Reached })
    }

    /// The message about the first state before the first frame that differs from that of the run.
    pub fn difference(&self) -> Option<String> {
        let of_folder = self.origin.as_ref().zip(self.differs_at).map(|(run, step)| run.difference(step));
        of_folder.or_else(|| self.other_end.clone())
    }

    /// Tells of a difference from the run, or of scripts that failed: their robots stopped. Returns the exit status for it.
    pub fn conclude(&self) -> Exit {
        if let Some(difference) = self.difference() {
            tell_error(difference);
            return Exit::Differs;
        }
        let failures = self.simulation.failed_scripts();
        failures.iter().for_each(|failure| tell_error(&failure.message));
        if failures.is_empty() { Exit::Fine } else { Exit::RunFailed }
    }

    fn is_at_end(&self) -> bool {
        let is_over = self.last_step.as_ref().is_some_and(|(last, _)| *last <= self.simulation.steps());
        is_over || (self.begin <= self.simulation.steps() && self.simulation.condition_holds())
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
