//! Another branch as world B: the search for the first difference.

use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::{Difference, DifferenceSearch};
use swarmarium_host::timeline::{BranchId, TimelineError};

use super::WorldA;
use crate::common::progress::Progress;

/// Another branch as world B. It applies no edits of A.
pub struct BranchSide {
    /// The branch.
    pub id: BranchId,
    /// The branch of A in the last search.
    of: BranchId,
    /// The number of steps that both branches had when the last search began.
    pub(super) steps: u64,
    /// [`RunState::starts`](crate::run::RunState::starts) at that time. An undo changes the past of a branch, and the result is then invalid.
    pub(super) starts: u64,
    /// The search for the first difference, while it runs.
    search: Option<DifferenceSearch>,
    /// The result of the last search.
    pub(super) found: Option<Option<Difference>>,
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
    pub(super) fn search_again(&mut self, a: &Host) {
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
    pub(super) fn search(&mut self, more: &mut impl FnMut() -> bool) -> bool {
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
pub(super) fn common_ancestor_step(a: &Host, id: BranchId) -> u64 {
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
