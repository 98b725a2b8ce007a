//! Drives to the goal and towards free space at once.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, direction, exp};
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;

use super::avoid_obstacles::Weights;
use super::reflex;

/// Drives in a direction between that of the goal and that of free space (pySimiam `Blending`).
///
/// Unless the scene has `infrared_model: Classic`, the robot slows down for obstacles ahead, and turns on the spot
/// before it runs into them.
#[kind]
pub struct Blend {
    /// Weight of the direction of the goal, from 0 to 1; the rest is the weight of the direction of free space.
    /// `Nearness(scale_m)`: exp(1 − `scale_m` / d), at most 1, where d is the distance of the nearest obstacle in
    /// metres. `Fixed(goal)`: the constant weight `goal`.
    pub mix: Mix,
    /// Weights of the infrared sensors for the direction of free space. `Front`: cos θ + 1.5 for a sensor with the
    /// bearing θ. `HalfAngle`: cos(θ / 2) + 0.5. `Listed(weights)`: a list, in the order of the sensors; sensors beyond
    /// its end do not count. The sum of the weights does not matter.
    pub weights: Weights,
}

/// The weight of the direction of the goal, from 0 to 1; the rest is the weight of the direction of free space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Mix {
    /// exp(1 − s/d), at most 1, where d is the distance of the nearest obstacle: the nearer it is, the smaller the
    /// weight.
    Nearness {
        /// Distance s, at which only the goal counts.
        #[reflect(@Limits::up_to(1e3))]
        scale_m: f64,
    },
    /// A constant weight.
    Fixed {
        /// The weight.
        #[reflect(@Limits::between(0.0, 1.0))]
        goal: f64,
    },
}

impl Default for Mix {
    fn default() -> Self {
        Self::Nearness { scale_m: 0.2 }
    }
}

impl Mix {
    /// The weight of the goal for a distance of the nearest obstacle.
    pub fn goal(self, nearest_m: f64) -> f64 {
        match self {
            Self::Nearness { scale_m } => exp(1.0 - scale_m / nearest_m).min(1.0),
            Self::Fixed { goal } => goal,
        }
    }
}

impl Behaviour for Blend {
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let goal = self.mix.goal(now.nearest_m());
        let away = self.weights.mean_m(now).normalize_or_zero();
        let way = away.lerp(direction(now.goal_angle_rad()), goal);
        reflex::spare(now, kept, BehaviourOutput::along(way, now.v_m_per_s))
    }

    fn show(&self, now: &Situation, kept: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        arrows.push(Arrow::towards(now.goal_angle_rad(), Role::Goal));
        arrows.push(Arrow::towards(angle_of(self.weights.mean_m(now)), Role::Occupied));
        if let BehaviourOutput::Steer { angle_rad, .. } = self.act(now, kept) {
            arrows.push(Arrow::towards(angle_rad, Role::Accent));
        }
    }
}
