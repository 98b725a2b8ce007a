//! Measures the free radius around every agent.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

use super::nearest_neighbour::distances_m;

/// Smallest distance from any robot to another robot or to a side of the arena; negative if a robot is outside the
/// arena. In a periodic arena, distances between robots are the shortest ones, across the boundary where necessary;
/// distances to the sides count as in any other arena.
///
/// # Formula
/// ```math
/// d = \min_{i} {\min \left( s_i, \, {\min_{j \ne i} d_{ij}} \right)}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$, and $s_i$ the signed distance from robot $i$
/// to the nearest side, positive within the arena. No number without robots.
///
/// Source: RobotSwarmSimulator `CirclePacking`.
///
/// Range: −∞ to half the shorter side of the arena, in m.
#[kind(section = "Spread", words = "smallest distance, even, packing")]
pub struct CirclePacking {}

impl Metric for CirclePacking {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("circle_packing_m", "Smallest distance to a neighbour or a wall")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let (low, high) = (swarm.space.arena.low, swarm.space.arena.high());
        let to_side = swarm.positions().iter().map(|at| (at - low).min(high - at).min_element());
        let least = distances_m(swarm).chain(to_side).fold(f64::INFINITY, f64::min);
        values[0] = if swarm.is_empty() { f64::NAN } else { least };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn circle_packing_counts_sides_and_neighbours() {
        // The arena of the tests measures 6 m by 8 m.
        assert_eq!(observe(&CirclePacking::default(), &at(&[(3.0, 4.0), (3.0, 6.0)])), [2.0]);
        assert_eq!(observe(&CirclePacking::default(), &at(&[(5.5, 4.0)])), [0.5]);
        assert_eq!(observe(&CirclePacking::default(), &at(&[(7.0, 4.0)])), [-1.0]);
    }
}
