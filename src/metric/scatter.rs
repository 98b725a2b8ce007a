//! How far apart the agents are.

use bevy::prelude::*;

use super::{Metric, NoHistory, Swarm};

/// The mean square distance of the agents from their centroid, in units of half the arena's diagonal;
/// or, not regularized, their mean distance in metres (Brown et al. 2018; RobotSwarmSimulator `ScatterBehavior`).
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Scatter {
    /// Whether to square the distances and divide by the size of the arena.
    pub regularized: bool,
}

impl Default for Scatter {
    fn default() -> Self {
        Self { regularized: true }
    }
}

impl Metric for Scatter {
    type Memory = NoHistory;
    const LABEL: &'static str = "scatter";

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let Some(centroid) = swarm.centroid_m() else {
            values[0] = f64::NAN;
            return;
        };
        let positions = swarm.bodies.positions().iter();
        let mean = |sum: f64| sum / swarm.bodies.len() as f64;
        values[0] = if self.regularized {
            let radius_squared = (swarm.arena_m / 2.0).length_squared();
            mean(positions.map(|position| position.distance_squared(centroid)).sum()) / radius_squared
        } else {
            mean(positions.map(|position| position.distance(centroid)).sum())
        };
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::observe;

    #[test]
    fn is_a_mean_square_or_a_mean_distance() {
        let pair = [(DVec2::ZERO, 0.0, DVec2::ZERO), (DVec2::new(4.0, 0.0), 0.0, DVec2::ZERO)];
        let arena = DVec2::new(6.0, 8.0);
        assert!((observe(&Scatter::default(), &mut NoHistory, arena, &pair) - 4.0 / 25.0).abs() < 1e-15);
        assert_eq!(observe(&Scatter { regularized: false }, &mut NoHistory, arena, &pair), 2.0);
    }
}
