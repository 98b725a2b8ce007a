//! All edits of a run, including undone ones, and the names of changes.

use std::collections::BTreeMap;

use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::Simulation;

use super::words::{self, Names};

/// A change: the edits of one transaction, which are undone together.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The number of the transaction: later ones have higher numbers.
    pub transaction: u64,
    /// The step at whose start the first of its edits was applied.
    pub step: u64,
    /// The description of the change: `Moved miller-3`.
    pub label: String,
    /// The paths and values of the parameters that were set, one per line.
    pub paths: String,
    /// The number of edits.
    pub edits: usize,
    /// Whether it was undone.
    pub is_undone: bool,
}

/// All edits of a run, in order.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
    /// The number of edits that are in the log of the simulation.
    seen: usize,
    /// The number of edits that are to be undone.
    undone: usize,
    /// The number of edits in the log that had replaced others at the last update; `None` for another log.
    replaced: Option<u64>,
    /// The number of times that the changes have changed.
    revision: u64,
    /// The names of changed agents, by number; some of these agents no longer exist.
    names: BTreeMap<u32, String>,
}

#[derive(Clone, Debug)]
struct LedgerEntry {
    logged: LoggedEdit,
    /// Whether the edit is to be undone.
    is_undone: bool,
    /// Whether the edit is undone in the present simulation.
    was_undone: bool,
    /// Whether the edit is not valid without one that was undone.
    is_skipped: bool,
}

impl LedgerEntry {
    fn new(logged: LoggedEdit) -> Self {
        Self { logged, is_undone: false, was_undone: false, is_skipped: false }
    }

    /// Whether the edit is in the log of the simulation.
    fn is_applied(&self) -> bool {
        !self.was_undone && !self.is_skipped
    }
}

impl Ledger {
    /// Creates a ledger from the edits of a log, none of them undone.
    pub fn from_log(log: Vec<LoggedEdit>) -> Self {
        let entries: Vec<LedgerEntry> = log.into_iter().map(LedgerEntry::new).collect();
        Self { seen: entries.len(), entries, ..Self::default() }
    }

    /// Adds the edits that are new in the log of the simulation since the last update.
    pub fn take_in(&mut self, simulation: &Simulation) {
        let log = simulation.edits();
        let Some(latest) = log.last().filter(|_| log.len() >= self.seen) else { return };
        let (known, news) = log.split_at(self.seen);
        // A drag while the clock is paused replaces logged edits.
        let replaced = Some(simulation.replaced_edits());
        let has_replaced = std::mem::replace(&mut self.replaced, replaced) != replaced;
        if has_replaced {
            let applied = self.entries.iter_mut().filter(|entry| entry.is_applied()).rev();
            let of_step = known.iter().rev().take_while(|logged| logged.step == latest.step);
            for (entry, logged) in applied.zip(of_step) {
                if entry.logged != *logged {
                    entry.logged.clone_from(logged);
                }
            }
        }
        self.revision += u64::from(has_replaced || !news.is_empty());
        self.entries.extend(news.iter().cloned().map(LedgerEntry::new));
        self.seen = log.len();
    }

    /// A number that changes whenever the changes do.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether there is anything to undo or redo.
    pub fn has_changes(&self) -> bool {
        self.entries.iter().any(|entry| entry.logged.transaction > 0)
    }

    /// Records the name of the agent that an edit changes.
    pub fn note_name(&mut self, simulation: &Simulation, edit: &Edit) {
        if let Some(number) = words::agent_of(edit)
            && let Some(agent) = simulation.agent(number)
        {
            // An earlier agent with this number belongs to undone changes.
            self.names.insert(number, agent.name());
        }
    }

    /// Forgets undone changes.
    pub fn forget_undone(&mut self) {
        if self.undone == 0 {
            return;
        }
        self.entries.retain(|entry| !entry.was_undone || !entry.is_undone);
        self.count_undone();
    }

    /// The last change that is not undone.
    pub fn last_done(&self) -> Option<u64> {
        self.entries
            .iter()
            .rev()
            .find(|entry| entry.logged.transaction > 0 && !entry.is_undone)
            .map(LedgerEntry::transaction)
    }

    /// The highest transaction of the changes that are not undone; 0 for none.
    pub fn latest_done(&self) -> u64 {
        self.entries.iter().filter(|entry| !entry.is_undone).map(LedgerEntry::transaction).max().unwrap_or_default()
    }

    /// The first change that is to be undone.
    pub fn first_undone(&self) -> Option<u64> {
        if self.undone == 0 {
            return None;
        }
        self.entries.iter().find(|entry| entry.is_undone).map(LedgerEntry::transaction)
    }

    /// Marks the changes whose transactions satisfy a predicate as undone, and all others as done.
    pub fn undo_where(&mut self, is_undone: impl Fn(u64) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| entry.logged.transaction > 0) {
            entry.is_undone = is_undone(entry.logged.transaction);
        }
        self.count_undone();
    }

    fn count_undone(&mut self) {
        self.undone = self.entries.iter().filter(|entry| entry.is_undone).count();
        self.revision += 1;
    }

    /// The first step at which the present simulation differs from the intended one; `None` if they are equal.
    pub fn first_difference(&self) -> Option<u64> {
        self.entries.iter().find(|entry| entry.is_undone != entry.was_undone).map(|entry| entry.logged.step)
    }

    /// Whether the difference affects the time scale only, and no result.
    pub fn differs_in_speed_alone(&self) -> bool {
        let mut different = self.entries.iter().filter(|entry| entry.is_undone != entry.was_undone);
        different.all(|entry| matches!(entry.logged.edit, Edit::TimeScale { .. }))
    }

    /// The intended log up to the end of a step, without edits that were not valid before.
    pub fn log_until(&self, step: u64) -> Vec<LoggedEdit> {
        let kept = self.entries.iter().filter(|entry| !entry.is_undone && !entry.is_skipped);
        kept.map(|entry| &entry.logged).filter(|logged| logged.step <= step).cloned().collect()
    }

    /// The edits that are in the simulation, or were at the end of the branch, in order.
    pub fn applied(&self) -> impl Iterator<Item = &LoggedEdit> {
        self.entries.iter().filter(|entry| entry.is_applied()).map(|entry| &entry.logged)
    }

    /// The edits of a step.
    pub fn applied_at(&self, step: u64) -> Vec<LoggedEdit> {
        let first = self.entries.partition_point(|entry| entry.logged.step < step);
        let of_step = self.entries.iter().skip(first).take_while(|entry| entry.logged.step == step);
        of_step.filter(|entry| entry.is_applied()).map(|entry| entry.logged.clone()).collect()
    }

    /// The edits up to the end of a step.
    pub fn applied_until(&self, step: u64) -> Vec<LoggedEdit> {
        self.applied().take_while(|logged| logged.step <= step).cloned().collect()
    }

    /// The indices of the edits after a step.
    pub fn applied_after(&self, step: u64) -> Vec<usize> {
        let is_due = |entry: &LedgerEntry| entry.is_applied() && entry.logged.step > step;
        self.entries.iter().enumerate().filter(|(_, entry)| is_due(entry)).map(|(place, _)| place).collect()
    }

    /// The number of edits.
    pub fn count(&self) -> usize {
        self.seen
    }

    /// All edits up to the end of a step, without undone ones, for a branch that leaves there.
    pub fn until(&self, step: u64) -> Self {
        let kept = self.entries.iter().filter(|entry| entry.is_applied() && entry.logged.step <= step);
        let entries: Vec<LedgerEntry> = kept.cloned().map(|entry| LedgerEntry { is_undone: false, ..entry }).collect();
        let (seen, names) = (entries.len(), self.names.clone());
        Self { seen, entries, undone: 0, replaced: None, revision: self.revision + 1, names }
    }

    /// Whether a change up to the end of a step can be undone.
    pub fn has_done_until(&self, step: u64) -> bool {
        self.entries.iter().any(|entry| entry.logged.transaction > 0 && !entry.is_undone && entry.logged.step <= step)
    }

    /// The indices of the edits to apply after a step.
    pub fn due_after(&self, step: u64) -> Vec<usize> {
        let is_due = |entry: &LedgerEntry| !entry.is_undone && entry.logged.step > step;
        self.entries.iter().enumerate().filter(|(_, entry)| is_due(entry)).map(|(place, _)| place).collect()
    }

    /// The edit at an index.
    pub fn edit(&self, place: usize) -> Option<&LoggedEdit> {
        self.entries.get(place).map(|entry| &entry.logged)
    }

    /// Records that the simulation has reached the intended state, except for invalid edits, by index; returns the
    /// number of newly invalid ones. `from` is the step that it went back to.
    pub fn confirm(&mut self, from: u64, skipped: &[usize]) -> usize {
        let mut new = 0;
        for (place, entry) in self.entries.iter_mut().enumerate() {
            entry.was_undone = entry.is_undone;
            if entry.logged.step > from {
                let is_skipped = skipped.contains(&place);
                new += usize::from(is_skipped && !entry.is_skipped);
                entry.is_skipped = is_skipped;
            }
        }
        self.seen = self.entries.iter().filter(|entry| entry.is_applied()).count();
        self.replaced = None;
        self.revision += 1;
        new
    }

    /// Records that the simulation stays as it is.
    pub fn revert(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.is_undone = entry.was_undone);
        self.count_undone();
    }

    /// All changes, in order.
    pub fn changes(&self, simulation: &Simulation) -> Vec<Change> {
        let mut places: BTreeMap<u64, Vec<&LedgerEntry>> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.logged.transaction > 0) {
            places.entry(entry.logged.transaction).or_default().push(entry);
        }
        let change = |(transaction, entries): (u64, Vec<&LedgerEntry>)| Change {
            transaction,
            step: entries.first().map_or(0, |first| first.logged.step),
            label: self.words_of(&edits_of(&entries), simulation),
            paths: words::paths_of(&edits_of(&entries)),
            edits: entries.len(),
            is_undone: entries.iter().all(|entry| entry.is_undone),
        };
        places.into_iter().map(change).collect()
    }

    /// The name of a change.
    pub fn label(&self, transaction: u64, simulation: &Simulation) -> String {
        let entries: Vec<&LedgerEntry> =
            self.entries.iter().filter(|entry| entry.logged.transaction == transaction).collect();
        self.words_of(&edits_of(&entries), simulation)
    }

    /// The description of edits.
    pub fn words_of(&self, edits: &[&Edit], simulation: &Simulation) -> String {
        let name = |number: u32| {
            let known = self.names.get(&number).cloned();
            let there = || simulation.agent(number).map(|agent| agent.name());
            known.or_else(there).unwrap_or_else(|| format!("robot {number}"))
        };
        words::in_words(edits, &Names { robot: &name, kinds: simulation.kinds(), scene: simulation.scene_ahead() })
    }
}

fn edits_of<'e>(entries: &[&'e LedgerEntry]) -> Vec<&'e Edit> {
    entries.iter().map(|entry| &entry.logged.edit).collect()
}

impl LedgerEntry {
    fn transaction(&self) -> u64 {
        self.logged.transaction
    }
}
