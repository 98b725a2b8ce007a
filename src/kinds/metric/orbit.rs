//! How well the agents circle the one in their middle.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::metric::{Metric, Swarm};

use super::circliness::CirclinessMemory;

metric_kind! {
    /// As `Circliness`, but about the agent nearest to the centroid, which does not count itself; 0 when there is no
    /// other one (RobotSwarmSimulator `Orbit`). In a periodic arena it uses coordinates as they are: a swarm that
    /// straddles the boundary counts as split.
    Orbit {
        /// Number of steps that the means are taken over.
        #[reflect(@Limits::between(1.0, 1e5))]
        window_steps: u32 = 100,
    }
}

impl Metric for Orbit {
    type Memory = OrbitMemory;

    fn label(&self) -> &'static str {
        "orbit"
    }

    fn observe(&self, OrbitMemory(memory): &mut OrbitMemory, swarm: &Swarm, values: &mut [f64]) {
        let (fat, tangent) = around_the_middle_one(swarm).unwrap_or((1.0, 1.0));
        values[0] = memory.circliness(fat, tangent, self.window_steps);
    }
}

/// What an orbit remembers, as a mill does.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct OrbitMemory(CirclinessMemory);

/// Fatness and tangentness of all others about the agent in the middle.
fn around_the_middle_one(swarm: &Swarm) -> Option<(f64, f64)> {
    let from_middle = swarm.outwards().map(|outward| outward.length_squared());
    let (center, _) = from_middle.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let positions = swarm.positions();
    let (mut nearest, mut farthest, mut tangent) = (f64::INFINITY, 0.0_f64, 0.0);
    for row in (0..swarm.len()).filter(|row| *row != center) {
        let outward = positions[row] - positions[center];
        nearest = nearest.min(outward.length());
        farthest = farthest.max(outward.length());
        tangent += super::tangentness::outwardness(outward, swarm.facings()[row]);
    }
    let others = swarm.len() - 1;
    (others > 0).then(|| (swarmarium_core::metric::geometry::fatness(nearest, farthest), tangent / others as f64))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use bevy::math::DVec2;

    use super::*;
    use crate::metric::tests::{observe, ring};

    #[test]
    fn the_one_in_the_middle_does_not_count() {
        let mut agents = ring(|bearing| bearing - FRAC_PI_2);
        agents.push((DVec2::new(3.1, 4.0), 1.0, DVec2::ZERO));
        let [value] = observe(&Orbit::default(), &agents);
        assert!(value > 0.8, "{value}");
        assert_eq!(observe(&Orbit::default(), &agents[..1]), [0.0]);
        assert_eq!(observe(&Orbit::default(), &[]), [0.0]);
    }
}
