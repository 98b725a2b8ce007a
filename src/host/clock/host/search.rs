//! A search for a moment of a branch at which a condition became true.

use swarmarium_simulation::simulation::Simulation;

use super::Host;
use super::apart::TwinPlace;
use super::resimulation::Progress;
use crate::timeline::{Moment, TimelineError};

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start: the latest moment before the present one.
    Back,
    /// Towards the live end: the earliest moment after the present one.
    Forward,
}

/// The moment that a search looks for, among all moments at which a condition became true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// The first one of the branch; the start counts if the condition holds there.
    First,
    /// The latest one before the present moment.
    Previous,
    /// The earliest one after the present moment.
    Next,
    /// The last one of the branch.
    Last,
}

impl Seek {
    /// The direction in which a search goes.
    pub fn direction(self) -> Direction {
        match self {
            Self::First | Self::Next => Direction::Forward,
            Self::Previous | Self::Last => Direction::Back,
        }
    }
}

/// A search for the moment at which a condition became true: it holds at the end of a step, and did not at the end of
/// the step before.
///
/// The branch is resimulated from keyframe to keyframe, beginning with the one nearest to its start. Steps that are
/// expected to be long run on a thread of their own.
pub struct MomentSearch {
    place: TwinPlace,
    direction: Direction,
    began: Moment,
    /// The steps of the interval that is being simulated: after the first, up to the second.
    interval: (u64, u64),
    /// Whether the condition held at the last simulated step; `None` before that.
    held: Option<bool>,
    /// The last step of the interval at which the condition became true.
    latest: Option<u64>,
    /// Whether a condition that holds already in the first state is found there.
    includes_start: bool,
    /// The number of steps done, and in total.
    done: u64,
    steps: u64,
    found: Option<Option<u64>>,
}

impl MomentSearch {
    /// Whether a thread does a long step, which ends the wait for it.
    pub fn waits_for_thread(&self) -> bool {
        matches!(self.place, TwinPlace::Away(_))
    }

    /// Continues as far as the budget allows, or until a thread does a long step. Returns a result at the end of the search: the step, or `None` if there
    /// is none.
    ///
    /// # Errors
    /// If the branch no longer exists or its simulation cannot be made.
    pub fn advance(
        &mut self,
        host: &Host,
        mut holds: impl FnMut(&Simulation) -> bool,
        mut budget: impl FnMut() -> bool,
    ) -> Result<Option<Option<u64>>, TimelineError> {
        let Some(mut twin) = self.place.take() else { return Ok(None) };
        while self.found.is_none() {
            let now = holds(twin.simulation());
            let (after, until) = self.interval;
            let step = twin.simulation().steps();
            let holds_at_start = now && self.held.is_none() && self.includes_start && step == after;
            let became_true = now && self.held == Some(false);
            self.held = Some(now);
            if holds_at_start {
                self.found = Some(Some(step));
                break;
            }
            if became_true && step > after {
                self.latest = Some(step);
                if self.direction == Direction::Forward {
                    self.found = Some(self.latest);
                    break;
                }
            }
            if step < until {
                self.done += 1;
                match host.step_twin(twin) {
                    TwinPlace::Here(stepped) => twin = stepped,
                    away => {
                        self.place = away;
                        return Ok(None);
                    }
                }
            } else if self.direction == Direction::Forward || self.latest.is_some() || after == 0 {
                self.found = Some(self.latest);
            } else {
                // The end of the previous interval is the first state of this one.
                let until = twin.began_at().step;
                self.interval = (twin.go_before(host, until.saturating_sub(1))?, until);
                self.held = None;
            }
            if !budget() {
                break;
            }
        }
        self.place = TwinPlace::Here(twin);
        Ok(self.found)
    }

    /// The moment at which the search began.
    pub fn began(&self) -> Moment {
        self.began
    }

    /// The progress of the search.
    pub fn progress(&self) -> Progress {
        Progress { done: self.done.min(self.steps), steps: self.steps, label: "Searching".into() }
    }
}

impl Host {
    /// Begins a search for the moment of the present branch at which a condition became true.
    ///
    /// # Errors
    /// If this host keeps no past or its simulation cannot be made.
    pub fn search(&self, seek: Seek) -> Result<MomentSearch, TimelineError> {
        let began = self.moment();
        let direction = seek.direction();
        let (first, until) = match seek {
            Seek::First => (0, self.live_end()),
            Seek::Previous => (began.step.saturating_sub(1), began.step.saturating_sub(1)),
            Seek::Next => (began.step, self.live_end()),
            Seek::Last => (self.live_end(), self.live_end()),
        };
        let twin = Box::new(self.twin(Moment { step: first, ..began })?);
        let from = twin.began_at().step;
        let (after, steps) = match direction {
            Direction::Back => (from, until),
            Direction::Forward => (first, until - from),
        };
        Ok(MomentSearch {
            place: TwinPlace::Here(twin),
            direction,
            began,
            interval: (after, until),
            held: None,
            latest: None,
            includes_start: seek == Seek::First,
            done: 0,
            steps,
            found: None,
        })
    }
}
