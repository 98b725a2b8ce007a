//! The changes that a scene was shared with: they are made again at their steps, in the runs that begin as it did.

use std::collections::BTreeMap;

use swarmarium_core::clock::Host;
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::edit::log::Replay;

/// The changes that the open scene was shared with.
#[derive(Default)]
pub struct SharedEdits {
    log: Vec<LoggedEdit>,
    /// The numbers of the runs that they belong to.
    runs: Vec<u64>,
    /// The run that is replayed, by its number.
    run: Option<u64>,
    replay: Replay,
    /// The transactions of the log, and those of the host that stand for them.
    transactions: BTreeMap<u64, u64>,
}

impl SharedEdits {
    /// The present run of a host begins as the scene that was shared with these changes.
    pub fn begin(&mut self, host: &Host, log: &[LoggedEdit]) {
        if self.log != log {
            *self = Self { log: log.to_vec(), ..Self::default() };
        }
        self.runs.push(host.run_number());
    }

    /// The changes of the next step, with transactions that no other change has.
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

    /// The step of the next ones that are still to come.
    pub fn next_step(&self) -> Option<u64> {
        self.replay.next_step()
    }

    /// The changes of the present run that are still to come.
    pub fn to_come(&self) -> impl Iterator<Item = &LoggedEdit> {
        let from = self.next_step().unwrap_or(u64::MAX);
        self.log.iter().filter(move |logged| logged.step >= from)
    }

    /// Goes on with another run where undo, redo or a reset led to one: a run of its own has none of these changes.
    fn follow(&mut self, host: &Host) {
        let number = host.run_number();
        if self.run.replace(number) == Some(number) {
            return;
        }
        self.transactions.clear();
        self.replay = Replay::default();
        if self.runs.contains(&number) {
            let simulation = host.simulation();
            // What was changed while time stood still is of the next step.
            let last = simulation.edits().last().map_or(0, |logged| logged.step);
            self.replay = Replay::new(self.log.clone());
            self.replay.go_on_from(simulation.steps().max(last));
        }
    }
}
