//! How much of the swarm is at a goal.

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_core::scene::Scene;

use super::goals::{at_goal, unknown_goal};

metric_kind! {
    /// The share of the agents, in percent, that are at a goal now, and that have come to one so far
    /// (RobotSwarmSimulator `PercentageAtGoal`). In a periodic arena, goals also reach across the boundary.
    PercentageAtGoal {
        /// Name of the goal; any goal when empty.
        goal: String = String::new(),
    }
}

impl PercentageAtGoal {
    /// The problem with a parameter that does not fit the scene.
    pub(super) fn problem(&self, _: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene)
    }
}

impl Metric for PercentageAtGoal {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["now", "arrived"];

    fn label(&self) -> &'static str {
        "percentage_at_goal"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let percent = |agents: usize| 100.0 * agents as f64 / swarm.len() as f64;
        let [now, arrived] = at_goal(&self.goal, swarm);
        (values[0], values[1]) = (percent(now), percent(arrived));
    }
}
