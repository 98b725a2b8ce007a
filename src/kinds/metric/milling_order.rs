//! How much the agents circle their middle, all the same way round.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The size of the mean of sin of the angle from the bearing from the centroid to the heading: 1 when all circle
    /// the same way round, 0 when as many go one way as the other (Couzin et al. 2002, group angular momentum). In a
    /// periodic arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    MillingOrder {}
}

impl Metric for MillingOrder {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "milling_order"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let agents = swarm.outwards().zip(swarm.facings());
        // An agent in the very middle goes round nothing.
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
    fn both_ways_round_cancel() {
        let pair = |one: f64, other: f64| [(DVec2::X, one, DVec2::ZERO), (-DVec2::X, other, DVec2::ZERO)];
        let [same] = observe(&MillingOrder::default(), &pair(FRAC_PI_2, -FRAC_PI_2));
        let [against] = observe(&MillingOrder::default(), &pair(FRAC_PI_2, FRAC_PI_2));
        assert!((same - 1.0).abs() < 1e-12 && against < 1e-12);
    }
}
