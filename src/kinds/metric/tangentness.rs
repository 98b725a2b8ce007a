//! Measures how far the headings are from tangents of a circle.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};

/// Deviation of the headings from the tangents of circles about the centroid: 0 if all headings are tangential, 1
/// if all robots face outwards or inwards. In a periodic arena, coordinates are used as they are: a swarm that
/// straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// T = \frac{s}{N} \sum_{i=1}^{N} \lvert \cos(\theta_i - \varphi_i) \rvert
/// ```
/// $\theta_i$ is the heading of robot $i$, $\varphi_i$ its bearing from the centroid, $N$ the number of robots and
/// $s$ the field `scale`. A robot at the centroid adds 1 to the sum, or $\lvert \cos \theta_i \rvert$ with
/// `Classic`; no number without robots.
///
/// Source: RobotSwarmSimulator `Tangentness`.
///
/// Range: 0 to 1 for a scale of 1.
#[kind(section = "Shape", words = "ring, tangent, milling")]
pub struct Tangentness {
    /// Factor s by which the mean is multiplied.
    #[default(1.0)]
    pub scale: f64,
    /// `Classic`: the bearing of a robot at the centroid is 0, as in RobotSwarmSimulator.
    pub variant: Variant,
}

impl Metric for Tangentness {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("tangentness", "Tangentness")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = self.scale * tangentness(swarm, self.variant);
    }
}

/// The mean of |cos| of the angle between heading and bearing from the centroid; `NaN` when there is no agent.
pub(super) fn tangentness(swarm: &Swarm, variant: Variant) -> f64 {
    let at_centroid = variant.choose(DVec2::ZERO, DVec2::X);
    let outward = |outward: DVec2| if outward == DVec2::ZERO { at_centroid } else { outward };
    swarm.mean(swarm.outwards().zip(swarm.facings()).map(|(from, facing)| outwardness(outward(from), *facing)))
}

/// |cos| of the angle between a heading and a bearing; 1 for an agent at the centroid.
pub(super) fn outwardness(outward: DVec2, facing: DVec2) -> f64 {
    outward.try_normalize().map_or(1.0, |outward| facing.dot(outward).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn tangentness_distinguishes_tangential_and_radial_headings() {
        let pair = |heading: f64| [(DVec2::ZERO, heading, DVec2::ZERO), (DVec2::X, heading, DVec2::ZERO)];
        assert_eq!(observe(&Tangentness::default(), &pair(0.0)), [1.0]);
        let [across] = observe(&Tangentness::default(), &pair(std::f64::consts::FRAC_PI_2));
        assert!(across < 1e-15);
        let alone = [(DVec2::ONE, 0.7, DVec2::ZERO)];
        assert_eq!(observe(&Tangentness::default(), &alone), [1.0]);
        let [classic] = observe(&Tangentness { variant: Variant::Classic, ..Default::default() }, &alone);
        assert!((classic - swarmarium_base::math::cos(0.7)).abs() < 1e-15);
    }
}
