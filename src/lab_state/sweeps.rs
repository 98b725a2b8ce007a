//! The sweep beside the run: many runs of the scene with other values and seeds.

pub mod drawn;
pub mod ends;
pub mod left;
pub mod pictures;
pub mod refine;
pub mod worker;

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use anyhow::Context as _;
use swarmarium_base::files::{read_at_most, write_whole};
use swarmarium_figure::{Figure, FileOptions, Format};
use swarmarium_scene::scene::reader::MAX_BYTES;
use swarmarium_simulation::edit::log;
use swarmarium_sweep::charts::text;
use swarmarium_sweep::plan::Begin;
use swarmarium_sweep::plan::ENDING;
use swarmarium_sweep::{Folder, Outcome, Plan, Run, Sweep, report, resolved};

use crate::action::SweepFormat;
use crate::common::places::Places;
use crate::common::sweep_setup::Setup;
use crate::files::recording::Recordings;
use crate::notice::Notices;
use crate::sweeps::left::{LeftScene, ShownRun};
use crate::sweeps::worker::{Phase, State, Worker};

/// The mark of a sweep that the user closed before it was complete.
pub const CLOSED: &str = "closed";

/// The sweep of the window.
#[derive(Default)]
pub struct SweepState {
    /// The setup of the next sweep.
    pub setup: Setup,
    /// Whether the panel shows the setup while there is a sweep.
    pub is_set_up: bool,
    /// The open sweep.
    pub worker: Option<Worker>,
    /// The point whose runs are listed.
    pub point: Option<usize>,
    /// The run of the sweep that the window shows, with the number of the opening of the scene.
    pub opened: Option<(Run, u64)>,
    /// The run of a sweep that was opened last. It stays when the sweep is closed.
    pub shown: Option<ShownRun>,
    /// The scene that the window showed before it opened runs of a sweep.
    pub left: Option<LeftScene>,
    /// The run to open as soon as the runs of its point are listed.
    pub wanted: Option<Run>,
    /// The threads of closed sweeps, which end soon.
    pub ending: Vec<JoinHandle<()>>,
    /// The number of sweeps that were opened.
    pub openings: u64,
    /// Whether the threads of sweeps keep the usual priority.
    pub keeps_priority: bool,
}

impl SweepState {
    /// The state of the open sweep.
    pub fn state(&self) -> Option<State> {
        self.worker.as_ref().map(Worker::state)
    }

    /// Whether the setup has what a sweep needs.
    pub fn can_start(&self) -> bool {
        self.setup.refusal().is_none()
    }

    /// Returns the seed and the values of the run of a sweep that the window shows, by the number of the opening of its
    /// scene; `None` if it shows another scene.
    pub fn shown_run(&self, opening: u64) -> Option<&str> {
        self.shown.as_ref().filter(|shown| shown.opening == opening).map(|shown| shown.text.as_str())
    }

    /// Whether the threads of the sweep change what the window shows.
    pub fn is_busy(&self) -> bool {
        self.worker.as_ref().is_some_and(Worker::is_busy)
    }
}

impl SweepState {
    /// Keeps the next window from offering the open sweep again. If the mark cannot be written, it is offered.
    pub fn mark_sweep_as_closed(&self, places: &Places) {
        let folder = self.worker.as_ref().map(Worker::folder);
        let is_own = |folder: &&Path| folder.parent() == places.sweeps.as_deref();
        if let Some(folder) = folder.filter(is_own) {
            drop(write_whole(&folder.join(CLOSED), ""));
        }
    }

    /// Closes the open sweep; its threads end soon.
    pub fn close_sweep(&mut self) {
        let Self { worker, point, opened, wanted, ending, .. } = self;
        ending.retain(|thread| !thread.is_finished());
        ending.extend(worker.take().into_iter().flat_map(Worker::close));
        (*point, *opened, *wanted) = (None, None, None);
    }

    /// Goes on with a changed plan of the open sweep.
    pub fn go_on_with_sweep(&self, notices: &mut Notices, change: impl FnOnce(Plan) -> Plan) {
        let Some(worker) = &self.worker else { return };
        match worker.state().sweep {
            Some(sweep) => worker.go_on(&sweep, change),
            None => notices.say("The sweep is not ready yet: its plan is being checked"),
        }
    }

    /// Adds points between the ends of a range of a factor to the plan of the open sweep.
    pub fn refine_sweep(&mut self, notices: &mut Notices, factor: usize, range: [f64; 2], points: u64) {
        let Some(worker) = &self.worker else { return };
        let Some(sweep) = worker.state().sweep else { return };
        // The plan that waits may have other points.
        let refined = match worker.has_next() || worker.state().phase == Phase::Preparing {
            true => Err("The sweep is about to grow already: refine it when its new runs have begun".into()),
            false => refine::refined(&sweep, factor, range, points),
        };
        match refined {
            Ok(plan) => {
                worker.go_on(&sweep, |_| plan);
                // Points get other numbers.
                self.point = None;
            }
            Err(error) => notices.tell_error(error),
        }
    }

    /// Whether the runs of a point of the open sweep are listed.
    pub fn lists_runs_of(&self, point: usize) -> bool {
        let state = self.state();
        state.is_some_and(|state| state.runs.as_ref().is_some_and(|runs| runs.0 == point))
    }

    /// Returns the listed outcome of a run of the open sweep.
    pub fn outcome_of(&self, run: Run) -> Option<Outcome> {
        let state = self.state()?;
        let runs = state.runs.as_ref().filter(|runs| runs.0 == run.point)?;
        runs.1.get(run.repetition as usize)?.clone()
    }

    /// Returns the name of the open sweep.
    pub fn sweep_name(&self) -> String {
        let folder = self.worker.as_ref().map(Worker::folder);
        folder.and_then(Path::file_name).map_or_else(|| "sweep".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// Returns the values of the factors at a point: `Range = 1.2 m`.
pub fn point_text(sweep: &Sweep, point: usize) -> String {
    let Some(values) = sweep.points.get(point) else { return String::new() };
    let value = |(factor, value): (usize, &swarmarium_sweep::plan::Value)| {
        text::assignment(&text::factor_label(sweep, factor), &text::value(value), value.number().is_some())
    };
    let texts: Vec<String> = values.iter().enumerate().map(value).collect();
    if texts.is_empty() { "All runs".into() } else { texts.join(", ") }
}

/// The text of a run: `point 3, repetition 2`.
pub fn run_text(run: Run) -> String {
    format!("point {}, repetition {}", run.point + 1, run.repetition + 1)
}

impl SweepState {
    /// Saves the plan of the sweep, with its scene and its edits beside it.
    ///
    /// # Errors
    /// When there is no sweep, or a file cannot be written.
    pub fn save_plan_of_sweep(&self, path: &Path) -> anyhow::Result<()> {
        let sweep = self.state().and_then(|state| state.sweep).context("there is no sweep")?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(ENDING).unwrap_or(&name);
        let scene = write_beside(path, stem, "scene.ron", &sweep.scene_text())?;
        let mut begin = Begin { step: sweep.plan.begin.step, ..Begin::default() };
        if !sweep.log.is_empty() {
            begin.edits = write_beside(path, stem, "edits.ron", &log::write(&sweep.log))?;
        }
        // The scene has the values and the metrics that the plan set.
        let plan = Plan { scene, begin, set: Vec::new(), metrics: Vec::new(), ..sweep.plan.clone() };
        write_whole(path, resolved::write(&sweep.recipe, &plan))
    }

    /// Saves a copy of the folder of the sweep, with tables and figures of the runs that are done.
    pub fn save_folder_of_sweep(&self, recordings: &mut Recordings, notices: &mut Notices, path: PathBuf) {
        let Some(worker) = &self.worker else { return };
        let (Some(sweep), from) = (worker.state().sweep, worker.folder().to_path_buf()) else { return };
        let started = recordings.work("sweep folder", path.clone(), move || {
            let folder = Folder::merge(&path, &[Folder::open(&from)?], &sweep)?;
            report::conclude(&sweep, &folder, &folder.index()?)?;
            pictures::copy(&from, &path)?;
            Ok(format!("Saved {}", path.display()))
        });
        notices.tell(started);
    }

    /// Saves the shown figure of the sweep.
    pub fn export_figure_of_sweep(
        &self,
        recordings: &mut Recordings,
        notices: &mut Notices,
        format: SweepFormat,
        path: PathBuf,
    ) {
        let Some(drawn) = self.state().and_then(|state| state.drawn) else {
            return notices.say("The sweep has no figure yet");
        };
        let started = recordings.work("figure", path.clone(), move || {
            match format {
                SweepFormat::Svg => write_figure(&path, &drawn.figure, Format::Svg),
                SweepFormat::Png => write_figure(&path, &drawn.figure, Format::Png),
                SweepFormat::Csv => write_whole(&path, drawn.figure.csv()),
            }?;
            Ok(format!("Saved {}", path.display()))
        });
        notices.tell(started);
    }
}

/// Writes a figure with its title and its caption.
///
/// # Errors
/// When the file cannot be written.
fn write_figure(path: &Path, figure: &Figure, format: Format) -> anyhow::Result<()> {
    write_whole(path, figure.print().file(format, &FileOptions::default())?)
}

/// Writes a file beside a plan, under a name that no other content has. Returns the name.
///
/// # Errors
/// When the file cannot be written.
fn write_beside(plan: &Path, stem: &str, kind: &str, text: &str) -> anyhow::Result<String> {
    let numbered = (2..).map(|number: u64| format!("{stem}-{number}.{kind}"));
    let is_free = |name: &String| {
        let path = plan.with_file_name(name);
        !path.exists() || read_at_most(&path, MAX_BYTES).is_ok_and(|there| there == text.as_bytes())
    };
    let mut names = std::iter::once(format!("{stem}.{kind}")).chain(numbered);
    let name = names.find(is_free).context("there is no free name")?;
    write_whole(&plan.with_file_name(&name), text)?;
    Ok(name)
}
