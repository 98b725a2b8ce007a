//! Measures the mean speed of the agents.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Mean speed of the robots over the last step, pushes included. `Classic` uses metres per step. A periodic
/// boundary makes no difference.
///
/// # Formula
/// ```math
/// \bar{v} = \frac{1}{N} \sum_{i=1}^{N} \lVert v_i \rVert
/// ```
/// $v_i$ is the mean velocity of robot $i$ over the last step and $N$ the number of robots. `Classic` uses the
/// displacement $v_i \Delta t$ in place of $v_i$. No number without robots.
///
/// Source: Brown et al., 2018; RobotSwarmSimulator `AverageSpeedBehavior`.
///
/// Range: 0 to ∞, in m/s; `Classic`: in m per step.
#[kind(section = "Motion", words = "speed, velocity, how fast, mean speed")]
pub struct AverageSpeed {
    /// `Corrected`: per second. `Classic`: per step, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for AverageSpeed {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new(self.variant.choose("average_speed_m_per_s", "average_speed_m_per_step"), "Average speed")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let moved = swarm.displacements().iter();
        values[0] = swarm.mean(moved.map(|moved| moved.length())) / self.variant.time_unit_s(swarm.dt_s);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn average_speed_is_the_mean_of_the_speeds() {
        let agents = [(DVec2::ONE, 0.0, DVec2::new(0.025, 0.0)), (DVec2::ZERO, 0.0, DVec2::new(0.0, -0.075))];
        let [speed] = observe(&AverageSpeed::default(), &agents);
        assert!((speed - 2.0).abs() < 1e-12);
        let [per_step] = observe(&AverageSpeed { variant: Variant::Classic }, &agents);
        assert_eq!(per_step, 0.05);
    }
}
