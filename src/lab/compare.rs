//! Comparison of two worlds side by side: A, the simulation, and B, a copy with some parameters changed.
//!
//! B replays A's log of edits step by step, so each change of A, from any source, also changes B. A does not depend
//! on B.

use swarmarium_base::problem::Problem;
use swarmarium_core::clock::host::Change;
use swarmarium_core::edit::{Edit, LoggedEdit};
use swarmarium_core::scene::{Scene, constants};
use swarmarium_core::timeline::{BranchId, Moment};
use swarmarium_picture::Picture;

use super::action::{Changed, CompareAction, GoesTo};
use super::{Lab, tools};

mod differences;
mod half;
mod other;
mod panel;
mod strip;
#[cfg(test)]
mod tests;
mod twin;

pub use half::{Halves, ui};
pub use other::Other;
pub use panel::Chooser;

impl Changed {
    fn edit(&self) -> Edit {
        Edit::Set { path: self.path.clone(), value: self.value.clone() }
    }

    /// Returns the last step of the path.
    fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

impl GoesTo {
    /// Returns the label.
    fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::A => "A",
            Self::B => "B",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::Both => Self::A,
            Self::A => Self::B,
            Self::B => Self::Both,
        }
    }
}

/// Returns the tooltip of the buttons that drop B.
fn end_hint(lab: &Lab) -> String {
    lab.keymap.after("Ends the comparison and drops B", "Compare with a changed parameter", "")
}

/// The state of the comparison.
#[derive(Default)]
pub struct Comparison {
    /// Whether the panel of compared parameters is open.
    pub is_open: bool,
    /// The parameters chosen in the panel.
    pub chosen: Vec<Changed>,
    /// The world that changes in the window go to.
    pub goes_to: GoesTo,
    /// Whether the strip shows differences instead of both values.
    pub shows_difference: bool,
    /// World B, if there is one.
    pub other: Option<Box<Other>>,
}

impl Comparison {
    /// Whether the setting of an action is on; `None` if the action is no switch.
    pub fn is_on(&self, action: &CompareAction) -> Option<bool> {
        match action {
            CompareAction::Toggle => Some(self.is_open || self.other.is_some()),
            CompareAction::Choose => Some(self.is_open),
            CompareAction::GoTo(goes_to) => Some(*goes_to == self.goes_to),
            CompareAction::Difference => Some(self.shows_difference),
            CompareAction::Link => self.other.as_ref().map(|other| other.is_linked),
            _ => None,
        }
    }

    /// Adds a parameter with its present value to the chosen ones.
    fn choose(&mut self, path: &str, value: String) {
        if self.chosen.iter().all(|known| known.path != path) {
            self.chosen.push(Changed { path: path.into(), value });
        }
    }
}

impl Lab {
    /// Does a requested action.
    pub(crate) fn do_compare(&mut self, action: CompareAction) {
        match action {
            CompareAction::Toggle if self.compare.other.is_some() => self.end_comparison(),
            CompareAction::Toggle | CompareAction::Choose => self.compare.is_open ^= true,
            CompareAction::ChooseOf(path) => {
                let simulation = self.host.simulation();
                let value = constants::text_at(simulation.kinds(), simulation.scene_ahead(), &path);
                self.compare.choose(&path, value.unwrap_or_default());
                self.compare.is_open = true;
            }
            CompareAction::Begin(changed) => self.begin_comparison(changed, None),
            CompareAction::End => self.end_comparison(),
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
    pub(crate) fn compare_branch(&mut self, branch: BranchId) {
        match Other::of_branch(self, branch) {
            Ok(other) => {
                self.compare.other = Some(Box::new(other));
                self.compare.goes_to = GoesTo::A;
                self.compare.is_open = false;
            }
            Err(error) => self.tell_error(format!("The branch cannot be shown: {error}")),
        }
    }

    /// Whether the search for the first difference of two branches goes on.
    pub(crate) fn is_comparing_branches(&self) -> bool {
        let branch = self.compare.other.as_ref().and_then(|other| other.branch.as_ref());
        branch.is_some_and(|branch| branch.search_progress().is_some())
    }

    /// Ends the comparison with a branch that is deleted.
    pub(crate) fn compare_ends_with(&mut self, branch: BranchId) {
        if self.compare.other.as_ref().and_then(|other| other.branch.as_ref()).is_some_and(|side| side.id == branch) {
            self.end_comparison();
        }
    }

    /// Starts a comparison with other values, from the start of the run. `start` is the scene with these values, if the
    /// values belong to the start and are no edits.
    pub(crate) fn begin_comparison(&mut self, changed: Vec<Changed>, start: Option<Scene>) {
        match Other::new(self, changed, start) {
            Ok(other) => {
                self.compare.chosen = other.differences.changed.clone();
                self.compare.other = Some(Box::new(other));
                self.compare.is_open = false;
            }
            Err(error) => self.tell_error(format!("B cannot be simulated: {error}")),
        }
    }

    /// Drops B and closes its panel.
    pub(crate) fn end_comparison(&mut self) {
        self.compare.other = None;
        self.compare.goes_to = GoesTo::default();
        self.compare.is_open = false;
    }

    /// Steps B until it has caught up with A. Returns whether it has.
    pub(crate) fn catch_up(&mut self, more: &mut impl FnMut() -> bool) -> bool {
        let Some(other) = &self.compare.other else { return true };
        if other.opening() != self.openings {
            // Another scene has other parameters.
            self.end_comparison();
            self.compare.chosen.clear();
            return true;
        }
        if other.branch.as_ref().is_some_and(|branch| branch.id.0 == self.host.run_number()) {
            // B is the present branch now.
            self.end_comparison();
            return true;
        }
        if other.is_outdated(self) {
            self.remake_other();
        }
        let Some(other) = &mut self.compare.other else { return true };
        other.watch(&self.viewport.view);
        let is_there = other.catch_up(&self.host, more);
        let refused = other.take_refusal();
        if let Some(refused) = refused {
            self.tell_error(format!("B cannot apply a change of A: {refused}"));
        }
        is_there
    }

    /// Makes B again after a reset of A or an undo.
    fn remake_other(&mut self) {
        let Some(before) = self.compare.other.take() else { return };
        match before.again(self) {
            Ok(other) => self.compare.other = Some(Box::new(other)),
            Err(error) => {
                self.end_comparison();
                self.tell_error(format!("The comparison ends because B can no longer be simulated: {error}"));
            }
        }
    }

    /// Makes B the simulation.
    fn keep_other(&mut self) {
        let steps = self.host.simulation().steps();
        if let Some(branch) = self.compare.other.as_ref().and_then(|other| other.branch.as_ref()) {
            let end = self.host.timeline().branch(branch.id).map_or(0, |branch| branch.end());
            let moment = Moment { branch: branch.id, step: steps.min(end) };
            self.end_comparison();
            return self.go_to(moment);
        }
        let Some(other) = self.compare.other.take_if(|other| other.simulation().steps() == steps) else {
            return self.say("B cannot be kept yet: it has not caught up with A");
        };
        self.end_comparison();
        self.keep_history();
        let carried: Vec<Edit> = self.host.carried.iter().cloned().chain(other.differences.carried()).collect();
        other.take_the_place_of(&mut self.host, &mut self.plots.history);
        self.host.carried = carried;
        self.begins_anew();
        self.say("B is now the simulation; undo returns to A");
    }

    /// Returns the scene from which B starts again with a reset of A; `None` without B, or before B has caught up.
    pub(crate) fn other_to_reset(&mut self, seed: Option<u64>) -> Option<Scene> {
        if self.compare.other.as_ref().is_some_and(|other| other.branch.is_some()) {
            // After a reset, B is no longer a branch of the run.
            self.end_comparison();
        }
        let mut other = self.compare.other.take()?;
        // As the reset does: B must get all changes of A.
        self.host.cancel_rework();
        self.host.flush_edits();
        let scene = if other.is_outdated(self) { None } else { other.scene_to_reset(&self.host) };
        if scene.is_none() && other.differences.has_others_there() {
            let text =
                "B had not caught up: robots and objects added to only one world are no longer tracked separately";
            self.tell_error(text);
        }
        self.compare.other = Some(other);
        let mut scene = scene?;
        if let Some(seed) = seed {
            constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string()).ok()?;
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

    /// Returns all changes, including those of B alone, in the order in which they were made.
    pub(crate) fn changes_of_both(&self) -> Vec<Change> {
        let mut changes = self.host.changes();
        if let Some(other) = &self.compare.other {
            changes.extend(other.changes());
            changes.sort_by_key(|change| change.transaction);
        }
        changes
    }

    /// Undoes the last change if it belongs to B alone. Returns whether it did.
    pub(crate) fn undo_in_other(&mut self) -> bool {
        let Some(change) = self.of_other(|changes| changes.iter().rfind(|change| !change.is_undone)) else {
            return false;
        };
        self.hold_other_until(change.transaction - 1);
        self.say(&format!("Undone: {}", change.label));
        true
    }

    /// Redoes the change that was undone last if it belongs to B alone. Returns whether it did.
    pub(crate) fn redo_in_other(&mut self) -> bool {
        let Some(change) = self.of_other(|changes| changes.iter().find(|change| change.is_undone)) else {
            return false;
        };
        self.hold_other_until(change.transaction);
        self.say(&format!("Redone: {}", change.label));
        true
    }

    /// Returns the chosen change, if it belongs to B alone.
    fn of_other(&mut self, which: impl Fn(&[Change]) -> Option<&Change>) -> Option<Change> {
        self.compare.other.as_ref().filter(|other| other.branch.is_none())?;
        // Waiting edits are changes, too.
        self.host.flush_edits();
        let change = which(&self.changes_of_both()).cloned()?;
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

    /// Applies an edit to the world that changes go to, as part of a transaction.
    ///
    /// # Errors
    /// Returns an error if the edit is invalid there.
    pub(crate) fn apply_in(&mut self, edit: Edit, transaction: u64) -> Result<(), Problem> {
        self.apply_all(&[edit], transaction).pop().unwrap_or(Ok(()))
    }

    /// Applies several edits, as [`apply_in`](Self::apply_in) does. Returns one result per edit.
    pub(crate) fn apply_all(&mut self, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        let Some(other) = self.compare.other.as_mut().filter(|other| other.branch.is_none()) else {
            return self.host.apply_all(edits, transaction);
        };
        if edits.iter().any(Edit::can_be_undone) {
            other.differences.forget_undone();
        }
        match self.compare.goes_to {
            GoesTo::Both => self.host.apply_all(edits, transaction),
            GoesTo::A => {
                let step = self.host.simulation().steps() + 1;
                let done = self.host.apply_all(edits, transaction);
                let made = edits.iter().zip(&done).filter(|(_, done)| done.is_ok());
                let logged = |(edit, _): (&Edit, _)| LoggedEdit { step, edit: edit.clone(), transaction };
                other.differences.kept_from.extend(made.map(logged));
                done
            }
            GoesTo::B => other.give_all(edits, transaction),
        }
    }

    /// Runs a closure on the lab with B as its simulation; `None` without B.
    fn as_seen_in_b<T>(&mut self, look: impl FnOnce(&Self) -> T) -> Option<T> {
        let mut other = self.compare.other.take()?;
        other.trade_places(&mut self.host, &mut self.viewport.painted.camera);
        let seen = look(self);
        other.trade_places(&mut self.host, &mut self.viewport.painted.camera);
        self.compare.other = Some(other);
        Some(seen)
    }

    /// Returns the picture of A for this frame; B keeps its own.
    pub(crate) fn paint(&mut self) -> Picture {
        self.viewport.painted = self.viewport.view;
        if let Some(other) = &mut self.compare.other {
            other.paint(&self.viewport.painted, &self.selection.items);
        }
        let mut picture = self.picture(&self.viewport.painted);
        tools::halos(self.host.simulation(), &self.selection.items, &mut picture);
        picture
    }
}
