//! Measures the angle between the heading of one agent and the direction to its goal.

use bevy::prelude::*;
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{unknown_goal, way_to_goal};

/// Angle from the heading of one robot to its goal, anticlockwise: the error that a controller such as `GoToGoal`
/// drives to zero. It uses the true pose, not the pose that the robot estimates. In a periodic arena, the goal is
/// in the direction of the shortest path, across the boundary where necessary.
///
/// # Formula
/// ```math
/// e = \operatorname{wrap}(\operatorname{atan2}(g_y - y_i, \, g_x - x_i) - \theta_i)
/// ```
/// $(x_i, y_i)$ is the position and $\theta_i$ the heading of the robot, $(g_x, g_y)$ the centre of the goal;
/// $\operatorname{wrap}$ brings an angle into the range by whole turns. No number if there is no such robot or
/// goal.
///
/// Source: Egerstedt, "Control of mobile robots", week 3.
///
/// Range: −π (excluded) to π, in rad.
#[kind(section = "Motion", words = "heading, direction, goal")]
pub struct HeadingError {
    /// Number of the robot (column `agent` of `trace.csv`).
    pub agent: u32,
    /// Name of the goal. Empty: the goal of the supervisor of the robot.
    pub goal: String,
}

impl Metric for HeadingError {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("heading_error_rad", "Heading error")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let way = way_to_goal(census, self.agent, &self.goal);
        gathered.extend(way.map(|(way, heading_rad)| wrap_angle(angle_of(way) - heading_rad)));
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
