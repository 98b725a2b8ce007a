//! Measures how far apart the agents are by their farthest neighbours.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::convex_hull;
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};
use swarmarium_space::Boundary;

/// Mean distance from each robot to the robot farthest from it, as a negative number; 0 when all robots are at one
/// place.
///
/// `Classic` uses the first robot only, as RobotSwarmSimulator 1.2.5 does; later versions use the mean. In a
/// periodic arena, distances are the shortest ones, across the boundary where necessary. The computing time is then
/// proportional to the square of the number of robots.
///
/// # Formula
/// ```math
/// A = \begin{cases} -\frac{s}{N} \sum_{i=1}^{N} {\max_{j} d_{ij}} & \text{Corrected} \\
/// -s \, {\max_{j} d_{1j}} & \text{Classic} \end{cases}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$, $N$ the number of robots and $s$ the field
/// `scale`. No number without robots.
///
/// Source: RobotSwarmSimulator `Aggregation`.
///
/// Range: −∞ to 0 for a positive scale, in m.
#[kind(section = "Spread", words = "gather, cluster, together, compact")]
pub struct Aggregation {
    /// Factor s by which the distance is multiplied.
    #[default(1.0)]
    pub scale: f64,
    /// `Corrected`: mean over all robots. `Classic`: first robot only, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for Aggregation {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("aggregation_m", "Aggregation")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        // The agent farthest from a point is a corner of the hull, unless distances cross the boundary.
        let candidates = match swarm.space.arena.boundary {
            Boundary::Periodic => swarm.positions().to_vec(),
            Boundary::Open | Boundary::Walls => convex_hull(swarm.positions()),
        };
        let farthest = |from: &DVec2| candidates.iter().map(|to| swarm.distance_m(*from, *to)).fold(0.0, f64::max);
        let distances = swarm.positions().iter().map(farthest);
        values[0] = -self.scale
            * match self.variant {
                Variant::Corrected => swarm.mean(distances),
                Variant::Classic => distances.take(1).next().unwrap_or(f64::NAN),
            };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn aggregation_of_agents_at_one_position_is_complete() {
        let observe = |at: &[(DVec2, f64, DVec2)]| observe::<_, 1>(&Aggregation::default(), at)[0];
        assert_eq!(observe(&at(&[(1.0, 1.0), (1.0, 1.0)])), 0.0);
        assert_eq!(observe(&at(&[(0.0, 0.0), (3.0, 0.0)])), -3.0);
        assert!(observe(&[]).is_nan());
    }

    #[test]
    fn classic_aggregation_measures_from_the_first_agent() {
        let classic = Aggregation { variant: Variant::Classic, scale: 2.0 };
        assert_eq!(observe(&classic, &at(&[(1.0, 0.0), (0.0, 0.0), (3.0, 0.0)])), [-4.0]);
        assert!(observe::<_, 1>(&classic, &[])[0].is_nan());
    }

    proptest! {
        #[test]
        fn aggregation_searches_the_farthest_agent_on_the_hull(points in prop::collection::vec((-10..10, -10..10), 1..40)) {
            let positions: Vec<DVec2> = points.iter().map(|(x, y)| DVec2::new(f64::from(*x), f64::from(*y))).collect();
            let farthest = |from: &DVec2| positions.iter().map(|to| to.distance(*from)).fold(0.0, f64::max);
            let expected = -positions.iter().map(farthest).sum::<f64>() / positions.len() as f64;
            let agents: Vec<_> = positions.iter().map(|at| (*at, 0.0, DVec2::ZERO)).collect();
            let [value] = observe(&Aggregation::default(), &agents);
            prop_assert!((value - expected).abs() < 1e-12);
        }
    }
}
