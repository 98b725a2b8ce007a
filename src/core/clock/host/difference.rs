//! The first difference of two branches.

use swarmarium_base::problem::Problems;

use super::Host;
use super::resimulation::{Progress, restore};
use crate::edit::LoggedEdit;
use crate::edit::log::Replay;
use crate::simulation::Simulation;
use crate::timeline::{Branch, BranchId, Moment, TimelineError};

/// Where two branches differ first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first step at whose end their states differ; 0 is the start.
    pub step: u64,
    /// The first agent, by its number, that differs there; `None` where only other state does.
    pub agent: Option<u32>,
}

/// A search for the first difference of two branches: both are simulated again, side by side.
pub struct DifferenceSearch {
    sides: [Side; 2],
    from: u64,
    until: u64,
    found: Option<Option<Difference>>,
}

/// One of the branches.
struct Side {
    simulation: Simulation,
    edits: Replay,
}

impl Side {
    fn step(&mut self) {
        let due: Vec<LoggedEdit> = self.edits.due(self.simulation.steps() + 1).collect();
        for run in due.chunk_by(LoggedEdit::goes_with) {
            // What was done once makes sense again.
            drop(self.simulation.replay_run(run));
        }
        self.simulation.step(1);
    }
}

impl DifferenceSearch {
    /// Goes on as far as the budget allows; what came of it when it is at its end: the first difference, or `None` where
    /// both are alike up to the end of the shorter one.
    pub fn advance(&mut self, mut budget: impl FnMut() -> bool) -> Option<Option<Difference>> {
        while self.found.is_none() {
            let [one, other] = &mut self.sides;
            let step = one.simulation.steps();
            if one.simulation.hash() != other.simulation.hash() {
                let agent = one.simulation.first_different_agent(&other.simulation);
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

    /// How far it came.
    pub fn progress(&self) -> Progress {
        let done = self.sides[0].simulation.steps() - self.from;
        Progress { done, steps: self.until - self.from, label: "Comparing branches".into() }
    }
}

impl Host {
    /// Begins to look for the first difference of two branches.
    ///
    /// # Errors
    /// When this host keeps no past, there is no such branch, or its simulation cannot be made.
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
        let keyframe = self.timeline.keyframe_before(Moment { branch: one, step: shared });
        let keyframe = keyframe.filter(|_| has_one_start);
        let side = |branch: &Branch, log: &[LoggedEdit]| -> Result<Side, Problems> {
            let mut simulation = Simulation::with_workers(branch.start(), &self.recipe, (self.workers)())?;
            let mut edits = Replay::new(log.to_vec());
            if let Some((step, snapshot)) = keyframe {
                let before = log.iter().take_while(|logged| logged.step <= step).cloned().collect();
                restore(&mut simulation, branch.start(), snapshot, before)?;
                edits.go_on_from(step);
            }
            Ok(Side { simulation, edits })
        };
        let [a, b] = branches;
        let sides = side(a, &logs[0]).and_then(|a| Ok([a, side(b, &logs[1])?]));
        let sides = sides.map_err(|problems| TimelineError::Simulation(problems.to_string()))?;
        Ok(DifferenceSearch { from: sides[0].simulation.steps(), sides, until, found: None })
    }
}

/// The steps before the first edit that two logs do not share.
fn shared_steps([one, other]: &[Vec<LoggedEdit>; 2]) -> u64 {
    let is_same = |(one, other): &(&LoggedEdit, &LoggedEdit)| (one.step, &one.edit) == (other.step, &other.edit);
    let same = one.iter().zip(other).take_while(is_same).count();
    let step = |log: &[LoggedEdit]| log.get(same).map_or(u64::MAX, |logged| logged.step.saturating_sub(1));
    step(one).min(step(other))
}
