//! How unequal the distances from the middle are.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm, Variant};

metric_kind! {
    /// The variance of the distances from the centroid, in units of half the arena's diagonal squared; or, not
    /// regularized, in square metres. Classic: 20 times that (Brown et al. 2018; RobotSwarmSimulator
    /// `RadialVarianceMetric`). In a periodic arena it uses coordinates as they are: a swarm that straddles the boundary
    /// counts as split.
    RadialVariance {
        /// Whether to divide by the size of the arena.
        regularized: bool = true,
        /// The variance, or 20 times as much as in RobotSwarmSimulator.
        variant: Variant = Variant::default(),
    }
}

impl Metric for RadialVariance {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        if self.regularized { "radial_variance" } else { "radial_variance_m2" }
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let distances = swarm.outwards().map(|outward| outward.length());
        let mean = swarm.mean(distances.clone());
        let variance = swarm.mean(distances.map(|distance| (distance - mean) * (distance - mean)));
        let unit = if self.regularized { swarm.half_diagonal_m() } else { 1.0 };
        values[0] = self.variant.choose(1.0, 20.0) * variance / (unit * unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn equal_distances_have_none() {
        let line = at(&[(0.0, 0.0), (3.0, 0.0), (6.0, 0.0)]);
        assert_eq!(observe(&RadialVariance::default(), &line[..2]), [0.0]);
        let [variance] = observe(&RadialVariance { regularized: false, ..Default::default() }, &line);
        assert!((variance - 2.0).abs() < 1e-12);
        let [classic] = observe(&RadialVariance { variant: Variant::Classic, ..Default::default() }, &line);
        assert!((classic - 20.0 * 2.0 / 25.0).abs() < 1e-12);
    }
}
