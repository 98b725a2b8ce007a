//! Measures how near and how far the agents are from their centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Smallest and largest distance of a robot from the centroid. In a periodic arena, coordinates are used as they are:
/// a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// r_{\min} = \min_i \lVert p_i - c \rVert
/// \qquad
/// r_{\max} = \max_i \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$ and $c$ the centroid. The columns are `min_m` and `max_m`. No numbers without
/// robots.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞, in m.
#[kind(section = "Spread", words = "radius, size")]
pub struct RadialRange {}

impl Metric for RadialRange {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("min_m", "Smallest distance from the centroid"),
        MetricLabel::new("max_m", "Largest distance from the centroid"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("radial_range", "Radial range")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let (near, far) = swarm.radial_range_m().unwrap_or((f64::NAN, f64::NAN));
        values.copy_from_slice(&[near, far]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn radial_range_has_both_ends() {
        assert_eq!(observe(&RadialRange::default(), &at(&[(0.0, 0.0), (3.0, 0.0), (6.0, 0.0)])), [0.0, 3.0]);
    }
}
