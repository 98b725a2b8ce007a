//! Wanders at random.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::exp;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::behaviour::{Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;

use super::reflex;

/// Wanders: drives on, at a turn rate that varies at random.
///
/// The turn rate is an Ornstein-Uhlenbeck process (Uhlenbeck and Ornstein 1930), drawn exactly for the time between two
/// decisions: its distribution does not depend on `dt_s`. A robot with infrared sensors turns away from obstacles ahead.
#[kind(Copy)]
pub struct Wander {
    /// Standard deviation of the turn rate.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub turn_rad_per_s: f64,
    /// Time after which the correlation of the turn rate has fallen to 1/e; 0: each decision draws a new one.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(1.0)]
    pub correlation_s: f64,
}

impl Wander {
    /// The turn rate after some time, from the one before; `None` in the first decision.
    fn next_turn_rad_per_s(&self, before: Option<f64>, since_s: f64, normal: f64) -> f64 {
        let kept = match before {
            Some(_) if self.correlation_s > 0.0 => exp(-since_s / self.correlation_s),
            _ => 0.0,
        };
        kept * before.unwrap_or_default() + (1.0 - kept * kept).sqrt() * self.turn_rad_per_s * normal
    }
}

impl Behaviour for Wander {
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let normal = now.decision.random("wander").normal();
        let turn_rad_per_s = self.next_turn_rad_per_s(
            kept.first().copied().filter(|turn| turn.is_finite()),
            now.decision.since_s,
            normal,
        );
        let mut side = kept.get(1..).unwrap_or_default().to_vec();
        let ahead = BehaviourOutput::Steer { angle_rad: 0.0, v_m_per_s: now.v_m_per_s };
        let spared = reflex::spare(now, &mut side, ahead);
        kept.clear();
        kept.push(turn_rad_per_s);
        kept.append(&mut side);
        match spared {
            BehaviourOutput::Steer { angle_rad: 0.0, v_m_per_s } => Drive { v_m_per_s, turn_rad_per_s }.into(),
            turning => turning,
        }
    }
}
