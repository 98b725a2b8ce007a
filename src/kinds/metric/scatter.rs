//! How far apart the agents are.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The mean square distance of the agents from their centroid, in units of half the arena's diagonal squared; or,
    /// not regularized, their mean distance in metres (Brown et al. 2018; RobotSwarmSimulator `ScatterBehavior`). In a
    /// periodic arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    Scatter {
        /// Whether to square the distances and divide by the size of the arena.
        regularized: bool = true,
    }
}

impl Metric for Scatter {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        if self.regularized { "scatter" } else { "scatter_m" }
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if self.regularized {
            let unit = swarm.half_diagonal_m();
            swarm.mean(swarm.outwards().map(|outward| outward.length_squared())) / (unit * unit)
        } else {
            swarm.mean(swarm.outwards().map(|outward| outward.length()))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn is_a_mean_square_or_a_mean_distance() {
        let pair = at(&[(0.0, 0.0), (4.0, 0.0)]);
        let [scatter] = observe(&Scatter::default(), &pair);
        assert!((scatter - 4.0 / 25.0).abs() < 1e-15);
        assert_eq!(observe(&Scatter { regularized: false }, &pair), [2.0]);
    }
}
