//! Counts the agents at a goal.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{at_goal, unknown_goal};

/// Number of robots that are at a goal, and number of robots that have reached it so far. Each robot counts once;
/// a robot that was removed does not count. In a periodic arena, goals extend across the boundary.
///
/// # Formula
/// ```math
/// n_{\text{now}} = \sum_{i=1}^{N} a_i(t)
/// \qquad
/// n_{\text{arrived}} = \sum_{i=1}^{N} {\max_{\tau \le t} a_i(\tau)}
/// ```
/// $a_i(t)$ is 1 if robot $i$ is at the goal at the end of the step at time $t$, and 0 otherwise; $N$ is the number
/// of robots. With an empty name, being at any goal counts.
///
/// Source: RobotSwarmSimulator `AgentsAtGoal`.
///
/// Range: 0 to N.
#[kind(section = "Goals", words = "arrived, reached, goal, finish")]
pub struct AgentsAtGoal {
    /// Name of the goal. Empty: any goal.
    pub goal: String,
}

impl Metric for AgentsAtGoal {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("now", "Robots at the goal"),
        MetricLabel::new("arrived", "Robots that have reached the goal"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("agents_at_goal", "Robots at the goal")
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let [now, arrived] = at_goal(&self.goal, swarm);
        (values[0], values[1]) = (now as f64, arrived as f64);
    }
}
