//! The second world: how it is made, and how it follows the first one.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy_egui::egui::Rect;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::clock::Host;
use swarmarium_core::clock::host::{Change, Difference, DifferenceSearch};
use swarmarium_core::draw::{Overlay, Past, TrailLength, View};
use swarmarium_core::edit::{Edit, LoggedEdit, TakesEffect};
use swarmarium_core::scene::{Scene, constants, path};
use swarmarium_core::simulation::Simulation;
use swarmarium_core::state::Snapshot;
use swarmarium_core::timeline::{BranchId, Moment, TimelineError};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;

use super::differences::{Differences, is_late, is_live};
use super::twin::{LogCursor, Twin};
use crate::action::Changed;
use crate::plots::History;
use crate::progress::Progress;
use crate::selection::Item;
use crate::{Lab, tools};

/// The most runs of before and after resets of which it is known what set both worlds apart.
const MOST_RUNS: usize = 8;

/// Why B cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// A value makes no sense.
    #[error("{0}")]
    Value(Problem),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Scene(#[from] Problems),
    /// A parameter of something that was added in this run, by its path, takes effect only at a start.
    #[error("{0} belongs to something added in this run and takes effect only at a start: reset, then compare")]
    AddedLate(String),
    /// The branch cannot be shown.
    #[error(transparent)]
    Branch(#[from] TimelineError),
}

impl From<Problem> for CompareError {
    fn from(problem: Problem) -> Self {
        Self::Value(problem)
    }
}

/// The second world.
pub struct Other {
    host: Host,
    /// The branch that it is, where it is none of A's run with other values.
    pub branch: Option<BranchSide>,
    /// Its metrics over time.
    pub history: History,
    /// Where its robots have been, and how long their trails are.
    past: Past,
    trail: TrailLength,
    /// Whether that is drawn, and whether it was watched since the start.
    is_watched: bool,
    is_all_watched: bool,
    /// What sets it apart from A, in this run and in others, by their numbers.
    pub differences: Differences,
    runs: Vec<(u64, Differences)>,
    /// The scene that it starts again from, when A was reset.
    resets_as: Option<Scene>,
    /// How far it was told of A's log, and of its own one.
    cursor: LogCursor,
    own_cursor: LogCursor,
    /// What was changed since the last step.
    draft: Option<Draft>,
    /// The last change of A that it was told of.
    last: Option<LoggedEdit>,
    /// A again from its start, while B catches up and both are the same.
    twin: Option<Twin>,
    /// The first step after which somebody was elsewhere.
    differs_at: Option<u64>,
    /// A change of A that made no sense in B.
    refusal: Option<String>,
    /// Which opening of a scene it is of, and how often a simulation was made of it.
    of: (u64, u64),
    /// The run of A that it is of: a reset begins another one.
    run: u64,
    /// Whether it is looked at as A is.
    pub is_linked: bool,
    /// Where it is looked at from.
    pub camera: Camera,
    /// Where it is in the window, in points of the interface.
    pub rect_px: Rect,
    /// The point of it under the cursor, in metres.
    pub cursor_m: Option<DVec2>,
    /// What there is to see of it.
    pub picture: Arc<Picture>,
}

/// Another branch as the second world: it goes its own way, and takes no change of A.
pub struct BranchSide {
    /// The branch.
    pub id: BranchId,
    /// The branch of A in the last search.
    of: BranchId,
    /// The number of steps that both branches had when the last search began.
    steps: u64,
    /// [`Lab::starts`] at that time: an undo gives a branch another past, and then the result no longer holds.
    starts: u64,
    /// The search for the first difference, while it goes on.
    search: Option<DifferenceSearch>,
    /// The result of the last search.
    found: Option<Option<Difference>>,
}

impl BranchSide {
    fn new(lab: &Lab, id: BranchId) -> Result<Self, TimelineError> {
        let of = lab.host.moment().branch;
        let search = Some(lab.host.find_difference(of, id)?);
        Ok(Self { id, of, steps: common_steps(&lab.host, id), starts: lab.starts, search, found: None })
    }

    /// Searches again when A is on another branch, or when identical branches have grown since the last search.
    ///
    /// Each search makes two simulations. While both branches can still grow, the next one therefore waits for a pause or
    /// for half as many steps again.
    fn search_again(&mut self, a: &Host) {
        let (of, steps) = (a.moment().branch, common_steps(a, self.id));
        let grown = steps.saturating_sub(self.steps);
        // Only the present branch grows.
        let is_growing = !a.clock().paused && steps == a.live_end();
        let has_grown = if is_growing { grown > self.steps / 2 } else { grown > 0 };
        let is_outdated = of != self.of || (self.found == Some(None) && has_grown);
        if is_outdated && let Ok(search) = a.find_difference(of, self.id) {
            *self = Self { of, steps, search: Some(search), found: None, ..*self };
        }
    }

    /// The first difference of both branches, as far as it is known; `Some(None)` where they are alike.
    pub fn difference(&self) -> Option<Option<Difference>> {
        self.found
    }

    /// How far the search for the first difference came, while it goes on.
    pub fn search_progress(&self) -> Option<Progress> {
        self.search.as_ref().map(DifferenceSearch::progress)
    }

    /// Goes on with the search as far as there is time; whether it goes on.
    fn search(&mut self, more: &mut impl FnMut() -> bool) -> bool {
        let Some(search) = &mut self.search else { return false };
        self.found = search.advance(more);
        if self.found.is_some() {
            self.search = None;
        }
        self.search.is_some()
    }
}

/// The number of steps that the present branch of A and another one both have.
fn common_steps(a: &Host, id: BranchId) -> u64 {
    a.timeline().branch(id).map_or(0, |branch| branch.end().min(a.live_end()))
}

/// What was changed while time stands still: what is dragged then replaces what was there before.
struct Draft {
    /// B before that.
    before: Snapshot,
    edits: Vec<LoggedEdit>,
}

impl Other {
    /// Makes B from the start of A; it has yet to catch up.
    ///
    /// # Errors
    /// When a value makes no sense.
    pub fn new(lab: &Lab, changed: Vec<Changed>) -> Result<Self, CompareError> {
        let late = changed.iter().filter(|changed| is_late(lab.recipe.kinds(), lab.host.start(), &changed.path));
        for changed in late {
            lab.host.simulation().check(&changed.edit())?;
            if TakesEffect::of_path(&changed.path) != TakesEffect::Live {
                return Err(CompareError::AddedLate(changed.path.clone()));
            }
        }
        Self::made(lab, Differences::of(changed))
    }

    fn made(lab: &Lab, mut differences: Differences) -> Result<Self, CompareError> {
        let (a, recipe) = (&lab.host, &lab.recipe);
        let kinds = recipe.kinds();
        let mut scene = differences.start.clone().unwrap_or_else(|| a.start().clone());
        let mut live = Vec::new();
        for changed in &mut differences.changed {
            changed.path = constants::resolve(kinds, &scene, &changed.path)?;
            if is_late(kinds, &scene, &changed.path) {
                // It is set as soon as it is there.
            } else if is_live(kinds, &scene, changed) {
                live.push(changed.edit());
            } else {
                constants::set(kinds, &mut scene, &changed.path, &changed.value)?;
            }
        }
        let mut host = Host::new(&scene, recipe, lab.threads)?;
        for edit in live {
            host.apply_in(edit, 0)?;
        }
        let history = History::of(host.simulation());
        let mut other = Self::around(lab, host, history, differences);
        if a.simulation().steps() == 0 {
            other.look_for_difference(a.simulation());
        } else {
            let twin = Simulation::with(a.start(), recipe, lab.threads)?;
            other.look_for_difference(&twin);
            other.twin = Some(Twin::new(twin));
        }
        Ok(other)
    }

    /// Another branch at the step of A, or at its keyframe before: it has yet to catch up.
    ///
    /// # Errors
    /// When there is no such branch, or its simulation cannot be made.
    pub fn of_branch(lab: &Lab, id: BranchId) -> Result<Self, CompareError> {
        Self::beside(lab, BranchSide::new(lab, id)?)
    }

    /// As [`of_branch`](Self::of_branch), with a search that goes on or has ended.
    fn beside(lab: &Lab, branch: BranchSide) -> Result<Self, CompareError> {
        let (now, id) = (lab.host.moment(), branch.id);
        let end = lab.host.timeline().check(Moment { branch: id, step: 0 })?.end();
        let twin = lab.host.twin(Moment { branch: id, step: now.step.min(end) })?;
        let (host, own) = twin.into_host(&lab.host, lab.threads);
        let steps = host.simulation().steps();
        let own_cursor = LogCursor(own.partition_point(|logged| logged.step <= steps));
        let mut differences = Differences::default();
        differences.own = own;
        let other = Self::around(lab, host, lab.history_of(id), differences);
        Ok(Self { own_cursor, branch: Some(branch), ..other })
    }

    /// The second world around a host.
    fn around(lab: &Lab, host: Host, history: History, differences: Differences) -> Self {
        let simulation = host.simulation();
        Self {
            branch: None,
            history,
            past: Past::of(simulation.world()),
            trail: lab.viewport.view.trail,
            is_watched: is_past_drawn(&lab.viewport.view),
            is_all_watched: true,
            differences,
            runs: Vec::new(),
            resets_as: None,
            cursor: LogCursor::default(),
            own_cursor: LogCursor::default(),
            draft: None,
            last: None,
            twin: None,
            differs_at: None,
            refusal: None,
            of: (lab.openings, lab.restarts),
            run: lab.host.run_number(),
            is_linked: true,
            camera: lab.viewport.view.camera,
            rect_px: lab.viewport.rect_px,
            cursor_m: None,
            picture: Arc::default(),
            host,
        }
    }

    /// Makes it again from the start of A, looked at as it was.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn again(mut self, lab: &Lab) -> Result<Self, CompareError> {
        let run = lab.host.run_number();
        if let Some(branch) = self.branch {
            let Self { is_linked, camera, rect_px, picture, .. } = self;
            // The result of a search does not depend on the moment that A is at.
            let is_known = branch.starts == lab.starts && self.of.0 == lab.openings;
            let branch = if is_known { branch } else { BranchSide::new(lab, branch.id)? };
            return Ok(Self { is_linked, camera, rect_px, picture, ..Self::beside(lab, branch)? });
        }
        if self.run != run {
            let differences = match self.runs.iter().position(|(known, _)| *known == run) {
                Some(place) => self.runs.remove(place).1,
                None => self.differences.after_reset(lab, self.resets_as.take(), self.simulation().scene_ahead()),
            };
            self.runs.push((self.run, std::mem::replace(&mut self.differences, differences)));
            if self.runs.len() > MOST_RUNS {
                self.runs.remove(0);
            }
        }
        let Self { differences, runs, is_linked, camera, rect_px, picture, .. } = self;
        Ok(Self { runs, is_linked, camera, rect_px, picture, ..Self::made(lab, differences)? })
    }

    /// The scene that it is to start from with a reset of A: with what it alone was given, without what A alone was.
    ///
    /// `None` while it has yet to catch up.
    pub fn scene_to_reset(&mut self, a: &Host) -> Option<Scene> {
        if self.simulation().steps() != a.simulation().steps() {
            return None;
        }
        self.make_changes(a.simulation().edits(), true);
        Some(self.simulation().scene_ahead().clone())
    }

    /// Starts again from a scene of its own when it is made again, for A was reset.
    pub fn reset_as(&mut self, scene: Scene) {
        self.resets_as = Some(scene);
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        self.host.simulation()
    }

    /// Its own changes, those that were taken back included, by their transactions.
    pub fn changes(&self) -> Vec<Change> {
        if self.branch.is_some() { Vec::new() } else { self.differences.changes(self.simulation()) }
    }

    /// Which opening of a scene it is of.
    pub fn opening(&self) -> u64 {
        self.of.0
    }

    /// The first step after which somebody was elsewhere than in A.
    pub fn differs_at(&self) -> Option<u64> {
        match &self.branch {
            Some(branch) => branch.found.flatten().map(|difference| difference.step),
            None => self.differs_at,
        }
    }

    /// The number of steps that were compared so far.
    pub fn compared_steps(&self) -> u64 {
        self.branch.as_ref().map_or_else(|| self.simulation().steps(), |branch| branch.steps)
    }

    /// The last change of A that it did not take, once.
    pub fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// How far it came on the way to A; `None` when it is there.
    pub fn progress(&self, a: &Simulation) -> Option<Progress> {
        let (done, steps) = (self.simulation().steps(), a.steps());
        (done < steps).then(|| Progress { done, steps, label: "Simulating B".into() })
    }

    /// Whether A was started again, or has another past than B was told of.
    pub fn is_outdated(&self, lab: &Lab) -> bool {
        let (a, log) = (lab.host.simulation(), lab.host.simulation().edits());
        let is_other_past =
            self.branch.is_none() && self.cursor.0 > 0 && log.get(self.cursor.0 - 1) != self.last.as_ref();
        // A map of where robots have been needs the whole run.
        let is_unwatched =
            self.branch.is_none() && lab.viewport.view.overlays.shows(Overlay::Occupancy) && !self.is_all_watched;
        let is_ahead = self.simulation().steps() > a.steps();
        self.of != (lab.openings, lab.restarts) || is_ahead || is_other_past || is_unwatched
    }

    /// Steps towards A for as long as there is time; whether it is there.
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
        // Another branch takes no change of A.
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

    /// Makes the changes that A's log, and its own one, have for the next step; as a draft they can be replaced.
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

    /// Makes changes exactly as a log has them.
    fn make(&mut self, log: &[LoggedEdit]) {
        let problem = self.host.replay_all(log).pop();
        self.refusal = problem.map(|problem| problem.to_string()).or_else(|| self.refusal.take());
    }

    /// Makes changes of A that go together. Robots that come or go are not compared.
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

    /// Makes a change of A, unless it is about what is compared.
    fn take(&mut self, logged: &LoggedEdit) {
        let edit = self.by_places(&logged.edit);
        let is_compared = |changed: &Changed| edit.is_outdone_by(&self.by_places(&changed.edit()));
        let is_kept = |kept: &LoggedEdit| kept.step == logged.step && self.by_places(&kept.edit) == edit;
        if self.differences.changed.iter().any(is_compared) || self.differences.kept_from.iter().any(is_kept) {
            return;
        }
        // What is compared may be a part of what was changed.
        let outer = |changed: &&Changed| self.by_places(&changed.edit()).is_outdone_by(&edit);
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

    /// What is compared and not there yet, before something is added.
    fn late(&self, edit: &Edit) -> Vec<Changed> {
        let Edit::Add { .. } = edit else { return Vec::new() };
        let (kinds, scene) = (self.simulation().kinds(), self.simulation().scene_ahead());
        let changed = self.differences.changed.iter().filter(|changed| is_late(kinds, scene, &changed.path));
        changed.cloned().collect()
    }

    /// An edit with its path by places: groups have names, too.
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

    /// Changes it alone, as parts of a transaction; what came of each change.
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

    /// Stands where A does, or goes back.
    pub fn trade_places(&mut self, host: &mut Host, camera: &mut Camera) {
        std::mem::swap(&mut self.host, host);
        std::mem::swap(&mut self.camera, camera);
    }

    /// Becomes what the host holds; the clock goes on, and undoing brings back what it held.
    pub fn take_the_place_of(self, host: &mut Host, history: &mut History) {
        let Self { host: own, history: own_history, .. } = self;
        host.take_run_of(own, "Kept B");
        history.go_on_as(own_history, host.simulation());
    }

    /// Remembers from now on where its robots have been, if that is drawn: A always does, as it costs one world only.
    pub fn watch(&mut self, view: &View) {
        (self.trail, self.is_watched) = (view.trail, is_past_drawn(view));
        self.past.show_trails(view.overlays.shows(Overlay::AllTrails));
    }

    /// Draws it with what A is drawn with, and with what is selected.
    pub fn paint(&mut self, view: &View, chosen: &[Item]) {
        if self.is_linked {
            self.camera = view.camera;
        }
        self.camera.y_axis = view.camera.y_axis;
        let view = View { camera: self.camera, ..*view };
        let mut picture = self.simulation().now().remembering(&self.past).picture(&view);
        tools::halos(self.simulation(), chosen, &mut picture);
        self.picture = Arc::new(picture);
    }
}

/// Whether it is drawn where robots have been.
fn is_past_drawn(view: &View) -> bool {
    let overlays = &view.overlays;
    overlays.shows(Overlay::Occupancy) || (overlays.shows(Overlay::Trails) && overlays.shows(Overlay::AllTrails))
}
