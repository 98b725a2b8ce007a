//! Counts the steps until a condition holds.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NamedExpression, Swarm};

/// Number of steps before the first step in which an expression over the metrics above it holds; 0 if it holds
/// after the first step. The value does not change after that. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// n = \begin{cases} k^* - 1 & \text{if the expression has held} \\ n_0 & \text{otherwise} \end{cases}
/// ```
/// $k^*$ is the number of the first step in which the expression held. $n_0$ is given by the field `meanwhile`: for
/// `Count` the number of the present step minus 1, for `Nothing` no number, for `Number` the given number.
///
/// Source: RobotSwarmSimulator `StepsUntil`.
///
/// Range: 0 to ∞, or the number of `meanwhile`.
#[kind(section = "Goals", words = "time until, when, how long, success")]
pub struct StepsUntil {
    /// The expression, such as `circliness > 0.9`.
    #[default("false".into())]
    pub until: String,
    /// The value until the expression holds. `Count`: the number of steps so far. `Nothing`: no number.
    /// `Number(value)`: a fixed number, such as −1.
    pub meanwhile: Meanwhile,
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

/// The count, and whether it has ended.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepsSoFar {
    steps: u64,
    ended: bool,
}

impl Metric for StepsUntil {
    type Memory = StepsSoFar;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("steps_until", "Steps until the condition holds")
    }

    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        vec![NamedExpression::new("until", &self.until)]
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
