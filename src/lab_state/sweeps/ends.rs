//! Last states of long runs, with which the window opens them at once.

use std::collections::{BTreeMap, VecDeque};

use swarmarium_core::state::Snapshot;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::Outcome;

/// The memory of all kept states, in bytes; the oldest ones are dropped.
const MOST_BYTES: usize = 128 << 20;

/// Runs with fewer steps of robots are simulated again within a fraction of a second.
const LONG: u64 = 1_000_000;

/// The last state of a run.
pub struct End {
    steps: u64,
    snapshot: Snapshot,
    bytes: usize,
}

impl End {
    /// The last state of a run, if the run is long. Made without a lock, because it takes a while.
    pub fn of(outcome: &Outcome, simulation: &Simulation) -> Option<Self> {
        let is_long = outcome.steps.saturating_mul(simulation.count() as u64) >= LONG;
        is_long.then(|| {
            let snapshot = simulation.snapshot();
            let bytes = snapshot.parts().map(|part| part.bytes).sum();
            Self { steps: outcome.steps, snapshot, bytes }
        })
    }
}

/// The kept states.
#[derive(Default)]
pub struct Ends {
    ends: BTreeMap<u64, End>,
    /// The keys, the oldest first.
    order: VecDeque<u64>,
    bytes: usize,
}

impl Ends {
    /// Keeps the last state of a run.
    pub fn keep(&mut self, key: u64, end: End) {
        let bytes = end.bytes;
        if self.ends.insert(key, end).is_some() {
            return;
        }
        self.order.push_back(key);
        self.bytes += bytes;
        while self.bytes > MOST_BYTES
            && let Some(oldest) = self.order.pop_front().and_then(|oldest| self.ends.remove(&oldest))
        {
            self.bytes -= oldest.bytes;
        }
    }

    /// The last state of a run, if it is that after so many steps.
    pub fn get(&self, key: u64, steps: u64) -> Option<Snapshot> {
        self.ends.get(&key).filter(|end| end.steps == steps).map(|end| end.snapshot.clone())
    }
}
