//! Warnings of a sweep about points whose robots or objects find no room at the start.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::Run;

use super::super::messages::{counted, tell_warning};

/// The number of points that have a warning of their own.
const MOST: usize = 5;

/// The points without enough room, each with its first warning. Several threads add to them.
#[derive(Default)]
pub struct Crowding(Mutex<BTreeMap<usize, String>>);

impl Crowding {
    /// Adds the point of a run, if some of its robots or objects found no room.
    pub fn note(&self, run: Run, simulation: &Simulation) {
        if let Some(problem) = simulation.without_room().first() {
            let mut points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            points.entry(run.point).or_insert_with(|| problem.to_string());
        }
    }

    /// Tells the user the warnings.
    pub fn tell(&self) {
        let points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (point, warning) in points.iter().take(MOST) {
            tell_warning(format_args!("point {}: {warning}", point + 1));
        }
        if let Some(more @ 1..) = points.len().checked_sub(MOST) {
            let more = counted(more as u64, "more point");
            tell_warning(format_args!("robots or objects find no room at {more}"));
        }
    }
}
