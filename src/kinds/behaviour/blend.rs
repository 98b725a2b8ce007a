//! Going to the goal and where there is room at once.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, direction, exp};
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_picture::palette::Role;

use super::avoid_obstacles::Weights;
use super::reflex;

/// Goes between the way to the goal and the way to where there is room (pySimiam `Blending`).
///
/// Unless the scene has `infrared_model: Classic`, it slows down for what is ahead, and turns on the spot before it runs into
/// that.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Blend {
    /// How much the way to the goal counts.
    pub mix: Mix,
    /// How much each infrared sensor counts for the way to where there is room.
    pub weights: Weights,
}

/// How much the way to the goal counts, from 0 to 1; the rest is for the way to where there is room.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Mix {
    /// exp(1 − s/d) for a nearest obstacle at the distance d: the less, the nearer it is.
    Nearness {
        /// The distance s, at which only the goal counts.
        #[reflect(@Limits::up_to(1e3))]
        scale_m: f64,
    },
    /// Always as much.
    Fixed {
        /// The part of the goal.
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
    /// How much the goal counts when the nearest obstacle is so far away.
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
