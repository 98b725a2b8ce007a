//! A number worked out from other metrics.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Stated, Swarm};

metric_kind! {
    /// The value of an expression over the metrics above it, `step`, `t_s` and `count`: 1 and 0 for true and false;
    /// no number while one of its parts has none (RobotSwarmSimulator `JinjaMetric`). A periodic boundary makes no
    /// difference.
    Formula {
        /// The expression, such as `convex_hull_m2 / count`.
        value: String = "0".into(),
    }
}

impl Metric for Formula {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "formula"
    }

    fn expressions(&self) -> Vec<Stated<'_>> {
        vec![Stated::new("value", &self.value)]
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.scope.value(&self.value);
    }
}
