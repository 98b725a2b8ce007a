//! The common interface of the hosts that `verify` compares.

use std::cell::Cell;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::random::Stream;
use swarmarium_core::state::{ForeignSnapshot, Snapshot};
use swarmarium_core::step::Workers;
use swarmarium_host::clock::{Host, UNLIMITED};
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::HostKind;

/// The longest frame of the lab, in seconds.
const LONGEST_FRAME_S: f64 = 0.2;

/// A simulation and its host. The threads share all work, however little, so that the check covers them.
pub enum Driver<'a> {
    /// The host of the verb `run`.
    Run {
        /// The simulation.
        simulation: Box<Simulation>,
        /// The recipe of the simulation.
        recipe: &'a Recipe,
        /// The number of threads.
        threads: usize,
    },
    /// The host of the lab.
    Lab {
        /// The host.
        host: Box<Host>,
        /// The random stream for frames.
        frames: Stream,
    },
}

impl<'a> Driver<'a> {
    /// Builds a simulation with its host.
    ///
    /// # Errors
    /// When the scene is invalid.
    pub fn new(
        kind: HostKind,
        scene: &Scene,
        recipe: &'a Recipe,
        threads: usize,
        frames: Stream,
    ) -> Result<Self, Problems> {
        Ok(match kind {
            HostKind::Run => Self::Run { simulation: build(scene, recipe, threads)?, recipe, threads },
            HostKind::Lab => {
                let host = Host::with_workers(scene, recipe, move || Workers::eager(threads))?;
                Self::Lab { host: Box::new(host), frames }
            }
        })
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        match self {
            Self::Run { simulation, .. } => simulation,
            Self::Lab { host, .. } => host.simulation(),
        }
    }

    /// Restarts with the present scene.
    ///
    /// # Errors
    /// When the scene is invalid.
    pub fn reset(&mut self) -> Result<(), Problems> {
        match self {
            Self::Run { simulation, recipe, threads } => *simulation = build(simulation.scene(), recipe, *threads)?,
            Self::Lab { host, .. } => host.reset()?,
        }
        Ok(())
    }

    /// Restores a snapshot.
    ///
    /// # Errors
    /// When the snapshot belongs to another simulation.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
        match self {
            Self::Run { simulation, .. } => simulation.restore(snapshot),
            Self::Lab { host, .. } => host.restore(snapshot),
        }
    }

    fn replay(&mut self, logged: LoggedEdit) -> Result<(), Problem> {
        match self {
            Self::Run { simulation, .. } => simulation.replay(logged),
            Self::Lab { host, .. } => host.replay(logged),
        }
    }

    /// Runs to a step, with edits; `on_step` is called after each step.
    pub fn run_to(&mut self, end: u64, edits: &mut Replay, mut on_step: impl FnMut(&Simulation)) {
        while self.simulation().steps() < end {
            // The edit was valid in the plain run. If it is invalid here, the states differ.
            for logged in edits.due(self.simulation().steps() + 1) {
                let _ = self.replay(logged);
            }
            match self {
                Self::Run { simulation, .. } => {
                    simulation.step(1);
                    on_step(simulation);
                }
                Self::Lab { host, frames } => {
                    // Edits are queued for the next step, so a frame ends before a step that has some.
                    let before_edits = edits.next_step().map_or(end, |step| step - 1);
                    frame(host, frames, before_edits.min(end), &mut on_step);
                }
            }
        }
    }
}

fn build(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Box<Simulation>, Problems> {
    Simulation::with_workers(scene, recipe, Workers::eager(threads)).map(Box::new)
}

/// Runs a frame as in the lab: of random length and time scale, sometimes paused or single-stepped.
fn frame(host: &mut Host, random: &mut Stream, end: u64, on_step: &mut impl FnMut(&Simulation)) {
    let scale = match random.unit() {
        dice if dice < 0.05 => Some(UNLIMITED),
        dice if dice < 0.2 => Some(random.between(0.1, 20.0)),
        _ => None,
    };
    if let Some(scale) = scale {
        // Time scales within the limits are always accepted.
        let _ = host.set_scale(scale);
    }
    host.clock_mut().paused = random.unit() < 0.2;
    if random.unit() < 0.1 {
        host.clock_mut().step_once(1);
    }
    let step = Cell::new(host.simulation().steps());
    // A frame does at least the requested step, and more only while time is left.
    let max = step.get() + (random.unit() * 64.0) as u64;
    host.advance(
        random.between(0.0, LONGEST_FRAME_S),
        || step.get() < end.min(max),
        |simulation| {
            step.set(simulation.steps());
            on_step(simulation);
        },
    );
}
