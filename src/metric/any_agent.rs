//! The first agent that something is true of.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::{Metric, NoHistory, Scope, Stated, Swarm};

metric_kind! {
    /// A value of the first agent, by number, of which an expression holds (RobotSwarmSimulator `AnyAgent`).
    ///
    /// Of an agent, expressions can name `agent` (its number), `x_m`, `y_m`, `heading_rad`, `speed_m_per_s`, `radius_m`,
    /// `collided` (whether it was pushed in this step) and `dead`, besides the metrics above it.
    AnyAgent {
        /// The expression, such as `x_m > 5 and not collided`.
        when: String = "true".into(),
        /// What to tell of the agent: another expression.
        value: String = "agent".into(),
        /// The value when there is no such agent.
        otherwise: f64 = -1.0,
    }
}

const AGENT_NAMES: [&str; 8] = ["agent", "x_m", "y_m", "heading_rad", "speed_m_per_s", "radius_m", "collided", "dead"];

impl Metric for AnyAgent {
    type Memory = NoHistory;

    fn label(&self) -> &'static str {
        "any_agent"
    }

    fn expressions(&self) -> Vec<Stated<'_>> {
        let stated = |field, text| Stated { more: &AGENT_NAMES, ..Stated::new(field, text) };
        vec![stated("when", &self.when), stated("value", &self.value)]
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let bodies = &swarm.space.bodies;
        let value = |row: usize| {
            let (at, moved) = (bodies.positions()[row], bodies.displacements()[row]);
            let numbers = [
                f64::from(bodies.who()[row].number),
                at.x,
                at.y,
                bodies.headings()[row],
                moved.length() / swarm.dt_s,
                bodies.radii()[row],
                f64::from(bodies.pushed()[row]),
                f64::from(bodies.who()[row].dead),
            ];
            let named: [(&str, f64); 8] = std::array::from_fn(|index| (AGENT_NAMES[index], numbers[index]));
            let scope = Scope { more: &named, ..swarm.scope };
            scope.holds(&self.when).then(|| scope.value(&self.value))
        };
        values[0] = (0..swarm.len()).find_map(value).unwrap_or(self.otherwise);
    }
}
