//! How much the agents go round their middle.

use bevy::prelude::*;

use super::{Metric, NoHistory, Swarm};

/// The mean speed of the agents around their centroid, in m/s; negative when they go anticlockwise
/// (Brown et al. 2018; RobotSwarmSimulator `GroupRotationBehavior`, which counts metres per step).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct GroupRotation {}

impl Metric for GroupRotation {
    type Memory = NoHistory;
    const LABEL: &'static str = "group_rotation_m_per_s";

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let Some(centroid) = swarm.centroid_m() else {
            values[0] = f64::NAN;
            return;
        };
        let agents = swarm.bodies.positions().iter().zip(swarm.bodies.displacements());
        // An agent in the very middle goes round nothing.
        let sum: f64 = agents.map(|(position, moved)| moved.perp_dot((position - centroid).normalize_or_zero())).sum();
        values[0] = sum / swarm.bodies.len() as f64 / swarm.dt_s;
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn anticlockwise_is_negative_and_one_agent_rotates_around_nothing() {
        let arena = DVec2::splat(10.0);
        let pair = [(DVec2::X, 0.0, DVec2::new(0.0, 0.025)), (-DVec2::X, 0.0, DVec2::new(0.0, -0.025))];
        let rotation = observe(&GroupRotation {}, &mut NoHistory, arena, &pair);
        assert!((rotation + 1.0).abs() < 1e-12, "{rotation}");
        assert_eq!(observe(&GroupRotation {}, &mut NoHistory, arena, &pair[..1]), 0.0);
    }
}
