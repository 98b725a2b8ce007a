//! Measures the rotation of the swarm, weighted by the distance from the centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Mean angular momentum of the robots about their centroid, per unit of mass and in units of half the diagonal of
/// the arena. Negative for anticlockwise motion.
///
/// `Classic` uses metres per step instead of metres per second. In a periodic arena, coordinates are used as they
/// are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// L = \frac{1}{N R} \sum_{i=1}^{N} v_i \times (p_i - c)
/// \qquad
/// a \times b = a_x b_y - a_y b_x
/// ```
/// $p_i$ is the position of robot $i$, $v_i$ its mean velocity over the last step (pushes included), $c$ the
/// centroid, $R$ half the diagonal of the arena and $N$ the number of robots. `Classic` uses the displacement $v_i
/// \Delta t$ in place of $v_i$. No number without robots.
///
/// Source: Brown et al., 2018; RobotSwarmSimulator `AngularMomentumBehavior`.
///
/// Range: −∞ to ∞, in m/s; `Classic`: in m per step.
#[kind(section = "Motion", words = "rotation, turning, milling, circling")]
pub struct AngularMomentum {
    /// `Corrected`: per second. `Classic`: per step, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for AngularMomentum {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new(
            self.variant.choose("angular_momentum_m_per_s", "angular_momentum_m_per_step"),
            "Angular momentum",
        )
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
    fn angular_momentum_grows_with_the_distance() {
        let pair = |arm: f64| [(DVec2::X * arm, 0.0, DVec2::Y * 0.025), (-DVec2::X * arm, 0.0, -DVec2::Y * 0.025)];
        let [near] = observe(&AngularMomentum::default(), &pair(1.0));
        let [far] = observe(&AngularMomentum::default(), &pair(2.0));
        // The arena of the tests measures 6 m by 8 m.
        assert!((near + 0.2).abs() < 1e-12 && (far - 2.0 * near).abs() < 1e-12, "{near} {far}");
    }
}
