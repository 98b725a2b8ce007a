//! Measures how uniformly the agents rotate about their centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Normalised angular momentum of the swarm: 1 if all robots circle the centroid in the same direction, 0 if as
/// many go one way as the other. In a periodic arena, coordinates are used as they are: a swarm that straddles the
/// boundary counts as split.
///
/// # Formula
/// ```math
/// M = \frac{1}{N} \left\lvert \sum_{i=1}^{N} \sin(\theta_i - \varphi_i) \right\rvert
/// ```
/// $\theta_i$ is the heading of robot $i$, $\varphi_i$ its bearing from the centroid and $N$ the number of robots.
/// A robot at the centroid adds 0; no number without robots.
///
/// Source: Couzin et al., 2002 (group angular momentum).
///
/// Range: 0 to 1.
#[kind(section = "Motion", words = "milling, circling, rotation, vortex")]
pub struct MillingOrder {}

impl Metric for MillingOrder {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("milling_order", "Milling order")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let agents = swarm.outwards().zip(swarm.facings());
        // An agent at the centroid does not rotate.
        let around = agents.map(|(outward, facing)| outward.normalize_or_zero().perp_dot(*facing));
        values[0] = swarm.mean(around).abs();
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn milling_order_of_opposite_rotations_cancels() {
        let pair = |one: f64, other: f64| [(DVec2::X, one, DVec2::ZERO), (-DVec2::X, other, DVec2::ZERO)];
        let [same] = observe(&MillingOrder::default(), &pair(FRAC_PI_2, -FRAC_PI_2));
        let [against] = observe(&MillingOrder::default(), &pair(FRAC_PI_2, FRAC_PI_2));
        assert!((same - 1.0).abs() < 1e-12 && against < 1e-12);
    }
}
