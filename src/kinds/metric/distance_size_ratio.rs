//! How far apart the agents are for their size.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm, Variant};

use super::radial_variance::RadialVariance;

metric_kind! {
    /// The mean distance over all pairs, in units of the mean diameter of a body; infinite for bodies without size.
    ///
    /// RobotSwarmSimulator's `DistanceSizeRatio` never calls its own formula and gives the radial variance instead:
    /// classic is that. The time that the ratio takes grows with the square of the population. In a periodic arena,
    /// distances are the shortest ones, across the boundary where necessary; classic uses coordinates as they are.
    DistanceSizeRatio {
        /// Classic only: whether to divide by the size of the arena.
        regularized: bool = true,
        /// The ratio, or the radial variance as in RobotSwarmSimulator.
        variant: Variant = Variant::default(),
    }
}

impl Metric for DistanceSizeRatio {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "distance_size_ratio"
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
    fn is_in_units_of_the_bodies() {
        // The bodies of the tests have a radius of 0.1 m.
        let [ratio] = observe(&DistanceSizeRatio::default(), &at(&[(0.0, 0.0), (4.0, 0.0)]));
        assert!((ratio - 20.0).abs() < 1e-12);
    }
}
