//! The hosts that `verify` compares, behind one face.

use std::cell::Cell;

use super::{Comparison, Hosting};
use crate::clock::{Host, UNLIMITED};
use crate::edit::LoggedEdit;
use crate::history::Snapshot;
use crate::random::Stream;
use crate::scene::description::Scene;
use crate::scene::problem::Problems;
use crate::simulation::{Recipe, Simulation};

/// The longest frame of a lab that stutters.
const LONGEST_FRAME_S: f64 = 0.2;

/// A simulation in the hands of a host, with the edits to apply on the way.
pub struct Driver<'a> {
    hosted: Hosted<'a>,
    edits: &'a [LoggedEdit],
}

enum Hosted<'a> {
    Run { simulation: Box<Simulation>, scene: &'a Scene, recipe: &'a Recipe, threads: usize },
    Lab { host: Box<Host>, frames: Stream },
}

/// The edits of one step.
pub fn due(edits: &[LoggedEdit], step: u64) -> impl Iterator<Item = &LoggedEdit> {
    edits.iter().filter(move |logged| logged.step == step)
}

impl<'a> Driver<'a> {
    /// A new simulation in the hands of a host.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(
        host: Hosting,
        scene: &'a Scene,
        recipe: &'a Recipe,
        threads: usize,
        edits: &'a [LoggedEdit],
        frames: Stream,
    ) -> Result<Self, Problems> {
        let hosted = match host {
            Hosting::Run => {
                Hosted::Run { simulation: Box::new(Simulation::with(scene, recipe, threads)?), scene, recipe, threads }
            }
            Hosting::Lab => Hosted::Lab { host: Box::new(Host::new(scene, recipe, threads)?), frames },
        };
        Ok(Self { hosted, edits })
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        match &self.hosted {
            Hosted::Run { simulation, .. } => simulation,
            Hosted::Lab { host, .. } => host.simulation(),
        }
    }

    /// Starts again.
    ///
    /// # Errors
    /// When the simulation cannot be made.
    pub fn reset(&mut self) -> Result<(), Problems> {
        match &mut self.hosted {
            Hosted::Run { simulation, scene, recipe, threads } => {
                **simulation = Simulation::with(scene, recipe, *threads)?;
                Ok(())
            }
            Hosted::Lab { host, .. } => host.reset(),
        }
    }

    /// Goes to a snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        match &mut self.hosted {
            Hosted::Run { simulation, .. } => simulation.restore(snapshot),
            Hosted::Lab { host, .. } => host.restore(snapshot),
        }
    }

    /// Runs to a step and looks at the state after each step on the way.
    pub fn run_to(&mut self, end: u64, seen: &mut Comparison) {
        while self.simulation().steps() < end {
            let step = self.simulation().steps();
            // Edits that make no sense were found in the plain run; here they would show as another state.
            for LoggedEdit { edit, .. } in due(self.edits, step + 1) {
                let _ = match &mut self.hosted {
                    Hosted::Run { simulation, .. } => simulation.apply(edit.clone()),
                    Hosted::Lab { host, .. } => host.apply(edit.clone()),
                };
            }
            match &mut self.hosted {
                Hosted::Run { simulation, .. } => {
                    simulation.step(1);
                    seen.look(simulation);
                }
                Hosted::Lab { host, frames } => {
                    // Edits are queued for the next step, so a frame ends before a step that has some.
                    let next = self.edits.iter().map(|logged| logged.step - 1).filter(|next| *next > step).min();
                    frame(host, frames, next.unwrap_or(end).min(end), seen);
                }
            }
        }
    }
}

/// A frame of a lab in use: of any length, perhaps paused or single-stepped, at any time scale.
fn frame(host: &mut Host, random: &mut Stream, end: u64, seen: &mut Comparison) {
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
            seen.look(simulation);
        },
    );
}
