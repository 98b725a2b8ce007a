//! The present moment of a host: seek, fork, switch.

use swarmarium_core::state::Snapshot;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::LoggedEdit;

use super::Host;
use super::resimulation::Purpose;
use crate::timeline::{BranchId, Change, Moment, Parked, SavedTimeline, Timeline, TimelineError};

impl Host {
    /// Starts to keep edits, keyframes and branches, so that the past can be shown and changed.
    pub fn keep_track(&mut self) {
        self.keeps_past = true;
        self.keep_start();
        self.timeline.extend(self.simulation.steps());
        self.note_edits();
    }

    /// Loads the branches and bookmarks of a run folder. They must belong to the scene that this host has just started.
    ///
    /// The present moment stays the start, on the branch that the file names; nothing is simulated yet.
    ///
    /// # Errors
    /// If this host keeps no past, is not at its start, or the file names a branch that it does not contain.
    pub fn load_timeline(&mut self, saved: &SavedTimeline) -> Result<(), TimelineError> {
        let (step, end) = (self.simulation.steps(), self.live_end());
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        if end > 0 || self.timeline.branches().len() > 1 {
            return Err(TimelineError::NotAtStart(step));
        }
        // The time scale of a new start is not among the edits of the file.
        let scale = self.start().time.scale;
        self.simulation.replace_log(Vec::new(), scale);
        self.follow_edits();
        let latest = saved.branches.iter().flat_map(|branch| &branch.edits).map(|logged| logged.transaction).max();
        self.transaction = self.transaction.max(latest.unwrap_or_default());
        self.revision += 1;
        self.timeline.adopt(saved)
    }

    /// The branches of this host with their edits, and its bookmarks.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The timeline, to name moments and branches, and to remove some.
    pub fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    /// The present moment.
    pub fn moment(&self) -> Moment {
        Moment { branch: self.timeline.present().id(), step: self.simulation.steps() }
    }

    /// The last step of the present branch, where live play continues.
    pub fn live_end(&self) -> u64 {
        if self.keeps_past { self.timeline.present().end() } else { self.simulation.steps() }
    }

    /// Whether the present moment has a future on its branch: more steps, or edits at its end.
    pub fn is_in_past(&self) -> bool {
        let branch = self.timeline.present();
        self.keeps_past
            && (self.simulation.steps() < branch.end() || self.simulation.edits().len() < branch.ledger.count())
    }

    /// Sets the memory budget of the keyframes, in bytes.
    pub fn set_keyframe_budget(&mut self, bytes: usize) {
        self.timeline.keyframes.set_budget(bytes);
    }

    /// Keeps a state of a moment as a keyframe, such as the end of a run that another simulation has reached.
    ///
    /// The caller vouches that the branch leads to this state.
    ///
    /// # Errors
    /// If this host keeps no past, or the moment does not exist.
    pub fn keep_state(&mut self, moment: Moment, state: Snapshot) -> Result<(), TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        self.timeline.check(moment)?;
        self.timeline.keyframes.keep(moment.branch, moment.step, state);
        Ok(())
    }

    /// Seeks to the end of a step of the present branch: resimulates from the last keyframe before it, with the edits
    /// of the branch.
    ///
    /// The resimulation runs in slices, see [`resimulate`](Self::resimulate) and
    /// [`continue_resimulation`](Self::continue_resimulation); until it ends, the present moment stays. An edit of a past moment
    /// begins a branch.
    ///
    /// # Errors
    /// If this host keeps no past, or the branch has no such step; then nothing changes.
    pub fn seek(&mut self, step: u64) -> Result<(), TimelineError> {
        self.switch(Moment { branch: self.timeline.present().id(), step })
    }

    /// Seeks back by a number of steps, at most to the start.
    ///
    /// # Errors
    /// If this host keeps no past.
    pub fn step_back(&mut self, steps: u64) -> Result<(), TimelineError> {
        self.seek(self.simulation.steps().saturating_sub(steps))
    }

    /// Switches to a moment, on the same or another branch.
    ///
    /// # Errors
    /// If this host keeps no past, the moment does not exist, or its simulation cannot be made; then nothing changes.
    pub fn switch(&mut self, moment: Moment) -> Result<(), TimelineError> {
        self.switch_watched(moment, moment.step)
    }

    /// As [`switch`](Self::switch), but resimulates every step after an earlier one, for callers that draw trails.
    ///
    /// # Errors
    /// See [`switch`](Self::switch).
    pub fn switch_watched(&mut self, moment: Moment, after: u64) -> Result<(), TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        self.timeline.check(moment)?;
        let after = after.min(moment.step);
        let present = self.timeline.present().id();
        if self.is_resimulating_changes() && moment.branch == present {
            self.next_seek = Some(moment.step);
            return Ok(());
        }
        self.leave_for_jump();
        let (steps, is_end) = (self.simulation.steps(), moment.step == self.live_end());
        if moment.branch == present {
            if moment.step == steps && after == steps && (!is_end || !self.is_in_past()) {
                self.make_up();
                return Ok(());
            }
            let first = self.timeline.keyframe_before(Moment { step: after, ..moment }).map_or(0, |(step, _)| step);
            if moment.step > steps && first <= steps {
                self.begin_forward(moment.step);
                return Ok(());
            }
        }
        let label = format!("Going to step {}", moment.step);
        let begun = self.begin_resimulation((moment.branch, moment.step), after, Purpose::Jump, label);
        begun.map_err(|problems| TimelineError::Simulation(problems.to_string()))
    }

    /// Ends another jump, applies the pending edits and keeps a keyframe of the live end for the return.
    fn leave_for_jump(&mut self) {
        self.forward = None;
        if let Some(resimulation) = self.resimulation.take() {
            self.keep_spare_of(resimulation.seat, resimulation.branch);
        }
        if self.live.take().is_some() {
            self.make_up();
        }
        self.flush_edits();
        let is_clean = self.simulation.edits().last().is_none_or(|last| last.step <= self.simulation.steps());
        let Moment { branch, step } = self.moment();
        if !self.is_in_past() && is_clean && step > 0 && !self.timeline.keyframes.has(branch, step) {
            self.timeline.keyframes.keep(branch, step, self.simulation.keyframe());
        }
    }

    /// Begins a branch at the present moment and makes it the present branch. Without a name, it gets a numbered one.
    ///
    /// # Errors
    /// If this host keeps no past, or the name is empty, a number, or taken.
    pub fn fork(&mut self, name: Option<&str>) -> Result<BranchId, TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        self.cancel_resimulation();
        self.flush_edits();
        let before = self.timeline.present().id();
        let branch = self.leave_branch();
        if let Some(name) = name
            && let Err(error) = self.timeline.rename(branch, name)
        {
            self.timeline.switch_to(before);
            // The branch is new, and no other branch begins on it.
            let _ = self.timeline.remove(branch);
            return Err(error);
        }
        Ok(branch)
    }

    /// Begins a branch at the present moment, for a change of the past.
    pub(super) fn leave_branch(&mut self) -> BranchId {
        let step = self.simulation.steps();
        let last = self.simulation.edits().last().map_or(0, |last| last.step);
        self.timeline.present_mut().carried.clone_from(&self.carried);
        self.revision += 1;
        self.timeline.fork(step, last.max(step))
    }

    /// The number of the present branch. Each start and each branch has its own, which undo restores.
    pub fn run_number(&self) -> u64 {
        self.timeline.present().id().0
    }

    /// Keeps the state of a start.
    pub(super) fn keep_start(&mut self) {
        if !self.keeps_past || self.simulation.steps() > 0 || !self.simulation.edits().is_empty() {
            return;
        }
        let branch = self.timeline.present().id();
        let snapshot = self.simulation.keyframe();
        self.timeline.present_mut().epoch_s = self.simulation.epoch_s();
        self.timeline.keyframes.keep(branch, 0, snapshot);
    }

    /// Keeps a keyframe after a new step, if one is due.
    pub(super) fn keep_keyframe(&mut self) {
        let Moment { branch, step } = self.moment();
        if self.timeline.keyframes.is_due(branch, step) {
            let began_s = (self.wall.steady_s)();
            let snapshot = self.simulation.keyframe();
            self.timeline.keyframes.keep(branch, step, snapshot);
            self.timeline.keyframes.note_cost((self.wall.steady_s)() - began_s);
        }
    }

    /// Applies the edits of the next step again, as recorded in the branch.
    pub(super) fn replay_next(&mut self) {
        let next = self.simulation.steps() + 1;
        let due = self.timeline.present().ledger.applied_at(next);
        for run in due.chunk_by(LoggedEdit::goes_with) {
            let problems = self.simulation.replay_run(run).into_iter().filter_map(Result::err);
            self.notes.extend(problems.map(|problem| problem.to_string()));
        }
    }

    /// Follows a step of the past: at the end of the branch, applies the edits again that were made there while the clock
    /// was paused.
    pub(super) fn arrive(&mut self) {
        if self.simulation.steps() >= self.timeline.present().end() {
            self.replay_next();
            self.simulation.flush_edits();
            self.note_edits();
        }
        // The time scale of the past is not that of its replay.
        self.seen_scale = self.simulation.time_scale();
    }

    /// Keeps the present state with its branch, so that a switch back needs no resimulation.
    pub(super) fn park(&mut self) {
        let step = self.simulation.steps();
        let edits_until = self.simulation.edits().last().map_or(step, |last| last.step.max(step));
        let snapshot = self.simulation.keyframe();
        let carried = std::mem::take(&mut self.carried);
        let branch = self.timeline.present_mut();
        branch.parked = Some(Parked { edits_until, snapshot });
        branch.carried = carried;
    }

    /// Begins a new branch after a reset of the present one.
    pub(super) fn begin_branch(&mut self, start: Scene, (label, paths): (String, String), transaction: u64) {
        let reset = Change { transaction, step: self.simulation.steps(), label, paths, edits: 0, is_undone: false };
        self.park();
        self.forget_redo();
        self.timeline.begin(start, reset);
        self.revision += 1;
    }
}
