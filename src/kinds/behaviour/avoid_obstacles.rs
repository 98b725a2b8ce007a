//! Drives towards free space.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, cos};
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;
use swarmarium_space::InfraredModel;

use super::reflex;

/// Drives towards the weighted mean of all points that the infrared sensors measure (pySimiam `AvoidObstacles`).
///
/// Unless the scene has `infrared_model: Classic`, the robot slows down only for obstacles ahead, and turns on the spot
/// before it runs into them: straight in front of a wall, the mean alone shows no way out.
#[kind]
pub struct AvoidObstacles {
    /// Weights of the sensors. `Front`: cos θ + 1.5 for a sensor with the bearing θ. `HalfAngle`: cos(θ / 2) + 0.5.
    /// `Listed(weights)`: a list, in the order of the sensors; sensors beyond its end do not count. The sum of the
    /// weights does not matter.
    pub weights: Weights,
    /// Whether the robot slows down near obstacles with `infrared_model: Classic`. Its speed is then multiplied by the
    /// square of (d − a)/(b − a), where d is the distance of the nearest obstacle and a and b are the ends of the range
    /// of its sensors. Wheels with `saturation: KeepTurnRate` still turn at their slowest speed.
    pub slows_down: bool,
}

/// The weights of the infrared sensors; their sum does not matter.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Weights {
    /// cos θ + 1.5 for a sensor with the bearing θ: sensors in front count most (branch `master`).
    #[default]
    Front,
    /// cos θ/2 + 0.5 (course week 4).
    HalfAngle,
    /// A list, in the order of the sensors; sensors beyond its end do not count.
    Listed {
        /// Weights, in the order of the sensors.
        #[reflect(@Limits::between(0.0, 1e6))]
        weights: Vec<f64>,
    },
}

impl Weights {
    /// The weight of the sensor at a place, with the given bearing.
    pub fn of(&self, place: usize, bearing_rad: f64) -> f64 {
        match self {
            Self::Front => cos(bearing_rad) + 1.5,
            Self::HalfAngle => cos(bearing_rad / 2.0) + 0.5,
            Self::Listed { weights } => weights.get(place).copied().unwrap_or(0.0),
        }
    }

    /// The weighted mean of the measured points, in the frame of the robot; straight ahead if no sensor counts.
    pub fn mean_m(&self, now: &Situation) -> DVec2 {
        let (mut sum, mut total) = (DVec2::ZERO, 0.0);
        for (place, eye) in now.eyes().enumerate() {
            let weight = self.of(place, eye.at.heading_rad);
            sum += weight * eye.point_m();
            total += weight;
        }
        if total > 0.0 { sum / total } else { DVec2::X }
    }
}

impl Behaviour for AvoidObstacles {
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let mean_m = self.weights.mean_m(now);
        if self.slows_down && now.infrared_model == InfraredModel::Classic {
            let part = now.part_of_range(now.nearest_m());
            return BehaviourOutput::along(mean_m, now.v_m_per_s * part * part);
        }
        reflex::spare(now, kept, BehaviourOutput::along(mean_m, now.v_m_per_s))
    }

    fn show(&self, now: &Situation, _: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        arrows.push(Arrow::towards(angle_of(self.weights.mean_m(now)), Role::Occupied));
    }
}
