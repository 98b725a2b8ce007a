//! A simulation beside the present one, which does again what a branch did.

use swarmarium_base::problem::Problems;

use super::Host;
use super::resimulation::restore;
use crate::edit::LoggedEdit;
use crate::edit::log::Replay;
use crate::simulation::Simulation;
use crate::timeline::{Branch, Moment, TimelineError};

/// A simulation beside the present one, which does again what a branch did.
///
/// It begins at a keyframe, and nothing that it does changes the host.
pub struct Twin {
    simulation: Simulation,
    log: Vec<LoggedEdit>,
    edits: Replay,
    moment: Moment,
}

impl Twin {
    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The branch that it does again; the step is the one at which it began last.
    pub fn began_at(&self) -> Moment {
        self.moment
    }

    /// Does the next step, with the edits of the branch.
    pub fn step(&mut self) {
        let due: Vec<LoggedEdit> = self.edits.due(self.simulation.steps() + 1).collect();
        for run in due.chunk_by(LoggedEdit::goes_with) {
            // What was done once makes sense again.
            drop(self.simulation.replay_run(run));
        }
        self.simulation.step(1);
    }

    /// Goes to the last keyframe at or before a step, or to the start; the step of it.
    ///
    /// # Errors
    /// When the branch is gone, or the simulation cannot be made again.
    pub fn go_before(&mut self, host: &Host, step: u64) -> Result<u64, TimelineError> {
        let branch = host.timeline.check(Moment { step: 0, ..self.moment })?;
        let keyframe = host.timeline.keyframe_before(Moment { step, ..self.moment });
        let gone = match keyframe {
            Some((at, snapshot)) => {
                let before = self.log.iter().take_while(|logged| logged.step <= at).cloned().collect();
                restore(&mut self.simulation, branch.start(), snapshot, before)
            }
            None => self.simulation.restart(branch.start()),
        };
        gone.map_err(in_words)?;
        self.moment.step = keyframe.map_or(0, |(at, _)| at);
        self.edits.go_on_from(self.moment.step);
        Ok(self.moment.step)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn in_words(problems: Problems) -> TimelineError {
    TimelineError::Simulation(problems.to_string())
}

impl Host {
    /// A twin at the last keyframe at or before a moment, or at the start.
    ///
    /// # Errors
    /// When this host keeps no past, there is no such moment, or its simulation cannot be made.
    pub fn twin(&self, moment: Moment) -> Result<Twin, TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        let branch = self.timeline.check(moment)?;
        let mut twin = self.twin_at_start(branch)?;
        twin.go_before(self, moment.step)?;
        Ok(twin)
    }

    /// A twin of a branch at its start.
    pub(super) fn twin_at_start(&self, branch: &Branch) -> Result<Twin, TimelineError> {
        let made = Simulation::with_workers(branch.start(), &self.recipe, (self.workers)());
        let mut simulation = made.map_err(in_words)?;
        simulation.begin_at(branch.epoch_s);
        let log = branch.edits();
        let moment = Moment { branch: branch.id(), step: 0 };
        Ok(Twin { simulation, edits: Replay::new(log.clone()), log, moment })
    }
}
