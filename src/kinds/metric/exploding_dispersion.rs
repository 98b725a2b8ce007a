//! Measures the distance of the agents from their centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Mean distance of the robots from their centroid. In a periodic arena, coordinates are used as they are: a swarm
/// that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// r = \frac{s}{N} \sum_{i=1}^{N} \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid, $N$ the number of robots and $s$ the field `scale`. No
/// number without robots.
///
/// Source: RobotSwarmSimulator `ExplodingDispersion`.
///
/// Range: 0 to ∞ for a positive scale, in m.
#[kind(section = "Spread", words = "dispersion, spread, scatter")]
pub struct ExplodingDispersion {
    /// Factor s by which the mean is multiplied.
    #[default(1.0)]
    pub scale: f64,
}

impl Metric for ExplodingDispersion {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("exploding_dispersion_m", "Mean distance from the centroid")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = self.scale * swarm.mean(swarm.outwards().map(|outward| outward.length()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn exploding_dispersion_is_the_mean_distance_from_the_center() {
        let metric = ExplodingDispersion { scale: 3.0 };
        assert_eq!(observe(&metric, &at(&[(0.0, 0.0), (4.0, 0.0)])), [6.0]);
    }
}
