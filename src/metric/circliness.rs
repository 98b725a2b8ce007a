//! How well the agents mill: circle a common centre.

use std::collections::VecDeque;

use bevy::prelude::*;

use super::{Metric, Swarm};
use crate::kind::Limits;
use crate::math::angle_of;

/// How much the swarm looks like a mill, from 0 to 1: 1 minus the larger of its fatness and its tangentness,
/// each a mean over the last steps (RobotSwarmSimulator `Circliness`).
///
/// Fatness is 1 − (smallest distance from the centroid)² / (largest)², 0 when all are equally far.
/// Tangentness is the mean of |cos| of the angle between heading and bearing from the centroid, 0 when all are tangent.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Circliness {
    /// Number of steps that the means are taken over.
    #[reflect(@Limits::between(1.0, 1e5))]
    pub window_steps: u32,
}

impl Default for Circliness {
    fn default() -> Self {
        Self { window_steps: 100 }
    }
}

/// What circliness remembers: fatness and tangentness of the last steps, the oldest first.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct CirclinessMemory {
    fatness: VecDeque<f64>,
    tangentness: VecDeque<f64>,
}

impl Metric for Circliness {
    type Memory = CirclinessMemory;
    const LABEL: &'static str = "circliness";

    fn observe(&self, memory: &mut CirclinessMemory, swarm: &Swarm, values: &mut [f64]) {
        let CirclinessMemory { fatness, tangentness } = memory;
        let (fat, tangent) = fatness_and_tangentness(swarm);
        values[0] = 1.0 - self.mean_with(fatness, fat).max(self.mean_with(tangentness, tangent));
    }
}

impl Circliness {
    fn mean_with(&self, window: &mut VecDeque<f64>, value: f64) -> f64 {
        window.push_back(value);
        while window.len() > self.window_steps as usize {
            window.pop_front();
        }
        window.iter().sum::<f64>() / window.len() as f64
    }
}

fn fatness_and_tangentness(swarm: &Swarm) -> (f64, f64) {
    let Some(centroid) = swarm.centroid_m() else { return (1.0, 1.0) };
    let (mut nearest, mut farthest, mut tangent) = (f64::INFINITY, 0.0_f64, 0.0);
    for (position, facing) in swarm.bodies.positions().iter().zip(swarm.bodies.facings()) {
        let outward = position - centroid;
        nearest = nearest.min(outward.length_squared());
        farthest = farthest.max(outward.length_squared());
        // |cos| of the angle between two unit vectors; an agent in the very middle has bearing 0, as atan2 says.
        let bearing = crate::math::direction(angle_of(outward));
        tangent += facing.dot(bearing).abs();
    }
    // All in one point: no mill.
    let fatness = if farthest > 0.0 { 1.0 - nearest / farthest } else { 1.0 };
    (fatness, tangent / swarm.bodies.len() as f64)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use bevy::math::DVec2;

    use super::*;
    use crate::math::direction;
    use crate::metric::tests::observe;

    fn ring(heading: impl Fn(f64) -> f64) -> Vec<(DVec2, f64, DVec2)> {
        (0..6)
            .map(|agent| {
                let bearing = TAU * f64::from(agent) / 6.0;
                (DVec2::splat(5.0) + 2.0 * direction(bearing), heading(bearing), DVec2::ZERO)
            })
            .collect()
    }

    #[test]
    fn a_ring_of_tangent_agents_is_a_perfect_mill() {
        let mut memory = CirclinessMemory::default();
        let mill = ring(|bearing| bearing + FRAC_PI_2);
        let value = observe(&Circliness::default(), &mut memory, DVec2::splat(10.0), &mill);
        assert!((value - 1.0).abs() < 1e-12, "{value}");
        let burst = ring(|bearing| bearing);
        let value = observe(&Circliness::default(), &mut memory, DVec2::splat(10.0), &burst);
        assert!((value - 0.5).abs() < 1e-12, "the mean of a perfect and a worst step, found {value}");
    }

    #[test]
    fn the_window_forgets() {
        let metric = Circliness { window_steps: 2 };
        let mut memory = CirclinessMemory::default();
        let mut last = 0.0;
        for step in 0..3 {
            let agents = ring(|bearing| if step == 0 { bearing } else { bearing + FRAC_PI_2 });
            last = observe(&metric, &mut memory, DVec2::splat(10.0), &agents);
        }
        assert!((last - 1.0).abs() < 1e-12);
        assert_eq!(memory.fatness.len(), 2);
    }
}
