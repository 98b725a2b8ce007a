//! Undo and redo: a change is taken out of the log, and the run is simulated again from the last snapshot before it.
//!
//! That is done on a second simulation, in slices, which takes the place of the first when it has come as far.

use swarmarium_base::problem::Problems;

use super::Host;
use crate::clock::host::Change;
use crate::clock::host::ledger::Ledger;
use crate::clock::host::track::Track;
use crate::edit::{Edit, LoggedEdit};
use crate::scene::Scene;
use crate::simulation::Simulation;

/// The most runs that are kept of before a reset, and the most agents that these may have together.
const MOST_RUNS: usize = 16;
const MOST_AGENTS: usize = 100_000;

/// A run that is not the present one: of before a reset, or of after one that was undone. It has no snapshots, for these
/// take much memory: what is undone in it is simulated again from its start.
pub(super) struct Run {
    simulation: Simulation,
    start: Scene,
    ledger: Ledger,
    carried: Vec<Edit>,
    number: u64,
    /// The reset that leads from it to the next one, or to it from the one before, where that was undone.
    reset: Change,
}

/// How far a run is simulated again.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Steps that are done.
    pub done: u64,
    /// All that are to be done.
    pub steps: u64,
    /// What for, in words.
    pub label: String,
}

/// A run that is simulated again.
pub(super) struct Resimulation {
    simulation: Simulation,
    track: Track,
    /// The edits to apply, by their places, and how many are.
    due: Vec<usize>,
    next: usize,
    /// Those that make no sense any more.
    skipped: Vec<usize>,
    /// From the end of which step to that of which other one.
    from: u64,
    to: u64,
    label: String,
}

impl Resimulation {
    /// Applies the edits of the next step.
    fn apply_due(&mut self, ledger: &Ledger) {
        let next_step = self.simulation.steps() + 1;
        let due = self.due.iter().skip(self.next).map_while(|place| Some((*place, ledger.edit(*place)?)));
        let due = due.take_while(|(_, logged)| logged.step <= next_step);
        let (places, edits): (Vec<usize>, Vec<LoggedEdit>) = due.map(|(place, logged)| (place, logged.clone())).unzip();
        self.next += places.len();
        let done = edits.chunk_by(LoggedEdit::goes_with).flat_map(|run| self.simulation.replay_run(run));
        self.skipped.extend(places.into_iter().zip(done).filter(|(_, done)| done.is_err()).map(|(place, _)| place));
    }
}

/// The time scale that a log leads to.
fn scale_of(start: &Scene, log: &[LoggedEdit]) -> f64 {
    let scale = |logged: &LoggedEdit| if let Edit::TimeScale { scale } = logged.edit { Some(scale) } else { None };
    log.iter().rev().find_map(scale).unwrap_or(start.time.scale)
}

impl Host {
    /// Keeps what it takes to undo changes from now on: snapshots on the way, and runs of before a reset.
    pub fn keep_track(&mut self) {
        self.track.get_or_insert_default();
        self.note_edits();
    }

    /// A number for a new transaction: edits with the same one are undone together.
    pub fn new_transaction(&mut self) -> u64 {
        self.transaction += 1;
        self.transaction
    }

    /// Undoes the last change; what it was. The present run is simulated again without it, see [`resimulate`](Self::resimulate).
    ///
    /// `None` when there is nothing to undo.
    pub fn undo(&mut self) -> Option<String> {
        self.track.as_ref()?;
        self.flush_edits();
        if let Some(label) = self.take_back_later() {
            return Some(label);
        }
        let Some(transaction) = self.ledger.last_done() else {
            let label = self.past.last()?.reset.label.clone();
            self.step_back();
            self.begin_rework(&label);
            return Some(label);
        };
        let label = self.ledger.label(transaction, &self.simulation);
        self.ledger.undo_where(|known| known >= transaction);
        self.begin_rework(&label);
        Some(label)
    }

    /// Whether a transaction is that of the last change, which alone [`undo`](Self::undo) takes back; it may still wait
    /// for the next step.
    pub fn is_last_change(&self, transaction: u64) -> bool {
        let latest = self.ledger.latest_done().max(self.simulation.latest_waiting_transaction());
        transaction > 0 && latest == transaction && self.track.is_some() && self.resimulation.is_none()
    }

    /// Does the change again that was undone last; what it was. `None` when there is none.
    pub fn redo(&mut self) -> Option<String> {
        self.track.as_ref()?;
        self.flush_edits();
        let Some(transaction) = self.ledger.first_undone() else {
            let label = self.future.last()?.reset.label.clone();
            self.step_forth();
            self.begin_rework(&label);
            return Some(label);
        };
        let label = self.ledger.label(transaction, &self.simulation);
        self.ledger.undo_where(|known| known > transaction);
        self.begin_rework(&label);
        Some(label)
    }

    /// Undoes and redoes changes so that one, by its transaction, is the last one that holds; 0 undoes all, `u64::MAX` none.
    pub fn go_to(&mut self, transaction: u64) {
        if self.track.is_none() {
            return;
        }
        self.flush_edits();
        self.drop_later(transaction);
        let is_done = |last: Option<u64>| last.is_some_and(|last| last > transaction);
        let is_back = is_done(self.ledger.last_done()) || is_done(self.past.last().map(|run| run.reset.transaction));
        while self.past.last().is_some_and(|run| run.reset.transaction > transaction) {
            self.ledger.undo_where(|_| true);
            self.step_back();
        }
        while self.future.last().is_some_and(|run| run.reset.transaction <= transaction) {
            self.ledger.undo_where(|_| false);
            self.step_forth();
        }
        self.ledger.undo_where(|known| known > transaction);
        self.begin_rework(if is_back { "Undo" } else { "Redo" });
    }

    /// All changes, in their order: those of runs before a reset, the resets, those that were undone.
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        for run in &self.past {
            changes.extend(run.ledger.changes(&run.simulation));
            changes.push(run.reset.clone());
        }
        changes.extend(self.ledger.changes(&self.simulation));
        for run in self.future.iter().rev() {
            changes.push(Change { is_undone: true, ..run.reset.clone() });
            let of_run = run.ledger.changes(&run.simulation);
            changes.extend(of_run.into_iter().map(|change| Change { is_undone: true, ..change }));
        }
        changes
    }

    /// What is another one whenever [`changes`](Self::changes) gives others.
    pub fn revision(&self) -> (u64, u64) {
        (self.revision, self.ledger.revision())
    }

    /// Whether there is something to undo, and to redo.
    pub fn can_undo_and_redo(&self) -> [bool; 2] {
        let waits =
            self.simulation.waiting_edits().len() > 0 || self.later.iter().any(|(_, transaction)| *transaction > 0);
        [
            self.ledger.last_done().is_some() || !self.past.is_empty() || waits,
            self.ledger.first_undone().is_some() || !self.future.is_empty(),
        ]
    }

    /// How far the run is simulated again after a change was undone or redone; `None` when it is as it should be.
    ///
    /// While there is one, [`advance`](Self::advance) goes on with it in place of steps; edits wait for its end.
    pub fn resimulate(&self) -> Option<Progress> {
        let Resimulation { simulation, from, to, label, .. } = self.resimulation.as_ref()?;
        Some(Progress { done: simulation.steps() - from, steps: to - from, label: label.clone() })
    }

    /// Leaves the run as it is, and what was to be undone or redone with it.
    pub fn cancel_rework(&mut self) {
        if self.resimulation.take().is_some() {
            self.ledger.revert();
            self.make_up();
        }
    }

    /// Goes on with simulating the run again, as far as the budget allows; `on_step` sees each step that is done again.
    pub fn advance_rework(&mut self, mut budget: impl FnMut() -> bool, mut on_step: impl FnMut(&Simulation)) {
        loop {
            let Some(resimulation) = &mut self.resimulation else { return };
            resimulation.apply_due(&self.ledger);
            if resimulation.simulation.steps() >= resimulation.to {
                resimulation.simulation.flush_edits();
                return self.finish_rework();
            }
            resimulation.simulation.step(1);
            resimulation.track.note(&mut resimulation.simulation);
            on_step(&resimulation.simulation);
            if !budget() {
                return;
            }
        }
    }

    /// How often another simulation took the place of the present one, by undo and redo.
    pub fn swaps(&self) -> u64 {
        self.swaps
    }

    /// The number of the present run: each start has its own, to which undo comes back.
    pub fn run_number(&self) -> u64 {
        self.number
    }

    /// What there is to tell since the last call, such as edits that make no sense any more.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Takes note of the edits that were applied.
    pub(super) fn note_edits(&mut self) {
        if self.track.is_some() {
            self.ledger.take_in(&self.simulation);
        }
    }

    /// A new change: what was undone cannot be redone any more.
    pub(super) fn forget_redo(&mut self) {
        self.ledger.forget_undone();
        self.future.clear();
    }

    /// Begins to simulate the run again as it is to be, if it is to be another one.
    fn begin_rework(&mut self, label: &str) {
        self.resimulation = None;
        let Some(first) = self.ledger.first_difference() else { return self.make_up() };
        if self.ledger.differs_in_speed_alone() {
            let log = self.ledger.log_until(u64::MAX);
            let scale = scale_of(&self.start, &log);
            self.simulation.replace_log(log, scale);
            self.ledger.confirm(u64::MAX, &[]);
            self.follow_edits();
            return self.make_up();
        }
        match self.reworked_from(first, label) {
            Ok(resimulation) => self.resimulation = Some(resimulation),
            Err(problems) => {
                self.ledger.revert();
                self.notes.push(problems.to_string());
                self.make_up();
            }
        }
    }

    /// A second simulation, at the last snapshot before a step.
    fn reworked_from(&self, first: u64, label: &str) -> Result<Resimulation, Problems> {
        let mut simulation = Simulation::with_workers(&self.start, &self.recipe, (self.workers)())?;
        simulation.begin_at(self.simulation.epoch_s());
        let track = self.track.clone().unwrap_or_default();
        let from = match track.before(first) {
            Some((from, snapshot)) => {
                let log = self.ledger.log_until(*from);
                let scale = scale_of(&self.start, &log);
                let fits = simulation.go_back_to(snapshot, log, scale);
                fits.map_err(|error| Problems::of_file("snapshot", error.to_string()))?;
                *from
            }
            None => 0,
        };
        Ok(Resimulation {
            simulation,
            track: track.until(from),
            due: self.ledger.due_after(from),
            next: 0,
            skipped: Vec::new(),
            from,
            to: self.simulation.steps(),
            label: label.into(),
        })
    }

    fn finish_rework(&mut self) {
        let Some(resimulation) = self.resimulation.take() else { return };
        let skipped = self.ledger.confirm(resimulation.from, &resimulation.skipped);
        if skipped > 0 {
            let text = if skipped == 1 { "1 later edit makes".into() } else { format!("{skipped} later edits make") };
            self.notes.push(format!("{text} no sense without it, and is left out"));
        }
        (self.simulation, self.track) = (resimulation.simulation, Some(resimulation.track));
        self.swapped();
        self.make_up();
    }

    /// The present simulation is another one now.
    fn swapped(&mut self) {
        self.swaps += 1;
        self.ended = self.stops && self.simulation.is_at_end();
        self.follow_edits();
    }

    /// Applies the edits that waited for the end of a resimulation.
    fn make_up(&mut self) {
        let later = std::mem::take(&mut self.later);
        for of_transaction in later.chunk_by(|(_, transaction), (_, next)| transaction == next) {
            let edits: Vec<Edit> = of_transaction.iter().map(|(edit, _)| edit.clone()).collect();
            let transaction = of_transaction.first().map_or(0, |(_, transaction)| *transaction);
            let problems = self.apply_all(&edits, transaction).into_iter().filter_map(Result::err);
            self.notes.extend(problems.map(|problem| problem.to_string()));
        }
    }

    /// Takes the last change out of those that wait for the end of a resimulation; what it was.
    fn take_back_later(&mut self) -> Option<String> {
        let transaction =
            self.later.iter().rev().map(|(_, transaction)| *transaction).find(|transaction| *transaction > 0)?;
        let of_it = |(_, known): &&(Edit, u64)| *known == transaction;
        let edits: Vec<&Edit> = self.later.iter().filter(of_it).map(|(edit, _)| edit).collect();
        let label = self.ledger.words_of(&edits, &self.simulation);
        self.later.retain(|(_, known)| *known != transaction);
        Some(label)
    }

    /// Drops the edits after a change that wait for the end of a resimulation, and tells how many people lose.
    fn drop_later(&mut self, transaction: u64) {
        let before = self.later.len();
        self.later.retain(|(_, known)| *known <= transaction);
        self.tell_lost(before - self.later.len());
    }

    fn tell_lost(&mut self, edits: usize) {
        match edits {
            0 => {}
            1 => self.notes.push("1 edit that waited is left out".into()),
            lost => self.notes.push(format!("{lost} edits that waited are left out")),
        }
    }

    /// Keeps the run of before a reset, which has just been replaced.
    pub(super) fn remember(&mut self, before: (Simulation, Scene), label: String, transaction: u64) {
        let (simulation, start) = before;
        let reset = Change { transaction, step: simulation.steps(), label, edits: 0, is_undone: false };
        self.forget_redo();
        self.past.push(Run {
            simulation,
            start,
            ledger: std::mem::take(&mut self.ledger),
            carried: std::mem::take(&mut self.carried),
            number: self.number,
            reset,
        });
        self.track = Some(Track::default());
        self.revision += 1;
        let agents = |run: &Run| run.simulation.agents().count();
        while self.past.len() > MOST_RUNS || self.past.iter().map(agents).sum::<usize>() > MOST_AGENTS {
            self.past.remove(0);
        }
    }

    /// Whether a change with this transaction made the present run.
    pub(super) fn last_start_is_of(&self, transaction: u64) -> bool {
        self.past.last().is_some_and(|run| run.reset.transaction == transaction)
    }

    /// Gives the change that made the present run another name.
    pub(super) fn rename_last_start(&mut self, label: String) {
        if let Some(run) = self.past.last_mut() {
            run.reset.label = label;
        }
    }

    /// Takes the run of another host for the present one, as a reset that can be undone.
    ///
    /// What was changed in it before cannot be undone by itself: the last thing that was done is that it was taken.
    pub fn take_run_of(&mut self, mut other: Self, label: &'static str) {
        self.cancel_rework();
        self.flush_edits();
        other.flush_edits();
        let Self { mut simulation, start, .. } = other;
        let log = simulation.edits().iter().cloned().map(|logged| LoggedEdit { transaction: 0, ..logged }).collect();
        let scale = simulation.time_scale();
        simulation.replace_log(log, scale);
        let before = (std::mem::replace(&mut self.simulation, simulation), std::mem::replace(&mut self.start, start));
        match self.track {
            Some(_) => {
                let transaction = self.new_transaction();
                self.remember(before, label.into(), transaction);
            }
            None => self.forget_changes(),
        }
        self.runs += 1;
        self.number = self.runs;
        self.note_edits();
        self.swapped();
    }

    /// Forgets all changes.
    pub(super) fn forget_changes(&mut self) {
        (self.ledger, self.resimulation) = (Ledger::default(), None);
        self.revision += 1;
        self.past.clear();
        self.future.clear();
        self.later.clear();
        self.carried.clear();
        if self.track.is_some() {
            self.track = Some(Track::default());
        }
    }

    /// Goes back over the last reset.
    fn step_back(&mut self) {
        if let Some(run) = self.past.pop() {
            let reset = run.reset.clone();
            let present = self.exchange(run);
            self.future.push(Run { reset, ..present });
        }
    }

    /// Goes forth over the reset that was undone last.
    fn step_forth(&mut self) {
        if let Some(run) = self.future.pop() {
            let reset = run.reset.clone();
            let present = self.exchange(run);
            self.past.push(Run { reset, ..present });
        }
    }

    /// Takes a run for the present one; gives that which was.
    fn exchange(&mut self, run: Run) -> Run {
        self.resimulation = None;
        // They were made for the run that goes, and would come to another one.
        let waits = std::mem::take(&mut self.later);
        self.tell_lost(waits.len());
        let Run { simulation, start, ledger, carried, number, reset } = run;
        let before = Run {
            simulation: std::mem::replace(&mut self.simulation, simulation),
            start: std::mem::replace(&mut self.start, start),
            ledger: std::mem::replace(&mut self.ledger, ledger),
            carried: std::mem::replace(&mut self.carried, carried),
            number: std::mem::replace(&mut self.number, number),
            reset,
        };
        self.track = Some(Track::default());
        self.revision += 1;
        self.clock.restart();
        self.swapped();
        before
    }
}
