//! Snapshots on the way, to go back to without going all the way from the start.

use crate::simulation::Simulation;
use crate::state::Snapshot;

/// The most snapshots that are kept.
pub const MOST: usize = 60;
/// What all of them may take together, in bytes, and what is reckoned for an agent with its sensors.
const BUDGET_BYTES: usize = 256 << 20;
const AGENT_BYTES: usize = 4096;
/// Steps from one snapshot to the next, at first.
const EVERY: u64 = 16;

/// Snapshots of a simulation, evenly spaced. When there are too many, every second one goes.
#[derive(Clone, Debug)]
pub struct Track {
    /// By step.
    pub kept: Vec<(u64, Snapshot)>,
    /// Every how many steps there is one.
    pub every: u64,
}

impl Default for Track {
    fn default() -> Self {
        Self { kept: Vec::new(), every: EVERY }
    }
}

impl Track {
    /// Takes a snapshot after a step, if one is due. It must be called after each step, before edits of the next.
    ///
    /// The log of edits is left out: who goes back there knows what it is to be.
    pub fn note(&mut self, simulation: &mut Simulation) {
        let step = simulation.steps();
        if !step.is_multiple_of(self.every) || self.kept.last().is_some_and(|(last, _)| *last >= step) {
            return;
        }
        let most = MOST.min(BUDGET_BYTES / (AGENT_BYTES * (1 + simulation.count())));
        if most == 0 {
            return;
        }
        self.kept.push((step, simulation.snapshot_without_log()));
        while self.kept.len() > most {
            self.every *= 2;
            self.kept.retain(|(step, _)| step.is_multiple_of(self.every));
        }
    }

    /// The latest snapshot before a step begins, with its step; `None` where only the start is before it.
    pub fn before(&self, step: u64) -> Option<&(u64, Snapshot)> {
        self.kept.iter().rev().find(|(kept, _)| *kept < step)
    }

    /// What it holds up to the end of a step.
    #[must_use]
    pub fn until(&self, step: u64) -> Self {
        let kept = self.kept.iter().filter(|(kept, _)| *kept <= step).cloned().collect();
        Self { kept, every: self.every }
    }
}
