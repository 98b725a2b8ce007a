//! The first difference of two branches.

use swarmarium_simulation::edit::LoggedEdit;

use super::Host;
use super::resimulation::Progress;
use super::twin::Twin;
use crate::timeline::{Branch, BranchId, Moment, TimelineError};

/// The first difference of two branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first step at whose end the states differ; 0 is the start.
    pub step: u64,
    /// The first agent, by number, that differs at this step; `None` if only other state differs.
    pub agent: Option<u32>,
}

/// A search for the first difference of two branches: both are resimulated side by side.
pub struct DifferenceSearch {
    sides: [Twin; 2],
    from: u64,
    until: u64,
    found: Option<Option<Difference>>,
}

impl DifferenceSearch {
    /// Continues as far as the budget allows. Returns a result at the end of the search: the first difference, or
    /// `None` if the branches are equal up to the end of the shorter one.
    pub fn advance(&mut self, mut budget: impl FnMut() -> bool) -> Option<Option<Difference>> {
        while self.found.is_none() {
            let [one, other] = &mut self.sides;
            let step = one.simulation().steps();
            if one.simulation().hash() != other.simulation().hash() {
                let agent = one.simulation().first_different_agent(other.simulation());
                self.found = Some(Some(Difference { step, agent }));
            } else if step >= self.until {
                self.found = Some(None);
            } else {
                one.step();
                other.step();
                if !budget() {
                    break;
                }
            }
        }
        self.found
    }

    /// The progress of the search.
    pub fn progress(&self) -> Progress {
        let done = self.sides[0].simulation().steps() - self.from;
        Progress { done, steps: self.until - self.from, label: "Comparing branches".into() }
    }
}

impl Host {
    /// Begins a search for the first difference of two branches.
    ///
    /// # Errors
    /// If this host keeps no past, the branch does not exist, or its simulation cannot be made.
    pub fn find_difference(&self, one: BranchId, other: BranchId) -> Result<DifferenceSearch, TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        let branch = |id: BranchId| self.timeline.check(Moment { branch: id, step: 0 });
        let branches = [branch(one)?, branch(other)?];
        let logs = branches.map(Branch::edits);
        let until = branches[0].end().min(branches[1].end());
        let has_one_start = std::ptr::eq(branches[0].start(), branches[1].start());
        let shared = if has_one_start { shared_steps(&logs).min(until) } else { 0 };
        let side = |branch: &Branch| {
            let mut twin = self.twin(Moment { branch: branch.id(), step: 0 })?;
            if has_one_start {
                // Both are equal up to this step.
                twin.go_before(self, shared)?;
            }
            Ok(twin)
        };
        let mut sides = [side(branches[0])?, side(branches[1])?];
        let from = sides.iter().map(|side| side.simulation().steps()).max().unwrap_or_default();
        for side in &mut sides {
            while side.simulation().steps() < from {
                side.step();
            }
        }
        Ok(DifferenceSearch { from, sides, until, found: None })
    }
}

/// The steps before the first edit that the two logs do not share.
fn shared_steps([one, other]: &[Vec<LoggedEdit>; 2]) -> u64 {
    let is_same = |(one, other): &(&LoggedEdit, &LoggedEdit)| (one.step, &one.edit) == (other.step, &other.edit);
    let same = one.iter().zip(other).take_while(is_same).count();
    let step = |log: &[LoggedEdit]| log.get(same).map_or(u64::MAX, |logged| logged.step.saturating_sub(1));
    step(one).min(step(other))
}
