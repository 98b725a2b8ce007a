//! Last states of long runs, with which the window opens them at once.

use std::collections::{BTreeMap, VecDeque};

use swarmarium_core::simulation::Simulation;
use swarmarium_core::state::Snapshot;
use swarmarium_sweep::Outcome;

/// The memory of all kept states, in bytes; the oldest ones are dropped.
const MOST_BYTES: usize = 128 << 20;
/// Runs with fewer steps of robots are simulated again within a fraction of a second.
const LONG: u64 = 1_000_000;

/// The kept states.
#[derive(Default)]
pub struct Ends {
    states: BTreeMap<u64, (Snapshot, usize)>,
    /// The keys, the oldest first.
    order: VecDeque<u64>,
    bytes: usize,
}

impl Ends {
    /// Keeps the last state of a run, if the run is long.
    pub fn keep(&mut self, key: u64, outcome: &Outcome, simulation: &Simulation) {
        if outcome.steps.saturating_mul(simulation.count() as u64) < LONG || self.states.contains_key(&key) {
            return;
        }
        let snapshot = simulation.snapshot();
        let bytes = snapshot.parts().map(|part| part.bytes).sum();
        self.states.insert(key, (snapshot, bytes));
        self.order.push_back(key);
        self.bytes += bytes;
        while self.bytes > MOST_BYTES
            && let Some((_, bytes)) = self.order.pop_front().and_then(|oldest| self.states.remove(&oldest))
        {
            self.bytes -= bytes;
        }
    }

    /// The last state of a run.
    pub fn get(&self, key: u64) -> Option<Snapshot> {
        self.states.get(&key).map(|(snapshot, _)| snapshot.clone())
    }
}
