//! World B, and how it follows A.

mod branch_side;
mod creation;

use std::sync::Arc;

use bevy_egui::egui::Rect;
use swarmarium_base::problem::Problem;
use swarmarium_core::state::Snapshot;
use swarmarium_draw::{Overlay, Past, TrailLength, View};
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::{Change, TwinPlan};
use swarmarium_host::timeline::{Moment, TimelineError};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::Simulation;

use crate::action::Changed;
use crate::common::halos::halos;
use crate::common::progress::Progress;
use crate::common::selection::Item;
use crate::compare::differences::{Differences, is_late};
use crate::compare::twin::{LogCursor, Twin};
use crate::plots::PlotState;
use crate::plots::history::History;
use crate::run::RunState;
use crate::view::ViewState;

pub use branch_side::BranchSide;
use branch_side::common_ancestor_step;
pub use creation::CompareError;

/// World B of a comparison.
pub struct Other {
    host: Host,
    /// The branch that B shows; `None` if B is the run of A with other values.
    pub branch: Option<BranchSide>,
    /// The metrics of B over time.
    pub history: History,
    /// Past positions of the robots of B, and the length of their trails.
    past: Past,
    trail: TrailLength,
    /// Whether past positions are drawn, and whether they were recorded in every step since the start.
    is_watched: bool,
    is_all_watched: bool,
    /// The differences from A in this run, and in other runs by their numbers.
    pub differences: Differences,
    runs: Vec<(u64, Differences)>,
    /// The scene from which B restarts after a reset of A.
    resets_as: Option<Scene>,
    /// Positions in the log of A and in the log of B.
    cursor: LogCursor,
    own_cursor: LogCursor,
    /// Edits since the last step.
    draft: Option<Draft>,
    /// The last applied edit of A.
    last: Option<LoggedEdit>,
    /// A second simulation of A from its start, while B catches up and both are identical.
    twin: Option<Twin>,
    /// The first step after which the poses differ.
    differs_at: Option<u64>,
    /// The reason why B could not apply an edit of A.
    refusal: Option<String>,
    /// The numbers of openings and restarts of the lab when B was created.
    of: (u64, u64),
    /// The number of the run of A to which B belongs; a reset begins a new run.
    run: u64,
    /// Whether B uses the camera of A.
    pub is_linked: bool,
    /// The camera of B.
    pub camera: Camera,
    /// The rectangle of B in the window, in points of the interface.
    pub rect_px: Rect,
    /// The drawn picture of B.
    pub picture: Arc<Picture>,
}

/// Edits made between two steps. An edit of the same drag replaces the one before.
struct Draft {
    /// The state of B before these edits.
    before: Snapshot,
    edits: Vec<LoggedEdit>,
}

/// World A, from which B is made.
#[derive(Clone, Copy)]
pub struct WorldA<'a> {
    /// The run.
    pub run: &'a RunState,
    /// The view.
    pub view: &'a ViewState,
    /// The plots.
    pub plots: &'a PlotState,
}

impl Other {
    /// Returns the scene from which B restarts at a reset of A, with the edits of B alone and without those of A alone.
    ///
    /// `None` while B catches up.
    pub fn scene_to_reset(&mut self, a: &Host) -> Option<Scene> {
        if self.simulation().steps() != a.simulation().steps() {
            return None;
        }
        self.make_changes(a.simulation().edits(), true);
        Some(self.simulation().scene_ahead().clone())
    }

    /// Sets the scene from which B restarts after a reset of A.
    pub fn reset_as(&mut self, scene: Scene) {
        self.resets_as = Some(scene);
    }

    /// Returns the simulation of B.
    pub fn simulation(&self) -> &Simulation {
        self.host.simulation()
    }

    /// Returns the changes of B alone, undone ones included, grouped by transaction.
    pub fn changes(&self) -> Vec<Change> {
        if self.branch.is_some() { Vec::new() } else { self.differences.changes(self.simulation()) }
    }

    /// Returns the number of the opening of a scene to which B belongs.
    pub fn opening(&self) -> u64 {
        self.of.0
    }

    /// Returns the first step after which the poses differ from those in A.
    pub fn differs_at(&self) -> Option<u64> {
        match &self.branch {
            Some(branch) => branch.found.flatten().map(|difference| difference.step),
            None => self.differs_at,
        }
    }

    /// Returns the step at whose end B begins to differ from A; for a branch, that of its fork.
    pub fn begins_at(&self, a: &Host) -> u64 {
        match &self.branch {
            Some(branch) => common_ancestor_step(a, branch.id),
            None => self.differences.from.unwrap_or(0),
        }
    }

    /// Returns the number of compared steps.
    pub fn compared_steps(&self) -> u64 {
        self.branch.as_ref().map_or_else(|| self.simulation().steps(), |branch| branch.steps)
    }

    /// Takes the reason why B could not apply the last refused edit of A.
    pub fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// Returns the progress of B on its way to the step of A; `None` when it is there.
    pub fn progress(&self, a: &Simulation) -> Option<Progress> {
        let (done, steps) = (self.simulation().steps(), a.steps());
        (done < steps).then(|| Progress { done, steps, label: "Simulating B".into() })
    }

    /// Whether A was restarted, or its log differs from the edits that B has applied.
    pub fn is_outdated(&self, world: WorldA) -> bool {
        let (a, log) = (world.run.host.simulation(), world.run.host.simulation().edits());
        let is_other_past =
            self.branch.is_none() && self.cursor.0 > 0 && log.get(self.cursor.0 - 1) != self.last.as_ref();
        // The occupancy map needs the whole run.
        let is_unwatched =
            self.branch.is_none() && world.view.current.overlays.shows(Overlay::Occupancy) && !self.is_all_watched;
        let is_ahead = self.simulation().steps() > a.steps();
        self.of != (world.run.openings, world.run.restarts) || is_ahead || is_other_past || is_unwatched
    }

    /// Steps towards A while `more` allows it. Returns whether B has reached the step of A.
    pub fn catch_up(&mut self, a: &Host, more: &mut impl FnMut() -> bool) -> bool {
        let log = a.simulation().edits();
        while self.simulation().steps() < a.simulation().steps() {
            self.step(log);
            if let Some(mut twin) = self.twin.take() {
                twin.step(log);
                self.look_for_difference(&twin.simulation);
                self.twin = Some(twin).filter(|_| self.differs_at.is_none());
            }
            if !more() {
                break;
            }
        }
        if self.simulation().steps() < a.simulation().steps() {
            return false;
        }
        self.twin = None;
        self.host.clock_mut().paused = a.clock().paused;
        self.make_changes(log, true);
        if let Some(branch) = &mut self.branch {
            branch.search_again(a);
            branch.search(more);
        }
        true
    }

    /// Does the step that A has just done.
    pub fn follow(&mut self, a: &Simulation) {
        while self.simulation().steps() < a.steps() {
            self.step(a.edits());
        }
        self.look_for_difference(a);
    }

    fn step(&mut self, log: &[LoggedEdit]) {
        // Another branch applies no edits of A.
        let log = if self.branch.is_some() { &[] } else { log };
        let next = self.simulation().steps() + 1;
        self.make_changes(log, false);
        self.draft = None;
        let due = self.cursor.due(log, next);
        self.cursor.0 += due.len();
        self.last = due.last().cloned().or_else(|| self.last.take());
        self.own_cursor.0 += self.own_cursor.due(&self.differences.own, next).len();
        self.host.advance_to(next, || true, |_| {});
        self.history.observe(self.host.simulation());
        if self.is_watched {
            self.past.observe(self.host.simulation().world(), self.trail);
        } else {
            self.is_all_watched = false;
            if self.past.last_step().is_some() {
                self.past = Past::default();
            }
        }
    }

    /// Applies the edits of A and of B for the next step. Draft edits can be replaced later.
    fn make_changes(&mut self, log: &[LoggedEdit], is_draft: bool) {
        let log = if self.branch.is_some() { &[] } else { log };
        let next = self.simulation().steps() + 1;
        let of_a = self.cursor.due(log, next);
        let own = self.own_cursor.due(&self.differences.own, next).to_vec();
        if of_a.is_empty() && own.is_empty() && self.draft.is_none() {
            return;
        }
        let edits: Vec<LoggedEdit> = of_a.iter().chain(&own).cloned().collect();
        let before = match self.draft.take() {
            Some(draft) if draft.edits == edits => return self.draft = Some(draft),
            Some(draft) => {
                if let Err(error) = self.host.restore(&draft.before) {
                    self.refusal = Some(error.to_string());
                    return;
                }
                Some(draft.before)
            }
            None => is_draft.then(|| self.simulation().snapshot()),
        };
        of_a.chunk_by(LoggedEdit::goes_with).for_each(|run| self.take_run(run));
        self.make(&own);
        if is_draft {
            self.host.flush_edits();
        }
        self.draft = before.map(|before| Draft { before, edits });
    }

    /// Applies logged edits.
    fn make(&mut self, log: &[LoggedEdit]) {
        let problem = self.host.replay_all(log).pop();
        self.refusal = problem.map(|problem| problem.to_string()).or_else(|| self.refusal.take());
    }

    /// Applies edits of A that belong together. Added and removed robots are not compared.
    fn take_run(&mut self, run: &[LoggedEdit]) {
        match run {
            [logged] => self.take(logged),
            run => {
                let is_kept = |logged: &LoggedEdit| {
                    self.differences.kept_from.iter().any(|kept| kept.step == logged.step && kept.edit == logged.edit)
                };
                let taken: Vec<LoggedEdit> = run.iter().filter(|logged| !is_kept(logged)).cloned().collect();
                self.make(&taken);
            }
        }
    }

    /// Applies an edit of A, unless it sets a compared parameter.
    fn take(&mut self, logged: &LoggedEdit) {
        if !self.differences.holds_at(logged.step) {
            return self.make(std::slice::from_ref(logged));
        }
        let edit = self.by_places(&logged.edit);
        let is_compared = |changed: &Changed| edit.is_superseded_by(&self.by_places(&changed.edit()));
        let is_kept = |kept: &LoggedEdit| kept.step == logged.step && self.by_places(&kept.edit) == edit;
        if self.differences.changed.iter().any(is_compared) || self.differences.kept_from.iter().any(is_kept) {
            return;
        }
        // A compared parameter can be a part of the edited value.
        let outer = |changed: &&Changed| self.by_places(&changed.edit()).is_superseded_by(&edit);
        let again = |changed: &Changed| LoggedEdit { edit: changed.edit(), ..logged.clone() };
        let mut again: Vec<LoggedEdit> = self.differences.changed.iter().filter(outer).map(again).collect();
        let late = self.late(&edit);
        self.make(std::slice::from_ref(logged));
        let (kinds, scene) = (self.simulation().kinds(), self.simulation().scene_ahead());
        let is_there = |changed: &Changed| !is_late(kinds, scene, &changed.path);
        let now_there = late.into_iter().filter(is_there);
        again.extend(now_there.map(|changed| LoggedEdit { edit: changed.edit(), ..logged.clone() }));
        self.make(&again);
    }

    /// Returns the compared parameters that do not exist yet, before an item is added.
    fn late(&self, edit: &Edit) -> Vec<Changed> {
        let Edit::Add { .. } = edit else { return Vec::new() };
        let (kinds, scene) = (self.simulation().kinds(), self.simulation().scene_ahead());
        let changed = self.differences.changed.iter().filter(|changed| is_late(kinds, scene, &changed.path));
        changed.cloned().collect()
    }

    /// Replaces names in the path of an edit by indices, since groups have both.
    fn by_places(&self, edit: &Edit) -> Edit {
        let (kinds, scene) = (self.simulation().kinds(), self.simulation().scene_ahead());
        match edit {
            Edit::Set { path, value } => match path::trail(kinds, scene, path) {
                Ok(trail) => Edit::Set { path: constants::by_places(&trail), value: value.clone() },
                Err(_) => edit.clone(),
            },
            edit => edit.clone(),
        }
    }

    /// Applies edits to B alone, as parts of a transaction. Returns the result of each.
    pub fn give_all(&mut self, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        edits.chunk_by(Edit::goes_with).flat_map(|run| self.give_run(run, transaction)).collect()
    }

    fn give_run(&mut self, run: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        let checked = self.simulation().check_all(run);
        for (edit, _) in run.iter().zip(&checked).filter(|(_, checked)| checked.is_ok()) {
            let transaction = if edit.can_be_undone() { transaction } else { 0 };
            self.differences.give(LoggedEdit { step: self.simulation().steps() + 1, edit: edit.clone(), transaction });
        }
        checked
    }

    fn look_for_difference(&mut self, a: &Simulation) {
        if self.branch.is_none() && self.differs_at.is_none() && a.poses() != self.simulation().poses() {
            self.differs_at = Some(a.steps());
        }
    }

    /// Exchanges host and camera with A; a second call exchanges them back.
    pub fn trade_places(&mut self, host: &mut Host, camera: &mut Camera) {
        std::mem::swap(&mut self.host, host);
        std::mem::swap(&mut self.camera, camera);
    }

    /// Replaces the run of A. The clock continues, and undo brings the run of A back.
    pub fn take_the_place_of(self, host: &mut Host, history: &mut History) {
        let Self { host: own, history: own_history, .. } = self;
        host.take_run_of(own, "Kept B");
        history.go_on_as(own_history, host.simulation());
    }

    /// Turns the recording of past positions in B on or off with their drawing. A always records them.
    pub fn watch(&mut self, view: &View) {
        (self.trail, self.is_watched) = (view.trail, is_past_drawn(view));
        self.past.show_trails(view.overlays.shows(Overlay::AllTrails));
    }

    /// Whether the run of B is known up to a step, so that it can be simulated again.
    pub fn is_known_until(&self, step: u64) -> bool {
        self.branch.is_some() || self.simulation().steps() >= step
    }

    /// Returns the plan to simulate B again, from a keyframe at or before a step, or from its start.
    ///
    /// # Errors
    /// When B is a branch that does not exist any more.
    pub fn plan_twin(&self, a: &Host, step: u64) -> Result<TwinPlan, TimelineError> {
        match &self.branch {
            Some(branch) => {
                let end = a.timeline().check(Moment { branch: branch.id, step: 0 })?.end();
                a.plan_twin(Moment { branch: branch.id, step: step.min(end) })
            }
            None => Ok(self.host.plan_twin_from_start()),
        }
    }

    /// Returns a picture of B in a view.
    pub fn picture_in(&self, view: &View) -> Picture {
        self.simulation().now().remembering(&self.past).picture(view)
    }

    /// Draws B with the view settings and the selection of A.
    pub fn paint(&mut self, view: &View, chosen: &[Item]) {
        if self.is_linked {
            self.camera = view.camera;
        }
        self.camera.y_axis = view.camera.y_axis;
        let view = View { camera: self.camera, ..*view };
        let mut picture = self.picture_in(&view);
        halos(self.simulation(), chosen, &mut picture);
        self.picture = Arc::new(picture);
    }
}

/// Whether past positions are drawn.
fn is_past_drawn(view: &View) -> bool {
    let overlays = &view.overlays;
    overlays.shows(Overlay::Occupancy) || (overlays.shows(Overlay::Trails) && overlays.shows(Overlay::AllTrails))
}
