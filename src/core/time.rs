//! Simulated time: the count of steps, rates, and the clocks of robots.

use bevy::prelude::*;
use swarmarium_base::math;

use crate::state::Record;

pub mod rate;
pub mod robot;

/// The clock of a simulation: it counts steps, from which time follows.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct SimTime {
    /// Number of completed steps; during a step, the number of this step, counted from 1.
    pub step: u64,
    /// Duration of a step in simulated seconds.
    pub dt_s: f64,
}

impl SimTime {
    /// Simulated time at the end of the last step, in seconds.
    #[inline]
    pub fn now_s(&self) -> f64 {
        self.step as f64 * self.dt_s
    }

    /// [`now_s`](Self::now_s) for tables: the nearest decimal number, such as 0.3 after three steps of 0.1 s.
    pub fn shown_s(&self) -> f64 {
        math::decimal_product(self.now_s())
    }
}

/// Behaviour when the machine is too slow for real time.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Strategy {
    /// Keeps to real time multiplied by the time scale; missed time is dropped and reported.
    #[default]
    BestEffort,
    /// Runs every step, however late.
    FixedStep,
}

/// The last requested time scale. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug)]
pub struct TimeScale(pub f64);

impl Record for TimeScale {}
