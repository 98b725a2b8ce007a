//! Measures the wheel speeds of one agent.

use std::f64::consts::TAU;

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, Swarm};
use swarmarium_core::motion::Wheels;
use swarmarium_scene::agent_view::AgentView;

/// Mean angular speeds of the two wheels of a robot over the last step; forwards is positive. A periodic boundary
/// makes no difference.
///
/// # Formula
/// ```math
/// \dot{\phi} = \frac{2 \pi}{\Delta t} \left( n(t) - n(t - \Delta t) \right)
/// ```
/// $n(t)$ is the number of turns of the wheel since the start and $\Delta t$ the step. No numbers if there is no
/// such robot or if it has no `DifferentialDrive`.
///
/// Source: Swarmarium.
///
/// Range: −∞ to ∞, in rad/s.
#[kind(section = "Motion", words = "wheels, motors")]
pub struct WheelSpeeds {
    /// Number of the robot (column `agent` of `trace.csv`).
    pub agent: u32,
}

/// The turns of both wheels at the previous step.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnsSoFar {
    /// The number of the robot; none before the first step.
    agent: Option<u32>,
    left: f64,
    right: f64,
}

impl Metric for WheelSpeeds {
    type Memory = TurnsSoFar;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("left_rad_per_s", "Speed of the left wheel"),
        MetricLabel::new("right_rad_per_s", "Speed of the right wheel"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("wheel_speeds", "Wheel speeds")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let agent = AgentView::seen(census, self.agent);
        if let Some(wheels) = agent.as_ref().and_then(|agent| agent.component::<Wheels>()) {
            gathered.extend([wheels.left_turns, wheels.right_turns]);
        }
    }

    fn observe(&self, before: &mut TurnsSoFar, swarm: &Swarm, values: &mut [f64]) {
        let [left, right] = *swarm.gathered else {
            values.fill(f64::NAN);
            return;
        };
        let turns = TurnsSoFar { agent: Some(self.agent), left, right };
        let before = std::mem::replace(before, turns);
        let is_of_another = before.agent.is_some_and(|agent| agent != self.agent);
        for (value, (now, before)) in values.iter_mut().zip([(left, before.left), (right, before.right)]) {
            *value = if is_of_another { f64::NAN } else { (now - before) * TAU / swarm.dt_s };
        }
    }
}
