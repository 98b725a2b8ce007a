//! Measures the thickness of the ring of agents.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Thickness of the ring that the robots form: the difference between the largest and the smallest distance from
/// the centroid. In a periodic arena, coordinates are used as they are: a swarm that straddles the boundary counts
/// as split.
///
/// # Formula
/// ```math
/// d = s \left( \max_i r_i - \min_i r_i \right)
/// \qquad
/// r_i = \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid and $s$ the field `scale`. No number without robots.
///
/// Source: RobotSwarmSimulator `RoutRin`.
///
/// Range: 0 to ∞ for a positive scale, in m.
#[kind(section = "Shape", words = "ring, thickness")]
pub struct RoutRin {
    /// Factor s by which the difference is multiplied.
    #[default(1.0)]
    pub scale: f64,
}

impl Metric for RoutRin {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("rout_rin_m", "Thickness of the ring")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.radial_range_m().map_or(f64::NAN, |(near, far)| self.scale * (far - near));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn rout_rin_is_the_difference_of_the_radii() {
        assert_eq!(observe(&RoutRin::default(), &at(&[(0.0, 0.0), (3.0, 0.0), (6.0, 0.0)])), [3.0]);
    }
}
