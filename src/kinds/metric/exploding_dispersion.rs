//! How far the agents are from their middle.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// scale · mean distance from the centroid, in metres (RobotSwarmSimulator `ExplodingDispersion`). In a wrapping
    /// arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    ExplodingDispersion {
        /// Factor of the mean.
        scale: f64 = 1.0,
    }
}

impl Metric for ExplodingDispersion {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "exploding_dispersion_m"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = self.scale * swarm.mean(swarm.outwards().map(|outward| outward.length()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn is_the_mean_distance_from_the_middle() {
        let metric = ExplodingDispersion { scale: 3.0 };
        assert_eq!(observe(&metric, &at(&[(0.0, 0.0), (4.0, 0.0)])), [6.0]);
    }
}
