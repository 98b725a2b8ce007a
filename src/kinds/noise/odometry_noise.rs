//! Errors of odometry, which grow with the distance.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, places};
use swarmarium_core::random::Stream;

/// Adds the errors of odometry: a factor on lengths, and a drift of the gyroscope that accumulates (MORSE
/// `OdometryNoise`). A factor and a drift are drawn for every reading.
///
/// Distances are multiplied by the factor. Changes of the position are also rotated by the accumulated drift, clockwise
/// for an anticlockwise drift (as in MORSE). Poses accumulate these changes and the drift. Velocities are multiplied by
/// the factor (MORSE divides them by the rate). The service `reset_noise` of the sensor resets the accumulated errors,
/// as after a loop closure.
#[kind(Copy)]
pub struct OdometryNoise {
    /// Mean of the factor.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(1.05)]
    pub factor: f64,
    /// Standard deviation of the factor.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub factor_std_dev: f64,
    /// Mean of the drift per reading.
    #[reflect(@Limits::between(-10.0, 10.0))]
    pub gyro_drift_rad: f64,
    /// Standard deviation of the drift per reading.
    #[reflect(@Limits::between(0.0, 10.0))]
    pub gyro_drift_std_dev_rad: f64,
}

/// The length of the memory: the drift, the error of the position, and the last position.
const KEPT: usize = 5;

impl Noise for OdometryNoise {
    const NEEDS: &'static [&'static [&'static str]] =
        &[&["dS"], &["dx", "dy", "dyaw"], &["x", "y", "yaw", "vx", "vy", "vz"]];

    fn apply_to(&self, names: &[&str], reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        let factor = self.factor + self.factor_std_dev * stream.normal();
        let drift = self.gyro_drift_rad + self.gyro_drift_std_dev_rad * stream.normal();
        if let Some([way]) = places(names, ["dS"]) {
            reading[way] *= factor;
        }
        let pose = places(names, ["x", "y", "yaw"]);
        let now = pose.map_or(DVec2::ZERO, |[x, y, _]| DVec2::new(reading[x], reading[y]));
        if kept.len() != KEPT {
            *kept = vec![0.0, 0.0, 0.0, now.x, now.y];
        }
        kept[0] += drift;
        let turned = direction(-kept[0]);
        let wrong = |change: DVec2| factor * turned.rotate(change);
        if let Some([dx, dy, dyaw]) = places(names, ["dx", "dy", "dyaw"]) {
            let change = wrong(DVec2::new(reading[dx], reading[dy]));
            (reading[dx], reading[dy]) = (change.x, change.y);
            reading[dyaw] = wrap_angle(reading[dyaw] + drift);
        }
        if let Some([x, y, yaw]) = pose {
            let change = now - DVec2::new(kept[3], kept[4]);
            let error = DVec2::new(kept[1], kept[2]) + wrong(change) - change;
            kept[1..].copy_from_slice(&[error.x, error.y, now.x, now.y]);
            (reading[x], reading[y]) = (now.x + error.x, now.y + error.y);
            reading[yaw] = wrap_angle(reading[yaw] + kept[0]);
        }
        for number in places(names, ["vx", "vy", "vz"]).into_iter().flatten() {
            reading[number] *= factor;
        }
    }

    fn keeps(&self) -> u32 {
        1
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;
    use crate::noise::tests::near;

    fn through(noise: OdometryNoise, names: &[&str], readings: &[&[f64]]) -> Vec<Vec<f64>> {
        let mut kept = Vec::new();
        let one = |(step, reading): (usize, &&[f64])| {
            let mut reading = reading.to_vec();
            let mut stream = Seed(7).stream(StableId::agent(0), "noise").at_step(step as u64);
            noise.apply_to(names, &mut reading, &mut kept, &mut stream);
            reading
        };
        readings.iter().enumerate().map(one).collect()
    }

    const INTEGRATED: [&str; 6] = ["x", "y", "yaw", "vx", "vy", "vz"];

    #[test]
    fn odometry_noise_lengthens_distances() {
        let noise = OdometryNoise { factor: 1.5, ..OdometryNoise::default() };
        assert_eq!(through(noise, &["dS"], &[&[2.0]]), [[3.0]]);
        let found = through(noise, &INTEGRATED, &[&[1.0, 2.0, 0.0, 0.0, 0.0, 0.0], &[2.0, 2.0, 0.5, 4.0, 0.0, 0.0]]);
        assert_eq!(found[0], [1.0, 2.0, 0.0, 0.0, 0.0, 0.0], "it begins where it is");
        assert!(near(&found[1], &[2.5, 2.0, 0.5, 6.0, 0.0, 0.0], 1e-12), "{found:?}");
    }

    #[test]
    fn odometry_noise_accumulates_drift_in_poses_as_in_changes() {
        let noise =
            OdometryNoise { factor: 1.1, factor_std_dev: 0.2, gyro_drift_rad: 0.1, gyro_drift_std_dev_rad: 0.05 };
        let poses: Vec<[f64; 6]> = (0..20).map(|step| [f64::from(step), 0.0, 0.0, 1.0, 0.0, 0.0]).collect();
        let poses = through(noise, &INTEGRATED, &poses.iter().map(|pose| &pose[..]).collect::<Vec<_>>());
        let mut changes = vec![&[1.0, 0.0, 0.0][..]; 20];
        changes[0] = &[0.0; 3];
        let changes = through(noise, &["dx", "dy", "dyaw"], &changes);
        let mut sum = [0.0; 3];
        for change in &changes {
            sum.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
        }
        let last = &poses[19];
        assert!(near(&last[..2], &sum[..2], 1e-9) && (wrap_angle(last[2] - sum[2])).abs() < 1e-9, "{last:?} {sum:?}");
        assert!(last[1].abs() > 1.0, "{last:?}");
    }
}
