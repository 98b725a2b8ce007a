//! The hosts that `verify` compares, behind one face.

use std::cell::Cell;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::clock::{Host, UNLIMITED};
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::edit::log::Replay;
use swarmarium_core::random::Stream;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::simulation::{Recipe, Simulation};
use swarmarium_core::state::{ForeignSnapshot, Snapshot};
use swarmarium_core::step::Workers;

use super::Hosting;

/// The longest frame of a lab that stutters.
const LONGEST_FRAME_S: f64 = 0.2;

/// A simulation in the hands of a host. Its threads share all work, however little: that is what is checked.
pub enum Driver<'a> {
    /// As the verb `run` does.
    Run {
        /// The simulation.
        simulation: Box<Simulation>,
        /// Its kinds.
        recipe: &'a Recipe,
        /// The number of its threads.
        threads: usize,
    },
    /// As the lab does.
    Lab {
        /// The host.
        host: Box<Host>,
        /// What happens in its frames.
        frames: Stream,
    },
}

impl<'a> Driver<'a> {
    /// A new simulation in the hands of a host.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(
        hosting: Hosting,
        scene: &Scene,
        recipe: &'a Recipe,
        threads: usize,
        frames: Stream,
    ) -> Result<Self, Problems> {
        Ok(match hosting {
            Hosting::Run => Self::Run { simulation: made(scene, recipe, threads)?, recipe, threads },
            Hosting::Lab => {
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

    /// Starts again with the scene as it is now.
    ///
    /// # Errors
    /// When the simulation cannot be made.
    pub fn reset(&mut self) -> Result<(), Problems> {
        match self {
            Self::Run { simulation, recipe, threads } => *simulation = made(simulation.scene(), recipe, *threads)?,
            Self::Lab { host, .. } => host.reset()?,
        }
        Ok(())
    }

    /// Goes to a snapshot.
    ///
    /// # Errors
    /// When the snapshot does not fit.
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

    /// Runs to a step, with edits; `look` sees the simulation after each step on the way.
    pub fn run_to(&mut self, end: u64, edits: &mut Replay, mut look: impl FnMut(&Simulation)) {
        while self.simulation().steps() < end {
            // An edit that makes no sense here did so in the plain run: it would show as another state.
            for logged in edits.due(self.simulation().steps() + 1) {
                let _ = self.replay(logged);
            }
            match self {
                Self::Run { simulation, .. } => {
                    simulation.step(1);
                    look(simulation);
                }
                Self::Lab { host, frames } => {
                    // Edits are queued for the next step, so a frame ends before a step that has some.
                    let before_edits = edits.next_step().map_or(end, |step| step - 1);
                    frame(host, frames, before_edits.min(end), &mut look);
                }
            }
        }
    }
}

fn made(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Box<Simulation>, Problems> {
    Simulation::with_workers(scene, recipe, Workers::eager(threads)).map(Box::new)
}

/// A frame of a lab in use: of any length, perhaps paused or single-stepped, at any time scale.
fn frame(host: &mut Host, random: &mut Stream, end: u64, look: &mut impl FnMut(&Simulation)) {
    let scale = match random.unit() {
        dice if dice < 0.05 => Some(UNLIMITED),
        dice if dice < 0.2 => Some(random.between(0.1, 20.0)),
        _ => None,
    };
    if let Some(scale) = scale {
        // Scales in range are never refused.
        let _ = host.set_scale(scale);
    }
    host.clock_mut().paused = random.unit() < 0.2;
    if random.unit() < 0.1 {
        host.clock_mut().step_once(1);
    }
    let step = Cell::new(host.simulation().steps());
    // A frame runs at least the step that it wants, and time may be too short for more.
    let most = step.get() + (random.unit() * 64.0) as u64;
    host.advance(
        random.between(0.0, LONGEST_FRAME_S),
        || step.get() < end.min(most),
        |simulation| {
            step.set(simulation.steps());
            look(simulation);
        },
    );
}
