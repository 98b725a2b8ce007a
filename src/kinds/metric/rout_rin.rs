//! How thick the ring of agents is.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// scale · (largest − smallest distance from the centroid), in metres (RobotSwarmSimulator `RoutRin`). In a
    /// periodic arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    RoutRin {
        /// Factor of the difference.
        scale: f64 = 1.0,
    }
}

impl Metric for RoutRin {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "rout_rin_m"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.radial_range_m().map_or(f64::NAN, |(near, far)| self.scale * (far - near));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn is_the_difference_of_the_radii() {
        assert_eq!(observe(&RoutRin::default(), &at(&[(0.0, 0.0), (3.0, 0.0), (6.0, 0.0)])), [3.0]);
    }
}
