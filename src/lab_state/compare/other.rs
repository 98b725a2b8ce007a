//! World B: how it is created and how it follows A.

use std::sync::Arc;

use bevy_egui::egui::Rect;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::state::Snapshot;
use swarmarium_draw::{Overlay, Past, TrailLength, View};
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::{Change, Difference, DifferenceSearch, TwinPlan};
use swarmarium_host::timeline::{BranchId, Moment, TimelineError};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::edit::{Edit, LoggedEdit, TakesEffect};
use swarmarium_simulation::simulation::Simulation;

use crate::action::Changed;
use crate::common::halos::halos;
use crate::common::progress::Progress;
use crate::common::selection::Item;
use crate::compare::differences::{Differences, is_late, is_live};
use crate::compare::twin::{LogCursor, Twin};
use crate::plots::PlotState;
use crate::plots::history::History;
use crate::run::RunState;
use crate::view::ViewState;

/// Maximum number of runs, before and after resets, whose differences are kept.
const MOST_RUNS: usize = 8;

/// The reason why B cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// A value is invalid.
    #[error("{0}")]
    Value(Problem),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Scene(#[from] Problems),
    /// A parameter of an item that was added in this run takes effect only at a start. The field is its path.
    #[error("{0} belongs to something added in this run and takes effect only at a start: reset, then compare")]
    AddedLate(String),
    /// A parameter takes effect only at a start, so it cannot change at a moment of the run. The field is its path.
    #[error("{0} takes effect only at a start: begin the comparison at the start of the scene")]
    NotLive(String),
    /// The branch cannot be shown.
    #[error(transparent)]
    Branch(#[from] TimelineError),
}

impl From<Problem> for CompareError {
    fn from(problem: Problem) -> Self {
        Self::Value(problem)
    }
}

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

/// Another branch as world B. It applies no edits of A.
pub struct BranchSide {
    /// The branch.
    pub id: BranchId,
    /// The branch of A in the last search.
    of: BranchId,
    /// The number of steps that both branches had when the last search began.
    steps: u64,
    /// [`RunState::starts`](crate::run::RunState::starts) at that time. An undo changes the past of a branch, and the result is then invalid.
    starts: u64,
    /// The search for the first difference, while it runs.
    search: Option<DifferenceSearch>,
    /// The result of the last search.
    found: Option<Option<Difference>>,
}

impl BranchSide {
    /// Begins the comparison with a branch, and the search for the first difference.
    pub fn new(world: WorldA, id: BranchId) -> Result<Self, TimelineError> {
        let of = world.run.host.moment().branch;
        let search = Some(world.run.host.find_difference(of, id)?);
        Ok(Self { id, of, steps: common_steps(&world.run.host, id), starts: world.run.starts, search, found: None })
    }

    /// Restarts the search when A is on another branch, or when identical branches have grown since the last search.
    ///
    /// Each search creates two simulations. While both branches can still grow, the next search therefore waits for a
    /// pause or for half as many steps again.
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

    /// Returns the first difference of the branches, if the search has ended; `Some(None)` if they are identical.
    pub fn difference(&self) -> Option<Option<Difference>> {
        self.found
    }

    /// Returns the progress of the search, while it runs.
    pub fn search_progress(&self) -> Option<Progress> {
        self.search.as_ref().map(DifferenceSearch::progress)
    }

    /// Continues the search while `more` allows it. Returns whether it still runs.
    fn search(&mut self, more: &mut impl FnMut() -> bool) -> bool {
        let Some(search) = &mut self.search else { return false };
        self.found = search.advance(more);
        if self.found.is_some() {
            self.search = None;
        }
        self.search.is_some()
    }
}

/// Returns the number of steps that the present branch of A and another branch have in common.
fn common_steps(a: &Host, id: BranchId) -> u64 {
    a.timeline().branch(id).map_or(0, |branch| branch.end().min(a.live_end()))
}

/// Returns the last step that the present branch of A shares with another branch; 0 for branches of different runs.
fn common_ancestor_step(a: &Host, id: BranchId) -> u64 {
    // A branch and its ancestors, each with its last shared step.
    let line = |id: BranchId| {
        let next = |(id, until): &(BranchId, u64)| {
            let parent = a.timeline().branch(*id)?.parent()?;
            Some((parent.branch, parent.step.min(*until)))
        };
        std::iter::successors(Some((id, u64::MAX)), next)
    };
    let mut shared = line(a.moment().branch).filter_map(|(own, until)| {
        let (_, other) = line(id).find(|(other, _)| *other == own)?;
        Some(until.min(other))
    });
    shared.next().unwrap_or(0)
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
    /// Creates B at the start of A. B then has to catch up.
    ///
    /// # Errors
    /// When a value is invalid, or when the scene cannot be simulated.
    pub fn new(world: WorldA, changed: Vec<Changed>, start: Option<Scene>) -> Result<Self, CompareError> {
        let late =
            changed.iter().filter(|changed| is_late(world.run.recipe.kinds(), world.run.host.start(), &changed.path));
        for changed in late {
            world.run.host.simulation().check(&changed.edit())?;
            if TakesEffect::of_path(&changed.path) != TakesEffect::Live {
                return Err(CompareError::AddedLate(changed.path.clone()));
            }
        }
        let mut differences = Differences::of(changed);
        differences.start = start;
        Self::made(world, differences)
    }

    /// Creates B at the end of a step of A: B has the state of A, and other values from then on. If A is at another step,
    /// B then has to catch up.
    ///
    /// # Errors
    /// When a value is invalid or cannot change while a simulation runs, or when the scene cannot be simulated.
    pub fn at_step(world: WorldA, mut changed: Vec<Changed>, step: u64) -> Result<Self, CompareError> {
        let simulation = world.run.host.simulation();
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        for changed in &mut changed {
            changed.path = constants::resolve(kinds, scene, &changed.path)?;
            simulation.check(&changed.edit())?;
            if !is_live(kinds, scene, changed) {
                return Err(CompareError::NotLive(changed.path.clone()));
            }
        }
        Self::made(world, Differences::at(step, changed))
    }

    fn made(world: WorldA, differences: Differences) -> Result<Self, CompareError> {
        match differences.from {
            Some(step) => Self::made_at(world, differences, step),
            None => Self::made_at_start(world, differences),
        }
    }

    /// Creates B from a keyframe of A at or before the step from which B differs.
    fn made_at(world: WorldA, differences: Differences, step: u64) -> Result<Self, CompareError> {
        let (a, log) = (&world.run.host, world.run.host.simulation().edits());
        let shows_occupancy = world.view.current.overlays.shows(Overlay::Occupancy);
        let is_here = a.simulation().steps() == step && world.view.past.last_step() == Some(step);
        // The occupancy map needs the whole run.
        let first = if shows_occupancy { 0 } else { step.min(a.simulation().steps()) };
        let moment = Moment { step: first, ..a.moment() };
        let (host, _) = a.twin(moment)?.into_host(a, world.run.threads);
        let begins_at = host.simulation().steps();
        let cursor = LogCursor::after(log, begins_at);
        let mut history = world.plots.history.clone();
        history.go_back(begins_at);
        let past = match is_here && begins_at == step {
            true => world.view.past.clone(),
            false => Past::after(host.simulation().world(), begins_at, None),
        };
        let twin = match a.simulation().steps() > step {
            true => Some(Twin::new(a.twin(moment)?.into_simulation(), cursor)),
            // Up to there, B is identical.
            false => None,
        };
        let last = cursor.0.checked_sub(1).and_then(|place| log.get(place)).cloned();
        let is_all_watched = begins_at == 0 || (is_here && begins_at == step);
        Ok(Self { past, cursor, last, twin, is_all_watched, ..Self::around(world, host, history, differences) })
    }

    fn made_at_start(world: WorldA, mut differences: Differences) -> Result<Self, CompareError> {
        let (a, recipe) = (&world.run.host, &world.run.recipe);
        let kinds = recipe.kinds();
        let mut scene = differences.start.clone().unwrap_or_else(|| a.start().clone());
        let mut live = Vec::new();
        for changed in &mut differences.changed {
            changed.path = constants::resolve(kinds, &scene, &changed.path)?;
            let has_value = differences.start.is_some()
                && constants::text_at(kinds, &scene, &changed.path).is_some_and(|text| is_same(&text, &changed.value));
            if has_value {
                // The scene of B starts with it.
            } else if is_late(kinds, &scene, &changed.path) {
                // The value is set when the item is added.
            } else if is_live(kinds, &scene, changed) {
                live.push(changed.edit());
            } else {
                constants::set(kinds, &mut scene, &changed.path, &changed.value)?;
            }
        }
        let mut host = Host::new(&scene, recipe, world.run.threads)?;
        for edit in live {
            host.apply_in(edit, 0)?;
        }
        let history = History::of(host.simulation());
        let mut other = Self::around(world, host, history, differences);
        if a.simulation().steps() == 0 {
            other.look_for_difference(a.simulation());
        } else {
            let twin = Simulation::with(a.start(), recipe, world.run.threads)?;
            other.look_for_difference(&twin);
            other.twin = Some(Twin::new(twin, LogCursor::default()));
        }
        Ok(other)
    }

    /// Creates B from another branch at the step of A, or at the keyframe before it. B then has to catch up.
    ///
    /// # Errors
    /// When there is no such branch, or when its simulation cannot be created.
    pub fn of_branch(world: WorldA, id: BranchId) -> Result<Self, CompareError> {
        Self::beside(world, BranchSide::new(world, id)?)
    }

    /// As [`of_branch`](Self::of_branch), with a search that runs or has ended.
    fn beside(world: WorldA, branch: BranchSide) -> Result<Self, CompareError> {
        let (now, id) = (world.run.host.moment(), branch.id);
        let end = world.run.host.timeline().check(Moment { branch: id, step: 0 })?.end();
        let twin = world.run.host.twin(Moment { branch: id, step: now.step.min(end) })?;
        let (host, own) = twin.into_host(&world.run.host, world.run.threads);
        let steps = host.simulation().steps();
        let own_cursor = LogCursor::after(&own, steps);
        let mut differences = Differences::default();
        differences.own = own;
        let other = Self::around(world, host, world.plots.history_of(&world.run.host, id), differences);
        Ok(Self { own_cursor, branch: Some(branch), ..other })
    }

    /// Creates B from a host.
    fn around(world: WorldA, host: Host, history: History, differences: Differences) -> Self {
        let simulation = host.simulation();
        Self {
            branch: None,
            history,
            past: Past::for_world(simulation.world()),
            trail: world.view.current.trail,
            is_watched: is_past_drawn(&world.view.current),
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
            of: (world.run.openings, world.run.restarts),
            run: world.run.host.run_number(),
            is_linked: true,
            camera: world.view.current.camera,
            rect_px: world.view.rect_px,
            picture: Arc::default(),
            host,
        }
    }

    /// Creates B again from the start of A, and keeps its camera.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn again(mut self, world: WorldA) -> Result<Self, CompareError> {
        let run = world.run.host.run_number();
        if let Some(branch) = self.branch {
            let Self { is_linked, camera, rect_px, picture, .. } = self;
            // The result of a search does not depend on the moment that A shows.
            let is_known = branch.starts == world.run.starts && self.of.0 == world.run.openings;
            let branch = if is_known { branch } else { BranchSide::new(world, branch.id)? };
            return Ok(Self { is_linked, camera, rect_px, picture, ..Self::beside(world, branch)? });
        }
        if self.run != run {
            let differences = match self.runs.iter().position(|(known, _)| *known == run) {
                Some(place) => self.runs.remove(place).1,
                // A branch goes on from the same run.
                None if is_branch_of(&world.run.host, run, self.run) => self.differences.clone(),
                None => self.differences.after_reset(world.run, self.resets_as.take(), self.simulation().scene_ahead()),
            };
            self.runs.push((self.run, std::mem::replace(&mut self.differences, differences)));
            if self.runs.len() > MOST_RUNS {
                self.runs.remove(0);
            }
        }
        let Self { differences, runs, is_linked, camera, rect_px, picture, .. } = self;
        Ok(Self { runs, is_linked, camera, rect_px, picture, ..Self::made(world, differences)? })
    }

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

/// Whether two runs are branches of one run, by their numbers.
fn is_branch_of(host: &Host, run: u64, of: u64) -> bool {
    let root = |run: u64| host.timeline().root_of(BranchId(run));
    host.timeline().branch(BranchId(of)).is_some() && root(run) == root(of)
}

/// Whether two texts are the same value.
fn is_same(one: &str, other: &str) -> bool {
    let numbers = one.parse::<f64>().ok().zip(other.parse::<f64>().ok());
    one == other || numbers.is_some_and(|(one, other)| one == other)
}

/// Whether past positions are drawn.
fn is_past_drawn(view: &View) -> bool {
    let overlays = &view.overlays;
    overlays.shows(Overlay::Occupancy) || (overlays.shows(Overlay::Trails) && overlays.shows(Overlay::AllTrails))
}
