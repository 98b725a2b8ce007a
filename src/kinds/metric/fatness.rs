//! Measures how far the agents are from forming a ring.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Deviation of the swarm from a ring: 0 if all robots are equally far from the centroid, 1 if a robot is at the
/// centroid or all robots are at one place. In a periodic arena, coordinates are used as they are: a swarm that
/// straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// F = \begin{cases} 1 - s \, \frac{\min_i r_i^2}{\max_i r_i^2} & \text{Corrected} \\
/// 1 - s^2 \, \frac{\min_i r_i^2}{\max_i r_i^2} & \text{Classic} \end{cases}
/// \qquad
/// r_i = \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid and $s$ the field `scale`. 1 if all robots are at one
/// place, or no number with `Classic`; no number without robots.
///
/// Source: RobotSwarmSimulator `Fatness`.
///
/// Range: 0 to 1 for a scale of 1.
#[kind(section = "Shape", words = "ring, thickness, circle")]
pub struct Fatness {
    /// Factor s by which the ratio is multiplied.
    #[default(1.0)]
    pub scale: f64,
    /// `Corrected`: the scale applies once. `Classic`: it applies twice, and robots at one place have no number, as in
    /// RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for Fatness {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("fatness", "Fatness")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let scale = self.variant.choose(self.scale, self.scale * self.scale);
        values[0] = fatness(swarm, self.variant).map_or(f64::NAN, |fatness| 1.0 - scale * (1.0 - fatness));
    }
}

/// 1 − (smallest distance)² / (largest distance)² from the centroid; `None` without agents. Agents at one place have 1, or
/// no number with `Classic`.
pub(super) fn fatness(swarm: &Swarm, variant: Variant) -> Option<f64> {
    let (near, far) = swarm.radial_range_m()?;
    let has_none = variant == Variant::Classic && far == 0.0;
    Some(if has_none { f64::NAN } else { swarmarium_core::metric::geometry::fatness(near, far) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn fatness_is_zero_for_a_ring_and_one_for_a_point() {
        let fat = Fatness::default();
        assert_eq!(observe(&fat, &at(&[(0.0, 0.0), (2.0, 0.0)])), [0.0]);
        assert_eq!(observe(&fat, &at(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])), [1.0]);
        assert_eq!(observe(&fat, &at(&[(1.0, 1.0)])), [1.0]);
        let classic = Fatness { scale: 0.5, variant: Variant::Classic };
        assert_eq!(observe(&classic, &at(&[(0.0, 0.0), (2.0, 0.0)])), [0.75]);
        assert!(observe::<_, 1>(&classic, &at(&[(1.0, 1.0)]))[0].is_nan());
    }
}
