//! How long something takes to happen.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, Stated, Swarm};

metric_kind! {
    /// The number of steps before the one in which an expression over the metrics above it first held
    /// (RobotSwarmSimulator `StepsUntil`). 0 when it holds after the first step. The number stays from then on.
    ///
    /// A periodic boundary makes no difference.
    StepsUntil {
        /// The expression, such as `circliness > 0.9`.
        until: String = "false".into(),
        /// The value until the expression holds.
        meanwhile: Meanwhile = Meanwhile::default(),
    }
}

/// The value of a [`StepsUntil`] whose expression has not held yet.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Meanwhile {
    /// The number of steps so far.
    #[default]
    Count,
    /// No number.
    Nothing,
    /// A fixed number, such as −1.
    Number {
        /// The number.
        value: f64,
    },
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
        let count = *steps as f64;
        *ended |= swarm.scope.holds(&self.until);
        *steps += u64::from(!*ended);
        values[0] = match self.meanwhile {
            _ if *ended => count,
            Meanwhile::Count => count,
            Meanwhile::Nothing => f64::NAN,
            Meanwhile::Number { value } => value,
        };
    }
}
