//! Measures the alignment of the headings.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Alignment of the robots: the length of the mean of their headings as unit vectors. 1 if all headings are equal. Random
/// headings of N robots have a mean of about √(π / (4 N)), such as 0.08 for 120 robots. A periodic boundary makes no
/// difference.
///
/// # Formula
/// ```math
/// \Phi = \frac{1}{N} \left\lVert \sum_{i=1}^{N} (\cos \theta_i, \sin \theta_i) \right\rVert
/// ```
/// $\theta_i$ is the heading of robot $i$ and $N$ the number of robots. No number without robots.
///
/// Source: Vicsek et al., 1995.
///
/// Range: 0 to 1.
#[kind(section = "Motion", words = "alignment, order, flock, polarization, same direction")]
pub struct Polarisation {}

impl Metric for Polarisation {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("polarisation", "Polarisation")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = (swarm.facings().iter().sum::<bevy::math::DVec2>() / swarm.len() as f64).length();
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn polarisation_of_opposite_headings_is_zero() {
        let pair = |other: f64| [(DVec2::ZERO, 0.0, DVec2::ZERO), (DVec2::X, other, DVec2::ZERO)];
        assert_eq!(observe(&Polarisation::default(), &pair(0.0)), [1.0]);
        assert!(observe::<_, 1>(&Polarisation::default(), &pair(std::f64::consts::PI))[0] < 1e-15);
    }
}
