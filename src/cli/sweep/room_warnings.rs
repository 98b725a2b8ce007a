//! Warnings of a sweep about points whose robots or objects find no room at the start.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use swarmarium_base::problem::Problem;
use swarmarium_sweep::{Outcome, Run};

use super::super::messages::{counted, tell_warning};

/// The number of points that have a message of their own.
const MOST: usize = 5;

/// The points without enough room, each with the warning of its first repetition that has one. Several threads add to them.
#[derive(Default)]
pub struct RoomWarnings(Mutex<BTreeMap<usize, (u64, Problem)>>);

impl RoomWarnings {
    /// Adds the point of a run, if some of its robots or objects found no room.
    pub fn note(&self, run: Run, outcome: &Outcome) {
        if let Some(problem) = outcome.without_room.first() {
            let mut points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = points.entry(run.point).or_insert_with(|| (run.repetition, problem.clone()));
            if run.repetition < known.0 {
                *known = (run.repetition, problem.clone());
            }
        }
    }

    /// The warnings, in the order of the points.
    pub fn problems(&self) -> Vec<Problem> {
        let points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_point = |(point, (_, problem)): (&usize, &(u64, Problem))| Problem {
            message: format!("point {}: {}", point + 1, problem.message),
            ..problem.clone()
        };
        points.iter().map(of_point).collect()
    }

    /// Tells the user the first warnings.
    pub fn tell(&self) {
        let problems = self.problems();
        problems.iter().take(MOST).for_each(tell_warning);
        if let Some(more @ 1..) = problems.len().checked_sub(MOST) {
            let more = counted(more as u64, "more point");
            tell_warning(format_args!("robots or objects find no room at {more}"));
        }
    }
}
