//! Measures how often sensors detect something.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, Swarm};
use swarmarium_scene::agent_view::AgentView;

/// Share of the robots whose sensor in a slot detects something: in this step, and on average over all steps so
/// far. A sensor detects something if at least one number of its reading exceeds 0.5. Robots without this sensor do
/// not count. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// q_{\text{now}} = \frac{1}{n(t)} \sum_{i=1}^{n(t)} b_i(t)
/// \qquad
/// q_{\text{mean}} = \frac{\sum_{\tau \le t} \sum_{i=1}^{n(\tau)} b_i(\tau)}{\sum_{\tau \le t} n(\tau)}
/// ```
/// $b_i(t)$ is 1 if the sensor of robot $i$ detects something at time $t$, and 0 otherwise; $n(t)$ is the number of
/// robots with this sensor. No numbers while there has been none.
///
/// Source: RobotSwarmSimulator `SensorSignalBehavior`.
///
/// Range: 0 to 1.
#[kind(section = "One robot", words = "sensor value, measurement, detections")]
pub struct SensorSignal {
    /// Slot of the sensor whose detections count.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub slot: u32,
}

/// The readings so far.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadingsSoFar {
    detections: u64,
    all: u64,
}

impl Metric for SensorSignal {
    type Memory = ReadingsSoFar;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("now", "Share of sensors that detect something"),
        MetricLabel::new("mean", "Mean share of sensors that detect something"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("sensor_signal", "Sensor signal")
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
