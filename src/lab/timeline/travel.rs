//! Jumps to other moments, on this branch and on others.

use swarmarium_core::clock::host::Direction;
use swarmarium_core::timeline::{BranchId, Moment};

use super::StepRange;
use crate::Lab;
use crate::action::TimelineItem;
use crate::footprints::{self, Footprints};
use crate::marks::MarkKind;
use crate::plots::History;
use crate::undo::RerunState;

/// Maximum duration, in seconds, for which the past is replayed without a request, such as when trails are switched on.
const MOST_SEEN_AGAIN_S: f64 = 0.3;

impl Lab {
    /// Returns the moment of the playhead: the present one, or the target of a jump.
    pub(crate) fn playhead(&self) -> Moment {
        self.timeline.wanted.or(self.host.target()).unwrap_or_else(|| self.host.moment())
    }

    /// Goes to a moment.
    pub(crate) fn go_to(&mut self, moment: Moment) {
        self.timeline.wanted = None;
        if self.host.is_reworking() {
            self.timeline.wanted = Some(moment);
            return;
        }
        let (view, timeline) = (&self.viewport.view, self.host.timeline());
        let dt_s = self.host.simulation().time().dt_s;
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let is_other = moment.branch != timeline.present().id();
        let history = is_other.then(|| self.history_of(moment.branch));
        // Plots must not miss a step.
        let known = history.as_ref().unwrap_or(&self.plots.history).last_step();
        let after = footprints.begin_after().unwrap_or(moment.step).min(known);
        self.edits.ahead = Some(RerunState { history, footprints, ..RerunState::default() });
        let done = self.host.switch_watched(moment, after);
        if done.is_err() || self.host.is_seeking_forward() || self.host.resimulate().is_none() {
            // If the simulation was not replaced, the run continues as it is.
            let is_there = self.edits.swaps != self.host.swaps();
            self.edits.ahead.take_if(|_| !is_there);
        }
        self.tell(done);
        self.take_swap();
    }

    /// Goes to a step while the playhead is dragged. Jumps run one at a time.
    pub(crate) fn scrub(&mut self, step: u64) {
        self.timeline.is_held = true;
        let step = step.min(self.host.live_end());
        let moment = Moment { step, ..self.host.moment() };
        if moment == self.playhead() {
            return;
        }
        match self.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Pauses and goes back a number of steps.
    pub(crate) fn step_back(&mut self, steps: u64) {
        self.host.clock_mut().paused = true;
        let now = self.playhead();
        let moment = Moment { step: now.step.saturating_sub(steps), ..now };
        match self.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Goes to the moment that the user requested while another jump was running.
    pub(crate) fn go_on_to_wanted(&mut self) {
        if self.host.resimulate().is_none()
            && let Some(moment) = self.timeline.wanted.take()
        {
            self.go_to(moment);
        }
    }

    /// Returns the plots of a branch, as far as they are known.
    pub(crate) fn history_of(&self, branch: BranchId) -> History {
        if branch.0 == self.plots.run {
            return self.plots.history.clone();
        }
        let known = self.plots.other_runs.iter().find(|(known, _)| *known == branch.0);
        if let Some((_, history)) = known {
            return history.clone();
        }
        match self.host.timeline().branch(branch).and_then(|branch| branch.parent()) {
            Some(parent) => {
                let mut history = self.history_of(parent.branch);
                history.go_back(parent.step);
                history
            }
            None => History::of(self.host.simulation()),
        }
    }

    /// Handles a new branch that an edit in the past, or the user, has started. It keeps the history up to the fork.
    pub(crate) fn follow_fork(&mut self) {
        let (before, now) = (self.plots.run, self.host.run_number());
        if before == now || self.edits.swaps != self.host.swaps() || self.host.resimulate().is_some() {
            return;
        }
        self.keep_history();
        self.plots.run = now;
        self.plots.history.go_back(self.host.simulation().steps());
        self.plots.history.observe(self.host.simulation());
        let timeline = self.host.timeline();
        let left = timeline.present().parent().and_then(|parent| timeline.branch(parent.branch));
        if let Some(left) = left.map(|left| left.name().to_owned()) {
            let name = timeline.present().name().to_owned();
            self.say(&format!("Started {name} here; the earlier future stays on {left}"));
        }
    }

    /// Starts a branch at the present moment.
    pub(crate) fn fork(&mut self) {
        self.cancel_rework();
        match self.host.fork(None) {
            Ok(branch) => {
                self.follow_fork();
                self.ask_name(TimelineItem::Branch(branch));
            }
            Err(error) => self.tell_error(error),
        }
    }

    /// Replays the past for the view if it is missing and does not take long. Returns whether a replay runs.
    pub(crate) fn see_past_again(&mut self) -> bool {
        let dt_s = self.host.simulation().time().dt_s;
        let lacks_past = footprints::lacks_past(&self.viewport.past, &self.viewport.view, dt_s);
        if !lacks_past || self.host.resimulate().is_some() || self.shots.target.is_some() {
            return false;
        }
        let moment = self.host.moment();
        let (view, timeline) = (&self.viewport.view, self.host.timeline());
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let after = footprints.begin_after().unwrap_or(moment.step);
        let takes_s = self.step_s().unwrap_or_default() * (moment.step - after) as f64;
        let sees = Some((moment, view.overlays, view.trail));
        let is_live = !self.host.clock().paused && !self.host.is_in_past();
        if takes_s > MOST_SEEN_AGAIN_S || is_live || self.timeline.seen_again == sees {
            return false;
        }
        self.timeline.seen_again = sees;
        self.go_to(moment);
        self.host.resimulate().is_some()
    }

    /// Pauses and goes to the next or the previous mark.
    pub(crate) fn go_to_mark(&mut self, direction: Direction) {
        let now = self.playhead();
        let marks = self.mark_steps(now.branch);
        let found = match direction {
            Direction::Back => marks.iter().rev().find(|step| **step < now.step),
            Direction::Forward => marks.iter().find(|step| **step > now.step),
        };
        match found {
            Some(step) => {
                self.host.clock_mut().paused = true;
                self.go_to(Moment { step: *step, ..now });
            }
            None => self.say(match direction {
                Direction::Back => "There is no mark before this moment",
                Direction::Forward => "There is no mark after this moment",
            }),
        }
    }

    /// Returns the steps of all marks of a branch, in order: events, edits, bookmarks.
    fn mark_steps(&self, branch: BranchId) -> Vec<u64> {
        let timeline = self.host.timeline();
        let mut steps: Vec<u64> = Vec::new();
        for kind in <MarkKind as strum::IntoEnumIterator>::iter() {
            steps.extend(self.plots.history.marks().steps(kind));
        }
        let edits = timeline.branch(branch).into_iter().flat_map(|branch| branch.applied());
        steps.extend(edits.filter(|logged| logged.edit.is_change()).map(|logged| logged.step.saturating_sub(1)));
        steps.extend(self.bookmarks_of(branch).map(|(step, _)| step));
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Returns the bookmarks of a branch with their steps, including those of its ancestors before it left them.
    pub(super) fn bookmarks_of(&self, branch: BranchId) -> impl Iterator<Item = (u64, &str)> {
        let timeline = self.host.timeline();
        // The ancestors of the branch, each with its last shared step.
        let next = |(branch, until): &(BranchId, u64)| {
            let parent = timeline.branch(*branch)?.parent()?;
            Some((parent.branch, parent.step.min(*until)))
        };
        let line: Vec<(BranchId, u64)> = std::iter::successors(Some((branch, u64::MAX)), next).collect();
        let is_on_line =
            move |moment: Moment| line.iter().any(|(branch, until)| *branch == moment.branch && moment.step <= *until);
        let bookmarks = timeline.bookmarks().iter().filter(move |bookmark| is_on_line(bookmark.moment));
        bookmarks.map(|bookmark| (bookmark.moment.step, bookmark.name.as_str()))
    }

    /// Returns the number of steps until the end of the looped range.
    pub(crate) fn steps_to_loop_end(&self) -> u64 {
        match self.timeline.range.filter(|_| self.timeline.loops) {
            Some(StepRange { to, .. }) => {
                let steps = self.host.simulation().steps();
                if steps < to { to - steps } else { u64::MAX }
            }
            None => u64::MAX,
        }
    }

    /// Jumps back to the start of the looped range when its end is reached.
    pub(crate) fn loop_range(&mut self, steps: u64) {
        let Some(StepRange { from, to }) = self.timeline.range.filter(|_| self.timeline.loops && steps > 0) else {
            return;
        };
        let now = self.host.moment();
        if now.step == to && !self.host.clock().paused {
            self.go_to(Moment { step: from, ..now });
        }
    }
}
