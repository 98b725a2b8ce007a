//! Sweeps: their setup, their start, and their runs in the window.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use swarmarium_base::files::read_text_at_most;
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source as LoadedFrom};
use swarmarium_host::timeline::file::{SavedBranch, SavedTimeline};
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_scene::scene::description::Stop;
use swarmarium_scene::scene::reader::MAX_BYTES;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::folder::{PLAN, REPORT};
use swarmarium_sweep::resolved::PlanText;
use swarmarium_sweep::source::Source;
use swarmarium_sweep::{Controllers, Folder, Run, Sweep, resolved};

use crate::action::{Action, Changed, SweepAction};
use crate::app::Lab;
use crate::common::layout::Pane;
use crate::common::{places, text};
use crate::notice::Notice;
use crate::run;
use crate::sweeps::left::{LeftScene, ShownRun};
use crate::sweeps::worker::{Origin, Worker};
use crate::sweeps::{CLOSED, point_text, run_text};
use crate::timeline::KnownHashes;

/// The height that the panel asks for when a sweep starts, in points.
const HEIGHT_PX: f32 = 330.0;

/// The most unfinished sweeps that are offered at a start.
const MOST_OFFERED: usize = 5;

impl Lab {
    /// Replaces a setup that does not suit the scene by one that does.
    pub fn suggest_sweep(&mut self) {
        if !self.sweep.setup.suits(self.run.host.simulation()) {
            self.sweep.setup = self.sweep.setup.for_scene(self.run.host.simulation());
        }
    }

    /// Shows the setup for a parameter.
    pub fn set_up_sweep(&mut self, path: &str, is_second: bool) {
        self.suggest_sweep();
        let setup = self.sweep.setup.with_factor(self.run.host.simulation(), path, is_second);
        if !setup.factors.iter().any(|factor| factor.path == path) {
            return self.notices.tell_error(format!(
                "{path} is neither a number nor a choice: a plan with a list of values can vary it"
            ));
        }
        self.sweep.setup = setup;
        self.show_setup();
    }

    /// Shows the setup of the next sweep.
    pub fn show_setup(&mut self) {
        self.sweep.is_set_up = true;
        self.show_sweep_panel();
    }

    fn show_sweep_panel(&mut self) {
        self.show_panel(Pane::Sweep);
        self.shell.settings.layout.grow(Pane::Sweep, HEIGHT_PX);
    }

    /// Returns a new folder for a sweep.
    fn new_sweep_folder(&self, name: &str) -> PathBuf {
        let parent = self.files.places.sweeps.clone().unwrap_or_else(|| std::env::temp_dir().join("swarmarium-sweeps"));
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
    pub fn start_sweep(&mut self) {
        // Changes of the present frame belong to the scene.
        self.run.host.flush_edits();
        let setup = &self.sweep.setup;
        let simulation = self.run.host.simulation();
        let (scene, log, step) = match setup.from_moment && simulation.steps() > 0 {
            true => {
                // The edits of the simulation are those until the present moment; the branch may have later ones.
                let start = self.run.host.timeline().present().start().clone();
                (start, simulation.edits().to_vec(), simulation.steps())
            }
            false => (simulation.scene_ahead().clone(), Vec::new(), 0),
        };
        let mut plan = setup.plan(simulation, step);
        let origin = match step {
            0 => String::new(),
            step => format!(", from step {step} of a run"),
        };
        plan.about = format!("Made in the window, from {}{origin}.", self.run.title());
        let folder = self.new_sweep_folder(&run::stem(&self.run));
        self.begin_sweep(Origin::New { plan: Box::new(plan), scene: Box::new(scene), log, folder }, true);
    }

    fn begin_sweep(&mut self, origin: Origin, resumes: bool) {
        self.sweep.close_sweep();
        let before = std::mem::take(&mut self.sweep.ending);
        let keeps_priority = self.sweep.keeps_priority;
        match Worker::start(origin, &self.run.recipe, self.shell.settings.theme, resumes, keeps_priority, before) {
            Ok(worker) => {
                self.sweep.worker = Some(worker);
                (self.sweep.is_set_up, self.sweep.openings) = (false, self.sweep.openings + 1);
                self.show_sweep_panel();
            }
            Err(error) => self.notices.tell_error(format!("The sweep cannot start: {error}")),
        }
    }

    /// Opens the folder of a sweep or a plan, with options for a file of another program. Returns whether the source is one.
    pub fn open_sweep(&mut self, source: &str, imports: &import::Options) -> bool {
        if shipped::get(source).is_none() && Folder::is_at(Path::new(source)) {
            self.open_sweep_folder(Path::new(source), false);
            return true;
        }
        match Source::find(source) {
            Ok(Some(plan)) => {
                self.show_scene_of(&plan);
                let name = Path::new(plan.name.trim_end_matches(swarmarium_sweep::plan::ENDING));
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
        let scene = resolved::read(&self.run.recipe, plan.text()).map(|plan| plan.scene).unwrap_or_default();
        if shipped::get(&scene).is_some() && self.run.opened.source.name().as_ref() != Some(&scene) && self.is_plain() {
            self.open_source(&scene);
        }
    }

    /// Whether the window shows a scene that was chosen from the gallery, without changes.
    fn is_plain(&self) -> bool {
        matches!(self.run.opened.source, LoadedFrom::Shipped(_)) && !self.files.autosave.is_unsaved()
    }

    /// Opens the folder of a sweep; it goes on with missing runs if `resumes` is set.
    pub fn open_sweep_folder(&mut self, path: &Path, resumes: bool) {
        self.begin_sweep(Origin::Folder(path.into()), resumes);
        self.shell.settings.add_recent(path);
    }

    /// Offers sweeps that ended with a window before they were done.
    pub fn offer_unfinished_sweeps(&mut self) {
        let Some(folder) = &self.files.places.sweeps else { return };
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
        let plan = source.and_then(|source| resolved::read(&self.run.recipe, source.text()).ok());
        let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        plan.map(|plan| plan.name).filter(|title| !title.is_empty()).unwrap_or_else(name)
    }
}

/// The folders of sweeps in a folder, the newest first.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| Folder::is_at(path));
    found.sort_by_key(|path| std::cmp::Reverse(path.metadata().and_then(|metadata| metadata.modified()).ok()));
    found
}

/// Describes the folder of a sweep: its name, the parameters that it varies, and the day of its last change.
pub fn description(recipe: &Recipe, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = path.join(PLAN);
    let text = read_text_at_most(&file, MAX_BYTES).unwrap_or_default();
    let plan = resolved::read(recipe, PlanText { name: &file.display().to_string(), text: &text }).ok();
    let factors = plan.iter().flat_map(|plan| &plan.factors).map(|factor| match factor.label.as_str() {
        "" => factor.path.clone(),
        label => label.to_owned(),
    });
    let factors = factors.collect::<Vec<_>>().join(" and ");
    let day = path.metadata().and_then(|metadata| metadata.modified()).map(text::date).unwrap_or_default();
    [name, factors, day].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" \u{b7} ")
}

/// Whether a sweep was neither completed nor closed, and no process is making its runs.
pub fn is_unfinished(path: &Path) -> bool {
    let is_ended = [REPORT, CLOSED].iter().any(|name| path.join(name).exists());
    !is_ended && Folder::open(path).is_ok_and(|folder| folder.is_idle())
}

/// The source of an opened run, as the title of the window shows it.
const SOURCE: &str = "run of a sweep";

/// The name of the branch of the other run.
const OTHER: &str = "other run";

/// A part of a timeline that is opened.
struct Opened<'a> {
    sweep: &'a Sweep,
    run: Run,
    steps: u64,
    hash: u64,
    /// The other run, as a branch.
    other: Option<(u64, Vec<LoggedEdit>)>,
}

impl Lab {
    /// Opens a run of the sweep at its end. Returns whether it could be opened.
    pub fn open_run_of_sweep(&mut self, run: Run) -> bool {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return false };
        self.sweep.wanted = None;
        if !self.sweep.lists_runs_of(run.point) {
            // The threads list them soon.
            (self.sweep.point, self.sweep.wanted) = (Some(run.point), Some(run));
            return false;
        }
        let Some(outcome) = self.sweep.outcome_of(run) else {
            self.notices.tell_error(format!("The run of {} is not done yet", run_text(run)));
            return false;
        };
        let opened = Opened { sweep: &sweep, run, steps: outcome.steps, hash: outcome.hash, other: None };
        match self.take_run_of_sweep(&opened) {
            Ok(()) => {
                self.sweep.opened = Some((run, self.run.openings));
                true
            }
            Err(error) => {
                self.notices.tell_error(format!("The run of {} cannot be opened: {error}", run_text(run)));
                false
            }
        }
    }

    fn take_run_of_sweep(&mut self, opened: &Opened) -> Result<(), String> {
        let Opened { sweep, run, steps, hash, other } = opened;
        if let Some(worker) = &self.sweep.worker {
            Controllers::check_none(worker.folder()).map_err(|refusal| refusal.to_string())?;
        }
        let problem = |problem: swarmarium_base::problem::Problem| problem.to_string();
        let (mut scene, edits) = (sweep.scene_of(*run).map_err(problem)?, sweep.edits_of(*run).map_err(problem)?);
        // The window goes on after the end of the run.
        scene.stop = Stop::default();
        let name = format!("{} of {}", run_text(*run), self.sweep.sweep_name());
        let loaded = Loaded { source: LoadedFrom::Unsaved(SOURCE), ..scene.into() };
        let is_of_sweep = self.sweep.shown_run(self.run.openings).is_some();
        let left = (!is_of_sweep).then(|| LeftScene::of(&self.run, &self.timeline, self.files.autosave.mark()));
        if !self.open_loaded(&name, Ok(loaded)) {
            return Err("see the message above".into());
        }
        self.sweep.left = left.or(self.sweep.left.take());
        let text = format!("seed {}, {}", sweep.seed(*run), point_text(sweep, run.point));
        self.sweep.shown = Some(ShownRun { text, opening: self.run.openings });
        let mut saved = SavedTimeline::of_run(*steps, edits);
        if let Some((steps, edits)) = other {
            let begin = sweep.plan.begin.step;
            saved.branches.push(SavedBranch {
                name: OTHER.into(),
                parent: Some(saved.present.clone()),
                leaves_at: begin,
                steps: *steps,
                edits: edits.iter().filter(|logged| logged.step > begin).cloned().collect(),
            });
        }
        self.run.host.load_timeline(&saved).map_err(|error| error.to_string())?;
        self.plots.run = self.run.host.run_number();
        let moment = Moment { step: *steps, ..self.run.host.moment() };
        let hashes = BTreeMap::from([(*steps, *hash)]);
        self.timeline.known_hashes = Some(KnownHashes::new(moment.branch, hashes, move |step| {
            format!(
                "{name}: the state of step {step} differs from that of the sweep, which another build or machine made"
            )
        }));
        self.run.host.clock_mut().paused = true;
        let state = self.sweep.worker.as_ref().and_then(|worker| worker.end_of(sweep.key(*run), *steps));
        match state {
            // Simulating it again would take too long; the plots then begin at its end.
            Some(state) => {
                let kept = self.run.host.keep_state(moment, state);
                kept.and_then(|()| self.run.host.switch(moment)).map_err(|error| error.to_string())?;
                self.poll_simulation_replaced();
            }
            None => self.go_to(moment),
        }
        Ok(())
    }

    /// Shows the scene again from which the first run of a sweep was opened, with its changes and its run, at the moment
    /// that was shown then.
    pub fn back_from_sweep(&mut self) {
        let Some(left) = self.sweep.left.take() else { return };
        let LeftScene { loaded, start, timeline, step, carried, saved, title, opening } = left;
        // The shared changes of the scene are among those of its run.
        let opened = Loaded { scene: start, edits: Vec::new(), warnings: Vec::new(), ..loaded.clone() };
        if !self.open_loaded(&title, Ok(opened)) {
            return;
        }
        self.run.opened = loaded;
        self.files.autosave.restore(saved);
        self.run.host.carried = carried;
        self.run.host.clock_mut().paused = true;
        if let Err(error) = self.run.host.load_timeline(&timeline) {
            return self.notices.tell_error(format!("The run of {title} cannot be shown again: {error}"));
        }
        self.plots.run = self.run.host.run_number();
        let branch =
            self.run.host.timeline().named(&timeline.present).map_or(self.run.host.moment().branch, |it| it.id());
        self.go_to(Moment { branch, step });
        self.plots.complete(&self.run);
        // The kept copy is dropped only once the scene has another one.
        match self.files.autosave.keep(&self.run, &self.timeline) {
            Ok(()) => {
                if let Some(path) = self.files.autosave.path_of(opening) {
                    self.files.drop_unsaved(&mut self.notices, &path);
                }
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Opens the scene of the sweep, without the values of a point.
    pub fn open_scene_of_sweep(&mut self) {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return };
        let name = self.sweep.sweep_name();
        let mut scene = sweep.scene.clone();
        scene.stop = Stop::default();
        let loaded = Loaded { source: LoadedFrom::Unsaved("scene of a sweep"), ..scene.into() };
        self.open_loaded(&name, Ok(loaded));
        self.sweep.opened = None;
    }

    /// Shows a run beside the open run of the sweep; without one, opens it alone.
    pub fn compare_run_of_sweep(&mut self, other: Run) {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return };
        let first = self.sweep.opened.filter(|(_, opening)| *opening == self.run.openings).map(|(run, _)| run);
        let Some(first) = first.filter(|first| *first != other) else {
            if self.open_run_of_sweep(other) {
                self.notices.say("This run is A: \"Beside\" of another run shows that one as B");
            }
            return;
        };
        let done = match sweep.begins_later() {
            true => self.compare_as_branches(&sweep, first, other),
            false => self.compare_from_start(&sweep, first, other),
        };
        self.notices.tell(done);
    }

    /// Compares two runs that differ from their start.
    fn compare_from_start(&mut self, sweep: &Arc<Sweep>, first: Run, other: Run) -> Result<(), String> {
        let values = |run| sweep.overrides(run).map_err(|problem| problem.to_string());
        let (own, others) = (values(first)?, values(other)?);
        let changed = others.into_iter().filter(|value| !own.contains(value));
        let changed = changed.map(|value| Changed { path: value.path, value: value.value }).collect();
        let mut scene = sweep.scene_of(other).map_err(|problem| problem.to_string())?;
        scene.stop = Stop::default();
        self.begin_comparison(changed, Some(scene));
        Ok(())
    }

    /// Compares two runs that leave a common past.
    fn compare_as_branches(&mut self, sweep: &Arc<Sweep>, first: Run, other: Run) -> Result<(), String> {
        if sweep.seed(first) != sweep.seed(other) {
            return Err("Runs that begin at a later moment can be compared if they have the same seed".into());
        }
        let steps = self.sweep.outcome_of(other).map(|outcome| outcome.steps).ok_or("That run is not done yet")?;
        let edits = sweep.edits_of(other).map_err(|problem| problem.to_string())?;
        let end = self.run.host.live_end();
        let known = self.timeline.known_hashes.as_ref().and_then(|known| known.hash_at(end));
        let opened =
            Opened { sweep, run: first, steps: end, hash: known.unwrap_or_default(), other: Some((steps, edits)) };
        self.take_run_of_sweep(&opened)?;
        if known.is_none() {
            self.timeline.known_hashes = None;
        }
        self.sweep.opened = Some((first, self.run.openings));
        let branch: Option<BranchId> = self.run.host.timeline().named(OTHER).ok().map(|branch| branch.id());
        if let Some(branch) = branch {
            self.compare_branch(branch);
        }
        Ok(())
    }

    /// Opens a run and records it from its start to its end.
    pub fn record_run_of_sweep(&mut self, run: Run) {
        if self.open_run_of_sweep(run) {
            let suffix = format!("-point-{}-run-{}", run.point + 1, run.repetition + 1);
            let from = self.sweep.state().and_then(|state| state.sweep).map_or(0, |sweep| sweep.plan.begin.step);
            self.record_part((from, self.run.host.live_end()), &suffix);
        }
    }
}
