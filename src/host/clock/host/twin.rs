//! A second simulation that replays a branch beside the present one.

use std::sync::Arc;

use swarmarium_base::problem::Problems;
use swarmarium_core::state::Snapshot;
use swarmarium_core::step::Workers;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::Host;
use super::apart::to_be_restored;
use super::resimulation::restore;
use crate::timeline::{Moment, TimelineError};

/// A second simulation that replays a branch beside the present one.
///
/// It begins at a keyframe and never changes the host.
pub struct Twin {
    simulation: Simulation,
    log: Vec<LoggedEdit>,
    edits: Replay,
    moment: Moment,
}

/// Everything that is needed to build a [`Twin`], possibly on another thread: building a simulation takes time.
#[derive(Clone)]
pub struct TwinPlan {
    start: Arc<Scene>,
    recipe: Recipe,
    epoch_s: f64,
    log: Vec<LoggedEdit>,
    moment: Moment,
    keyframe: Option<Snapshot>,
}

impl TwinPlan {
    /// The keyframe at which the twin begins, or the start of the branch.
    pub fn begins_at(&self) -> Moment {
        self.moment
    }

    /// Builds the twin.
    ///
    /// # Errors
    /// If its simulation cannot be made.
    pub fn make(self, workers: Workers) -> Result<Twin, TimelineError> {
        let Self { start, recipe, epoch_s, log, moment, keyframe } = self;
        let made = match keyframe {
            Some(_) => to_be_restored(&start, &recipe, workers),
            None => Simulation::with_workers(&start, &recipe, workers),
        };
        let mut simulation = made.map_err(in_words)?;
        simulation.begin_at(epoch_s);
        let mut edits = Replay::new(log.clone());
        if let Some(keyframe) = keyframe {
            restore(&mut simulation, &start, &keyframe, until(&log, moment.step)).map_err(in_words)?;
            edits.go_on_from(moment.step);
        }
        Ok(Twin { simulation, log, edits, moment })
    }
}

impl Twin {
    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, without the edits of later steps.
    pub fn into_simulation(self) -> Simulation {
        self.simulation
    }

    /// The moment at which the twin began last, on the branch that it replays.
    pub fn began_at(&self) -> Moment {
        self.moment
    }

    /// A host that continues the simulation, and all edits of the branch; those of later steps are not applied yet.
    pub fn into_host(self, of: &Host, threads: usize) -> (Host, Vec<LoggedEdit>) {
        let Self { simulation, log, moment, .. } = self;
        let start = of.timeline.branch(moment.branch).map_or_else(|| of.start(), |branch| branch.start());
        (Host::around(simulation, start, &of.recipe, move || Workers::new(threads)), log)
    }

    /// Runs the next step, with the edits of the branch.
    pub fn step(&mut self) {
        let due: Vec<LoggedEdit> = self.edits.due(self.simulation.steps() + 1).collect();
        for run in due.chunk_by(LoggedEdit::goes_with) {
            // An edit that was valid once is valid again.
            drop(self.simulation.replay_run(run));
        }
        self.simulation.step(1);
    }

    /// Goes to the last keyframe at or before a step, or to the start; returns its step.
    ///
    /// # Errors
    /// If the branch no longer exists, or the simulation cannot be made again.
    pub fn go_before(&mut self, host: &Host, step: u64) -> Result<u64, TimelineError> {
        let branch = host.timeline.check(Moment { step: 0, ..self.moment })?;
        let keyframe = host.timeline.keyframe_before(Moment { step, ..self.moment });
        let gone = match keyframe {
            Some((at, snapshot)) => restore(&mut self.simulation, branch.start(), snapshot, until(&self.log, at)),
            None => self.simulation.restart(branch.start()),
        };
        gone.map_err(in_words)?;
        self.moment.step = keyframe.map_or(0, |(at, _)| at);
        self.edits.go_on_from(self.moment.step);
        Ok(self.moment.step)
    }
}

/// The edits of a log up to the end of a step.
fn until(log: &[LoggedEdit], step: u64) -> Vec<LoggedEdit> {
    log.iter().take_while(|logged| logged.step <= step).cloned().collect()
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn in_words(problems: Problems) -> TimelineError {
    TimelineError::Simulation(problems.to_string())
}

impl Host {
    /// Creates a twin at the last keyframe at or before a moment, or at the start.
    ///
    /// # Errors
    /// If this host keeps no past, the moment does not exist, or its simulation cannot be made.
    pub fn twin(&self, moment: Moment) -> Result<Twin, TimelineError> {
        self.plan_twin(moment)?.make((self.workers)())
    }

    /// The plan to repeat the present run from its start, also of a host that keeps no past.
    pub fn plan_twin_from_start(&self) -> TwinPlan {
        let branch = self.timeline.present();
        TwinPlan {
            start: branch.shared_start().clone(),
            recipe: self.recipe.clone(),
            epoch_s: self.simulation.epoch_s(),
            log: self.simulation.edits().to_vec(),
            moment: Moment { branch: branch.id(), step: 0 },
            keyframe: None,
        }
    }

    /// The plan to build a [`twin`](Self::twin).
    ///
    /// # Errors
    /// If this host keeps no past, or the moment does not exist.
    pub fn plan_twin(&self, moment: Moment) -> Result<TwinPlan, TimelineError> {
        if !self.keeps_past {
            return Err(TimelineError::NotKept);
        }
        let branch = self.timeline.check(moment)?;
        let keyframe = self.timeline.keyframe_before(moment).filter(|(step, _)| *step > 0);
        Ok(TwinPlan {
            start: branch.shared_start().clone(),
            recipe: self.recipe.clone(),
            epoch_s: branch.epoch_s,
            log: branch.edits(),
            moment: Moment { step: keyframe.map_or(0, |(step, _)| step), ..moment },
            keyframe: keyframe.map(|(_, snapshot)| snapshot.clone()),
        })
    }
}
