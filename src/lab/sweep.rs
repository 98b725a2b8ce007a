//! Sweeps in the window: a figure whose every point is a run that opens.
//!
//! Threads beside the window make the runs, the statistics and the figure; the window shows their last state and stays as
//! fast as without them. Runs, tables and pictures are in a folder from the start, so that nothing is lost when the window
//! is closed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use swarmarium_base::files::write_whole;
use swarmarium_core::scene::shipped;
use swarmarium_formats::import;
use swarmarium_formats::load::Source as LoadedFrom;
use swarmarium_sweep::folder::REPORT;
use swarmarium_sweep::source::Source;
use swarmarium_sweep::{Folder, Outcome, Plan, Run, resolved};

use super::action::SweepAction;
use super::layout::Pane;
use super::notice::Notice;
use super::sweep_setup::Setup;
use super::{Action, Lab, places};

mod chart;
mod drawn;
mod ends;
mod export;
mod open;
mod panel;
mod pictures;
mod refine;
mod runs;
mod setup_form;
mod table;
#[cfg(test)]
mod tests;
mod worker;

pub use panel::SweepPanel;
use worker::{Phase, State, Worker};

use worker::Origin;

/// The mark of a sweep that the user closed before it was complete.
const CLOSED: &str = "closed";
/// The height that the panel asks for when a sweep starts, in points.
const HEIGHT_PX: f32 = 330.0;
/// The most unfinished sweeps that are offered at a start.
const MOST_OFFERED: usize = 5;

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
    /// The run to open as soon as the runs of its point are listed.
    pub wanted: Option<Run>,
    /// The threads of closed sweeps, which end soon.
    pub ending: Vec<JoinHandle<()>>,
    /// The number of sweeps that were opened.
    pub openings: u64,
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

    /// Whether the threads of the sweep change what the window shows.
    pub fn is_busy(&self) -> bool {
        self.worker.as_ref().is_some_and(Worker::is_busy)
    }
}

impl SweepAction {
    /// Executes the action.
    pub fn act(self, lab: &mut Lab) {
        match self {
            Self::SetUp { path, is_second } => lab.set_up_sweep(&path, is_second),
            Self::SetUpMetric(column) => {
                lab.suggest_sweep();
                lab.sweep.setup = lab.sweep.setup.with_metric(&column);
                lab.show_setup();
            }
            Self::ShowSetup => lab.show_setup(),
            Self::HideSetup => lab.sweep.is_set_up = false,
            Self::SetOptions(setup) => lab.sweep.setup = setup,
            Self::Start => lab.start_sweep(),
            Self::Pause => {
                if let Some(worker) = &lab.sweep.worker {
                    worker.pause(!worker.is_paused());
                }
            }
            Self::Cancel => lab.sweep.worker.iter().for_each(Worker::cancel),
            Self::Resume => lab.go_on_with_sweep(|plan| plan),
            Self::Repeat(more) => lab.go_on_with_sweep(|plan| refine::repeated(plan, more)),
            Self::Refine { factor, range, points } => lab.refine_sweep(factor, range, points),
            Self::Close => {
                lab.mark_sweep_as_closed();
                lab.close_sweep();
            }
            Self::Choose(point) => lab.sweep.point = point,
            Self::OpenRun(run) => {
                lab.open_run_of_sweep(run);
            }
            Self::OpenScene => lab.open_scene_of_sweep(),
            Self::CompareRun(run) => lab.compare_run_of_sweep(run),
            Self::RecordRun(run) => lab.record_run_of_sweep(run),
            Self::SavePlan(path) => {
                let saved = lab.save_plan_of_sweep(&path);
                lab.report(saved, &path);
            }
            Self::SaveFolder(path) => lab.save_folder_of_sweep(path),
            Self::ExportFigure(format, path) => lab.export_figure_of_sweep(format, path),
            Self::ResumeFolder(path) => lab.open_sweep_folder(&path, true),
        }
    }
}

impl Lab {
    /// Replaces a setup that does not suit the scene by one that does.
    pub(crate) fn suggest_sweep(&mut self) {
        if !self.sweep.setup.suits(self) {
            self.sweep.setup = self.sweep.setup.for_scene(self);
        }
    }

    /// Shows the setup for a parameter.
    fn set_up_sweep(&mut self, path: &str, is_second: bool) {
        self.suggest_sweep();
        let setup = self.sweep.setup.with_factor(self, path, is_second);
        if !setup.factors.iter().any(|factor| factor.path == path) {
            return self.tell_error(format!(
                "{path} is neither a number nor a choice: a plan with a list of values can vary it"
            ));
        }
        self.sweep.setup = setup;
        self.show_setup();
    }

    fn show_setup(&mut self) {
        self.sweep.is_set_up = true;
        self.show_sweep_panel();
    }

    fn show_sweep_panel(&mut self) {
        self.show_panel(Pane::Sweep);
        self.settings.layout.grow(Pane::Sweep, HEIGHT_PX);
    }

    /// Returns a new folder for a sweep.
    fn new_sweep_folder(&self, name: &str) -> PathBuf {
        let parent = self.places.sweeps.clone().unwrap_or_else(|| std::env::temp_dir().join("swarmarium-sweeps"));
        // Some file systems do not tell small letters from capital ones.
        let stem = places::file_stem(name).to_lowercase();
        let numbered = (2..).map(|number: u64| parent.join(format!("{stem}-{number}")));
        let mut names = std::iter::once(parent.join(&stem)).chain(numbered);
        // Making the folder reserves its name. A folder that cannot be made is reported when the sweep begins.
        drop(std::fs::create_dir_all(&parent));
        let is_taken =
            |path: &PathBuf| std::fs::create_dir(path).is_err_and(|error| error.kind() == ErrorKind::AlreadyExists);
        names.find(|path| !is_taken(path)).unwrap_or(parent)
    }

    /// Starts the sweep of the setup.
    pub(crate) fn start_sweep(&mut self) {
        // Changes of the present frame belong to the scene.
        self.host.flush_edits();
        let setup = &self.sweep.setup;
        let simulation = self.host.simulation();
        let (scene, log, step) = match setup.from_moment && simulation.steps() > 0 {
            true => {
                // The edits of the simulation are those until the present moment; the branch may have later ones.
                let start = self.host.timeline().present().start().clone();
                (start, simulation.edits().to_vec(), simulation.steps())
            }
            false => (simulation.scene_ahead().clone(), Vec::new(), 0),
        };
        let mut plan = setup.plan(simulation, step);
        let origin = match step {
            0 => String::new(),
            step => format!(", from step {step} of a run"),
        };
        plan.about = format!("Made in the window, from {}{origin}.", self.title());
        let folder = self.new_sweep_folder(&places::stem(self));
        self.begin_sweep(Origin::New { plan: Box::new(plan), scene: Box::new(scene), log, folder }, true);
    }

    /// Keeps the next window from offering the open sweep again. If the mark cannot be written, it is offered.
    fn mark_sweep_as_closed(&self) {
        let folder = self.sweep.worker.as_ref().map(Worker::folder);
        let is_own = |folder: &&Path| folder.parent() == self.places.sweeps.as_deref();
        if let Some(folder) = folder.filter(is_own) {
            drop(write_whole(&folder.join(CLOSED), ""));
        }
    }

    fn close_sweep(&mut self) {
        let SweepState { worker, point, opened, wanted, ending, .. } = &mut self.sweep;
        ending.retain(|thread| !thread.is_finished());
        ending.extend(worker.take().into_iter().flat_map(Worker::close));
        (*point, *opened, *wanted) = (None, None, None);
    }

    fn begin_sweep(&mut self, origin: Origin, resumes: bool) {
        self.close_sweep();
        let before = std::mem::take(&mut self.sweep.ending);
        match Worker::start(origin, &self.recipe, self.settings.theme, resumes, before) {
            Ok(worker) => {
                self.sweep.worker = Some(worker);
                (self.sweep.is_set_up, self.sweep.openings) = (false, self.sweep.openings + 1);
                self.show_sweep_panel();
            }
            Err(error) => self.tell_error(format!("The sweep cannot start: {error}")),
        }
    }

    /// Goes on with a changed plan of the open sweep.
    fn go_on_with_sweep(&mut self, change: impl FnOnce(Plan) -> Plan) {
        let Some(worker) = &self.sweep.worker else { return };
        match worker.state().sweep {
            Some(sweep) => worker.go_on(&sweep, change),
            None => self.tell_error("The sweep is not ready yet: its plan is being checked"),
        }
    }

    fn refine_sweep(&mut self, factor: usize, range: [f64; 2], points: u64) {
        let Some(worker) = &self.sweep.worker else { return };
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
                self.sweep.point = None;
            }
            Err(error) => self.tell_error(error),
        }
    }

    /// Opens the folder of a sweep or a plan, with options for a file of another program. Returns whether the source is one.
    pub(crate) fn open_sweep(&mut self, source: &str, imports: &import::Options) -> bool {
        if shipped::get(source).is_none() && Folder::is_at(Path::new(source)) {
            self.open_sweep_folder(Path::new(source), false);
            return true;
        }
        match Source::find(source) {
            Ok(Some(plan)) => {
                self.show_scene_of(&plan);
                let name = Path::new(plan.name.trim_end_matches(swarmarium_sweep::source::ENDING));
                let stem = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let folder = self.new_sweep_folder(&stem);
                self.begin_sweep(Origin::Plan { source: plan, imports: imports.clone(), folder }, true);
                true
            }
            // Opening it as a scene reports a file that cannot be read.
            Ok(None) | Err(_) => false,
        }
    }

    /// Opens the shipped scene of a plan, if another one is open.
    fn show_scene_of(&mut self, plan: &Source) {
        let scene = resolved::read(&self.recipe, plan.text()).map(|plan| plan.scene).unwrap_or_default();
        if shipped::get(&scene).is_some() && self.opened.source.name().as_ref() != Some(&scene) && self.is_plain() {
            self.open_source(&scene);
        }
    }

    /// Whether the window shows a scene that was chosen from the gallery, without changes.
    fn is_plain(&self) -> bool {
        matches!(self.opened.source, LoadedFrom::Shipped(_)) && !self.is_unsaved()
    }

    fn open_sweep_folder(&mut self, path: &Path, resumes: bool) {
        self.begin_sweep(Origin::Folder(path.into()), resumes);
        self.settings.add_recent(path);
    }

    /// Offers sweeps that ended with a window before they were done.
    pub(crate) fn offer_unfinished_sweeps(&mut self) {
        let Some(folder) = &self.places.sweeps else { return };
        let mut unfinished = folders(folder);
        unfinished.retain(|path| is_unfinished(path));
        for path in unfinished.iter().take(MOST_OFFERED) {
            let text =
                format!("The sweep \"{}\" was interrupted; its finished runs are kept", self.title_of_sweep(path));
            let resume = Action::from(SweepAction::ResumeFolder(path.clone()));
            let notice = Notice::good(&text).with_button("Resume sweep", "Makes the runs that are missing", resume);
            self.notices.add(notice);
        }
    }

    /// Returns the name of the plan in a folder, or that of the folder.
    fn title_of_sweep(&self, path: &Path) -> String {
        let source = Source::find(&path.display().to_string()).ok().flatten();
        let plan = source.and_then(|source| resolved::read(&self.recipe, source.text()).ok());
        let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        plan.map(|plan| plan.name).filter(|title| !title.is_empty()).unwrap_or_else(name)
    }

    /// Whether the runs of a point of the open sweep are listed.
    pub(crate) fn lists_runs_of(&self, point: usize) -> bool {
        let state = self.sweep.state();
        state.is_some_and(|state| state.runs.as_ref().is_some_and(|runs| runs.0 == point))
    }

    /// Returns the listed outcome of a run of the open sweep.
    fn outcome_of(&self, run: Run) -> Option<Outcome> {
        let state = self.sweep.state()?;
        let runs = state.runs.as_ref().filter(|runs| runs.0 == run.point)?;
        runs.1.get(run.repetition as usize)?.clone()
    }

    /// Returns the name of the open sweep.
    fn sweep_name(&self) -> String {
        let folder = self.sweep.worker.as_ref().map(Worker::folder);
        folder.and_then(Path::file_name).map_or_else(|| "sweep".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// The folders of sweeps in a folder, the newest first.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| Folder::is_at(path));
    found.sort_by_key(|path| std::cmp::Reverse(path.metadata().and_then(|metadata| metadata.modified()).ok()));
    found
}

/// Whether a sweep was neither completed nor closed, and no process is making its runs.
fn is_unfinished(path: &Path) -> bool {
    let is_ended = [REPORT, CLOSED].iter().any(|name| path.join(name).exists());
    !is_ended && Folder::open(path).is_ok_and(|folder| folder.is_idle())
}

/// The text of a run: `point 3, repetition 2`.
fn run_text(run: Run) -> String {
    format!("point {}, repetition {}", run.point + 1, run.repetition + 1)
}
