//! How often sensors detect something.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::metric::{Census, Metric, Swarm};

metric_kind! {
    /// The share of the agents whose sensor detects something: in this step, and the mean over all steps so far
    /// (RobotSwarmSimulator `SensorSignalBehavior`). A sensor detects when one of its numbers is above one half; agents
    /// without the sensor do not count. A periodic boundary makes no difference.
    SensorSignal {
        /// Slot of the sensor.
        #[reflect(@Limits::between(0.0, 65535.0))]
        slot: u32 = 0,
    }
}

/// The readings so far.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadingsSoFar {
    detections: u64,
    all: u64,
}

impl Metric for SensorSignal {
    type Memory = ReadingsSoFar;
    const PARTS: &'static [&'static str] = &["now", "mean"];

    fn label(&self) -> &'static str {
        "sensor_signal"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let readings = AgentView::all_seen(census).filter_map(|agent| agent.readings().nth(self.slot as usize));
        gathered.extend(readings.map(|reading| f64::from(reading.iter().any(|value| *value > 0.5))));
    }

    fn observe(&self, memory: &mut ReadingsSoFar, swarm: &Swarm, values: &mut [f64]) {
        let (detections, all) = (swarm.gathered.iter().sum::<f64>(), swarm.gathered.len());
        memory.detections += detections as u64;
        memory.all += all as u64;
        values[0] = detections / all as f64;
        values[1] = memory.detections as f64 / memory.all as f64;
    }
}
