//! Measures the distance between agents relative to their size.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

use super::radial_variance::RadialVariance;

/// Mean distance over all pairs of robots, in units of the mean diameter of their bodies.
///
/// `Classic` is the radial variance: the `DistanceSizeRatio` of RobotSwarmSimulator returns that, and never
/// evaluates its own formula. In a periodic arena, distances are the shortest ones, across the boundary where
/// necessary. `Classic` uses coordinates as they are. The computing time of the ratio is proportional to the square
/// of the number of robots.
///
/// # Formula
/// ```math
/// q = \frac{1}{2 \bar{\rho}} \cdot \frac{2}{N (N - 1)} \sum_{i \lt j} d_{ij}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$, $\bar{\rho}$ the mean radius of their bodies
/// and $N$ the number of robots. `Classic` is the `Classic` value of `RadialVariance`. No number for fewer than two
/// robots; infinite for bodies without size.
///
/// Source: Swarmarium; `Classic`: RobotSwarmSimulator `DistanceSizeRatio`.
///
/// Range: 0 to ∞; `Classic` without `regularized`: in m².
#[kind(section = "Spread", words = "distance, dispersion")]
pub struct DistanceSizeRatio {
    /// With `Classic` only: whether to divide by the square of half the diagonal of the arena.
    #[default(true)]
    pub regularized: bool,
    /// `Corrected`: the ratio. `Classic`: the radial variance, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for DistanceSizeRatio {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("distance_size_ratio", "Ratio of distance to size")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let Self { regularized, variant, .. } = *self;
        match variant {
            Variant::Corrected => {
                let diameter = 2.0 * swarm.mean(swarm.radii().iter().copied());
                values[0] = super::interagent_dispersion::mean_pair_distance_m(swarm) / diameter;
            }
            Variant::Classic => {
                let variance = RadialVariance { regularized, variant };
                variance.observe(&mut NoHistory, swarm, values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn distance_size_ratio_is_in_units_of_the_bodies() {
        // The bodies of the tests have a radius of 0.1 m.
        let [ratio] = observe(&DistanceSizeRatio::default(), &at(&[(0.0, 0.0), (4.0, 0.0)]));
        assert!((ratio - 20.0).abs() < 1e-12);
    }
}
