//! Measures the area of the convex hull of the swarm.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::convex_hull;
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape, Width};
use swarmarium_space::polygon::signed_area;

/// Area of the convex hull of the positions of the robots; 0 for fewer than three robots. Its outline is drawn. In
/// a periodic arena, coordinates are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// A = \frac{1}{2} \sum_{k=1}^{K} (x_k y_{k+1} - x_{k+1} y_k)
/// ```
/// $(x_k, y_k)$ are the $K$ corners of the hull in anticlockwise order, and corner $K + 1$ is corner 1. No number
/// without robots.
///
/// Source: RobotSwarmSimulator `ConvexHull`.
///
/// Range: 0 to ∞, in m².
#[kind(section = "Spread", words = "area, hull, size of the swarm")]
pub struct ConvexHull {}

impl Metric for ConvexHull {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("convex_hull_m2", "Area of the convex hull")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if swarm.is_empty() { f64::NAN } else { signed_area(&convex_hull(swarm.positions())) };
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        outline(convex_hull(swarm.positions()), picture);
    }
}

/// Draws the outline of the polygon of a metric.
pub(super) fn outline(points: Vec<bevy::math::DVec2>, picture: &mut Picture) {
    if points.len() > 1 {
        let shape = Shape::Line { points, closed: true, pen: Width::Pixels(1.5).into() };
        picture.add(Layer::Sensors, Role::Accent.faint(0.8), shape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn convex_hull_is_an_area() {
        let corners = at(&[(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0), (1.0, 1.0)]);
        assert_eq!(observe(&ConvexHull::default(), &corners), [8.0]);
        assert_eq!(observe(&ConvexHull::default(), &corners[..2]), [0.0]);
    }
}
