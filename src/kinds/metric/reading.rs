//! Reads a sensor of an agent.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_scene::agent_view::AgentView;

/// Last reading of a sensor of one robot, to plot it, to record it in `metrics.csv` or to use it in expressions. A
/// periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// y = z_i(t)
/// ```
/// $z_i(t)$ is the number in the channel of the last reading of the sensor of robot $i$ at time $t$. No number if
/// there is no such robot, sensor or channel.
///
/// Source: RobotSwarmSimulator `store_history`.
///
/// Range: any number, in the unit of the sensor.
#[kind(section = "One robot", words = "sensor value, measurement, signal")]
pub struct Reading {
    /// Number of the robot (column `agent` of `trace.csv`).
    pub agent: u32,
    /// Slot of the sensor whose reading is returned.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub slot: u32,
    /// Channel of the reading, counted from 0.
    pub channel: u32,
}

impl Metric for Reading {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("reading", "Reading")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let reading = AgentView::seen(census, self.agent).and_then(|agent| agent.readings().nth(self.slot as usize));
        gathered.extend(reading.and_then(|values| values.get(self.channel as usize)));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}
