//! The pacer, which synchronises a run with the wall clock.

use std::thread;
use std::time::{Duration, Instant};

use swarmarium_simulation::simulation::Simulation;

use super::super::common::Speed;
use super::super::interrupt;

/// The longest sleep between two checks for Ctrl-C.
const MAX_SLEEP: Duration = Duration::from_millis(50);

/// Delays steps so that simulated time does not run ahead of the wall clock.
pub struct Pacer {
    speed: Speed,
    /// The last time scale of the simulation; an edit that changes it changes the speed.
    scale: f64,
    since: Instant,
    since_s: f64,
}

impl Pacer {
    /// Starts the clock.
    pub fn new(speed: Speed, simulation: &Simulation) -> Self {
        let since_s = simulation.time().now_s();
        Self { speed, scale: simulation.time_scale(), since: Instant::now(), since_s }
    }

    /// Waits until the wall clock has caught up with the simulation.
    pub fn wait(&mut self, simulation: &Simulation) {
        let Speed::Times(times) = self.speed else { return };
        let now_s = simulation.time().now_s();
        let ahead = Duration::try_from_secs_f64((now_s - self.since_s) / times).unwrap_or(Duration::MAX);
        while !interrupt::requested() {
            match ahead.checked_sub(self.since.elapsed()) {
                None | Some(Duration::ZERO) => break,
                Some(rest) => thread::sleep(rest.min(MAX_SLEEP)),
            }
        }
        if simulation.time_scale() != self.scale {
            *self = Self::new(Speed::Times(simulation.time_scale()), simulation);
        }
    }
}
