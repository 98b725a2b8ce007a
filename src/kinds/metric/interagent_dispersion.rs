//! How far apart any two agents are.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// scale · mean distance over all pairs of agents, in metres (RobotSwarmSimulator `InteragentDispersion`). The time
    /// that it takes grows with the square of the population. In a periodic arena, distances are the shortest ones,
    /// across the boundary where necessary.
    InteragentDispersion {
        /// Factor of the mean.
        scale: f64 = 1.0,
    }
}

impl Metric for InteragentDispersion {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "interagent_dispersion_m"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = self.scale * mean_pair_distance_m(swarm);
    }
}

/// The mean of the shortest distances over all pairs, in metres; `NaN` when there is no pair.
pub(super) fn mean_pair_distance_m(swarm: &Swarm) -> f64 {
    let (positions, n) = (swarm.positions(), swarm.len() as f64);
    let to_later = |(row, from): (usize, &bevy::math::DVec2)| -> f64 {
        positions[row + 1..].iter().map(|to| swarm.distance_m(*from, *to)).sum()
    };
    positions.iter().enumerate().map(to_later).sum::<f64>() / (n * (n - 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn needs_a_pair() {
        let line = at(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]);
        let [mean] = observe(&InteragentDispersion::default(), &line);
        assert!((mean - 4.0 / 3.0).abs() < 1e-12);
        assert!(observe::<_, 1>(&InteragentDispersion::default(), &line[..1])[0].is_nan());
    }
}
