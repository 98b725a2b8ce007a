//! Diffusion with obstacle avoidance: straight on until something is near, then away from it.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, sin_cos, tan};
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};
use swarmarium_core::sensor::infrared::Infrared;
use swarmarium_core::state::NoMemory;

/// Adds the readings of a ring of proximity rays as vectors. Drives straight while the sum is short and points ahead,
/// else turns away from it on one wheel (ARGoS example `footbot_diffusion`).
///
/// The sensor must have rays spaced evenly all round, the first one half a space to the left of the heading, that read 0
/// without a hit, as `Proximity` has with its defaults; or be `Infrared` with any mounts, whose readings are scaled from 1 at the nearest distance to 0 at
/// the range.
#[kind(Copy, section = "Reactive", words = "avoid, obstacle avoidance, disperse, spread")]
pub struct Diffusion {
    /// Slot of the proximity sensor.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Ring)]
    pub sensor: u32,
    /// Speed of a driven wheel.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.05)]
    pub wheel_m_per_s: f64,
    /// Largest angle between the sum of readings and the heading at which the robot drives straight.
    #[reflect(@Limits::between(0.0, 1.5))]
    #[default(7.5_f64.to_radians())]
    pub go_straight_angle_rad: f64,
    /// Largest length of the mean reading at which the robot drives straight.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(0.1)]
    pub threshold: f64,
}

impl Controller for Diffusion {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Wheels;
    const KNOWS_INFRARED: bool = true;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let speed = self.wheel_m_per_s;
        let sum = match senses.infrared(self.sensor) {
            Some((infrared, readings)) => mean_nearness(infrared, readings),
            None => mean_vector(senses.slot(self.sensor)),
        };
        let (left_m_per_s, right_m_per_s) = if self.is_free(sum) {
            (speed, speed)
        } else if sum.y > 0.0 {
            (speed, 0.0)
        } else {
            (0.0, speed)
        };
        Command::Wheels { left_m_per_s, right_m_per_s }
    }
}

impl Diffusion {
    fn is_free(&self, sum: DVec2) -> bool {
        sum == DVec2::ZERO
            || (sum.length_squared() < self.threshold * self.threshold
                && sum.x > 0.0
                && sum.y.abs() <= tan(self.go_straight_angle_rad) * sum.x)
    }
}

/// The mean of the readings as vectors along their rays, in the frame of the body.
fn mean_vector(readings: &[f64]) -> DVec2 {
    // Most robots are near nothing. Without an early exit, the compiler tests several readings in one instruction.
    if readings.iter().fold(0, |bits, reading| bits | reading.to_bits()) == 0 {
        return DVec2::ZERO;
    }
    let spacing = core::f64::consts::TAU / readings.len() as f64;
    let (sin, cos) = sin_cos(spacing / 2.0);
    let mut ray = DVec2::new(cos, sin);
    // A rotation from one ray to the next costs a rounding error, but no sine.
    let turn = ray.rotate(ray);
    let mut sum = DVec2::ZERO;
    for reading in readings {
        sum += *reading * ray;
        ray = turn.rotate(ray);
    }
    sum / readings.len() as f64
}

/// The mean of the readings of infrared sensors as vectors along their bearings: the nearer, the longer, at most 1.
fn mean_nearness(infrared: &Infrared, readings: &[f64]) -> DVec2 {
    let span_m = infrared.range_m - infrared.min_range_m;
    let vector = |(eye, reading): (&Placement, &f64)| {
        let nearness = (infrared.range_m - infrared.distance_m(*reading)) / span_m;
        // Most infrared sensors detect nothing.
        if nearness > 0.0 { nearness.min(1.0) * direction(eye.heading_rad) } else { DVec2::ZERO }
    };
    infrared.mounts.iter().zip(readings).map(vector).sum::<DVec2>() / readings.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infrared_sensors_count_along_their_bearings() {
        let eye = |heading_rad| Placement { heading_rad, ..Placement::default() };
        let mounts = vec![eye(0.7), eye(-0.7)];
        let infrared = Infrared { mounts, min_range_m: 0.1, range_m: 0.3, ..Infrared::default() };
        assert_eq!(mean_nearness(&infrared, &[0.3, 0.3]), DVec2::ZERO);
        assert_eq!(mean_nearness(&infrared, &[0.1, 0.3]), direction(0.7) / 2.0);
        let eyes = [Some(&infrared)];
        let command = Diffusion::default().command(&mut NoMemory, Senses { eyes: &eyes, ..Senses::of(&[&[0.1, 0.3]]) });
        assert_eq!(command, Command::Wheels { left_m_per_s: 0.05, right_m_per_s: 0.0 }, "it turns right");
    }

    fn wheels(readings: &[f64]) -> (f64, f64) {
        match Diffusion::default().command(&mut NoMemory, Senses::of(&[readings])) {
            Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s, right_m_per_s),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn diffusion_drives_straight_without_obstacles() {
        assert_eq!(wheels(&[0.0; 24]), (0.05, 0.05));
        assert_eq!(wheels(&[]), (0.05, 0.05));
    }

    #[test]
    fn diffusion_turns_away_from_obstacles() {
        let mut left = [0.0; 24];
        left[3] = 1.0;
        assert_eq!(wheels(&left), (0.05, 0.0), "something on the left: turn right");
        let mut right = [0.0; 24];
        right[20] = 1.0;
        assert_eq!(wheels(&right), (0.0, 0.05), "something on the right: turn left");
        let mut behind = [0.0; 24];
        behind[11] = 0.01;
        assert_eq!(wheels(&behind), (0.05, 0.0), "faint but not ahead");
    }

    #[test]
    fn diffusion_ignores_faint_readings_straight_ahead() {
        let mut ahead = [0.0; 24];
        ahead[0] = 1.0;
        ahead[23] = 1.0;
        assert_eq!(wheels(&ahead), (0.05, 0.05), "the mean of two full readings of 24 is below the threshold");
        assert_ne!(wheels(&[1.0, 0.0, 0.0, 1.0]), (0.05, 0.05));
    }

    #[test]
    fn the_mean_vector_is_that_of_the_rays() {
        let mut readings = [0.0; 8];
        readings[6] = 4.0;
        let angle = (22.5_f64 + 6.0 * 45.0).to_radians();
        let expected = DVec2::new(libm::cos(angle), libm::sin(angle)) * 0.5;
        assert!((mean_vector(&readings) - expected).length() < 1e-14);
    }
}
