//! Measures the area enclosed by the inner agents.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::hull_indices;
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::Picture;
use swarmarium_space::polygon::signed_area;

use super::convex_hull::outline;

/// Area of the polygon of the innermost robots. Every robot is moved along its ray from the centroid: the nearest
/// one to the distance of the farthest, the second nearest to that of the second farthest and so on. The robots
/// whose images are corners of the convex hull of all images are the corners of the polygon. Its outline is drawn.
/// In a periodic arena, coordinates are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// A = \frac{1}{2} \left\lvert \sum_{k=1}^{K} (x_k y_{k+1} - x_{k+1} y_k) \right\rvert
/// \qquad
/// q_i = c + r_{N+1-i} \, \frac{p_i - c}{r_i}
/// ```
/// Robots are numbered by their distance $r_i$ from the centroid $c$, nearest first; $q_i$ is the image of robot
/// $i$ at $p_i$. $(x_k, y_k)$ are the positions of the $K$ robots whose images are corners of the hull, in the
/// order of the hull, and corner $K + 1$ is corner 1. No number without robots.
///
/// Source: RobotSwarmSimulator `InverseConvexHull`.
///
/// Range: 0 to ∞, in m².
#[kind(section = "Spread", words = "area, hull, hole")]
pub struct InverseConvexHull {}

impl Metric for InverseConvexHull {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("inverse_convex_hull_m2", "Area of the inverse convex hull")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if swarm.is_empty() { f64::NAN } else { signed_area(&inner_polygon(swarm)).abs() };
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        outline(inner_polygon(swarm), picture);
    }
}

/// The innermost agents, in the order of the hull.
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
    fn inverse_convex_hull_uses_the_inner_of_two_squares() {
        let square = |half: f64| [(-half, -half), (half, -half), (half, half), (-half, half)];
        let agents = at(&[square(1.0), square(3.0)].concat());
        let [area] = observe(&InverseConvexHull::default(), &agents);
        assert!((area - 4.0).abs() < 1e-12, "{area}");
    }
}
