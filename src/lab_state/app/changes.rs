//! Changes, undo and redo, in one world or in both.

use swarmarium_core::text::wording::lower;
use swarmarium_host::clock::host::Change;
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_picture::Picture;
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::Edit;

use crate::action::{Changed, CompareAction, ComparisonStart, GoesTo};
use crate::app::Lab;
use crate::common::footprints::Footprints;
use crate::common::halos::halos;
use crate::compare::Other;
use crate::compare::other::{CompareError, WorldA};
use crate::edit::RerunState;
use crate::plots::lanes::StateLanes;
use crate::run::RunState;
use crate::view::ViewState;

impl Lab {
    /// Returns world A, from which B is made.
    fn world_a(&self) -> WorldA<'_> {
        WorldA { run: &self.run, view: &self.view, plots: &self.plots }
    }

    /// Does a requested action.
    pub fn do_compare(&mut self, action: CompareAction) {
        match action {
            CompareAction::Toggle if self.compare.other.is_some() => self.compare.end_comparison(),
            CompareAction::Toggle | CompareAction::Choose => match self.compare.is_open {
                true => self.compare.is_open = false,
                false => self.open_comparison(None),
            },
            CompareAction::ChooseOf(path) => {
                let simulation = self.run.host.simulation();
                let value = constants::text_at(simulation.kinds(), simulation.scene_ahead(), &path);
                self.compare.choose(&path, value.unwrap_or_default());
                self.open_comparison(Some(path));
            }
            CompareAction::SetChosen(chosen) => self.compare.chosen = chosen,
            CompareAction::SetStart(start) => self.compare.start = start,
            CompareAction::Begin(changed) => match self.compare.first_step(self.run.host.simulation().steps()) {
                Some(step) => self.begin_comparison_at(changed, step),
                None => self.begin_comparison(changed, None),
            },
            CompareAction::End => self.compare.end_comparison(),
            CompareAction::Keep => self.keep_other(),
            CompareAction::GoTo(goes_to) => self.compare.goes_to = goes_to,
            CompareAction::Difference => self.compare.shows_difference ^= true,
            action => {
                let Some(other) = &mut self.compare.other else { return };
                match action {
                    CompareAction::Link => other.is_linked ^= true,
                    CompareAction::Pan(by_px) => other.camera.pan(by_px),
                    CompareAction::Zoom(at_px, factor) => other.camera.zoom_at(at_px, factor),
                    _ => {}
                }
            }
        }
    }

    /// Shows another branch beside the present one.
    pub fn compare_branch(&mut self, branch: BranchId) {
        match Other::of_branch(self.world_a(), branch) {
            Ok(other) => {
                self.compare.other = Some(Box::new(other));
                self.compare.goes_to = GoesTo::A;
                self.compare.is_open = false;
            }
            Err(error) => self.notices.tell_error(format!("The branch cannot be shown: {error}")),
        }
    }

    /// Opens the panel of compared parameters, with one parameter to change.
    fn open_comparison(&mut self, path: Option<String>) {
        if self.compare.earlier_start().is_some() {
            // Another value of the same question.
            self.compare.start = ComparisonStart::AsBefore;
        } else if self.run.host.is_in_past() {
            // A moment of the past was chosen by the user.
            self.compare.start = ComparisonStart::Here;
        }
        self.compare.asked = path;
        self.compare.is_open = true;
    }

    /// Starts a comparison with other values, from the state at the end of a step.
    fn begin_comparison_at(&mut self, changed: Vec<Changed>, step: u64) {
        self.cancel_resimulation();
        let host = &mut self.run.host;
        host.flush_edits();
        let steps = host.simulation().steps();
        let is_clean = host.simulation().edits().last().is_none_or(|last| last.step <= steps);
        if is_clean && !host.is_in_past() && step == steps {
            // B begins at this keyframe instead of an earlier one. A failure costs only time.
            let _ = host.keep_state(host.moment(), host.simulation().snapshot());
        }
        let made = Other::at_step(self.world_a(), changed, step);
        self.show_comparison(made);
    }

    /// Starts a comparison with other values, from the start of the run. `start` is the scene with these values, if the
    /// values belong to the start and are not edits.
    pub(crate) fn begin_comparison(&mut self, changed: Vec<Changed>, start: Option<Scene>) {
        let made = Other::new(self.world_a(), changed, start);
        self.show_comparison(made);
    }

    fn show_comparison(&mut self, made: Result<Other, CompareError>) {
        match made {
            Ok(other) => {
                self.compare.chosen = other.differences.changed.clone();
                self.compare.other = Some(Box::new(other));
                self.compare.is_open = false;
            }
            Err(error) => self.notices.tell_error(format!("B cannot be simulated: {error}")),
        }
    }

    /// Steps B until it has caught up with A. Returns whether it has.
    pub(crate) fn catch_up(&mut self, more: &mut impl FnMut() -> bool) -> bool {
        let Some(other) = &self.compare.other else { return true };
        if other.opening() != self.run.openings {
            // Another scene has other parameters.
            self.compare.end_comparison();
            self.compare.chosen.clear();
            return true;
        }
        if other.branch.as_ref().is_some_and(|branch| branch.id.0 == self.run.host.run_number()) {
            // B is the present branch now.
            self.compare.end_comparison();
            return true;
        }
        if other.is_outdated(self.world_a()) {
            self.remake_other();
        }
        let Some(other) = &mut self.compare.other else { return true };
        other.watch(&self.view.current);
        let is_there = other.catch_up(&self.run.host, more);
        let refused = other.take_refusal();
        if let Some(refused) = refused {
            self.notices.tell_error(format!("B cannot apply a change of A: {refused}"));
        }
        is_there
    }

    /// Makes B again after a reset of A or an undo.
    pub fn remake_other(&mut self) {
        let Some(before) = self.compare.other.take() else { return };
        match before.again(self.world_a()) {
            Ok(other) => self.compare.other = Some(Box::new(other)),
            Err(error) => {
                self.compare.end_comparison();
                self.notices.tell_error(format!("The comparison ends because B can no longer be simulated: {error}"));
            }
        }
    }

    /// Makes B the simulation.
    fn keep_other(&mut self) {
        let steps = self.run.host.simulation().steps();
        if let Some(branch) = self.compare.other.as_ref().and_then(|other| other.branch.as_ref()) {
            let end = self.run.host.timeline().branch(branch.id).map_or(0, |branch| branch.end());
            let moment = Moment { branch: branch.id, step: steps.min(end) };
            self.compare.end_comparison();
            return self.go_to(moment);
        }
        let Some(other) = self.compare.other.take_if(|other| other.simulation().steps() == steps) else {
            return self.notices.say("B cannot be kept yet: it has not caught up with A");
        };
        self.compare.end_comparison();
        self.plots.keep_history();
        let carried: Vec<Edit> = self.run.host.carried.iter().cloned().chain(other.differences.carried()).collect();
        other.take_the_place_of(&mut self.run.host, &mut self.plots.history);
        self.run.host.carried = carried;
        self.on_new_run();
        self.notices.say("B is now the simulation; undo returns to A");
    }

    /// Returns the scene from which B starts again with a reset of A; `None` without B, or before B has caught up.
    pub(crate) fn other_to_reset(&mut self, seed: Option<u64>) -> Option<Scene> {
        if self.compare.other.as_ref().is_some_and(|other| other.branch.is_some()) {
            // After a reset, B is no longer a branch of the run.
            self.compare.end_comparison();
        }
        let mut other = self.compare.other.take()?;
        // As the reset does: B must get all changes of A.
        self.run.host.cancel_resimulation();
        self.run.host.flush_edits();
        let scene = if other.is_outdated(self.world_a()) { None } else { other.scene_to_reset(&self.run.host) };
        if scene.is_none() && other.differences.has_others_there() {
            let text =
                "B had not caught up: robots and objects added to only one world are no longer tracked separately";
            self.notices.tell_error(text);
        }
        self.compare.other = Some(other);
        let mut scene = scene?;
        if let Some(seed) = seed {
            constants::set(self.run.recipe.kinds(), &mut scene, "seed", &seed.to_string()).ok()?;
        }
        Some(scene)
    }

    /// Starts B again from its scene, as A was.
    pub(crate) fn reset_other(&mut self, scene: Scene) {
        if let Some(other) = &mut self.compare.other {
            other.reset_as(scene);
            self.remake_other();
        }
    }

    /// Undoes the last change if it belongs to B alone. Returns whether it did.
    pub(crate) fn undo_in_other(&mut self) -> bool {
        let Some(change) = self.of_other(|changes| changes.iter().rfind(|change| !change.is_undone)) else {
            return false;
        };
        self.hold_other_until(change.transaction - 1);
        self.notices.say(&format!("Undone: {}", change.label));
        true
    }

    /// Redoes the change that was undone last if it belongs to B alone. Returns whether it did.
    pub(crate) fn redo_in_other(&mut self) -> bool {
        let Some(change) = self.of_other(|changes| changes.iter().find(|change| change.is_undone)) else {
            return false;
        };
        self.hold_other_until(change.transaction);
        self.notices.say(&format!("Redone: {}", change.label));
        true
    }

    /// Returns the chosen change, if it belongs to B alone.
    fn of_other(&mut self, which: impl Fn(&[Change]) -> Option<&Change>) -> Option<Change> {
        self.compare.other.as_ref().filter(|other| other.branch.is_none())?;
        // Waiting edits are changes, too.
        self.run.host.flush_edits();
        let change = which(&self.compare.changes_of_both(&self.run.host)).cloned()?;
        let own = self.compare.other.as_ref()?.changes();
        own.contains(&change).then_some(change)
    }

    /// Applies the changes of B alone up to a transaction, and undoes the later ones.
    pub(crate) fn hold_other_until(&mut self, transaction: u64) {
        let Some(other) = self.compare.other.as_mut().filter(|other| other.branch.is_none()) else { return };
        let done = other.simulation().steps();
        if other.differences.hold_until(transaction, done) {
            self.remake_other();
        }
    }

    /// Runs a closure on the lab with B as its simulation; `None` without B.
    pub fn as_seen_in_b<T>(&mut self, look: impl FnOnce(&Self) -> T) -> Option<T> {
        let mut other = self.compare.other.take()?;
        other.trade_places(&mut self.run.host, &mut self.view.painted.camera);
        let seen = look(self);
        other.trade_places(&mut self.run.host, &mut self.view.painted.camera);
        self.compare.other = Some(other);
        Some(seen)
    }

    /// Returns the picture of A for this frame; B keeps its own.
    pub fn paint(&mut self) -> Picture {
        self.view.painted = self.view.current;
        if let Some(other) = &mut self.compare.other {
            other.paint(&self.view.painted, &self.view.selection.items);
        }
        // A state has the same colour in the world and in the lanes.
        let states = self.plots.history.lanes().map(StateLanes::states).unwrap_or_default();
        let moment = self.view.moment(&self.run.host).with_states(states).foreseeing(self.forecasts.shown());
        let mut picture = moment.picture(&self.view.painted);
        halos(self.run.host.simulation(), &self.view.selection.items, &mut picture);
        picture
    }
}

impl Lab {
    /// Makes changes as parts of one transaction.
    pub fn edit(&mut self, edits: Vec<Edit>) {
        if edits.is_empty() {
            return self.notices.say("There is nothing to change");
        }
        let transaction = self.edits.present_transaction(&mut self.run.host);
        self.edits.last = transaction;
        if self.restart_with(&edits, transaction) {
            return;
        }
        let done = self.compare.apply_all(&mut self.run.host, &edits, transaction);
        let misfits = done.into_iter().filter_map(Result::err);
        let misfits: Vec<String> = misfits.map(|problem| self.run.problem_text(&problem)).collect();
        if !misfits.is_empty() {
            self.notices.tell_error(misfits.join("\n"));
        }
        let simulation = self.run.host.simulation();
        let (chosen, gone): (Vec<_>, Vec<_>) =
            self.view.selection.items.iter().partition(|item| item.exists(simulation));
        if !gone.is_empty() {
            self.choose(chosen);
        }
    }

    /// Undoes the last change.
    pub fn undo(&mut self) {
        if self.edits.starts.cancel() {
            return self.notices.say("Undone: the start that was being prepared");
        }
        let before = self.run.host.resimulate();
        if self.undo_in_other() {
            return;
        }
        match self.run.host.undo() {
            Some(label) => self.notices.say(&format!("Undone: {}", lower(&label))),
            None => self.notices.say("There is nothing to undo"),
        }
        // If the undone change was still being simulated, the run continues with its plots.
        if before.is_none() || before != self.run.host.resimulate() {
            self.on_undo_or_redo();
        }
    }

    /// Redoes the change that was undone last.
    pub fn redo(&mut self) {
        if self.redo_in_other() {
            return;
        }
        match self.run.host.redo() {
            Some(label) => self.notices.say(&format!("Redone: {}", lower(&label))),
            None => self.notices.say("There is nothing to redo"),
        }
        self.on_undo_or_redo();
    }

    /// Undoes or redoes changes so that the one with this transaction is the last one in effect; 0 undoes all.
    pub fn go_to_change(&mut self, transaction: u64) {
        self.run.host.go_to(transaction);
        self.on_undo_or_redo();
        self.hold_other_until(transaction);
    }

    /// Cancels undo or redo, and leaves the run as it is.
    pub fn cancel_resimulation(&mut self) {
        self.run.host.cancel_resimulation();
        self.on_undo_or_redo();
    }

    /// Handles another simulation of the host; a run that is simulated again starts with the present plots.
    fn on_undo_or_redo(&mut self) {
        self.edits.ahead = None;
        self.poll_simulation_replaced();
    }

    /// Handles another state of the run, if there is one.
    pub(super) fn poll_simulation_replaced(&mut self) {
        if self.edits.swaps != self.run.host.swaps() {
            self.on_simulation_replaced();
        }
        self.tell_notes();
    }

    fn tell_notes(&mut self) {
        self.run.host.take_notes().iter().for_each(|note| self.notices.say(note));
    }

    /// Continues to simulate a run again.
    pub(super) fn continue_resimulation(&mut self, budget: impl FnMut() -> bool) -> Option<f64> {
        self.run.answer_clients();
        let is_for_changes = self.run.host.is_resimulating_changes();
        let goes_on = self.run.host.is_seeking_forward();
        let (branch, run) = (self.run.host.target().map(|moment| moment.branch), self.run.host.run_number());
        let Self {
            run: RunState { host, .. },
            plots,
            view: ViewState { past, current: view, .. },
            edits,
            timeline,
            ..
        } = self;
        let ahead = edits.ahead.get_or_insert_default();
        host.continue_resimulation(budget, |simulation| {
            if is_for_changes && ahead.history.is_none() {
                let mut history = plots.history.clone();
                let before = simulation.steps() - 1;
                history.go_back(before);
                (ahead.history, ahead.changed_after) = (Some(history), Some(before));
                timeline.occupancies.go_back(run, before);
                ahead.footprints = Footprints::after(run, before, view, &timeline.occupancies);
            }
            timeline.check_hash(branch, simulation);
            let selected = plots.history.watched(simulation).selected;
            ahead.history.as_mut().unwrap_or(&mut plots.history).observe(simulation);
            match goes_on {
                true => {
                    past.observe(simulation.world(), view.trail);
                    plots.turning.observe(simulation, selected);
                }
                false => {
                    ahead.footprints.observe(simulation, view);
                    ahead.turning.observe(simulation, selected);
                }
            }
        });
        self.poll_simulation_replaced();
        self.timeline.warn_hash_mismatch(&mut self.notices);
        (!self.run.host.waits_for_thread()).then_some(0.0)
    }

    /// Handles another present state: that of another moment, or of the same one after an undo.
    pub(super) fn on_simulation_replaced(&mut self) {
        let before = self.plots.run;
        let is_same_branch = before == self.run.host.run_number();
        let timeline = self.run.host.timeline();
        let is_same_run = timeline.root_of(BranchId(before)) == timeline.root_of(timeline.present().id());
        let RerunState { history, footprints, turning, changed_after } = self.edits.ahead.take().unwrap_or_default();
        match history {
            Some(history) => {
                let pins: Vec<String> = self.plots.history.pins().map(Into::into).collect();
                if !is_same_branch {
                    self.plots.keep_history();
                }
                self.plots.history = history;
                self.plots.history.keep_pins(self.run.host.simulation(), &pins);
            }
            None if is_same_branch => {}
            None => self.plots.exchange_history(&self.run.host, before),
        }
        if let Some(step) = changed_after {
            self.timeline.forget_hashes_after(step);
        }
        self.plots.history.jump();
        self.plots.history.observe(self.run.host.simulation());
        let goes_on = self.view.past.last_step() == Some(self.run.host.simulation().steps());
        let past = std::mem::take(&mut self.view.past);
        let is_same_line = goes_on && is_same_branch && changed_after.is_none();
        let is_same_past = is_same_line && footprints.is_empty();
        // A jump forward simulates the run on, and another one a second simulation.
        let turning = if is_same_line && !turning.knows(self.run.host.simulation()) {
            std::mem::take(&mut self.plots.turning)
        } else {
            turning
        };
        // Clients of another run start again; at another moment of this run they wait.
        match is_same_run && changed_after.is_none() {
            true => self.on_new_state(),
            false => self.on_new_run(),
        }
        if turning.knows(self.run.host.simulation()) {
            self.plots.turning = turning;
        }
        self.view.past = match is_same_past {
            true => past,
            false => footprints.into_past(self.run.host.simulation(), &self.view.current),
        };
    }
}
