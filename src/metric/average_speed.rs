//! How fast the agents are.

use bevy::prelude::*;

use super::{Metric, NoHistory, Swarm};

/// The mean speed of the agents over the last step, pushes included, in m/s
/// (Brown et al. 2018; RobotSwarmSimulator `AverageSpeedBehavior`, which counts metres per step).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct AverageSpeed {}

impl Metric for AverageSpeed {
    type Memory = NoHistory;
    const LABEL: &'static str = "average_speed_m_per_s";

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let moved = swarm.bodies.displacements();
        let sum: f64 = moved.iter().map(|moved| moved.length()).sum();
        values[0] = sum / moved.len() as f64 / swarm.dt_s;
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn is_the_mean_of_the_speeds() {
        let agents = [(DVec2::ONE, 0.0, DVec2::new(0.025, 0.0)), (DVec2::ZERO, 0.0, DVec2::new(0.0, -0.075))];
        let speed = observe(&AverageSpeed {}, &mut NoHistory, DVec2::splat(10.0), &agents);
        assert!((speed - 2.0).abs() < 1e-12);
        assert!(observe(&AverageSpeed {}, &mut NoHistory, DVec2::splat(10.0), &[]).is_nan());
    }
}
