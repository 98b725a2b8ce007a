//! Opening scenes and runs, starting runs again, and reading files again.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_draw::Past;
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source, fingerprint, load, locate_problems, template};
use swarmarium_formats::run_folder::{At, RunFolder};
use swarmarium_host::timeline::{Moment, SavedTimeline, TimelineError};
use swarmarium_picture::camera::YAxis;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::{Edit, TakesEffect, parts};
use swarmarium_space::Boundary;
use swarmarium_space::arena::Arena;
use swarmarium_sweep::address;

use crate::action::{Action, HistoryAction, TimeAction};
use crate::app::Lab;
use crate::common::command::CommandId;
use crate::common::kept_changes::{self, condensed};
use crate::common::layout::Pane;
use crate::common::text::{counted, grouped};
use crate::edit::driving;
use crate::edit::shared_edits::OwnStart;
use crate::edit::starts::{Prepared, Room, Start};
use crate::files::autosave::{run_beside, unsaved};
use crate::notice::Notice;
use crate::plots::turning::Turning;
use crate::run::RunState;
use crate::timeline::{KnownHashes, RunToOpen};

impl Lab {
    /// Opens a kept scene.
    pub fn recover(&mut self, path: &Path) {
        // The run is restored with the moment that was shown.
        let run = RunFolder::open(&run_beside(path));
        let mut is_whole = run.is_ok();
        let run = run.unwrap_or_else(|error| {
            self.notices.tell_error(format!("{error:#}"));
            None
        });
        let name = run.as_ref().map_or_else(|| path.display().to_string(), RunFolder::scene_file);
        let loaded = load(self.run.recipe.kinds(), &name, &[]);
        let dt_s = loaded.as_ref().map_or(0.0, |loaded| loaded.scene.time.dt_s);
        // Saving writes the file that the scene was opened from; its present text is no change of it.
        let kept = unsaved(path.into());
        let origin = self.files.autosave.found.iter().find(|found| found.path == path);
        let origin = origin.cloned().or_else(|| kept.clone()).and_then(|found| found.origin);
        // Its changes are counted, and taken back, against the scene that it began with.
        let began_with =
            origin.as_ref().map(|file| file.display().to_string()).or(kept.and_then(|found| found.shipped));
        let began_with = began_with.and_then(|name| load(self.run.recipe.kinds(), &name, &[]).ok());
        let loaded = loaded.map(|loaded| match &origin {
            Some(file) => {
                let fingerprint = read_text(file).map_or(loaded.fingerprint, |text| fingerprint(&text));
                Loaded { source: Source::File(file.clone()), fingerprint, ..loaded }
            }
            None => Loaded { source: Source::Unsaved("recovered, not saved yet"), ..loaded },
        });
        if self.open_loaded(&name, loaded) {
            if let Some(began_with) = began_with {
                self.run.opened.scene = began_with.scene;
            }
            if let Some(folder) = run {
                let at = folder.saved_at().map(At::Step);
                let moment = folder.moment(at.as_ref(), None, dt_s).map_err(anyhow::Error::from);
                let done =
                    moment.and_then(|moment| Ok(self.take_run(&RunToOpen { folder, moment, shows_moment: true })?));
                is_whole &= done.is_ok();
                self.notices.tell(done.map_err(|error| format!("{error:#}")));
            }
            self.timeline.saved_revision = None;
            (self.files.autosave.is_recovered, self.files.autosave.is_unsaved) = (true, true);
            let kept = self.files.autosave.keep(&self.run, &self.timeline);
            // The kept file is dropped only once the scene has another one.
            match kept {
                Ok(()) if self.files.autosave.files.is_some() && is_whole => {
                    self.files.drop_unsaved(&mut self.notices, path);
                }
                Ok(()) => {}
                Err(error) => self.notices.tell_error(error),
            }
        }
    }
}

impl Lab {
    /// Restarts the run, with a new seed if there is one.
    pub fn reset(&mut self, seed: Option<u64>) {
        let with_seed = seed.map(|seed| Edit::Set { path: "seed".into(), value: seed.to_string() });
        let scene = self.run.host.scene_with(with_seed.as_slice()).ok();
        if !self.may_start(Start::Reset(seed), scene) {
            return;
        }
        let changes = self.edits.own_changes(&self.run);
        self.plots.keep_history();
        let scene_of_other = self.other_to_reset(seed);
        let shared = self.before_shared();
        let done = match (&shared, seed) {
            (Some(own), seed) => self.run.reset_shared(own.scene.clone(), seed),
            (None, Some(seed)) => self.run.host.reset_with_seed(seed),
            (None, None) => self.run.host.reset(),
        };
        if let Err(problems) = done {
            return self.notices.tell_error(problems);
        }
        self.run.host.carried = changes.into_iter().filter(kept_changes::is_kept_by_reset).chain(with_seed).collect();
        self.edits.go_on_shared(&mut self.run, shared);
        self.restarted();
        if let Some(scene) = scene_of_other {
            self.reset_other(scene);
        }
    }

    /// Whether a start may make its simulation at once, because that is short. Otherwise a thread makes it, and the start
    /// follows.
    fn may_start(&mut self, start: Start, scene: Option<Scene>) -> bool {
        let Some(scene) = scene else { return true };
        // Shared changes and a second world have their own starts.
        let is_alone = !self.edits.shared.are_of(&self.run.host) && self.compare.other.is_none();
        // A newer change answers the question.
        self.notices.drop_question_of_room();
        let RunState { host, recipe, .. } = &self.run;
        !is_alone || !host.long_steps_apart || self.edits.starts.may_start(host, recipe, start, scene)
    }

    /// Continues with a start whose simulation was made on a thread.
    pub(super) fn poll_start(&mut self) {
        let RunState { host, recipe, .. } = &self.run;
        let Some((start, prepared)) = self.edits.starts.poll(host, recipe) else { return };
        match prepared {
            Ok(Prepared::Ready(prepared)) => {
                self.run.host.keep_prepared(*prepared);
                self.start(start);
            }
            Ok(Prepared::Crowded(rooms)) => self.ask_about_room(start, &rooms),
            Err(Problems { problems, .. }) => {
                let texts: Vec<String> = problems.iter().map(|problem| self.run.problem_text(problem)).collect();
                self.notices.tell_error(texts.join("\n"));
            }
        }
    }

    fn start(&mut self, start: Start) {
        match start {
            Start::Edits(edits, transaction) => {
                self.edits.transaction = transaction;
                self.edit(edits);
                self.edits.transaction = 0;
            }
            Start::Reset(seed) => self.reset(seed),
            Start::Revert => self.revert(),
        }
    }

    /// Says that robots have no room, and offers the number that has.
    fn ask_about_room(&mut self, start: Start, rooms: &[Room]) {
        let Start::Edits(edits, _) = start else { return };
        let line = |Room { name, wanted, fit, .. }: &Room| {
            format!(
                "Only {} of {} robots of {name} fit without overlaps",
                grouped(u64::from(*fit)),
                grouped(u64::from(*wanted))
            )
        };
        let text = rooms.iter().map(line).collect::<Vec<_>>().join("\n");
        let mut fitting = edits.clone();
        for Room { group, name, fit, .. } in rooms {
            let paths = [format!("groups.{name}.count"), format!("groups.{group}.count")];
            let is_of = |edit: &Edit| matches!(edit, Edit::Set { path, .. } if paths.contains(path));
            let path = fitting.iter().find(|edit| is_of(edit)).map_or(paths[1].clone(), |edit| match edit {
                Edit::Set { path, .. } => path.clone(),
                _ => paths[1].clone(),
            });
            fitting.retain(|edit| !is_of(edit));
            fitting.push(Edit::Set { path, value: fit.to_string() });
        }
        let uses = match rooms {
            [Room { fit, .. }] => format!("Use {}", grouped(u64::from(*fit))),
            _ => "Use these numbers".into(),
        };
        let hint = "Makes the change with as many robots as fit";
        let crowds = "Makes the change with all robots; some overlap, and steps can take long";
        let notice = Notice::good(&format!("{text}. The run is unchanged."));
        let notice = notice.with_button(uses, hint, Action::Edits(fitting));
        self.notices.add(notice.with_button("Start anyway", crowds, TimeAction::StartCrowded(edits).into()));
    }

    /// Makes changes by restarting the run, although robots have no room.
    pub fn start_crowded(&mut self, edits: Vec<Edit>) {
        self.edits.starts.is_crowding_allowed = true;
        self.edit(edits);
        self.edits.starts.is_crowding_allowed = false;
    }

    /// Starts again with the spawners moved to a point.
    ///
    /// All spawners with a centre move by the same vector, which brings their centroid to the point.
    pub fn restart_at(&mut self, point_m: DVec2) {
        let simulation = self.run.host.simulation();
        let Arena { size_m, boundary, .. } = simulation.scene_ahead().arena;
        let to_m = match boundary {
            Boundary::Open => point_m,
            Boundary::Walls => point_m.clamp(DVec2::ZERO, size_m),
            Boundary::Periodic => point_m.rem_euclid(size_m),
        };
        let centers: Vec<(usize, DVec2)> =
            simulation.spawn_centers_m().enumerate().filter_map(|(group, center)| Some((group, center?))).collect();
        if centers.is_empty() {
            let message = "No group can start there: none has a spawner with a centre, such as UniformSquare";
            return self.notices.say(message);
        }
        let mean_m = centers.iter().map(|(_, center)| center).sum::<DVec2>() / centers.len() as f64;
        let edit = |(group, center_m): (usize, DVec2)| {
            let DVec2 { x, y } = to_m + (center_m - mean_m);
            Edit::Set { path: format!("groups.{group}.spawn.center_m"), value: format!("({x:?}, {y:?})") }
        };
        let edits: Vec<Edit> = centers.into_iter().map(edit).collect();
        // Either all groups move or none.
        let tried: Result<(), Problem> = simulation.check_all(&edits).into_iter().collect();
        let transaction = self.edits.present_transaction(&mut self.run.host);
        match tried.and_then(|()| {
            edits.into_iter().try_for_each(|edit| self.compare.apply_in(&mut self.run.host, edit, transaction))
        }) {
            Ok(()) => self.reset(None),
            Err(problem) => self.notices.tell_error(problem),
        }
    }

    /// Starts the scene as it was opened, without later edits.
    pub fn revert(&mut self) {
        if !self.may_start(Start::Revert, Some(self.run.opened.scene.clone())) {
            return;
        }
        self.plots.keep_history();
        if let Err(problems) = self.run.host.revert(self.run.opened.scene.clone()) {
            return self.notices.tell_error(problems);
        }
        self.edits.shared.begin(&self.run.host, &self.run.opened.edits);
        self.restarted();
    }

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
        self.open_loaded(source, loaded);
    }

    /// Creates a scene from a template, by its name.
    pub fn open_template(&mut self, name: &str) {
        let loaded = template(self.run.recipe.kinds(), name);
        self.open_loaded(name, loaded);
    }

    /// Opens a scene that was read under a name. Returns whether it could be opened.
    pub(crate) fn open_loaded(&mut self, name: &str, loaded: Result<Loaded, Problems>) -> bool {
        let left = self.files.autosave.unsaved(&self.run, &self.timeline);
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
                self.take_opened(loaded);
                self.tell_y_axis();
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
        let Source::File(path) = &self.run.opened.source else { return };
        let is_down = self.run.opened.scene.view.y_axis == YAxis::Down;
        if let Some(description) = import::description(path).filter(|_| is_down)
            && self.files.shots.target.is_none()
        {
            self.notices.say(&format!("y points downward in this scene, as in {description}"));
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

    pub(super) fn restarted(&mut self) {
        self.plots.history.restart(self.run.host.simulation());
        // A restarted run may keep its number.
        self.timeline.occupancies.go_back(self.run.host.run_number(), 0);
        self.on_new_run();
        if self.view.is_fitted {
            self.view.fit(&self.run.host);
        }
    }

    /// Called when another run becomes the present one.
    pub(super) fn on_new_run(&mut self) {
        self.run.starts += 1;
        self.on_new_state();
        if let Some(trigger) = self.plots.pause_when.take() {
            self.plots.set_pause_when(&self.run.host, &mut self.notices, trigger.text());
        }
    }

    /// Called when another state becomes the present one.
    pub(super) fn on_new_state(&mut self) {
        self.run.restarts += 1;
        (self.edits.swaps, self.plots.run, self.edits.ahead) =
            (self.run.host.swaps(), self.run.host.run_number(), None);
        // The new state does not have the last commands to robots.
        self.edits.driving.drivers.iter_mut().for_each(driving::Driver::forget);
        let watched = self.plots.history.watched(self.run.host.simulation());
        if let Some(trigger) = &mut self.plots.pause_when {
            trigger.observe(watched);
        }
        self.view.past = Past::for_world(self.run.host.simulation().world());
        let simulation = self.run.host.simulation();
        let chosen = self.view.selection.items.iter().copied().filter(|item| item.exists(simulation)).collect();
        let selected = self.plots.history.watched(simulation).selected;
        self.plots.turning = Turning::of(simulation, selected);
        self.choose(chosen);
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
        self.edits.shared.begin(&self.run.host, &self.run.opened.edits);
        self.plots.other_runs.clear();
        self.timeline.restart();
        self.notices.drop_offers();
        let back = match removed {
            0 => String::new(),
            1 => "; 1 removed robot is back, as a reset gave the others new numbers".into(),
            all => format!("; {all} removed robots are back, as a reset gave the others new numbers"),
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
    /// Whether a change of a parameter restarts the run.
    pub fn restarts_on(&self, path: &str) -> bool {
        // A second world has its own start: there, the reset waits for the user.
        self.shell.settings.restart_on_change
            && self.compare.other.is_none()
            && TakesEffect::of_path(path) == TakesEffect::AtReset
            && !is_name(path)
    }

    /// Makes changes by restarting the run, if some of them need that. Returns whether it did.
    pub fn restart_with(&mut self, edits: &[Edit], transaction: u64) -> bool {
        if !edits.iter().all(parts::is_of_scene) || !self.need_restart(edits) {
            return false;
        }
        let scene = self.run.host.scene_with(edits).ok();
        if self.may_start(Start::Edits(edits.to_vec(), transaction), scene) {
            self.restart_now(edits, transaction);
        }
        true
    }

    /// Makes changes by restarting the run.
    fn restart_now(&mut self, edits: &[Edit], transaction: u64) {
        let carried = self
            .edits
            .own_changes(&self.run)
            .into_iter()
            .chain(edits.iter().cloned())
            .filter(kept_changes::is_kept_by_reset);
        let carried = condensed(carried.collect::<Vec<_>>().iter());
        self.plots.keep_history();
        let had_timeline = self.run.has_timeline();
        let shared = self.before_shared();
        let done = match &shared {
            Some(own) => self.run.host.restart_from(own.scene.clone(), edits, transaction),
            None => self.run.host.restart_with(edits, transaction),
        };
        match done {
            Ok(()) => {
                self.run.host.carried = carried;
                self.edits.go_on_shared(&mut self.run, shared);
                self.restarted();
                let knows_restarts = std::mem::replace(&mut self.edits.knows_restarts, true);
                if had_timeline {
                    self.notices.say(
                        "This change restarts the run. Undo brings the old run back, with its branches and bookmarks.",
                    );
                } else if !knows_restarts {
                    self.notices.say("This change restarts the run. Undo brings the old run back.");
                }
            }
            Err(Problems { problems, .. }) => {
                let texts: Vec<String> = problems.iter().map(|problem| self.run.problem_text(problem)).collect();
                self.notices.tell_error(texts.join("\n"));
            }
        }
    }

    /// Restarts the run with those of some changes that fit the present scene, if some of them need that. Returns the
    /// remaining changes.
    pub(super) fn restart_with_fitting(&mut self, changes: Vec<Edit>, transaction: u64) -> Vec<Edit> {
        let simulation = self.run.host.simulation();
        let mut scene = simulation.scene_ahead().clone();
        let mut fits =
            |edit: &Edit| parts::is_of_scene(edit) && parts::change(simulation.kinds(), &mut scene, edit).is_ok();
        let (fitting, rest): (Vec<Edit>, Vec<Edit>) = changes.iter().cloned().partition(|edit| fits(edit));
        if !self.need_restart(&fitting) {
            return changes;
        }
        self.restart_now(&fitting, transaction);
        rest
    }

    /// Whether a change, or a parameter that follows it through a constant, needs a restart.
    fn need_restart(&self, changes: &[Edit]) -> bool {
        let simulation = self.run.host.simulation();
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        let needs = |change: &Edit| match change {
            Edit::Set { path, value } => {
                constants::paths_with(kinds, scene, path).iter().any(|path| self.restarts_on(path))
                    && constants::change(kinds, scene, path, value).is_ok()
            }
            Edit::Add { list, .. } => self.restarts_on(list),
            // A running simulation keeps its groups.
            Edit::Remove { path } if parts::is_group(path) => self.compare.other.is_none(),
            Edit::Remove { path } => self.restarts_on(path.rsplit_once('.').map_or(path, |(list, _)| list)),
            _ => false,
        };
        changes.iter().any(needs)
    }
}

/// Whether a path leads to the name or team of a group. Renaming one does not restart the run.
fn is_name(path: &str) -> bool {
    path.starts_with("groups") && (path.ends_with(".name") || path.ends_with(".team"))
}

impl Lab {
    /// Returns the start from which the shared changes can be made again at their steps; `None` if there are none.
    pub(super) fn before_shared(&mut self) -> Option<OwnStart> {
        // A second world has its own start.
        if !self.edits.shared.are_of(&self.run.host) || self.compare.other.is_some() {
            return None;
        }
        self.run.host.flush_edits();
        let mut own = OwnStart { scene: self.run.host.start().clone(), added: Vec::new() };
        for edit in self.edits.own_changes(&self.run).into_iter().filter(kept_changes::is_kept_by_reset) {
            match &edit {
                // If it changes something that a shared edit adds later, it cannot be applied at the start.
                Edit::Set { path, value } => {
                    _ = constants::set(self.run.recipe.kinds(), &mut own.scene, path, value);
                }
                _ => own.added.push(edit),
            }
        }
        Some(own)
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
