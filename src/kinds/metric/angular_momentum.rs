//! How much the agents turn about their middle, those far out more.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm, Variant};

metric_kind! {
    /// The mean of speed times lever arm about the centroid, in units of half the arena's diagonal, in m/s; negative
    /// when the agents go anticlockwise. Classic: in metres per step (Brown et al. 2018; RobotSwarmSimulator
    /// `AngularMomentumBehavior`). In a periodic arena it uses coordinates as they are: a swarm that straddles the
    /// boundary counts as split.
    AngularMomentum {
        /// Per second, or per step as in RobotSwarmSimulator.
        variant: Variant = Variant::default(),
    }
}

impl Metric for AngularMomentum {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        self.variant.choose("angular_momentum_m_per_s", "angular_momentum_m_per_step")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let agents = swarm.outwards().zip(swarm.displacements());
        let momentum = swarm.mean(agents.map(|(outward, moved)| moved.perp_dot(outward)));
        values[0] = momentum / swarm.half_diagonal_m() / self.variant.time_unit_s(swarm.dt_s);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn the_lever_counts() {
        let pair = |arm: f64| [(DVec2::X * arm, 0.0, DVec2::Y * 0.025), (-DVec2::X * arm, 0.0, -DVec2::Y * 0.025)];
        let [near] = observe(&AngularMomentum::default(), &pair(1.0));
        let [far] = observe(&AngularMomentum::default(), &pair(2.0));
        // The arena of the tests measures 6 m by 8 m.
        assert!((near + 0.2).abs() < 1e-12 && (far - 2.0 * near).abs() < 1e-12, "{near} {far}");
    }
}
