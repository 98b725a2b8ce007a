//! Tests whether several conditions hold.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NamedExpression, NoHistory, Swarm};

/// 1 if every expression over the metrics above it holds, else 0. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// y = \begin{cases} 1 & \text{if } e_1, \dots, e_K \text{ all hold} \\ 0 & \text{otherwise} \end{cases}
/// ```
/// $e_1, \dots, e_K$ are the expressions of `conditions`. An expression without a value does not hold. Without
/// expressions, the value is 1.
///
/// Source: RobotSwarmSimulator `AndMetrics`.
///
/// Range: 0 or 1.
#[kind(section = "Expressions", words = "condition, success, and, all true")]
pub struct AllOf {
    /// Expressions such as `circliness > 0.9`. The name of a metric alone holds when its value is not 0.
    pub conditions: Vec<String>,
}

impl Metric for AllOf {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("all_of", "All conditions hold (1) or not (0)")
    }

    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        let conditions = self.conditions.iter().enumerate();
        conditions.map(|(index, text)| NamedExpression::new(&format!("conditions[{index}]"), text)).collect()
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = f64::from(self.conditions.iter().all(|condition| swarm.scope.holds(condition)));
    }
}
