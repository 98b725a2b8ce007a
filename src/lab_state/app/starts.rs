//! Starting runs: restarts, restarts with changes, and long starts on a thread.

use bevy::math::DVec2;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_draw::Past;
use swarmarium_formats::load::locate_problems;
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::{Edit, TakesEffect, parts};
use swarmarium_space::Boundary;
use swarmarium_space::arena::Arena;

use crate::action::{Action, TimeAction};
use crate::app::Lab;
use crate::common::kept_changes::{self, condensed};
use crate::common::text::grouped;
use crate::edit::driving;
use crate::edit::shared_edits::OwnStart;
use crate::edit::starts::{Prepared, Room, Start, Waiting};
use crate::notice::Notice;
use crate::plots::turning::Turning;
use crate::run::RunState;

impl Lab {
    /// Restarts the run, with a new seed if there is one.
    pub fn reset(&mut self, seed: Option<u64>) {
        let with_seed = seed.map(|seed| Edit::Set { path: "seed".into(), value: seed.to_string() });
        let scene = self.run.host.scene_with(with_seed.as_slice()).ok();
        let seed = match self.may_start(Start::Reset(seed), scene) {
            Some(Start::Reset(seed)) => seed,
            // Changes that waited restart the run, too.
            Some(Start::Edits(edits, transaction)) => return self.restart_now(&edits, transaction),
            Some(Start::Revert | Start::Open(..)) | None => return,
        };
        let with_seed = seed.map(|seed| Edit::Set { path: "seed".into(), value: seed.to_string() });
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

    /// Returns the start that may make its simulation at once, because that is short: the given one, with those that wait.
    /// Otherwise a thread makes it, and the start follows.
    fn may_start(&mut self, start: Start, scene: Option<Scene>) -> Option<Start> {
        let Some(scene) = scene else { return Some(start) };
        // Shared changes and a second world have their own starts.
        let is_alone = !self.edits.shared.are_of(&self.run.host) && self.compare.other.is_none();
        // A newer change answers the question.
        self.notices.drop_question_of_room();
        let RunState { host, recipe, .. } = &self.run;
        if !is_alone || !host.long_steps_apart {
            return Some(start);
        }
        self.edits.starts.may_start(host, recipe, start, scene)
    }

    /// Continues with a start whose simulation was made on a thread.
    pub(super) fn poll_start(&mut self) {
        let restarts = self.run.restarts;
        match self.edits.starts.poll() {
            Some((start, prepared)) => self.conclude_start(start, prepared),
            None if self.edits.starts.progress().is_some() => return,
            None => {}
        }
        if let Some(Waiting { start, is_crowding_allowed }) = self.edits.starts.take_waiting() {
            self.edits.starts.is_crowding_allowed = is_crowding_allowed;
            self.start(start);
            self.edits.starts.is_crowding_allowed = false;
        }
        if self.run.restarts != restarts && !self.edits.starts.is_busy() {
            self.timeline.begin_rerun(self.run.host.run_number());
        }
    }

    fn conclude_start(&mut self, start: Start, prepared: Result<Prepared, Problems>) {
        match prepared {
            Ok(Prepared::Ready(prepared)) => {
                self.run.host.keep_prepared(*prepared);
                self.start(start);
            }
            Ok(Prepared::Crowded(rooms)) => self.ask_about_room(start, &rooms),
            Err(problems) => self.tell_of_start(&start, problems),
        }
    }

    /// Reports why the simulation of a start cannot be made.
    fn tell_of_start(&mut self, start: &Start, problems: Problems) {
        match start {
            Start::Open(name, _) => self.notices.tell_error(locate_problems(name, problems)),
            Start::Edits(..) | Start::Reset(_) | Start::Revert => {
                let Problems { problems, .. } = problems;
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
            Start::Open(name, loaded) => {
                self.open_loaded(&name, Ok(*loaded));
            }
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
        if self.may_start(Start::Revert, Some(self.run.opened.scene.clone())).is_none() {
            return;
        }
        self.plots.keep_history();
        if let Err(problems) = self.run.host.revert(self.run.opened.scene.clone()) {
            return self.notices.tell_error(problems);
        }
        self.edits.shared.begin(&self.run.host, &self.run.opened.edits);
        self.restarted();
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
        if let Some(Start::Edits(edits, transaction)) = self.may_start(Start::Edits(edits.to_vec(), transaction), scene)
        {
            self.restart_now(&edits, transaction);
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
            // A running simulation keeps its groups, sensors and metrics.
            Edit::Remove { path } if parts::needs_restart(path) => self.compare.other.is_none(),
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
                Edit::Remove { path } if parts::needs_restart(path) => {
                    _ = parts::change(self.run.recipe.kinds(), &mut own.scene, &edit);
                }
                _ => own.added.push(edit),
            }
        }
        Some(own)
    }
}
