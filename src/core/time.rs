//! Simulated time: the count of steps, rates, and the clocks of robots.

use bevy::prelude::*;

pub mod rate;
pub mod robot;

/// The clock of a simulation: it counts steps; time follows from them.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct SimTime {
    /// Steps done. While a step runs, its number, counted from 1.
    pub step: u64,
    /// Simulated time that one step advances, in seconds.
    pub dt_s: f64,
}

impl SimTime {
    /// Simulated time at the end of the last step, in seconds.
    #[inline]
    pub fn now_s(&self) -> f64 {
        self.step as f64 * self.dt_s
    }
}

/// The treatment of time that the machine cannot keep up with.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Strategy {
    /// One second per second times the scale; what cannot be kept up with is dropped, and told.
    #[default]
    BestEffort,
    /// Every step, however late; none is dropped.
    FixedStep,
}

/// The time scale that was asked for last. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug)]
pub struct TimeScale(pub f64);
