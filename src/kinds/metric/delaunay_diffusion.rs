//! Measures how evenly the agents fill their bounding box.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::{delaunay, delaunay_edges};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

/// Area of the bounding box of the robots, reduced for an elongated box and for unequal edges of the Delaunay
/// triangulation: large if the robots are spread evenly over a square. The edges are drawn. In a periodic arena,
/// coordinates are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// D = W H \, \frac{\min(W, H)}{\max(W, H)} \cdot \frac{1}{1 + 10 \sigma^2}
/// \qquad
/// \sigma^2 = \frac{1}{E} \sum_{k=1}^{E} (l_k - \bar{l})^2
/// ```
/// $W$ and $H$ are the sides of the bounding box, $l_k$ the lengths of the $E$ edges and $\bar{l}$ their mean, all
/// in metres. 0 if the box has no area; no number without robots.
///
/// Source: RobotSwarmSimulator `DelaunayDiffusion`.
///
/// Range: 0 to ∞, in m².
#[kind(section = "Spread", words = "even, triangulation, dispersion")]
pub struct DelaunayDiffusion {}

impl Metric for DelaunayDiffusion {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("delaunay_diffusion_m2", "Delaunay diffusion")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let positions = swarm.positions();
        let Some(first) = positions.first() else {
            values[0] = f64::NAN;
            return;
        };
        let (low, high) = positions.iter().fold((*first, *first), |(low, high), at| (low.min(*at), high.max(*at)));
        let sides = high - low;
        if sides.min_element() <= 0.0 {
            values[0] = 0.0;
            return;
        }
        let lengths: Vec<f64> = edges(positions).iter().map(|[from, to]| from.distance(*to)).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let variance =
            lengths.iter().map(|length| (length - mean) * (length - mean)).sum::<f64>() / lengths.len() as f64;
        values[0] = sides.x * sides.y * sides.min_element() / sides.max_element() / (1.0 + 10.0 * variance);
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        for ends in edges(swarm.positions()) {
            picture.segment(Layer::Sensors, Role::Accent.faint(0.5), ends, Width::Pixels(1.0));
        }
    }
}

/// The edges of the Delaunay triangulation; none for points that cannot be triangulated.
fn edges(points: &[DVec2]) -> Vec<[DVec2; 2]> {
    delaunay(points).map(|triangulation| delaunay_edges(&triangulation).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn delaunay_diffusion_of_a_triangle_has_three_edges() {
        assert_eq!(edges(&[DVec2::ZERO, DVec2::X, DVec2::Y]).len(), 3);
        assert_eq!(edges(&[DVec2::ZERO, DVec2::X, DVec2::X]).len(), 1);
        assert!(edges(&[DVec2::splat(f64::INFINITY)]).is_empty());
        let [value] = observe(&DelaunayDiffusion::default(), &at(&[(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)]));
        let variance = 2.0 / 9.0 * (8.0_f64.sqrt() - 2.0).powi(2);
        assert!((value - 4.0 / (1.0 + 10.0 * variance)).abs() < 1e-12);
        assert_eq!(observe(&DelaunayDiffusion::default(), &at(&[(1.0, 0.0), (2.0, 0.0)])), [0.0]);
    }
}
