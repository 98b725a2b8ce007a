//! The changes of a shared scene: they are made again at their steps, in runs that begin as the shared one.

use std::collections::BTreeMap;

use swarmarium_host::clock::Host;
use swarmarium_host::timeline::BranchId;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

/// The changes of the open shared scene.
#[derive(Default)]
pub struct SharedEdits {
    log: Vec<LoggedEdit>,
    /// The numbers of the runs to which they belong.
    runs: Vec<u64>,
    /// The number of the replayed run.
    run: Option<u64>,
    replay: Replay,
    /// The transactions of the log, with those of the host that represent them.
    transactions: BTreeMap<u64, u64>,
}

/// The start of a run in which the shared changes are made again: with the user's changes, without the shared ones.
pub struct OwnStart {
    /// The scene at its start.
    pub scene: Scene,
    /// The robots and objects of the user, added once the run has started.
    pub added: Vec<Edit>,
}

impl SharedEdits {
    /// Sets the changes of the present run, which begins as the shared scene.
    pub fn begin(&mut self, host: &Host, log: &[LoggedEdit]) {
        if self.log != log {
            *self = Self { log: log.to_vec(), ..Self::default() };
        }
        self.runs.push(host.run_number());
        // A restarted run may keep its number.
        self.run = None;
    }

    /// Whether the shared changes belong to the present run of a host.
    pub fn are_of(&self, host: &Host) -> bool {
        !self.log.is_empty() && self.runs.contains(&host.run_number())
    }

    /// Whether an edit of the present run is one of the shared changes.
    pub fn has_made(&self, logged: &LoggedEdit) -> bool {
        let is_in_log = || self.log.iter().any(|known| known.step == logged.step && known.edit == logged.edit);
        logged.transaction == 0 || self.transactions.values().any(|known| *known == logged.transaction) || is_in_log()
    }

    /// Returns the changes of the next step, with new transactions.
    pub fn due(&mut self, host: &mut Host) -> Vec<LoggedEdit> {
        self.follow(host);
        let due: Vec<LoggedEdit> = self.replay.due(host.simulation().steps() + 1).collect();
        let numbered = due.into_iter().map(|logged| {
            let transaction = match logged.transaction {
                0 => 0,
                known => *self.transactions.entry(known).or_insert_with(|| host.new_transaction()),
            };
            LoggedEdit { transaction, ..logged }
        });
        numbered.collect()
    }

    /// Returns the step of the next shared changes.
    pub fn next_step(&self) -> Option<u64> {
        self.replay.next_step()
    }

    /// Returns the remaining changes of the present run.
    pub fn to_come(&self) -> impl Iterator<Item = &LoggedEdit> {
        let from = self.next_step().unwrap_or(u64::MAX);
        self.log.iter().filter(move |logged| logged.step >= from)
    }

    /// Follows undo, redo or a reset to another run; a run that does not begin as the shared one has no shared changes.
    fn follow(&mut self, host: &Host) {
        let number = host.run_number();
        if self.run.replace(number) == Some(number) {
            return;
        }
        self.transactions.clear();
        self.replay = Replay::default();
        // A branch continues the run that it leaves.
        let timeline = host.timeline();
        let parent = |id: &BranchId| Some(timeline.branch(*id)?.parent()?.branch);
        let mut line = std::iter::successors(Some(BranchId(number)), parent);
        if line.any(|id| self.runs.contains(&id.0)) {
            // Changes made while paused belong to the next step.
            let last = |log: Option<&LoggedEdit>| log.map_or(0, |logged| logged.step);
            let of_branch = last(host.timeline().present().applied().last());
            self.replay = Replay::new(self.log.clone());
            self.replay.go_on_from(host.live_end().max(of_branch).max(last(host.simulation().edits().last())));
        }
    }
}
