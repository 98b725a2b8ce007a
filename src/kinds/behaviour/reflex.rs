//! Turning away from what is ahead before running into it.

use std::f64::consts::FRAC_PI_2;

use swarmarium_core::controller::behaviour::{BehaviourOutput, Situation};
use swarmarium_space::InfraredModel;

/// How far to the side a sensor may look to count as looking ahead.
const AHEAD_RAD: f64 = 1.1;
/// How far to the side a sensor may look to count as looking to that side.
const ASIDE_RAD: f64 = 1.7;
/// Parts of the range of the sensors: nearer than the first, a robot begins to turn, beyond the second it drives on.
const TURNS: [f64; 2] = [0.5, 0.75];

/// Does what was wanted, but slowly where something is ahead, and turns on the spot to the freer side while that is near.
///
/// pySimiam's robots have no such reflex, and so have none where things are sensed as there.
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

/// 1 when there is more room to the left, -1 when there is to the right; the side of the way that was wanted when both are
/// as free.
fn freer_side(now: &Situation, angle_rad: f64) -> f64 {
    let room = |sign: f64| {
        let eyes = now.eyes().filter(move |eye| (f64::MIN_POSITIVE..ASIDE_RAD).contains(&(eye.bearing_rad() * sign)));
        eyes.map(|eye| eye.distance_m).sum::<f64>()
    };
    let more = room(1.0) - room(-1.0);
    let more = if more.abs() > 1e-3 { more } else { angle_rad };
    if more >= 0.0 { 1.0 } else { -1.0 }
}
