//! Errors of poses.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{ANGLES, Noise, POSITION, places};
use swarmarium_core::random::Stream;

/// Adds normally distributed errors to the position and the angles of a pose, independent of each other and from
/// reading to reading (MORSE `PoseNoise`). Angles stay from −π to π. Velocities do not change.
#[kind(Copy)]
pub struct PoseNoise {
    /// Standard deviation of `x`, `y` and `z`.
    #[reflect(@Limits::between(0.0, 1e9))]
    #[default(0.05)]
    pub position_std_dev_m: f64,
    /// Standard deviation of `yaw`, `pitch` and `roll`.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(5.0_f64.to_radians())]
    pub rotation_std_dev_rad: f64,
    /// Whether only `x`, `y` and `yaw` are changed.
    pub planar: bool,
}

impl Noise for PoseNoise {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION, &ANGLES];

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, stream: &mut Stream) {
        // All errors are drawn, so that the error of one number does not depend on which others exist.
        let errors: [f64; 6] = std::array::from_fn(|_| stream.normal());
        let counts = |place: usize| !self.planar || [0, 1, 3].contains(&place);
        let all = POSITION.iter().chain(&ANGLES).zip(errors).enumerate();
        for (place, (name, error)) in all.filter(|(place, _)| counts(*place)) {
            let Some([number]) = places(names, [*name]) else { continue };
            reading[number] = match place {
                0..3 => reading[number] + self.position_std_dev_m * error,
                _ => wrap_angle(reading[number] + self.rotation_std_dev_rad * error),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;

    const NAMES: [&str; 7] = ["x", "y", "z", "yaw", "pitch", "roll", "vx"];

    fn noisy(noise: PoseNoise, step: u64) -> [f64; 7] {
        let mut reading = [0.0, 0.0, 0.0, 3.1, 0.0, 0.0, 0.0];
        let mut stream = Seed(7).stream(StableId::agent(0), "noise").at_step(step);
        noise.apply_to(&NAMES, &mut reading, &mut Vec::new(), &mut stream);
        reading
    }

    #[test]
    fn pose_noise_has_its_deviations_and_keeps_angles_in_a_turn() {
        let noise = PoseNoise { position_std_dev_m: 0.5, rotation_std_dev_rad: 0.25, planar: false };
        let readings: Vec<_> = (0..4000).map(|step| noisy(noise, step)).collect();
        let spread = |number: usize, truth: f64| {
            let errors = readings.iter().map(|reading| wrap_angle(reading[number] - truth).powi(2));
            (errors.sum::<f64>() / 4000.0).sqrt()
        };
        assert!((spread(0, 0.0) - 0.5).abs() < 0.03 && (spread(2, 0.0) - 0.5).abs() < 0.03);
        assert!((spread(3, 3.1) - 0.25).abs() < 0.02 && (spread(5, 0.0) - 0.25).abs() < 0.02);
        assert!(readings.iter().all(|reading| (-PI..=PI).contains(&reading[3]) && reading[6] == 0.0));
        assert!(readings.iter().any(|reading| reading[3] < 0.0), "beyond half a turn");
    }

    #[test]
    fn planar_pose_noise_leaves_other_values_alone() {
        let (planar, all) =
            (noisy(PoseNoise { planar: true, ..PoseNoise::default() }, 1), noisy(PoseNoise::default(), 1));
        assert_eq!([planar[0], planar[1], planar[3]], [all[0], all[1], all[3]]);
        assert_eq!([planar[2], planar[4], planar[5]], [0.0; 3]);
        assert!(all[..6].iter().all(|number| *number != 0.0));
    }
}
