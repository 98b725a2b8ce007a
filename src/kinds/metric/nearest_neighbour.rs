//! Measures the distance to the nearest neighbour.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Distance from each robot to its nearest neighbour, between centres: the mean over all robots and the minimum. In
/// a periodic arena, distances are the shortest ones, across the boundary where necessary.
///
/// # Formula
/// ```math
/// d_{\text{mean}} = \frac{1}{N} \sum_{i=1}^{N} {\min_{j \ne i} d_{ij}}
/// \qquad
/// d_{\min} = \min_{i} {\min_{j \ne i} d_{ij}}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$ and $N$ the number of robots. No numbers for
/// fewer than two robots.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞, in m.
#[kind(section = "Spread", words = "nearest neighbor, distance, spacing, density")]
pub struct NearestNeighbour {}

impl Metric for NearestNeighbour {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("mean_m", "Mean distance to the nearest neighbour"),
        MetricLabel::new("min_m", "Smallest distance between two robots"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("nearest_neighbour", "Nearest neighbour")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let (mut sum, mut least) = (0.0, f64::INFINITY);
        for distance in distances_m(swarm) {
            sum += distance;
            least = least.min(distance);
        }
        // A single agent has no neighbour.
        let pairs = swarm.len() > 1;
        values[0] = if pairs { sum / swarm.len() as f64 } else { f64::NAN };
        values[1] = if pairs { least } else { f64::NAN };
    }
}

/// Distances (m) from each agent to its nearest neighbour; nothing for a single agent.
pub(super) fn distances_m(swarm: &Swarm) -> impl Iterator<Item = f64> {
    let index = swarm.space.index();
    let nearest = |(row, at): (usize, &DVec2)| Some(index.nearest(*at, Some(row), |_| true)?.offset.length());
    swarm.positions().iter().enumerate().filter_map(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn nearest_neighbour_has_a_mean_and_a_minimum() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (3.0, 0.0)]);
        let [mean, least] = observe(&NearestNeighbour::default(), &line);
        assert!((mean - 4.0 / 3.0).abs() < 1e-12 && least == 1.0);
        assert!(observe::<_, 2>(&NearestNeighbour::default(), &line[..1]).iter().all(|value| value.is_nan()));
    }
}
