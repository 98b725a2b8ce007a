//! Measures the distance between agents.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Mean distance over all pairs of robots. The computing time is proportional to the square of the number of
/// robots. In a periodic arena, distances are the shortest ones, across the boundary where necessary.
///
/// # Formula
/// ```math
/// \bar{d} = \frac{2 s}{N (N - 1)} \sum_{i \lt j} d_{ij}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$, $N$ the number of robots and $s$ the field
/// `scale`. No number for fewer than two robots.
///
/// Source: RobotSwarmSimulator `InteragentDispersion`.
///
/// Range: 0 to ∞ for a positive scale, in m.
#[kind(section = "Spread", words = "dispersion, distance between robots, spread")]
pub struct InteragentDispersion {
    /// Factor s by which the mean is multiplied.
    #[default(1.0)]
    pub scale: f64,
}

impl Metric for InteragentDispersion {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("interagent_dispersion_m", "Mean distance between robots")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = self.scale * mean_pair_distance_m(swarm);
    }
}

/// The mean of the shortest distances over all pairs, in metres; `NaN` when there is no pair.
pub(super) fn mean_pair_distance_m(swarm: &Swarm) -> f64 {
    let (positions, n) = (swarm.positions(), swarm.len() as f64);
    let to_later = |(row, from): (usize, &bevy::math::DVec2)| -> f64 {
        positions[row + 1..].iter().map(|to| swarm.distance_m(*from, *to)).sum()
    };
    positions.iter().enumerate().map(to_later).sum::<f64>() / (n * (n - 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn interagent_dispersion_needs_two_agents() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]);
        let [mean] = observe(&InteragentDispersion::default(), &line);
        assert!((mean - 4.0 / 3.0).abs() < 1e-12);
        assert!(observe::<_, 1>(&InteragentDispersion::default(), &line[..1])[0].is_nan());
    }
}
