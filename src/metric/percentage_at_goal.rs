//! How much of the swarm is at a goal.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::goals::{at_goal, unknown_goal};
use super::{Metric, NoHistory, Swarm};
use crate::kind::Kinds;
use crate::scene::Scene;

metric_kind! {
    /// The share of the agents, in percent, that are at a goal now, and that have come to one so far
    /// (RobotSwarmSimulator `PercentageAtGoal`). In a wrapping arena, goals also reach across the border.
    PercentageAtGoal {
        /// Name of the goal; any goal when empty.
        goal: String = String::new(),
    }
}

impl Metric for PercentageAtGoal {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["now", "arrived"];

    fn label(&self) -> &'static str {
        "percentage_at_goal"
    }

    fn problem(&self, _: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let percent = |agents: usize| 100.0 * agents as f64 / swarm.len() as f64;
        let [now, arrived] = at_goal(&self.goal, swarm);
        (values[0], values[1]) = (percent(now), percent(arrived));
    }
}
