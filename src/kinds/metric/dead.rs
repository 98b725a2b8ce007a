//! How many agents did not survive.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The number of agents that did not survive a collision or a fault. `Count` counts them too, and their speed is 0.
    /// A periodic boundary makes no difference.
    Dead {}
}

impl Metric for Dead {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "dead"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.space.bodies.owners().iter().filter(|owner| owner.dead).count() as f64;
    }
}
