//! Turns to a heading.

use std::f64::consts::{FRAC_PI_4, TAU};

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;

/// Turns to a heading while it drives, at a rate proportional to the remaining angle (pySimiam `GoToAngle`).
#[kind(Copy)]
pub struct GoToAngle {
    /// Target heading, anticlockwise from x.
    #[reflect(@Limits::between(-TAU, TAU))]
    #[default(FRAC_PI_4)]
    pub heading_rad: f64,
    /// Ratio of the turn rate to the remaining angle.
    #[reflect(@Limits::between(0.0, 1e4))]
    #[default(3.0)]
    pub gain_per_s: f64,
}

impl GoToAngle {
    fn left_rad(&self, now: &Situation) -> f64 {
        wrap_angle(self.heading_rad - now.pose.heading_rad)
    }
}

impl Behaviour for GoToAngle {
    fn act(&self, now: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
        let turn_rad_per_s = self.gain_per_s * self.left_rad(now);
        BehaviourOutput::Drive(Drive { v_m_per_s: now.v_m_per_s, turn_rad_per_s })
    }

    fn show(&self, now: &Situation, _: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        arrows.push(Arrow::towards(self.left_rad(now), Role::Goal));
    }
}
