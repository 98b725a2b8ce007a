//! Simulations that replay a log.

use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Simulation;

/// A position in a log, after the edits of completed steps.
#[derive(Clone, Copy, Default)]
pub struct LogCursor(pub usize);

impl LogCursor {
    /// Returns the position after the edits of all steps up to one.
    pub fn after(log: &[LoggedEdit], step: u64) -> Self {
        Self(log.partition_point(|logged| logged.step <= step))
    }

    /// Returns the remaining edits of a log up to and including a step.
    pub fn due<'l>(&self, log: &'l [LoggedEdit], step: u64) -> &'l [LoggedEdit] {
        let log = &log[self.0.min(log.len())..];
        &log[..log.partition_point(|logged| logged.step <= step)]
    }
}

/// A simulation that replays a log.
pub struct Twin {
    /// The simulation.
    pub simulation: Simulation,
    cursor: LogCursor,
}

impl Twin {
    /// Creates a twin from a simulation that has done the edits before a position in the log.
    pub fn new(simulation: Simulation, cursor: LogCursor) -> Self {
        Self { simulation, cursor }
    }

    /// Does a step with the edits that a log has for it.
    pub fn step(&mut self, log: &[LoggedEdit]) {
        let due = self.cursor.due(log, self.simulation.steps() + 1);
        self.cursor.0 += due.len();
        for logged in due {
            // An edit that succeeded once succeeds again.
            let _ = self.simulation.replay(logged.clone());
        }
        self.simulation.step(1);
    }
}
