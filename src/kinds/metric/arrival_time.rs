//! Measures when agents reached a goal.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{first_arrivals, unknown_goal};

/// Times at which robots first reached a goal: the earliest, the mean over the robots that have arrived, and the
/// latest so far. Robots that were removed do not count. In a periodic arena, goals extend across the boundary.
///
/// # Formula
/// ```math
/// t_{\text{first}} = \min_{i \in A} t_i
/// \qquad
/// t_{\text{mean}} = \frac{1}{\lvert A \rvert} \sum_{i \in A} t_i
/// \qquad
/// t_{\text{last}} = \max_{i \in A} t_i
/// ```
/// $A$ is the set of robots that have reached the goal, and $t_i$ the time of the step in which robot $i$ first
/// did. No numbers before the first arrival.
///
/// Source: Swarmarium.
///
/// Range: 0 to the present time, in s.
#[kind(section = "Goals", words = "arrived, when, how long, goal")]
pub struct ArrivalTime {
    /// Name of the goal. Empty: any goal.
    pub goal: String,
}

impl Metric for ArrivalTime {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("first_s", "Arrival time of the first robot"),
        MetricLabel::new("mean_s", "Mean arrival time"),
        MetricLabel::new("last_s", "Arrival time of the last robot"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("arrival_time", "Arrival time")
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_goal(&self.goal, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let times: Vec<f64> =
            first_arrivals(&self.goal, swarm).values().map(|step| *step as f64 * swarm.dt_s).collect();
        let last = times.iter().copied().max_by(f64::total_cmp);
        values[0] = times.iter().copied().min_by(f64::total_cmp).unwrap_or(f64::NAN);
        values[1] = times.iter().sum::<f64>() / times.len() as f64;
        values[2] = last.unwrap_or(f64::NAN);
    }
}
