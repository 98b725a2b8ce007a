//! Counts dead agents.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};

/// Number of robots that did not survive a collision or a fault. `Count` includes them, and their speed is 0. A
/// periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// n = \sum_{i=1}^{N} a_i
/// ```
/// $a_i$ is 1 if robot $i$ is dead, and 0 otherwise; $N$ is the number of robots.
///
/// Source: Swarmarium.
///
/// Range: 0 to N.
#[kind(section = "Contacts", words = "died, failed, broken, survivors, faults")]
pub struct Dead {}

impl Metric for Dead {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("dead", "Number of dead robots")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.space.bodies.owners().iter().filter(|owner| owner.dead).count() as f64;
    }
}
