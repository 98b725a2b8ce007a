//! Opening scenes and runs, and reading files again.

use std::path::Path;

use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Kinds;
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source, load, locate_problems, template};
use swarmarium_formats::run_folder::RunFolder;
use swarmarium_host::timeline::{Moment, SavedTimeline, TimelineError};
use swarmarium_picture::camera::YAxis;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::Edit;
use swarmarium_sweep::address;

use crate::action::{Action, HistoryAction};
use crate::app::Lab;
use crate::common::command::CommandId;
use crate::common::kept_changes::condensed;
use crate::common::layout::Pane;
use crate::common::text::counted;
use crate::edit::starts::Start;
use crate::notice::Notice;
use crate::run::RunState;
use crate::timeline::{KnownHashes, RunToOpen};

impl Lab {
    /// Opens the first of several files, and says so.
    pub fn open_first(&mut self, files: &[String]) {
        let Some(first) = files.first() else { return };
        self.open_source(first);
        if files.len() > 1 && self.notices.iter().next().is_none() {
            self.notices.say(&format!("Opened {first}, the first of {} files", files.len()));
        }
    }

    /// Opens a scene file, a shipped scene by its name, a run folder, a plan, or the folder of a sweep.
    pub fn open_source(&mut self, source: &str) {
        if self.open_sweep(source, &import::Options::default()) {
            return;
        }
        match address::run_folder(Path::new(source), &self.run.recipe) {
            Ok(Some(folder)) => return self.open_run(folder),
            Ok(None) => {}
            Err(error) => return self.notices.tell_error(format!("{error:#}")),
        }
        let loaded = load(self.run.recipe.kinds(), source, &[]);
        self.open_or_prepare(source, loaded);
    }

    /// Creates a scene from a template, by its name.
    pub fn open_template(&mut self, name: &str) {
        let loaded = template(self.run.recipe.kinds(), name);
        self.open_or_prepare(name, loaded);
    }

    /// Opens a scene that was read under a name. A thread makes the simulation of a scene with many robots; until it is
    /// ready, the present scene stays.
    fn open_or_prepare(&mut self, name: &str, loaded: Result<Loaded, Problems>) {
        if let Ok(loaded) = &loaded
            && self.run.host.long_steps_apart
        {
            let RunState { host, recipe, .. } = &self.run;
            let start = Start::Open(name.into(), Box::new(loaded.clone()));
            if self.edits.starts.may_start(host, recipe, start, loaded.scene.clone()).is_none() {
                return;
            }
        }
        self.open_loaded(name, loaded);
    }

    /// Opens a scene that was read under a name. Returns whether it could be opened.
    pub(crate) fn open_loaded(&mut self, name: &str, loaded: Result<Loaded, Problems>) -> bool {
        let left = self.files.autosave.unsaved(&self.run, &self.timeline);
        // The end of a run has paused it, and not the user.
        let has_ended = self.run.host.has_ended();
        // The new scene has its own speed.
        let opened = loaded.and_then(|loaded| {
            self.run
                .host
                .open(loaded.scene.clone())
                .map(|()| loaded)
                .map_err(|problems| locate_problems(name, problems))
        });
        let is_open = opened.is_ok();
        match opened {
            Ok(loaded) => {
                self.notices.scene_opened();
                self.files.autosave.keep_left(&self.run, &mut self.notices, left);
                self.run.openings += 1;
                if has_ended {
                    self.run.host.clock_mut().paused = false;
                }
                self.take_opened(loaded);
                self.tell_y_axis();
                self.tell_start_warnings();
                self.edits.shared.begin(&self.run.host, &self.run.opened.edits);
                self.plots.other_runs.clear();
                self.timeline.restart();
                self.edits.set_aside.clear();
                self.edits.starts.cancel();
                self.files.scripts.clear();
                self.compare.chosen.clear();
                self.edits.driving.drivers.clear();
                self.select(None);
                self.plots.history.unpin_all();
                self.plots.pause_when = None;
                self.files.presets.follow(&self.run.title());
                self.remember_recent();
                if !self.run.opened.scene.tasks.is_empty() {
                    self.shell.settings.layout.bring_forward(Pane::Notes);
                }
                self.suggest_sweep();
                // A new scene is shown whole.
                self.view.fit(&self.run.host);
                self.restarted();
            }
            Err(problems) => self.notices.tell_error(problems),
        }
        is_open
    }

    /// Says that y points downward in an imported scene: other scenes have it upward.
    fn tell_y_axis(&mut self) {
        let is_down = self.run.opened.scene.view.y_axis == YAxis::Down;
        if let Some(format) = self.run.opened.format.filter(|_| is_down)
            && self.files.shots.target.is_none()
        {
            self.notices.say(&format!("y points downward in this scene, as in {}", format.description));
        }
    }

    /// Reports the values of the scene that are mostly mistakes, and robots that start outside of their areas.
    pub(super) fn tell_start_warnings(&mut self) {
        let warnings = self.run.host.simulation().start_warnings();
        if !warnings.is_empty() && self.files.shots.target.is_none() {
            let texts: Vec<String> = warnings.iter().map(|problem| self.run.problem_text(problem)).collect();
            self.notices.add(Notice::of_scene(&texts.join("\n")));
        }
    }

    /// Sets the opened scene, and reports the problems of an importer.
    pub(crate) fn take_opened(&mut self, mut loaded: Loaded) {
        let problems = std::mem::take(&mut loaded.warnings);
        // A screenshot shows the world; the terminal shows the same problems.
        if !problems.is_empty() && self.files.shots.target.is_none() {
            let source_name = loaded.source.name().unwrap_or_default();
            let count = problems.len();
            let lost = if count == 1 { "1 thing is".into() } else { format!("{count} things are") };
            // The title of the window has the folder.
            let file = Path::new(&source_name).file_name().map(|name| name.to_string_lossy().into_owned());
            let problems = Problems { source_name: file.unwrap_or(source_name), problems };
            self.notices.add(Notice::of_scene(&format!("{lost} not as in the imported file\n{problems}")));
        }
        self.run.opened = loaded;
        self.files.autosave.take_as_saved(&self.run);
    }

    pub(super) fn remember_recent(&mut self) {
        if let Source::File(path) = &self.run.opened.source {
            self.shell.settings.add_recent(path);
        }
    }
}

/// Whether a sequence of changes leaves a scene as it is.
///
/// Changes are checked in order, because a later one may depend on an earlier one.
pub fn are_made(kinds: &Kinds, scene: &Scene, changes: &[Edit]) -> bool {
    let mut after = scene.clone();
    let text = |scene| write(kinds, scene, Style::Full);
    let fit = changes.iter().all(|change| match change {
        Edit::Set { path, value } => constants::set(kinds, &mut after, path, value).is_ok(),
        _ => false,
    });
    fit && text(&after) == text(scene)
}

impl Lab {
    /// Reads the scene file again; if it is invalid, the last valid scene continues.
    pub fn reload(&mut self) {
        match self.run.read_again() {
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => self.notices.say("This scene has no file"),
        }
    }

    /// Handles a changed scene file.
    ///
    /// If the scene is the same as the running one, as after saving it, the run continues.
    pub(crate) fn file_changed(&mut self) {
        match self.run.read_again() {
            Some(Ok(loaded)) if self.run.runs(&loaded.scene) => {
                self.notices.clear_scene_errors();
                self.take_opened(loaded);
            }
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => {}
        }
    }

    /// Starts a scene that was read again.
    fn take(&mut self, loaded: Loaded) {
        // Changes that were set aside before are older.
        let mut lost = condensed(self.edits.set_aside.iter().chain(&self.run.changes()));
        let removed = self.run.forget_renumbered(&mut lost);
        lost.retain(|change| !self.is_in_file_of_script(&loaded.scene, change));
        if are_made(self.run.recipe.kinds(), &loaded.scene, &lost) {
            lost.clear();
        }
        if let Err(problems) = self.run.host.load(loaded.scene.clone()) {
            let problems = locate_problems(&loaded.source.name().unwrap_or_default(), problems);
            return self.notices.add(Notice::of_file(&problems.to_string()));
        }
        self.edits.starts.cancel();
        self.notices.clear_scene_errors();
        let name = loaded.source.name().unwrap_or_default();
        let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.take_opened(loaded);
        self.tell_start_warnings();
        self.edits.shared.begin(&self.run.host, &self.run.opened.edits);
        self.plots.other_runs.clear();
        self.timeline.restart();
        self.notices.drop_offers();
        let back = match removed {
            0 => String::new(),
            1 => "; 1 removed robot is back, as a restart gave the others new numbers".into(),
            all => format!("; {all} removed robots are back, as a restart gave the others new numbers"),
        };
        if lost.is_empty() {
            self.notices.say(&format!("{name} was reloaded{back}"));
        } else {
            let are = if lost.len() == 1 { "is" } else { "are" };
            let changes = counted(lost.len());
            let text = format!("{name} was reloaded; {changes} made in the window {are} set aside{back}");
            self.notices.add(
                Notice::good(&text)
                    .with_offer(CommandId::MakeChangesAgain, Action::History(HistoryAction::RestoreChanges)),
            );
        }
        self.edits.set_aside = lost;
        self.restarted();
    }

    /// Makes the changes again that were set aside, as far as they still fit.
    pub fn restore_changes(&mut self) {
        let changes = std::mem::take(&mut self.edits.set_aside);
        let all = changes.len();
        let transaction = self.edits.present_transaction(&mut self.run.host);
        let changes = self.restart_with_fitting(changes, transaction);
        let misfits = changes
            .into_iter()
            .filter_map(|change| self.compare.apply_in(&mut self.run.host, change, transaction).err())
            .collect::<Vec<_>>();
        let misfits: Vec<String> = misfits.iter().map(|problem| self.run.problem_text(problem)).collect();
        self.notices.drop_offers();
        match (all, all - misfits.len()) {
            (0, _) => self.notices.say("No changes were set aside"),
            (_, 0) => {}
            (_, 1) => self.notices.say("1 change was made again"),
            (_, made) => self.notices.say(&format!("{} were made again", counted(made))),
        }
        if !misfits.is_empty() {
            let fit = if misfits.len() == 1 { "no longer fits" } else { "no longer fit" };
            self.notices.tell_error(format!("{} {fit}\n{}", counted(misfits.len()), misfits.join("\n")));
        }
    }
}

impl Lab {
    /// Opens the folder of a run at its start.
    pub(crate) fn open_run(&mut self, folder: RunFolder) {
        let file = folder.scene_file();
        let loaded = load(self.run.recipe.kinds(), &file, &[]);
        let path = folder.path().to_path_buf();
        let dt_s = loaded.as_ref().map_or(0.0, |loaded| loaded.scene.time.dt_s);
        if self.open_loaded(&file, loaded) {
            self.shell.settings.add_recent(&path);
            match folder.moment(None, None, dt_s) {
                Ok(moment) => {
                    let done = self.take_run(&RunToOpen { folder, moment, shows_moment: false });
                    self.notices.tell(done);
                }
                Err(error) => self.notices.tell_error(error),
            }
        }
    }

    /// Loads the branches and bookmarks of the run whose scene was just opened, and goes to one of its moments.
    ///
    /// # Errors
    /// When the branches do not belong to the scene.
    pub(crate) fn take_run(&mut self, run: &RunToOpen) -> Result<(), TimelineError> {
        let RunToOpen { folder, moment, shows_moment } = run;
        let saved = SavedTimeline { present: moment.branch.clone(), ..folder.timeline().clone() };
        self.run.host.load_timeline(&saved)?;
        self.timeline.saved_revision = Some(self.run.host.timeline().revision());
        // The present branch can differ from the one at the start.
        self.plots.run = self.run.host.run_number();
        let (branch, hashes) = (self.run.host.moment().branch, folder.hashes_of(&moment.branch));
        if !hashes.is_empty() {
            let folder = folder.clone();
            let message = move |step| folder.difference(step);
            self.timeline.known_hashes = Some(KnownHashes::new(branch, hashes, message));
        }
        if *shows_moment {
            self.run.host.clock_mut().paused = true;
            self.go_to(Moment { branch, step: moment.step });
            self.plots.complete(&self.run);
        }
        Ok(())
    }
}
