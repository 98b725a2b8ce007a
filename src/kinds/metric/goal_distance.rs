//! Measures the distance of one agent from its goal.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{unknown_goal, way_to_goal};

/// Distance from one robot to the centre of its goal. In a periodic arena it is the shortest distance, across the
/// boundary where necessary.
///
/// # Formula
/// ```math
/// d = \lVert g - p_i \rVert
/// ```
/// $p_i$ is the position of the robot and $g$ the centre of the goal. No number if there is no such robot or goal.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞, in m.
#[kind(section = "Goals", words = "distance, far, goal, progress")]
pub struct GoalDistance {
    /// Number of the robot (column `agent` of `trace.csv`).
    pub agent: u32,
    /// Name of the goal. Empty: the goal of the supervisor of the robot.
    pub goal: String,
}

impl Metric for GoalDistance {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("goal_distance_m", "Distance to the goal")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        gathered.extend(way_to_goal(census, self.agent, &self.goal).map(|(way, _)| way.length()));
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
