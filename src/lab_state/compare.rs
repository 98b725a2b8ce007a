//! The comparison with a second world.

pub mod differences;
pub mod heads;
pub mod other;
pub mod twin;

pub use other::Other;

use bevy::math::DVec2;
use bevy_egui::egui::Rect;
use swarmarium_base::problem::Problem;
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::Change;
use swarmarium_host::timeline::BranchId;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

use crate::action::{Changed, CompareAction, ComparisonStart, GoesTo};

impl Changed {
    /// Returns the edit that sets the value.
    pub fn edit(&self) -> Edit {
        Edit::Set { path: self.path.clone(), value: self.value.clone() }
    }

    /// Returns the last step of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

impl GoesTo {
    /// Returns the label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// Returns the next choice.
    pub fn next(self) -> Self {
        match self {
            Self::Both => Self::A,
            Self::A => Self::B,
            Self::B => Self::Both,
        }
    }
}

/// The state of the comparison.
#[derive(Default)]
pub struct Comparison {
    /// Whether the panel of compared parameters is open.
    pub is_open: bool,
    /// The parameters chosen in the panel.
    pub chosen: Vec<Changed>,
    /// The parameter whose value was asked for when the panel was opened.
    pub asked: Option<String>,
    /// The moment at which the next comparison begins.
    pub start: ComparisonStart,
    /// The world that changes in the window go to.
    pub goes_to: GoesTo,
    /// Whether the strip shows differences instead of both values.
    pub shows_difference: bool,
    /// World B, if there is one.
    pub other: Option<Box<Other>>,
}

impl Comparison {
    /// Whether the setting of an action is on; `None` if the action is not a switch.
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

    /// Returns the step at which the present comparison of values began; `None` without one, and at the start of the run.
    pub fn earlier_start(&self) -> Option<u64> {
        self.other.as_ref().filter(|other| other.branch.is_none())?.differences.from
    }

    /// Returns the step at which the next comparison begins while A is at a step; `None` at the start of the run.
    pub fn first_step(&self, steps: u64) -> Option<u64> {
        match self.start {
            ComparisonStart::Run => None,
            ComparisonStart::Here => Some(steps).filter(|steps| *steps > 0),
            ComparisonStart::AsBefore => self.earlier_start(),
        }
    }

    /// Adds a parameter with its present value to the chosen ones.
    pub fn choose(&mut self, path: &str, value: String) {
        if self.chosen.iter().all(|known| known.path != path) {
            self.chosen.push(Changed { path: path.into(), value });
        }
    }
}

impl Comparison {
    /// Whether the search for the first difference of two branches goes on.
    pub fn is_comparing_branches(&self) -> bool {
        let branch = self.other.as_ref().and_then(|other| other.branch.as_ref());
        branch.is_some_and(|branch| branch.search_progress().is_some())
    }

    /// Records the rectangle of B in the window.
    pub fn arrange(&mut self, rect_px: Option<Rect>) {
        let (Some(other), Some(rect_px)) = (&mut self.other, rect_px) else { return };
        other.rect_px = rect_px;
        if !other.is_linked {
            let size = DVec2::new(f64::from(rect_px.width()), f64::from(rect_px.height()));
            other.camera.screen_px = size.max(DVec2::ONE);
        }
    }

    /// Ends the comparison with a branch that is deleted.
    pub(crate) fn compare_ends_with(&mut self, branch: BranchId) {
        if self.other.as_ref().and_then(|other| other.branch.as_ref()).is_some_and(|side| side.id == branch) {
            self.end_comparison();
        }
    }

    /// Drops B and closes its panel.
    pub(crate) fn end_comparison(&mut self) {
        self.other = None;
        self.goes_to = GoesTo::default();
        self.is_open = false;
    }

    /// Returns all changes, including those of B alone, in the order in which they were made.
    pub fn changes_of_both(&self, host: &Host) -> Vec<Change> {
        let mut changes = host.changes();
        if let Some(other) = &self.other {
            changes.extend(other.changes());
            changes.sort_by_key(|change| change.transaction);
        }
        changes
    }

    /// Applies an edit to the world that changes go to, as part of a transaction.
    ///
    /// # Errors
    /// Returns an error if the edit is invalid there.
    pub fn apply_in(&mut self, host: &mut Host, edit: Edit, transaction: u64) -> Result<(), Problem> {
        self.apply_all(host, &[edit], transaction).pop().unwrap_or(Ok(()))
    }

    /// Applies several edits, as [`apply_in`](Self::apply_in) does. Returns one result per edit.
    pub(crate) fn apply_all(&mut self, host: &mut Host, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        let Some(other) = self.other.as_mut().filter(|other| other.branch.is_none()) else {
            return host.apply_all(edits, transaction);
        };
        if edits.iter().any(Edit::can_be_undone) {
            other.differences.forget_undone();
        }
        match self.goes_to {
            GoesTo::Both => host.apply_all(edits, transaction),
            GoesTo::A => {
                let step = host.simulation().steps() + 1;
                let done = host.apply_all(edits, transaction);
                let made = edits.iter().zip(&done).filter(|(_, done)| done.is_ok());
                let logged = |(edit, _): (&Edit, _)| LoggedEdit { step, edit: edit.clone(), transaction };
                other.differences.kept_from.extend(made.map(logged));
                done
            }
            GoesTo::B => other.give_all(edits, transaction),
        }
    }
}
