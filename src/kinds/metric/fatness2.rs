//! Measures how close the agents are to forming a ring.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Similarity of the swarm to a ring: 1 if all robots are equally far from the centroid, 0 if a robot is at the
/// centroid or all robots are at one place. In a periodic arena, coordinates are used as they are: a swarm that
/// straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// F_2 = s \, \frac{\min_i r_i^2}{\max_i r_i^2}
/// \qquad
/// r_i = \lVert p_i - c \rVert
/// ```
/// $p_i$ is the position of robot $i$, $c$ the centroid and $s$ the field `scale`. 0 if all robots are at one
/// place, or no number with `Classic`; no number without robots.
///
/// Source: RobotSwarmSimulator `Fatness2`.
///
/// Range: 0 to 1 for a scale of 1.
#[kind(section = "Shape", words = "ring, thickness, circle")]
pub struct Fatness2 {
    /// Factor s by which the ratio is multiplied.
    #[default(1.0)]
    pub scale: f64,
    /// `Classic`: robots at one place have no number, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for Fatness2 {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("fatness2", "Similarity to a ring")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let fatness = super::fatness::fatness(swarm, self.variant);
        values[0] = fatness.map_or(f64::NAN, |fatness| self.scale * (1.0 - fatness));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn fatness2_is_one_minus_fatness() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (5.0, 0.0)]);
        let [fatness] = observe(&super::super::fatness::Fatness::default(), &line);
        let [other] = observe(&Fatness2 { scale: 2.0, ..Default::default() }, &line);
        assert!((other - 2.0 * (1.0 - fatness)).abs() < 1e-12);
        let place = at(&[(1.0, 1.0), (1.0, 1.0)]);
        assert_eq!(observe(&Fatness2::default(), &place), [0.0]);
        let classic = Fatness2 { variant: Variant::Classic, ..Default::default() };
        assert!(observe::<_, 1>(&classic, &place)[0].is_nan());
    }
}
