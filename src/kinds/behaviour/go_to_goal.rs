//! Drives to the goal.

use bevy::prelude::*;
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;

/// Drives straight to the goal of its supervisor (pySimiam `GoToGoal`).
///
/// The angle is always in [−π, π), as in the branch `coursera` of pySimiam. In its branch `master`, the angle can reach
/// a whole turn, and robots turn the longer way round or for ever.
#[kind(Copy)]
pub struct GoToGoal {}

impl Behaviour for GoToGoal {
    fn act(&self, now: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
        BehaviourOutput::Steer { angle_rad: now.goal_angle_rad(), v_m_per_s: now.v_m_per_s }
    }

    fn show(&self, now: &Situation, _: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        arrows.push(Arrow::towards(now.goal_angle_rad(), Role::Goal));
    }
}
