//! Turns on the spot.

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::*;
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;

/// Turns on the spot, towards the goal of its supervisor or away from the wall on its side.
///
/// The PID controller of the supervisor turns the angle into a turn rate. Wheels with `saturation: KeepTurnRate` stand
/// still when both would be slower than their slowest speed, so leave a state with this behaviour before the angle is
/// that small.
#[kind(Copy)]
pub struct TurnOnSpot {
    /// Direction of the turn.
    pub to: Towards,
}

/// The direction in which a robot turns on the spot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Towards {
    /// Towards the goal, by the shorter turn.
    #[default]
    Goal,
    /// Away from the wall on the side of the robot, at the rate for a quarter turn.
    OffWall,
}

impl TurnOnSpot {
    fn angle_rad(self, now: &Situation) -> f64 {
        match self.to {
            Towards::Goal => now.goal_angle_rad(),
            Towards::OffWall => -now.side.sign() * FRAC_PI_2,
        }
    }
}

impl Behaviour for TurnOnSpot {
    fn act(&self, now: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
        BehaviourOutput::Steer { angle_rad: self.angle_rad(now), v_m_per_s: 0.0 }
    }

    fn show(&self, now: &Situation, _: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        let role = if self.to == Towards::Goal { Role::Goal } else { Role::Accent };
        arrows.push(Arrow::towards(self.angle_rad(now), role));
    }
}
