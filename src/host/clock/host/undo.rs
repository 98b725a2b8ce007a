//! Undo and redo: a change is removed from the log of a branch, and the branch is resimulated from the last keyframe
//! before it. Undoing a reset leads back to the branch before it.

use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

use super::Host;
use super::resimulation::{self, Purpose, scale_of};
use crate::clock::host::Change;
use crate::timeline::BranchId;

impl Host {
    /// The number of a new transaction; edits of one transaction are undone together.
    pub fn new_transaction(&mut self) -> u64 {
        self.transaction += 1;
        self.transaction
    }

    /// Undoes the last change and returns its name. The present run is resimulated without it, see
    /// [`resimulate`](Self::resimulate).
    ///
    /// Returns `None` if there is nothing to undo.
    pub fn undo(&mut self) -> Option<String> {
        if !self.keeps_past {
            return None;
        }
        self.flush_edits();
        if let Some(label) = self.take_back_later() {
            return Some(label);
        }
        if !self.is_resimulating_changes() {
            self.cancel_resimulation();
        }
        if self.is_in_past() {
            self.cancel_resimulation();
            let step = self.simulation.steps();
            if !self.timeline.present().ledger.has_done_until(step) {
                return self.undo_start();
            }
            // The earlier future stays as its own branch.
            self.leave_branch();
        }
        let Some(transaction) = self.timeline.present().ledger.last_done() else { return self.undo_start() };
        let label = self.timeline.present().ledger.label(transaction, &self.simulation);
        self.timeline.present_mut().ledger.undo_where(|known| known >= transaction);
        self.begin_resimulating_changes(&label);
        Some(label)
    }

    /// Undoes the reset that began the present branch.
    fn undo_start(&mut self) -> Option<String> {
        let (_, reset) = self.timeline.past().next()?;
        let label = reset.label.clone();
        self.leave_for_before();
        self.begin_resimulating_changes(&label);
        Some(label)
    }

    /// Whether a transaction is that of the last change, the only one that [`undo`](Self::undo) takes back; it may
    /// still wait for the next step.
    pub fn is_last_change(&self, transaction: u64) -> bool {
        let latest = self.timeline.present().ledger.latest_done();
        let latest = latest.max(self.simulation.latest_waiting_transaction());
        transaction > 0 && latest == transaction && self.keeps_past && !self.is_resimulating()
    }

    /// Redoes the change that was undone last and returns its name; `None` if there is none.
    pub fn redo(&mut self) -> Option<String> {
        if !self.keeps_past {
            return None;
        }
        self.flush_edits();
        if !self.is_resimulating_changes() {
            self.cancel_resimulation();
        }
        let Some(transaction) = self.timeline.present().ledger.first_undone() else {
            let (_, reset) = self.timeline.future().next()?;
            let label = reset.label.clone();
            self.leave_for_after();
            self.begin_resimulating_changes(&label);
            return Some(label);
        };
        let label = self.timeline.present().ledger.label(transaction, &self.simulation);
        self.timeline.present_mut().ledger.undo_where(|known| known > transaction);
        self.begin_resimulating_changes(&label);
        Some(label)
    }

    /// Undoes and redoes changes so that the one of a transaction is the last active one; 0 undoes all, `u64::MAX`
    /// none.
    pub fn go_to(&mut self, transaction: u64) {
        if !self.keeps_past {
            return;
        }
        self.flush_edits();
        self.drop_later(transaction);
        if !self.is_resimulating_changes() {
            self.cancel_resimulation();
        }
        let is_done = |last: Option<u64>| last.is_some_and(|last| last > transaction);
        let last_reset = |host: &Self| host.timeline.past().next().map(|(_, reset)| reset.transaction);
        let is_back = is_done(self.timeline.present().ledger.last_done()) || is_done(last_reset(self));
        while is_done(last_reset(self)) {
            self.timeline.present_mut().ledger.undo_where(|_| true);
            if !self.leave_for_before() {
                break;
            }
        }
        while self.timeline.future().next().is_some_and(|(_, reset)| reset.transaction <= transaction) {
            self.timeline.present_mut().ledger.undo_where(|_| false);
            if !self.leave_for_after() {
                break;
            }
        }
        self.timeline.present_mut().ledger.undo_where(|known| known > transaction);
        self.begin_resimulating_changes(if is_back { "Undo" } else { "Redo" });
    }

    /// All changes, in order: those of branches before a reset, the resets, and undone changes.
    pub fn changes(&self) -> Vec<Change> {
        let of_branch = |branch: &crate::timeline::Branch| branch.ledger.changes(&self.simulation);
        let past: Vec<_> = self.timeline.past().collect();
        let mut changes = Vec::new();
        for (branch, reset) in past.into_iter().rev() {
            changes.extend(of_branch(branch));
            changes.push(reset.clone());
        }
        changes.extend(of_branch(self.timeline.present()));
        for (branch, reset) in self.timeline.future() {
            changes.push(Change { is_undone: true, ..reset.clone() });
            changes.extend(of_branch(branch).into_iter().map(|change| Change { is_undone: true, ..change }));
        }
        changes
    }

    /// A number pair that changes whenever the result of [`changes`](Self::changes) does.
    pub fn revision(&self) -> (u64, u64) {
        (self.revision, self.timeline.present().ledger.revision())
    }

    /// Whether there is something to undo, and something to redo.
    pub fn can_undo_and_redo(&self) -> [bool; 2] {
        let waits =
            self.simulation.waiting_edits().len() > 0 || self.later.iter().any(|(_, transaction)| *transaction > 0);
        let ledger = &self.timeline.present().ledger;
        let is_done = match self.is_in_past() {
            true => ledger.has_done_until(self.simulation.steps()),
            false => ledger.last_done().is_some(),
        };
        [
            is_done || self.timeline.past().next().is_some() || waits,
            ledger.first_undone().is_some() || self.timeline.future().next().is_some(),
        ]
    }

    /// Whether changes are being undone or redone, which changes the present branch.
    pub fn is_resimulating_changes(&self) -> bool {
        let purpose = self.resimulation.as_ref().map(|resimulation| &resimulation.purpose);
        matches!(purpose, Some(Purpose::Changes { .. }))
    }

    /// Takes the notes for the user since the last call, such as edits that are no longer valid.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Records the applied edits.
    pub(super) fn note_edits(&mut self) {
        if self.keeps_past && !self.is_in_past() {
            self.timeline.present_mut().ledger.take_in(&self.simulation);
        }
    }

    /// Discards undone changes at a new change: they cannot be redone any more.
    pub(super) fn forget_redo(&mut self) {
        self.timeline.forget_redo();
    }

    /// Begins to resimulate the run with its new log, if that differs.
    fn begin_resimulating_changes(&mut self, label: &str) {
        if let Some(resimulation) = self.resimulation.take() {
            self.keep_spare_of(resimulation.seat, resimulation.branch);
        }
        let branch = self.timeline.present();
        let Some(first) = branch.ledger.first_difference() else { return self.make_up() };
        if branch.ledger.differs_in_speed_alone() {
            let last = if self.is_in_past() { self.simulation.steps() } else { u64::MAX };
            let log = branch.ledger.log_until(last);
            let scale = scale_of(branch.start(), &log);
            self.simulation.replace_log(log, scale);
            self.timeline.present_mut().ledger.confirm(u64::MAX, &[]);
            self.follow_edits();
            return self.make_up();
        }
        let until = (branch.id(), branch.end());
        let purpose = Purpose::Changes { first, keyframes: Vec::new() };
        if let Err(problems) = self.begin_resimulation(until, first.saturating_sub(1), purpose, label.into()) {
            self.timeline.present_mut().ledger.revert();
            self.notes.push(problems.to_string());
            self.make_up();
        }
    }

    /// Applies the edits that waited for the end of a resimulation.
    pub(super) fn make_up(&mut self) {
        let later = std::mem::take(&mut self.later);
        for of_transaction in later.chunk_by(|(_, transaction), (_, next)| transaction == next) {
            let edits: Vec<Edit> = of_transaction.iter().map(|(edit, _)| edit.clone()).collect();
            let transaction = of_transaction.first().map_or(0, |(_, transaction)| *transaction);
            let problems = self.apply_all(&edits, transaction).into_iter().filter_map(Result::err);
            self.notes.extend(problems.map(|problem| problem.to_string()));
        }
    }

    /// Removes the last change from those that wait for the end of a resimulation; returns its name.
    fn take_back_later(&mut self) -> Option<String> {
        let transaction =
            self.later.iter().rev().map(|(_, transaction)| *transaction).find(|transaction| *transaction > 0)?;
        let of_it = |(_, known): &&(Edit, u64)| *known == transaction;
        let edits: Vec<&Edit> = self.later.iter().filter(of_it).map(|(edit, _)| edit).collect();
        let label = self.timeline.present().ledger.words_of(&edits, &self.simulation);
        self.later.retain(|(_, known)| *known != transaction);
        Some(label)
    }

    /// Drops the waiting edits after a change and notes their number for the user.
    fn drop_later(&mut self, transaction: u64) {
        let before = self.later.len();
        self.later.retain(|(_, known)| *known <= transaction);
        self.tell_lost(before - self.later.len());
    }

    fn tell_lost(&mut self, edits: usize) {
        match edits {
            0 => {}
            1 => self.notes.push("1 pending edit is left out".into()),
            lost => self.notes.push(format!("{lost} pending edits are left out")),
        }
    }

    /// Whether the present run was started by a change of this transaction.
    pub(super) fn last_start_is_of(&self, transaction: u64) -> bool {
        self.timeline.past().next().is_some_and(|(_, reset)| reset.transaction == transaction)
    }

    /// Renames the change that started the present run.
    pub(super) fn rename_last_start(&mut self, label: String, paths: String) {
        if let Some((_, reset)) = &mut self.timeline.present_mut().before {
            (reset.label, reset.paths) = (label, paths);
        }
    }

    /// Replaces the present run by the run of another host, as an undoable reset.
    ///
    /// Changes in the other run cannot be undone one by one: the replacement counts as the last change.
    pub fn take_run_of(&mut self, mut other: Self, label: &'static str) {
        self.cancel_resimulation();
        self.flush_edits();
        other.flush_edits();
        let start = other.start().clone();
        let Self { mut simulation, .. } = other;
        let log = simulation.edits().iter().cloned().map(|logged| LoggedEdit { transaction: 0, ..logged }).collect();
        let scale = simulation.time_scale();
        simulation.replace_log(log, scale);
        match self.keeps_past {
            true => {
                let transaction = self.new_transaction();
                self.begin_branch(start, (label.into(), String::new()), transaction);
            }
            false => self.forget_changes(start),
        }
        (self.simulation, self.spare) = (simulation, None);
        self.timeline.present_mut().epoch_s = self.simulation.epoch_s();
        self.timeline.extend(self.simulation.steps());
        self.note_edits();
        self.on_simulation_replaced();
    }

    /// Forgets all changes: a new scene becomes the only branch.
    pub(super) fn forget_changes(&mut self, start: Scene) {
        (self.resimulation, self.forward, self.next_seek) = (None, None, None);
        self.revision += 1;
        self.later.clear();
        self.carried.clear();
        self.timeline.restart(start);
    }

    /// Switches back over the last reset; returns whether there was one.
    fn leave_for_before(&mut self) -> bool {
        let (present, before) =
            (self.timeline.present().id(), self.timeline.past().next().map(|(branch, _)| branch.id()));
        let has_left = before.is_some_and(|before| self.exchange(before));
        if has_left {
            self.timeline.present_mut().after = Some(present);
        }
        has_left
    }

    /// Switches forward over the reset that was undone last; returns whether there was one.
    fn leave_for_after(&mut self) -> bool {
        let after = self.timeline.future().next().map(|(branch, _)| branch.id());
        after.is_some_and(|after| self.exchange(after))
    }

    /// Makes the state at which a branch was left the present one; returns whether there was one.
    fn exchange(&mut self, branch: BranchId) -> bool {
        (self.resimulation, self.forward, self.next_seek) = (None, None, None);
        let Some(of) = self.timeline.branch(branch) else { return false };
        let Some(parked) = of.parked.clone() else { return false };
        let (start, epoch_s, log) =
            (of.shared_start().clone(), of.epoch_s, of.ledger.applied_until(parked.edits_until));
        let made = self.simulation_of(&start, false).and_then(|mut simulation| {
            simulation.begin_at(epoch_s);
            resimulation::restore(&mut simulation, &start, &parked.snapshot, log).map(|()| simulation)
        });
        let simulation = match made {
            Ok(simulation) => simulation,
            Err(problems) => {
                self.notes.push(problems.to_string());
                return false;
            }
        };
        // The waiting edits were made for the run that is replaced and would apply to another one.
        let waits = std::mem::take(&mut self.later);
        self.tell_lost(waits.len());
        self.park();
        self.simulation = simulation;
        self.timeline.switch_to(branch);
        let branch = self.timeline.present_mut();
        branch.parked = None;
        self.carried = std::mem::take(&mut branch.carried);
        self.revision += 1;
        self.clock.restart();
        self.on_simulation_replaced();
        true
    }
}
