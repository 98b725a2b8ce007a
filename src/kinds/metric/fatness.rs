//! How far the agents are from forming a ring.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm, Variant};

metric_kind! {
    /// 1 − scale · (smallest distance from the centroid)² / (largest)²: 0 when all are equally far, 1 when one is in
    /// the middle or all are at one place (RobotSwarmSimulator `Fatness`). Classic: the scale counts twice. In a
    /// periodic arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    Fatness {
        /// Factor of the ratio.
        scale: f64 = 1.0,
        /// The scale once, or squared as in RobotSwarmSimulator.
        variant: Variant = Variant::default(),
    }
}

impl Metric for Fatness {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "fatness"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let scale = self.variant.choose(self.scale, self.scale * self.scale);
        let fatness = swarm.radial_range_m().map(|(near, far)| swarmarium_core::metric::geometry::fatness(near, far));
        values[0] = fatness.map_or(f64::NAN, |fatness| 1.0 - scale * (1.0 - fatness));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn a_ring_is_thin_and_a_point_is_fat() {
        let fat = Fatness::default();
        assert_eq!(observe(&fat, &at(&[(0.0, 0.0), (2.0, 0.0)])), [0.0]);
        assert_eq!(observe(&fat, &at(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])), [1.0]);
        assert_eq!(observe(&fat, &at(&[(1.0, 1.0)])), [1.0]);
        let classic = Fatness { scale: 0.5, variant: Variant::Classic };
        assert_eq!(observe(&classic, &at(&[(0.0, 0.0), (2.0, 0.0)])), [0.75]);
    }
}
