//! Whether all of several things hold.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Stated, Swarm};

metric_kind! {
    /// 1 when every expression over the metrics above it holds, else 0; 1 for none (RobotSwarmSimulator `AndMetrics`).
    /// A periodic boundary makes no difference.
    AllOf {
        /// The expressions, such as `circliness > 0.9`; the name of a metric holds when it is not 0.
        conditions: Vec<String> = Vec::new(),
    }
}

impl Metric for AllOf {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "all_of"
    }

    fn expressions(&self) -> Vec<Stated<'_>> {
        let conditions = self.conditions.iter().enumerate();
        conditions.map(|(index, text)| Stated::new(&format!("conditions[{index}]"), text)).collect()
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = f64::from(self.conditions.iter().all(|condition| swarm.scope.holds(condition)));
    }
}
