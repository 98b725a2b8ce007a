//! Measures how well the agents mill around a common centre.

use std::collections::VecDeque;

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, Swarm, Variant};

/// Similarity of the swarm to a mill, from 0 to 1: 1 minus the larger of fatness and tangentness, each averaged
/// over the last steps. Fatness is 0 if all robots are equally far from the centroid, tangentness is 0 if all
/// headings are tangential. In a periodic arena, coordinates are used as they are: a swarm that straddles the
/// boundary counts as split.
///
/// # Formula
/// ```math
/// C = 1 - \max \left( \bar{F}, \bar{T} \right)
/// \qquad
/// F = 1 - \frac{\min_i r_i^2}{\max_i r_i^2}
/// \qquad
/// T = \frac{1}{N} \sum_{i=1}^{N} \lvert \cos(\theta_i - \varphi_i) \rvert
/// ```
/// $\bar{F}$ and $\bar{T}$ are the means of $F$ and $T$ over the last `window_steps` steps, or over all steps if
/// there were fewer. $r_i$ and $\varphi_i$ are the distance and the bearing of robot $i$ from the centroid,
/// $\theta_i$ is its heading and $N$ the number of robots. A robot at the centroid adds 1 to the sum; $F$ is 1 if
/// all robots are at one place; $F$ and $T$ are 1 without robots. With `Classic`, a robot at the centroid adds
/// $\lvert \cos \theta_i \rvert$, and there is no number while the window has a step with all robots at one place.
///
/// Source: RobotSwarmSimulator `Circliness`.
///
/// Range: 0 to 1.
#[kind(section = "Shape", words = "circle, ring, milling, round")]
pub struct Circliness {
    /// Number of steps over which the means are taken.
    #[reflect(@Limits::between(1.0, 1e5))]
    #[default(100)]
    pub window_steps: u32,
    /// `Classic`: swarms at one place and robots at the centroid count as in RobotSwarmSimulator.
    pub variant: Variant,
}

/// Fatness and tangentness of the last steps, oldest first.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct CirclinessMemory {
    fatness: VecDeque<f64>,
    tangentness: VecDeque<f64>,
}

impl CirclinessMemory {
    /// 1 minus the larger of the means over the last steps, this one included.
    pub(super) fn circliness(&mut self, fatness: f64, tangentness: f64, window_steps: u32) -> f64 {
        let mean_with = |window: &mut VecDeque<f64>, value: f64| {
            window.push_back(value);
            while window.len() > window_steps as usize {
                window.pop_front();
            }
            window.iter().sum::<f64>() / window.len() as f64
        };
        let (fatness, tangentness) =
            (mean_with(&mut self.fatness, fatness), mean_with(&mut self.tangentness, tangentness));
        // Not `max` alone, which ignores a fatness that is not a number.
        if fatness.is_nan() { fatness } else { 1.0 - fatness.max(tangentness) }
    }
}

impl Metric for Circliness {
    type Memory = CirclinessMemory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("circliness", "Circliness")
    }

    fn observe(&self, memory: &mut CirclinessMemory, swarm: &Swarm, values: &mut [f64]) {
        // An empty swarm is not a mill.
        let (fat, tangent) = super::fatness::fatness(swarm, self.variant)
            .map_or((1.0, 1.0), |fatness| (fatness, super::tangentness::tangentness(swarm, self.variant)));
        values[0] = memory.circliness(fat, tangent, self.window_steps);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::metric::tests::{at, observe, observe_again, ring};

    #[test]
    fn circliness_of_a_ring_of_tangent_agents_is_one() {
        let mut memory = CirclinessMemory::default();
        let mill = ring(|bearing| bearing + FRAC_PI_2);
        let [value] = observe_again(&Circliness::default(), &mut memory, &mill);
        assert!((value - 1.0).abs() < 1e-12, "{value}");
        let [value] = observe_again(&Circliness::default(), &mut memory, &ring(|bearing| bearing));
        assert!((value - 0.5).abs() < 1e-12, "the mean of a perfect and a worst step, found {value}");
    }

    #[test]
    fn circliness_forgets_steps_before_its_window() {
        let metric = Circliness { window_steps: 2, ..Default::default() };
        let mut memory = CirclinessMemory::default();
        let mut last = 0.0;
        for step in 0..3 {
            let agents = ring(|bearing| if step == 0 { bearing } else { bearing + FRAC_PI_2 });
            [last] = observe_again(&metric, &mut memory, &agents);
        }
        assert!((last - 1.0).abs() < 1e-12);
        assert_eq!(memory.fatness.len(), 2);
    }

    #[test]
    fn circliness_of_a_swarm_at_one_position_is_zero_or_nan_if_classic() {
        let place = at(&[(1.0, 1.0)]);
        assert_eq!(observe(&Circliness::default(), &place), [0.0]);
        let metric = Circliness { window_steps: 2, variant: Variant::Classic };
        let mut memory = CirclinessMemory::default();
        let mill = ring(|bearing| bearing + FRAC_PI_2);
        let values = [&place, &mill, &mill].map(|agents| observe_again::<_, 1>(&metric, &mut memory, agents)[0]);
        assert!(values[0].is_nan() && values[1].is_nan() && values[2] > 0.99, "{values:?}");
    }
}
