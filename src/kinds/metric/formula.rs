//! Evaluates an expression over other metrics.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NamedExpression, NoHistory, Swarm};

/// Value of an expression over the metrics above it, `step`, `t_s` and `count`. True is 1 and false is 0. A
/// periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// y = e(m_1, \dots, m_K, k, t, N)
/// ```
/// $e$ is the expression `value`, $m_1, \dots, m_K$ are the values of the metrics above it, $k$ is the number of
/// the step, $t$ the time and $N$ the number of all robots. No number if a value that the expression needs has
/// none.
///
/// Source: RobotSwarmSimulator `JinjaMetric`.
///
/// Range: any number.
#[kind(section = "Expressions", words = "calculate, equation, expression, my own metric, ratio")]
pub struct Formula {
    /// The expression, such as `convex_hull_m2 / count`.
    #[default("0".into())]
    pub value: String,
}

impl Metric for Formula {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("formula", "Formula")
    }

    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        vec![NamedExpression::new("value", &self.value)]
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.scope.value(&self.value);
    }
}
