//! Warnings of a sweep about points whose robots or objects find no room at the start.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::Run;

use super::super::messages::{counted, tell_warning};

/// The number of points that have a warning of their own.
const MOST: usize = 5;

/// The points without enough room, each with the warning of its first repetition that has one. Several threads add to them.
#[derive(Default)]
pub struct RoomWarnings(Mutex<BTreeMap<usize, (u64, String)>>);

impl RoomWarnings {
    /// Adds the point of a run, if some of its robots or objects found no room.
    pub fn note(&self, run: Run, simulation: &Simulation) {
        if let Some(problem) = simulation.without_room().first() {
            let mut points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let warning = (run.repetition, problem.to_string());
            let known = points.entry(run.point).or_insert_with(|| warning.clone());
            if warning.0 < known.0 {
                *known = warning;
            }
        }
    }

    /// Tells the user the warnings.
    pub fn tell(&self) {
        let points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (point, (_, warning)) in points.iter().take(MOST) {
            tell_warning(format_args!("point {}: {warning}", point + 1));
        }
        if let Some(more @ 1..) = points.len().checked_sub(MOST) {
            let more = counted(more as u64, "more point");
            tell_warning(format_args!("robots or objects find no room at {more}"));
        }
    }
}
