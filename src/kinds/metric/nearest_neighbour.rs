//! How near the next agent is.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The distance from each agent to the nearest other one, between centres, in metres: the mean and the smallest. In
    /// a periodic arena, distances are the shortest ones, across the boundary where necessary.
    NearestNeighbour {}
}

impl Metric for NearestNeighbour {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["mean_m", "min_m"];

    fn label(&self) -> &'static str {
        "nearest_neighbour"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let (mut sum, mut least) = (0.0, f64::INFINITY);
        for distance in distances_m(swarm) {
            sum += distance;
            least = least.min(distance);
        }
        // One agent alone has no neighbour.
        let pairs = swarm.len() > 1;
        values[0] = if pairs { sum / swarm.len() as f64 } else { f64::NAN };
        values[1] = if pairs { least } else { f64::NAN };
    }
}

/// From each agent that is not alone to the nearest other one, in metres.
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
    fn has_a_mean_and_a_smallest() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (3.0, 0.0)]);
        let [mean, least] = observe(&NearestNeighbour::default(), &line);
        assert!((mean - 4.0 / 3.0).abs() < 1e-12 && least == 1.0);
        assert!(observe::<_, 2>(&NearestNeighbour::default(), &line[..1]).iter().all(|value| value.is_nan()));
    }
}
