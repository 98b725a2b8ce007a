//! Copies of the present simulation, which run ahead of it on other threads.

use std::sync::Arc;

use swarmarium_base::problem::Problems;
use swarmarium_core::state::Snapshot;
use swarmarium_core::step::Workers;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::Host;
use super::apart::to_be_restored;

/// Everything that is needed to copy the present simulation, possibly on another thread.
pub(super) struct CopyPlan {
    start: Arc<Scene>,
    recipe: Recipe,
    workers: Workers,
    epoch_s: f64,
    snapshot: Snapshot,
    log: Vec<LoggedEdit>,
    scale: f64,
}

impl CopyPlan {
    /// Copies into a spare simulation of the same start, or into a new one.
    pub(super) fn make(self, spare: Option<Simulation>) -> Result<Simulation, Problems> {
        let Self { start, recipe, workers, epoch_s, snapshot, log, scale } = self;
        let mut simulation = spare.map_or_else(|| to_be_restored(&start, &recipe, workers), Ok)?;
        simulation.begin_at(epoch_s);
        let restored = simulation.go_back_to(&snapshot, log, scale);
        restored.map_err(|error| Problems::of_file("snapshot", error.to_string()))?;
        Ok(simulation)
    }
}

/// The origin of a forecast.
enum Origin {
    /// The present moment, with edits that wait for the next step.
    Present { copy: Box<CopyPlan>, waiting: Vec<Edit> },
    /// The start of a scene.
    Start { scene: Box<Scene>, recipe: Recipe },
}

/// Everything that is needed to make a [`ForecastRun`], possibly on another thread.
pub struct ForecastPlan(Origin);

/// A simulation that runs ahead of the present one. Nothing that it does reaches the host.
pub struct ForecastRun {
    simulation: Simulation,
    /// The start of the present run; `None` for the start of another scene.
    start: Option<Arc<Scene>>,
}

impl ForecastPlan {
    /// Makes the run in the simulation of an earlier one, if it can be used again.
    ///
    /// # Errors
    /// If the simulation cannot be made.
    pub fn make(self, before: Option<ForecastRun>) -> Result<ForecastRun, Problems> {
        match self.0 {
            Origin::Present { copy, waiting } => {
                let start = copy.start.clone();
                let is_of_start = |run: &ForecastRun| run.start.as_ref().is_some_and(|of| Arc::ptr_eq(of, &start));
                let mut simulation = copy.make(before.filter(is_of_start).map(|run| run.simulation))?;
                for edit in waiting {
                    // An edit that no longer fits is left out by the next step, too.
                    drop(simulation.apply(edit));
                }
                Ok(ForecastRun { simulation, start: Some(start) })
            }
            Origin::Start { scene, recipe } => {
                let simulation = match before {
                    Some(ForecastRun { mut simulation, .. }) => simulation.restart(&scene).map(|()| simulation)?,
                    None => Simulation::with_workers(&scene, &recipe, Workers::default())?,
                };
                Ok(ForecastRun { simulation, start: None })
            }
        }
    }
}

impl ForecastRun {
    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Runs a step.
    pub fn step(&mut self) {
        self.simulation.step(1);
    }
}

impl Host {
    /// The plan to copy the present simulation, with a log and into a spare simulation or a new one.
    pub(super) fn plan_copy(&mut self, log: Vec<LoggedEdit>, workers: Workers) -> CopyPlan {
        CopyPlan {
            start: self.timeline.present().shared_start().clone(),
            recipe: self.recipe.clone(),
            workers,
            epoch_s: self.simulation.epoch_s(),
            snapshot: self.simulation.keyframe(),
            log,
            scale: self.simulation.time_scale(),
        }
    }

    /// The plan of a forecast with further edits: from the present moment, or if they restart the run, from the start of
    /// the changed scene. `None` while another state is on its way, or if the changed scene is not valid.
    pub fn plan_forecast(&mut self, edits: &[Edit], restarts: bool) -> Option<ForecastPlan> {
        if self.is_resimulating() {
            return None;
        }
        if restarts {
            let scene = Box::new(self.scene_with(edits).ok()?);
            return Some(ForecastPlan(Origin::Start { scene, recipe: self.recipe.clone() }));
        }
        let waiting = self.simulation.waiting_edits().chain(edits).cloned().collect();
        // No result depends on the log.
        let copy = Box::new(self.plan_copy(Vec::new(), Workers::default()));
        Some(ForecastPlan(Origin::Present { copy, waiting }))
    }
}
