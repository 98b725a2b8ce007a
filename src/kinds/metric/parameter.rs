//! A parameter of an agent.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};
use swarmarium_core::scene::description::Group;
use swarmarium_core::scene::{Scene, path};
use swarmarium_core::text::values::number;

metric_kind! {
    /// A number in the description of one agent, as it is now: to have what was tuned beside what came of it, and in
    /// expressions (RobotSwarmSimulator `SensorRotation` and `GeneElementDifference` are expressions over it). A
    /// periodic boundary makes no difference.
    Parameter {
        /// Number of the agent, as in its stable id.
        agent: u32 = 0,
        /// Path of the parameter within the agent, such as `sensors.0.bearing_rad` or `controller.clear.v_m_per_s`.
        path: String = "body.radius_m".into(),
    }
}

impl Parameter {
    /// The problem with a parameter that does not fit the scene.
    pub(super) fn problem(&self, kinds: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        // Which group the agent is of may be known only when it is made.
        let mut wrong = scene.groups.iter().map_while(|group| self.of(kinds, group).err()).collect::<Vec<_>>();
        if scene.groups.is_empty() || wrong.len() < scene.groups.len() {
            return None;
        }
        Some(("path", wrong.swap_remove(0).message))
    }

    fn of(&self, kinds: &Kinds, group: &Group) -> Result<f64, Problem> {
        let value = path::get(kinds, group, &self.path)?;
        number(value).ok_or_else(|| Problem::of_file(format!("`{}` is no number", self.path)))
    }
}

impl Metric for Parameter {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "parameter"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let kinds = census.world().resource::<Kinds>();
        gathered.extend(AgentView::seen(census, self.agent).and_then(|agent| self.of(kinds, &agent.parts()).ok()));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
