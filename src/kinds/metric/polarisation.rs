//! How much the agents look the same way.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The length of the mean of the headings as unit vectors: 1 when all look the same way, about 0 when they look
    /// anywhere (Vicsek et al. 1995). A periodic boundary makes no difference.
    Polarisation {}
}

impl Metric for Polarisation {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "polarisation"
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
    fn opposite_headings_cancel() {
        let pair = |other: f64| [(DVec2::ZERO, 0.0, DVec2::ZERO), (DVec2::X, other, DVec2::ZERO)];
        assert_eq!(observe(&Polarisation::default(), &pair(0.0)), [1.0]);
        assert!(observe::<_, 1>(&Polarisation::default(), &pair(std::f64::consts::PI))[0] < 1e-15);
    }
}
