//! How many agents there are.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::{Metric, NoHistory, Swarm};

metric_kind! {
    /// The number of agents (RobotSwarmSimulator `EntityLen` of the population).
    Count {}
}

impl Metric for Count {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "agents"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.len() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn counts() {
        assert_eq!(observe(&Count::default(), &at(&[(0.0, 0.0), (4.0, 0.0)])), [2.0]);
    }
}
