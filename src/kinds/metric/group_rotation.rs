//! How much the agents go round their middle.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm, Variant};

metric_kind! {
    /// The mean speed of the agents around their centroid, in m/s; negative when they go anticlockwise. Classic: in
    /// metres per step (Brown et al. 2018; RobotSwarmSimulator `GroupRotationBehavior`). In a periodic arena it uses
    /// coordinates as they are: a swarm that straddles the boundary counts as split.
    GroupRotation {
        /// Per second, or per step as in RobotSwarmSimulator.
        variant: Variant = Variant::default(),
    }
}

impl Metric for GroupRotation {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        self.variant.choose("group_rotation_m_per_s", "group_rotation_m_per_step")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let agents = swarm.outwards().zip(swarm.displacements());
        // An agent in the very middle goes round nothing.
        let around = agents.map(|(outward, moved)| moved.perp_dot(outward.normalize_or_zero()));
        values[0] = swarm.mean(around) / self.variant.time_unit_s(swarm.dt_s);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn anticlockwise_is_negative_and_one_agent_rotates_around_nothing() {
        let pair = [(DVec2::X, 0.0, DVec2::new(0.0, 0.025)), (-DVec2::X, 0.0, DVec2::new(0.0, -0.025))];
        let [rotation] = observe(&GroupRotation::default(), &pair);
        assert!((rotation + 1.0).abs() < 1e-12, "{rotation}");
        assert_eq!(observe(&GroupRotation::default(), &pair[..1]), [0.0]);
    }
}
