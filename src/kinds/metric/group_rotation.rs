//! Measures the rotation of the swarm about its centroid.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Mean tangential speed of the robots about their centroid. Negative for anticlockwise motion. `Classic` uses
/// metres per step. In a periodic arena, coordinates are used as they are: a swarm that straddles the boundary
/// counts as split.
///
/// # Formula
/// ```math
/// G = \frac{1}{N} \sum_{i=1}^{N} v_i \times \frac{p_i - c}{\lVert p_i - c \rVert}
/// \qquad
/// a \times b = a_x b_y - a_y b_x
/// ```
/// $p_i$ is the position of robot $i$, $v_i$ its mean velocity over the last step (pushes included), $c$ the
/// centroid and $N$ the number of robots. `Classic` uses the displacement $v_i \Delta t$ in place of $v_i$. A
/// robot at the centroid adds 0; with `Classic`, there is no number if one of several robots is there. No number
/// without robots.
///
/// Source: Brown et al., 2018; RobotSwarmSimulator `GroupRotationBehavior`.
///
/// Range: −∞ to ∞, in m/s; `Classic`: in m per step.
#[kind(section = "Motion", words = "rotation, turning, milling, circling")]
pub struct GroupRotation {
    /// `Corrected`: per second. `Classic`: per step, without a number if one of several robots is at the centroid, as
    /// in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for GroupRotation {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new(self.variant.choose("group_rotation_m_per_s", "group_rotation_m_per_step"), "Group rotation")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let agents = swarm.outwards().zip(swarm.displacements());
        let is_lost = self.variant == Variant::Classic && swarm.len() > 1;
        // An agent at the centroid does not rotate.
        let at_centroid = if is_lost { f64::NAN } else { 0.0 };
        let around = agents
            .map(|(outward, moved)| outward.try_normalize().map_or(at_centroid, |outward| moved.perp_dot(outward)));
        values[0] = swarm.mean(around) / self.variant.time_unit_s(swarm.dt_s);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn group_rotation_is_negative_anticlockwise_and_zero_for_one_agent() {
        let pair = [(DVec2::X, 0.0, DVec2::new(0.0, 0.025)), (-DVec2::X, 0.0, DVec2::new(0.0, -0.025))];
        let [rotation] = observe(&GroupRotation::default(), &pair);
        assert!((rotation + 1.0).abs() < 1e-12, "{rotation}");
        assert_eq!(observe(&GroupRotation::default(), &pair[..1]), [0.0]);
        let three = [pair[0], pair[1], (DVec2::ZERO, 0.0, DVec2::X)];
        let classic = GroupRotation { variant: Variant::Classic };
        assert!(observe::<_, 1>(&classic, &three)[0].is_nan());
        assert_eq!(observe(&classic, &pair[..1]), [0.0]);
    }
}
