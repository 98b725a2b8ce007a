//! Simulations that do again what a log says.

use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::simulation::Simulation;

/// The place in a log after the edits that were made for good, for steps that are done.
#[derive(Clone, Copy, Default)]
pub struct LogCursor(pub usize);

impl LogCursor {
    /// The edits of a log that are still to make, for all steps until this one.
    pub fn due<'l>(&self, log: &'l [LoggedEdit], step: u64) -> &'l [LoggedEdit] {
        let log = &log[self.0.min(log.len())..];
        &log[..log.partition_point(|logged| logged.step <= step)]
    }
}

/// A simulation that does again what a log says.
pub struct Twin {
    /// The simulation.
    pub simulation: Simulation,
    cursor: LogCursor,
}

impl Twin {
    /// A simulation at its start.
    pub fn new(simulation: Simulation) -> Self {
        Self { simulation, cursor: LogCursor::default() }
    }

    /// Does a step, with the edits that a log has for it.
    pub fn step(&mut self, log: &[LoggedEdit]) {
        let due = self.cursor.due(log, self.simulation.steps() + 1);
        self.cursor.0 += due.len();
        for logged in due {
            // What was done once makes sense again.
            let _ = self.simulation.replay(logged.clone());
        }
        self.simulation.step(1);
    }
}
