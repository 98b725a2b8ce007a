//! Measures the spread of the agents about their centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Mean square distance of the robots from their centroid, in units of the square of half the diagonal of the
/// arena; with `regularized: false`, the mean distance in metres. In a periodic arena, coordinates are used as they
/// are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// S = \begin{cases} \frac{1}{N R^2} \sum_{i=1}^{N} \lVert p_i - c \rVert^2 & \text{regularized} \\
/// \frac{1}{N} \sum_{i=1}^{N} \lVert p_i - c \rVert & \text{otherwise} \end{cases}
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid, $R$ half the diagonal of the arena and $N$ the number of
/// robots. No number without robots.
///
/// Source: Brown et al., 2018; RobotSwarmSimulator `ScatterBehavior`.
///
/// Range: 0 to ∞; with `regularized: false`: in m.
#[kind(section = "Spread", words = "dispersion, variance, spread")]
pub struct Scatter {
    /// Whether to square the distances and divide them by the square of half the diagonal of the arena.
    #[default(true)]
    pub regularized: bool,
}

impl Metric for Scatter {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        match self.regularized {
            true => MetricLabel::new("scatter", "Scatter"),
            false => MetricLabel::new("scatter_m", "Mean distance from the centroid"),
        }
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if self.regularized {
            let unit = swarm.half_diagonal_m();
            swarm.mean(swarm.outwards().map(|outward| outward.length_squared())) / (unit * unit)
        } else {
            swarm.mean(swarm.outwards().map(|outward| outward.length()))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn scatter_is_a_mean_square_or_a_mean_distance() {
        let pair = at(&[(0.0, 0.0), (4.0, 0.0)]);
        let [scatter] = observe(&Scatter::default(), &pair);
        assert!((scatter - 4.0 / 25.0).abs() < 1e-15);
        assert_eq!(observe(&Scatter { regularized: false }, &pair), [2.0]);
    }
}
