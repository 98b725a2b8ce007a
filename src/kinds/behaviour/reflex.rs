//! Turns away from an obstacle ahead before the robot runs into it.

use std::f64::consts::FRAC_PI_2;

use swarmarium_core::controller::behaviour::{BehaviourOutput, Situation};
use swarmarium_space::InfraredModel;

/// Largest bearing of a sensor that counts as looking ahead.
const AHEAD_RAD: f64 = 1.1;
/// Largest bearing of a sensor that counts as looking to that side.
const ASIDE_RAD: f64 = 1.7;
/// Fractions of the range of the sensors: below the first one, a robot begins to turn; above the second one, it drives
/// on.
const TURNS: [f64; 2] = [0.5, 0.75];

/// Follows the desired command, but slows down for obstacles ahead, and turns on the spot to the freer side while one
/// is near.
///
/// The robots of pySimiam have no such reflex, so it is off with `infrared_model: Classic`.
pub fn spare(now: &Situation, kept: &mut Vec<f64>, wanted: BehaviourOutput) -> BehaviourOutput {
    let BehaviourOutput::Steer { angle_rad, v_m_per_s } = wanted else { return wanted };
    if now.infrared_model == InfraredModel::Classic {
        return wanted;
    }
    let ahead = now.eyes().filter(|eye| eye.bearing_rad().abs() < AHEAD_RAD);
    let near = now.part_of_range(ahead.map(|eye| eye.distance_m).fold(f64::INFINITY, f64::min));
    let turning = kept.first().copied().filter(|_| near <= TURNS[1]);
    let begins = || (near < TURNS[0]).then(|| freer_side(now, angle_rad));
    kept.clear();
    match turning.or_else(begins) {
        Some(side) => {
            kept.push(side);
            BehaviourOutput::Steer { angle_rad: side * FRAC_PI_2, v_m_per_s: 0.0 }
        }
        None => BehaviourOutput::Steer { angle_rad, v_m_per_s: v_m_per_s * ((near - 0.1) / 0.6).clamp(0.3, 1.0) },
    }
}

/// 1 if there is more room to the left, -1 if there is more to the right; if both are equal, the side of the desired
/// direction.
fn freer_side(now: &Situation, angle_rad: f64) -> f64 {
    let room = |sign: f64| {
        let eyes = now.eyes().filter(move |eye| (f64::MIN_POSITIVE..ASIDE_RAD).contains(&(eye.bearing_rad() * sign)));
        eyes.map(|eye| eye.distance_m).sum::<f64>()
    };
    let more = room(1.0) - room(-1.0);
    let more = if more.abs() > 1e-3 { more } else { angle_rad };
    if more >= 0.0 { 1.0 } else { -1.0 }
}
