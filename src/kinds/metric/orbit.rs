//! Measures how well the agents circle the most central one.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, Swarm};

use super::circliness::CirclinessMemory;

/// Similarity of the swarm to a mill around its most central robot, from 0 to 1: as `Circliness`, but relative to
/// the robot nearest to the centroid, which itself does not count. In a periodic arena, coordinates are used as
/// they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// O = 1 - \max \left( \bar{F}, \bar{T} \right)
/// \qquad
/// F = 1 - \frac{\min_{i \ne k} \lVert p_i - p_k \rVert^2}{\max_{i \ne k} \lVert p_i - p_k \rVert^2}
/// \qquad
/// T = \frac{1}{N - 1} \sum_{i \ne k} \lvert \cos(\theta_i - \psi_i) \rvert
/// ```
/// $k$ is the robot nearest to the centroid, $p_i$ the position and $\theta_i$ the heading of robot $i$, $\psi_i$
/// its bearing from robot $k$ and $N$ the number of robots. $\bar{F}$ and $\bar{T}$ are means over the last
/// `window_steps` steps, or over all steps if there were fewer. A robot at the place of robot $k$ adds 1 to the
/// sum; $F$ is 1 if all robots are at one place; $F$ and $T$ are 1 for fewer than two robots.
///
/// Source: RobotSwarmSimulator `Orbit`.
///
/// Range: 0 to 1.
#[kind(section = "Shape", words = "circle, milling, around a robot")]
pub struct Orbit {
    /// Number of steps over which the means are taken.
    #[reflect(@Limits::between(1.0, 1e5))]
    #[default(100)]
    pub window_steps: u32,
}

impl Metric for Orbit {
    type Memory = OrbitMemory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("orbit", "Orbit")
    }

    fn observe(&self, OrbitMemory(memory): &mut OrbitMemory, swarm: &Swarm, values: &mut [f64]) {
        let (fat, tangent) = around_the_middle_one(swarm).unwrap_or((1.0, 1.0));
        values[0] = memory.circliness(fat, tangent, self.window_steps);
    }
}

/// Fatness and tangentness of the last steps.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct OrbitMemory(CirclinessMemory);

/// Fatness and tangentness of all other agents relative to the most central one.
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
    fn orbit_ignores_the_agent_in_the_center() {
        let mut agents = ring(|bearing| bearing - FRAC_PI_2);
        agents.push((DVec2::new(3.1, 4.0), 1.0, DVec2::ZERO));
        let [value] = observe(&Orbit::default(), &agents);
        assert!(value > 0.8, "{value}");
        assert_eq!(observe(&Orbit::default(), &agents[..1]), [0.0]);
        assert_eq!(observe(&Orbit::default(), &[]), [0.0]);
    }
}
