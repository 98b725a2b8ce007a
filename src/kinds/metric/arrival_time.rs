//! When agents came to a goal.

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_core::scene::Scene;

use super::goals::{first_arrivals, unknown_goal};

metric_kind! {
    /// The times, in seconds since the start, at which agents first came to a goal: that of the first agent, the mean
    /// over those that have arrived, and that of the last one so far; no numbers before the first. Agents that are gone
    /// do not count. In a periodic arena, goals also reach across the boundary.
    ArrivalTime {
        /// Name of the goal; any goal when empty.
        goal: String = String::new(),
    }
}

impl ArrivalTime {
    /// The problem with a parameter that does not fit the scene.
    pub(super) fn problem(&self, _: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene)
    }
}

impl Metric for ArrivalTime {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["first_s", "mean_s", "last_s"];

    fn label(&self) -> &'static str {
        "arrival_time"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let times: Vec<f64> =
            first_arrivals(&self.goal, swarm).values().map(|step| *step as f64 * swarm.dt_s).collect();
        let last = times.iter().copied().max_by(f64::total_cmp);
        values[0] = times.iter().copied().min_by(f64::total_cmp).unwrap_or(f64::NAN);
        values[1] = times.iter().sum::<f64>() / times.len() as f64;
        values[2] = last.unwrap_or(f64::NAN);
    }
}
