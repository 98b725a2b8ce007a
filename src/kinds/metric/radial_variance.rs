//! Measures the spread of the distances from the centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Variance of the distances of the robots from their centroid, in units of the square of half the diagonal of the
/// arena; with `regularized: false`, in square metres. `Classic` is 20 times as large. In a periodic arena,
/// coordinates are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// V = \frac{a}{N u^2} \sum_{i=1}^{N} (r_i - \bar{r})^2
/// \qquad
/// \bar{r} = \frac{1}{N} \sum_{i=1}^{N} r_i
/// \qquad
/// r_i = \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid and $N$ the number of robots. $u$ is half the diagonal of
/// the arena, or 1 m with `regularized: false`; $a$ is 1, or 20 for `Classic`. No number without robots.
///
/// Source: Brown et al., 2018; RobotSwarmSimulator `RadialVarianceMetric`.
///
/// Range: 0 to ∞; with `regularized: false`: in m².
#[kind(section = "Spread", words = "variance, radius, dispersion")]
pub struct RadialVariance {
    /// Whether to divide by the square of half the diagonal of the arena.
    #[default(true)]
    pub regularized: bool,
    /// `Corrected`: the variance. `Classic`: 20 times the variance, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for RadialVariance {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new(if self.regularized { "radial_variance" } else { "radial_variance_m2" }, "Radial variance")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let distances = swarm.outwards().map(|outward| outward.length());
        let mean = swarm.mean(distances.clone());
        let variance = swarm.mean(distances.map(|distance| (distance - mean) * (distance - mean)));
        let unit = if self.regularized { swarm.half_diagonal_m() } else { 1.0 };
        values[0] = self.variant.choose(1.0, 20.0) * variance / (unit * unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn radial_variance_of_equal_distances_is_zero() {
        let line = at(&[(0.0, 0.0), (3.0, 0.0), (6.0, 0.0)]);
        assert_eq!(observe(&RadialVariance::default(), &line[..2]), [0.0]);
        let [variance] = observe(&RadialVariance { regularized: false, ..Default::default() }, &line);
        assert!((variance - 2.0).abs() < 1e-12);
        let [classic] = observe(&RadialVariance { variant: Variant::Classic, ..Default::default() }, &line);
        assert!((classic - 20.0 * 2.0 / 25.0).abs() < 1e-12);
    }
}
