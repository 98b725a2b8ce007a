//! How near the agents are to forming a ring.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// scale · (smallest distance from the centroid)² / (largest)²: 1 when all are equally far, 0 when one is in the
    /// middle or all are at one place (RobotSwarmSimulator `Fatness2`). In a periodic arena it uses coordinates as they
    /// are: a swarm that straddles the boundary counts as split.
    Fatness2 {
        /// Factor of the ratio.
        scale: f64 = 1.0,
    }
}

impl Metric for Fatness2 {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "fatness2"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let fatness = swarm.radial_range_m().map(|(near, far)| swarmarium_core::metric::geometry::fatness(near, far));
        values[0] = fatness.map_or(f64::NAN, |fatness| self.scale * (1.0 - fatness));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn is_what_fatness_lacks() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (5.0, 0.0)]);
        let [fatness] = observe(&super::super::fatness::Fatness::default(), &line);
        let [other] = observe(&Fatness2 { scale: 2.0 }, &line);
        assert!((other - 2.0 * (1.0 - fatness)).abs() < 1e-12);
    }
}
