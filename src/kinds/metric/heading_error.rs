//! How far the heading of one agent is off the way to its goal.

use bevy::prelude::*;
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};
use swarmarium_core::scene::Scene;

use super::goals::{unknown_goal, way_to_goal};

metric_kind! {
    /// The angle from the heading of one agent to its goal, anticlockwise, from −π to π: the error that a controller such as
    /// `GoToGoal` brings to zero (Egerstedt, "Control of mobile robots", week 3). It is measured from the true pose, not
    /// from where the robot believes to be. No number when there is no such agent or goal. In a periodic arena the goal
    /// is at the shortest way, across the boundary where necessary.
    HeadingError {
        /// Number of the agent, as in its stable id.
        agent: u32 = 0,
        /// Name of the goal; when empty, the goal of the agent's supervisor.
        goal: String = String::new(),
    }
}

impl HeadingError {
    /// The problem with a parameter that does not fit the scene.
    pub(super) fn problem(&self, _: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene)
    }
}

impl Metric for HeadingError {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "heading_error_rad"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let way = way_to_goal(census, self.agent, &self.goal);
        gathered.extend(way.map(|(way, heading_rad)| wrap_angle(angle_of(way) - heading_rad)));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
