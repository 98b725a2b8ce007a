//! How much room the middle of the swarm takes.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::metric::geometry::hull_indices;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_picture::Picture;
use swarmarium_space::polygon::signed_area;

use super::convex_hull::outline;

metric_kind! {
    /// The area within the agents that stand around the middle, in square metres: agents are turned inside out, the
    /// nearest to the centroid taking the distance of the farthest and so on; the agents whose images are corners of
    /// the convex hull make the polygon (RobotSwarmSimulator `InverseConvexHull`). Drawn as its outline. In a wrapping
    /// arena it uses coordinates as they are: a swarm that straddles the boundary counts as split.
    InverseConvexHull {}
}

impl Metric for InverseConvexHull {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "inverse_convex_hull_m2"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if swarm.is_empty() { f64::NAN } else { signed_area(&inner_polygon(swarm)).abs() };
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        outline(inner_polygon(swarm), picture);
    }
}

/// The agents that stand around the middle, in order.
fn inner_polygon(swarm: &Swarm) -> Vec<DVec2> {
    let mut outwards: Vec<(f64, DVec2)> = swarm.outwards().map(|outward| (outward.length(), outward)).collect();
    outwards.sort_by(|a, b| a.0.total_cmp(&b.0));
    let far_first = outwards.iter().rev().map(|(distance, _)| *distance);
    let images: Vec<DVec2> =
        outwards.iter().zip(far_first).map(|((_, outward), distance)| outward.normalize_or_zero() * distance).collect();
    let centroid = swarm.centroid_m();
    hull_indices(&images).into_iter().map(|index| centroid + outwards[index].1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn the_inner_square_of_two_counts() {
        let square = |half: f64| [(-half, -half), (half, -half), (half, half), (-half, half)];
        let agents = at(&[square(1.0), square(3.0)].concat());
        let [area] = observe(&InverseConvexHull::default(), &agents);
        assert!((area - 4.0).abs() < 1e-12, "{area}");
    }
}
