//! Reads a parameter of an agent.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_core::text::values::number;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::{Scene, path};

/// Present value of a numeric parameter of one robot, to record a tuned parameter with its results or to use it in
/// expressions. Expressions over this metric replace `SensorRotation` and `GeneElementDifference` of
/// RobotSwarmSimulator. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// y = q_i(t)
/// ```
/// $q_i(t)$ is the value of the parameter at `path` of robot $i$ at time $t$. No number if there is no such robot,
/// or if it has no number at this path.
///
/// Source: Swarmarium; RobotSwarmSimulator `SensorRotation` and `GeneElementDifference`.
///
/// Range: any number, in the unit of the parameter.
#[kind(section = "One robot", words = "value, setting, record a parameter")]
pub struct Parameter {
    /// Number of the robot (column `agent` of `trace.csv`).
    pub agent: u32,
    /// Path of the parameter within the robot, such as `sensors.0.bearing_rad` or `controller.clear.v_m_per_s`.
    #[default("body.radius_m".into())]
    pub path: String,
}

impl Parameter {
    fn of(&self, kinds: &Kinds, group: &Group) -> Result<f64, Problem> {
        let value = path::get(kinds, group, &self.path)?;
        number(value).ok_or_else(|| Problem::of_file(format!("`{}` is not a number", self.path)))
    }
}

impl Metric for Parameter {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("parameter", "Parameter")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let kinds = census.world().resource::<Kinds>();
        gathered.extend(AgentView::seen(census, self.agent).and_then(|agent| self.of(kinds, &agent.parts()).ok()));
    }

    fn problem_in(&self, kinds: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        let scene = scene.downcast_ref::<Scene>()?;
        // The group of the agent may be known only when the agent is made.
        let mut wrong = scene.groups.iter().map_while(|group| self.of(kinds, group).err()).collect::<Vec<_>>();
        if scene.groups.is_empty() || wrong.len() < scene.groups.len() {
            return None;
        }
        Some(("path", wrong.swap_remove(0).message))
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
