//! How long something takes to happen.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::{Metric, Stated, Swarm};

metric_kind! {
    /// The number of steps before the one in which an expression over the metrics above it first held; from then on it
    /// stays, until then it counts (RobotSwarmSimulator `StepsUntil`). 0 when it holds after the first step.
    StepsUntil {
        /// The expression, such as `circliness > 0.9`.
        until: String = "false".into(),
    }
}

/// What was counted, and whether it came to its end.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepsSoFar {
    steps: u64,
    ended: bool,
}

impl Metric for StepsUntil {
    type Memory = StepsSoFar;

    fn label(&self) -> &'static str {
        "steps_until"
    }

    fn expressions(&self) -> Vec<Stated<'_>> {
        vec![Stated::new("until", &self.until)]
    }

    fn observe(&self, StepsSoFar { steps, ended }: &mut StepsSoFar, swarm: &Swarm, values: &mut [f64]) {
        values[0] = *steps as f64;
        *ended |= swarm.scope.holds(&self.until);
        *steps += u64::from(!*ended);
    }
}
