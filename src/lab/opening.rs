//! Opening and restarting scenes.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::draw::Past;
use swarmarium_core::edit::Edit;
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source, load, locate_problems, template};
use swarmarium_space::Boundary;
use swarmarium_space::arena::Arena;
use swarmarium_sweep::address;

use super::layout::Pane;
use super::notice::Notice;
use super::{Lab, driving, kept_changes};

impl Lab {
    pub(crate) fn reset(&mut self, seed: Option<u64>) {
        let changes = self.own_changes();
        self.keep_history();
        let scene_of_other = self.other_to_reset(seed);
        let shared = self.before_shared();
        let done = match (&shared, seed) {
            (Some(own), seed) => self.reset_shared(own.scene.clone(), seed),
            (None, Some(seed)) => self.host.reset_with_seed(seed),
            (None, None) => self.host.reset(),
        };
        if let Err(problems) = done {
            return self.tell_error(problems);
        }
        let seed = seed.map(|seed| Edit::Set { path: "seed".into(), value: seed.to_string() });
        self.host.carried = changes.into_iter().filter(kept_changes::is_kept_by_reset).chain(seed).collect();
        self.go_on_shared(shared);
        self.restarted();
        if let Some(scene) = scene_of_other {
            self.reset_other(scene);
        }
    }

    /// Starts again with the spawners moved to a point.
    ///
    /// All spawners with a centre move by the same vector, which brings their centroid to the point.
    pub(crate) fn restart_at(&mut self, point_m: DVec2) {
        let simulation = self.host.simulation();
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
            return self.tell_error(message);
        }
        let mean_m = centers.iter().map(|(_, center)| center).sum::<DVec2>() / centers.len() as f64;
        let edit = |(group, center_m): (usize, DVec2)| {
            let DVec2 { x, y } = to_m + (center_m - mean_m);
            Edit::Set { path: format!("groups.{group}.spawn.center_m"), value: format!("({x:?}, {y:?})") }
        };
        let edits: Vec<Edit> = centers.into_iter().map(edit).collect();
        // Either all groups move or none.
        let tried: Result<(), Problem> = simulation.check_all(&edits).into_iter().collect();
        let transaction = self.present_transaction();
        match tried.and_then(|()| edits.into_iter().try_for_each(|edit| self.apply_in(edit, transaction))) {
            Ok(()) => self.reset(None),
            Err(problem) => self.tell_error(problem),
        }
    }

    /// Starts the scene as it was opened, without later edits.
    pub(crate) fn revert(&mut self) {
        self.keep_history();
        if let Err(problems) = self.host.revert(self.opened.scene.clone()) {
            return self.tell_error(problems);
        }
        self.edits.shared.begin(&self.host, &self.opened.edits);
        self.restarted();
    }

    /// Opens the first of several files, and says so.
    pub(crate) fn open_first(&mut self, files: &[String]) {
        let Some(first) = files.first() else { return };
        self.open_source(first);
        if files.len() > 1 && self.notices.iter().next().is_none() {
            self.say(&format!("Opened {first}, the first of {} files", files.len()));
        }
    }

    /// Opens a scene file, a shipped scene by its name, a run folder, a plan, or the folder of a sweep.
    pub(crate) fn open_source(&mut self, source: &str) {
        if self.open_sweep(source, &import::Options::default()) {
            return;
        }
        match address::run_folder(Path::new(source), &self.recipe) {
            Ok(Some(folder)) => return self.open_run(folder),
            Ok(None) => {}
            Err(error) => return self.tell_error(format!("{error:#}")),
        }
        let loaded = load(self.recipe.kinds(), source, &[]);
        self.open_loaded(source, loaded);
    }

    /// Creates a scene from a template, by its name.
    pub(crate) fn open_template(&mut self, name: &str) {
        let loaded = template(self.recipe.kinds(), name);
        self.open_loaded(name, loaded);
    }

    /// Opens a scene that was read under a name. Returns whether it could be opened.
    pub(crate) fn open_loaded(&mut self, name: &str, loaded: Result<Loaded, Problems>) -> bool {
        let left = self.unsaved();
        // The new scene has its own speed.
        let opened = loaded.and_then(|loaded| {
            self.host.open(loaded.scene.clone()).map(|()| loaded).map_err(|problems| locate_problems(name, problems))
        });
        let is_open = opened.is_ok();
        match opened {
            Ok(loaded) => {
                self.notices.scene_opened();
                self.keep_left(left);
                self.openings += 1;
                self.take_opened(loaded);
                self.edits.shared.begin(&self.host, &self.opened.edits);
                self.plots.other_runs.clear();
                self.timeline.restart();
                self.edits.set_aside.clear();
                self.compare.chosen.clear();
                self.driving.drivers.clear();
                self.select(None);
                self.plots.history.unpin_all();
                self.plots.pause_when = None;
                self.presets.follow(&self.title());
                self.remember_recent();
                if !self.opened.scene.tasks.is_empty() {
                    self.settings.layout.bring_forward(Pane::Notes);
                }
                self.suggest_sweep();
                // A new scene is shown whole.
                self.fit();
                self.restarted();
            }
            Err(problems) => self.tell_error(problems),
        }
        is_open
    }

    /// Sets the opened scene, and reports the problems of an importer.
    pub(crate) fn take_opened(&mut self, mut loaded: Loaded) {
        let problems = std::mem::take(&mut loaded.warnings);
        // A screenshot shows the world; the terminal shows the same problems.
        if !problems.is_empty() && self.shots.target.is_none() {
            let source_name = loaded.source.name().unwrap_or_default();
            let count = problems.len();
            let lost = if count == 1 { "1 thing is".into() } else { format!("{count} things are") };
            let problems = Problems { source_name, problems };
            self.notices.add(Notice::of_scene(&format!("{lost} not as in the imported file\n{problems}")));
        }
        self.opened = loaded;
        self.take_as_saved();
    }

    pub(super) fn restarted(&mut self) {
        self.plots.history.restart(self.host.simulation());
        // A restarted run may keep its number.
        self.timeline.occupancies.go_back(self.host.run_number(), 0);
        self.begins_anew();
        if self.viewport.is_fitted {
            self.fit();
        }
    }

    /// Called when another run becomes the present one.
    pub(super) fn begins_anew(&mut self) {
        self.starts += 1;
        self.shows_other_moment();
        if let Some(trigger) = self.plots.pause_when.take() {
            self.set_pause_when(trigger.text());
        }
    }

    /// Called when another state becomes the present one.
    pub(super) fn shows_other_moment(&mut self) {
        self.restarts += 1;
        (self.edits.swaps, self.plots.run, self.edits.ahead) = (self.host.swaps(), self.host.run_number(), None);
        // The new state does not have the last commands to robots.
        self.driving.drivers.iter_mut().for_each(driving::Driver::forget);
        let watched = self.plots.history.watched(self.host.simulation());
        if let Some(trigger) = &mut self.plots.pause_when {
            trigger.observe(watched);
        }
        self.viewport.past = Past::of(self.host.simulation().world());
        let simulation = self.host.simulation();
        let chosen = self.selection.items.iter().copied().filter(|item| item.exists(simulation)).collect();
        self.plots.turning = None;
        self.choose(chosen);
    }

    pub(super) fn remember_recent(&mut self) {
        if let Source::File(path) = &self.opened.source {
            self.settings.add_recent(path);
        }
    }
}
