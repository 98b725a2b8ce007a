//! Counts agents.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

use super::goals::{inside, unknown_area};

/// Number of robots, of all or of those in a region or goal. In a periodic arena, regions and goals extend across
/// the boundary.
///
/// # Formula
/// ```math
/// n = \sum_{i=1}^{N} a_i
/// ```
/// $a_i$ is 1 if robot $i$ counts for the field `inside`, and 0 otherwise; with an empty field, $n = N$, the number
/// of all robots. Dead robots count.
///
/// Source: RobotSwarmSimulator `EntityLen`.
///
/// Range: 0 to N.
#[kind(section = "Numbers", words = "how many, number of robots, population")]
pub struct Count {
    /// Name of a region or goal: robots in it at the end of the step count. Or name of a robot: robots that it
    /// collides with count, if it has the sensor `Overlap` or if the scene has `overlap_resolution: Classic`.
    /// Empty: all robots count.
    pub inside: String,
}

impl Metric for Count {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("agents", "Number of robots")
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_area(&self.inside, scene.downcast_ref()?).map(|message| ("inside", message))
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
    fn count_is_the_number_of_agents() {
        assert_eq!(observe(&Count::default(), &at(&[(0.0, 0.0), (4.0, 0.0)])), [2.0]);
    }
}
