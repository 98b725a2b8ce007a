//! Jumps along the timeline, branches that begin there, and the loop over a range.

use swarmarium_host::clock::host::Direction;
use swarmarium_host::timeline::{Moment, TimelineError};

use crate::action::{TimelineAction, TimelineItem};
use crate::app::Lab;
use crate::common::footprints::{self, Footprints};
use crate::edit::RerunState;
use crate::notice::Notice;
use crate::timeline::StepRange;

/// Maximum duration, in seconds, for which the past is replayed without a request, such as when trails are switched on or
/// for the turn rate of the last step.
const MOST_SEEN_AGAIN_S: f64 = 0.3;

impl Lab {
    /// Goes to a moment.
    pub fn go_to(&mut self, moment: Moment) {
        self.timeline.wanted = None;
        if self.run.host.is_resimulating_changes() {
            self.timeline.wanted = Some(moment);
            return;
        }
        let (view, timeline) = (&self.view.current, self.run.host.timeline());
        let dt_s = self.run.host.simulation().time().dt_s;
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let is_other = moment.branch != timeline.present().id();
        let history = is_other.then(|| self.plots.history_of(&self.run.host, moment.branch));
        // Plots must not miss a step.
        let known = history.as_ref().unwrap_or(&self.plots.history).last_step();
        let after = footprints.begin_after().unwrap_or(moment.step).min(known);
        let after = self.begin_for_turn(moment).map_or(after, |begin| after.min(begin));
        self.edits.ahead = Some(RerunState { history, footprints, ..RerunState::default() });
        let done = self.run.host.switch_watched(moment, after);
        if done.is_err() || self.run.host.is_seeking_forward() || self.run.host.resimulate().is_none() {
            // If the simulation was not replaced, the run continues as it is.
            let is_there = self.edits.swaps != self.run.host.swaps();
            self.edits.ahead.take_if(|_| !is_there);
        }
        self.notices.tell(done);
        self.poll_simulation_replaced();
    }

    /// Returns the step after which a jump simulates every step so that the turn rate of the selected robot is known: two
    /// steps are observed. `None` without a selected robot, and where it would take long.
    fn begin_for_turn(&self, moment: Moment) -> Option<u64> {
        self.plots.history.selected().filter(|_| moment != self.run.host.moment())?;
        let begin = moment.step.checked_sub(2)?;
        let steps = moment.step - self.run.host.timeline().begin_of_jump(Moment { step: begin, ..moment });
        let takes_s = self.run.step_s().unwrap_or_default() * steps as f64;
        (takes_s <= MOST_SEEN_AGAIN_S).then_some(begin)
    }

    /// Goes to a step while the playhead is dragged. Jumps run one at a time.
    pub fn scrub(&mut self, step: u64) {
        self.timeline.is_held = true;
        let step = step.min(self.run.host.live_end());
        let moment = Moment { step, ..self.run.host.moment() };
        if moment == self.timeline.playhead(&self.run.host) {
            return;
        }
        match self.run.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Pauses and goes back a number of steps.
    pub fn step_back(&mut self, steps: u64) {
        self.run.host.clock_mut().paused = true;
        let now = self.timeline.playhead(&self.run.host);
        let moment = Moment { step: now.step.saturating_sub(steps), ..now };
        match self.run.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Goes to the moment that the user requested while another jump was running.
    pub(crate) fn continue_seek(&mut self) {
        if self.run.host.resimulate().is_none()
            && let Some(moment) = self.timeline.wanted.take()
        {
            self.go_to(moment);
        }
    }

    /// Handles a new branch that an edit in the past, or the user, has started. It keeps the history up to the fork.
    pub(crate) fn follow_fork(&mut self) {
        let (before, now) = (self.plots.run, self.run.host.run_number());
        if before == now || self.edits.swaps != self.run.host.swaps() || self.run.host.resimulate().is_some() {
            return;
        }
        self.plots.keep_history();
        self.plots.run = now;
        self.plots.history.go_back(self.run.host.simulation().steps());
        self.plots.history.observe(self.run.host.simulation());
        let timeline = self.run.host.timeline();
        let left = timeline.present().parent().and_then(|parent| timeline.branch(parent.branch));
        if let Some(left) = left {
            let (name, id) = (timeline.present().name(), left.id());
            let text = format!("Started {name} here; the earlier future stays on {}", left.name());
            let hint = "Shows both futures side by side";
            let button = Notice::good(&text).with_button("Compare both", hint, TimelineAction::Compare(id).into());
            self.notices.add(button.passing());
        }
    }

    /// Starts a branch at the present moment.
    pub fn fork(&mut self) {
        self.cancel_resimulation();
        match self.run.host.fork(None) {
            Ok(branch) => {
                self.follow_fork();
                self.timeline.ask_name(&self.run.host, TimelineItem::Branch(branch));
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Replays the past for the view if it is missing and does not take long. Returns whether a replay runs.
    pub(crate) fn refresh_past(&mut self) -> bool {
        let dt_s = self.run.host.simulation().time().dt_s;
        let lacks_past = footprints::lacks_past(&self.view.past, &self.view.current, dt_s);
        if !lacks_past || self.run.host.resimulate().is_some() || self.files.shots.target.is_some() {
            return false;
        }
        let moment = self.run.host.moment();
        let (view, timeline) = (&self.view.current, self.run.host.timeline());
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let after = footprints.begin_after().unwrap_or(moment.step);
        let takes_s = self.run.step_s().unwrap_or_default() * (moment.step - after) as f64;
        let sees = Some((moment, view.overlays, view.trail));
        let is_live = !self.run.host.clock().paused && !self.run.host.is_in_past();
        if takes_s > MOST_SEEN_AGAIN_S || is_live || self.timeline.seen_again == sees {
            return false;
        }
        self.timeline.seen_again = sees;
        self.go_to(moment);
        self.run.host.resimulate().is_some()
    }

    /// Pauses and goes to the next or the previous mark.
    pub fn go_to_mark(&mut self, direction: Direction) {
        let now = self.timeline.playhead(&self.run.host);
        let marks = self.timeline.mark_steps(&self.run, &self.plots, now.branch);
        let found = match direction {
            Direction::Back => marks.iter().rev().find(|step| **step < now.step),
            Direction::Forward => marks.iter().find(|step| **step > now.step),
        };
        match found {
            Some(step) => {
                self.run.host.clock_mut().paused = true;
                self.go_to(Moment { step: *step, ..now });
            }
            None => self.notices.say(match direction {
                Direction::Back => "There is no mark before this moment",
                Direction::Forward => "There is no mark after this moment",
            }),
        }
    }

    /// Jumps back to the start of the looped range when its end is reached.
    pub(crate) fn loop_range(&mut self, steps: u64) {
        let Some(StepRange { from, to }) = self.timeline.range.filter(|_| self.timeline.loops && steps > 0) else {
            return;
        };
        let now = self.run.host.moment();
        if now.step == to && !self.run.host.clock().paused {
            self.go_to(Moment { step: from, ..now });
        }
    }
}

impl Lab {
    /// Removes a branch or a bookmark.
    pub fn remove_item(&mut self, item: &TimelineItem) {
        let timeline = self.run.host.timeline_mut();
        let done: Result<(), TimelineError> = match item {
            TimelineItem::Branch(branch) => timeline.remove(*branch),
            TimelineItem::Bookmark(name) => {
                timeline.remove_bookmark(name);
                Ok(())
            }
        };
        if let (TimelineItem::Branch(branch), Ok(())) = (item, &done) {
            self.plots.other_runs.retain(|(known, _)| known != &branch.0);
            self.compare.compare_ends_with(*branch);
        }
        self.notices.tell(done);
    }
}
