//! How near the agents are to one another.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Metric, NoHistory, Swarm};

/// Minus the mean, over the agents, of the distance to the agent farthest away, in metres; 0 is all at one place.
///
/// RobotSwarmSimulator 1.2.5 looks from the first agent only; later versions take this mean.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Aggregation {}

impl Metric for Aggregation {
    type Memory = NoHistory;
    const LABEL: &'static str = "aggregation_m";

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let positions = swarm.bodies.positions();
        // Whatever is farthest from a point is a corner of the hull.
        let corners = convex_hull(positions);
        let farthest = |from: &DVec2| corners.iter().map(|corner| corner.distance_squared(*from)).fold(0.0, f64::max);
        values[0] = -positions.iter().map(|from| farthest(from).sqrt()).sum::<f64>() / positions.len() as f64;
    }
}

/// The corners of the convex hull, anticlockwise (Andrew's monotone chain, 1979).
fn convex_hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull = chain(sorted.iter());
    hull.extend(chain(sorted.iter().rev()));
    hull
}

fn chain<'a>(points: impl Iterator<Item = &'a DVec2>) -> Vec<DVec2> {
    let mut chain: Vec<DVec2> = Vec::new();
    for &point in points {
        while let [.., before, last] = chain[..]
            && (last - before).perp_dot(point - before) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::tests::observe;

    fn at_rest(positions: &[DVec2]) -> Vec<(DVec2, f64, DVec2)> {
        positions.iter().map(|position| (*position, 0.0, DVec2::ZERO)).collect()
    }

    #[test]
    fn agents_at_one_place_are_aggregated() {
        let observe =
            |positions: &[DVec2]| observe(&Aggregation {}, &mut NoHistory, DVec2::splat(10.0), &at_rest(positions));
        assert_eq!(observe(&[DVec2::ONE, DVec2::ONE]), 0.0);
        assert_eq!(observe(&[DVec2::ZERO, DVec2::new(3.0, 0.0)]), -3.0);
        assert!(observe(&[]).is_nan());
    }

    proptest! {
        #[test]
        fn the_hull_holds_the_farthest(points in prop::collection::vec((-10..10, -10..10), 1..40)) {
            let positions: Vec<DVec2> = points.iter().map(|(x, y)| DVec2::new(f64::from(*x), f64::from(*y))).collect();
            let farthest = |from: &DVec2| positions.iter().map(|to| to.distance(*from)).fold(0.0, f64::max);
            let expected = -positions.iter().map(farthest).sum::<f64>() / positions.len() as f64;
            let value = observe(&Aggregation {}, &mut NoHistory, DVec2::splat(10.0), &at_rest(&positions));
            prop_assert!((value - expected).abs() < 1e-12);
        }
    }
}
