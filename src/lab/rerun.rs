//! A run that is simulated again, from its start, with its edits.

use anyhow::anyhow;
use swarmarium_core::edit::log::Replay;
use swarmarium_core::scene::Scene;
use swarmarium_core::simulation::{Recipe, Simulation};

use super::Lab;

/// A run that is simulated again, from its start, with its edits.
pub struct Rerun {
    start: Scene,
    recipe: Recipe,
    threads: usize,
    epoch_s: f64,
    log: Replay,
    steps: u64,
}

impl Rerun {
    /// The run up to now.
    pub fn of(lab: &Lab) -> Self {
        let simulation = lab.host.simulation();
        Self {
            start: lab.host.start().clone(),
            recipe: lab.recipe.clone(),
            threads: lab.threads,
            epoch_s: simulation.epoch_s(),
            log: Replay::new(simulation.edits().to_vec()),
            steps: simulation.steps(),
        }
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The simulation before its first step.
    ///
    /// # Errors
    /// When the simulation cannot be made.
    pub fn begin(&self) -> anyhow::Result<Simulation> {
        let mut simulation = Simulation::with(&self.start, &self.recipe, self.threads)?;
        simulation.begin_at(self.epoch_s);
        Ok(simulation)
    }

    /// Does the next step, with the edits that belong to it.
    ///
    /// # Errors
    /// When an edit cannot be made again.
    pub fn step(&mut self, simulation: &mut Simulation) -> anyhow::Result<()> {
        let step = simulation.steps() + 1;
        for logged in self.log.due(step) {
            simulation.replay(logged).map_err(|problem| anyhow!("step {step}: {problem}"))?;
        }
        simulation.step(1);
        Ok(())
    }
}
