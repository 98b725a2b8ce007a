//! Measures the share of the swarm at a goal.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{at_goal, unknown_goal};

/// Percentage of the robots that are at a goal, and percentage that have reached it so far. In a periodic arena,
/// goals extend across the boundary.
///
/// # Formula
/// ```math
/// q_{\text{now}} = \frac{100}{N} \sum_{i=1}^{N} a_i(t)
/// \qquad
/// q_{\text{arrived}} = \frac{100}{N} \sum_{i=1}^{N} {\max_{\tau \le t} a_i(\tau)}
/// ```
/// $a_i(t)$ is 1 if robot $i$ is at the goal at the end of the step at time $t$, and 0 otherwise; $N$ is the number
/// of robots. No numbers without robots.
///
/// Source: RobotSwarmSimulator `PercentageAtGoal`.
///
/// Range: 0 to 100, in percent.
#[kind(section = "Goals", words = "arrived, reached, goal, finish, percent")]
pub struct PercentageAtGoal {
    /// Name of the goal. Empty: any goal.
    pub goal: String,
}

impl Metric for PercentageAtGoal {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("now", "Robots at the goal").in_unit("%"),
        MetricLabel::new("arrived", "Robots that have reached the goal").in_unit("%"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("percentage_at_goal", "Percentage of robots at the goal")
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let percent = |agents: usize| 100.0 * agents as f64 / swarm.len() as f64;
        let [now, arrived] = at_goal(&self.goal, swarm);
        (values[0], values[1]) = (percent(now), percent(arrived));
    }
}
