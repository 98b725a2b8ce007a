//! How many agents there are.

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_core::scene::Scene;

use super::goals::{inside, unknown_area};

metric_kind! {
    /// The number of agents (RobotSwarmSimulator `EntityLen` of the population, or of what a region detects). In a
    /// periodic arena, regions and goals also reach across the boundary.
    Count {
        /// Name of the region or goal that they are in at the end of the step, or of a robot that they collide with:
        /// one with the sensor `Overlap`, or, with `overlap_resolution: Classic`, any robot that they push. All agents count
        /// when it is empty.
        inside: String = String::new(),
    }
}

impl Count {
    /// The problem with a parameter that does not fit the scene.
    pub(super) fn problem(&self, _: &Kinds, scene: &Scene) -> Option<(&'static str, String)> {
        unknown_area(&self.inside, scene).map(|message| ("inside", message))
    }
}

impl Metric for Count {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "agents"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = if self.inside.is_empty() { swarm.len() } else { inside(&self.inside, swarm) } as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn counts() {
        assert_eq!(observe(&Count::default(), &at(&[(0.0, 0.0), (4.0, 0.0)])), [2.0]);
    }
}
