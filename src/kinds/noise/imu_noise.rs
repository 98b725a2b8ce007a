//! Errors of inertial measurement units.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{Noise, places};
use swarmarium_core::random::Stream;

/// Adds normally distributed errors to turn rates and accelerations, independent of each other and from reading to
/// reading (MORSE `IMUNoise`).
#[kind(Copy)]
pub struct ImuNoise {
    /// Standard deviation of turn rates.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.5)]
    pub gyro_std_dev_rad_per_s: f64,
    /// Standard deviation of accelerations.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.5)]
    pub acceleration_std_dev_m_per_s2: f64,
}

const RATES: [&str; 3] = ["wx", "wy", "wz"];
const ACCELERATIONS: [&str; 3] = ["ax", "ay", "az"];

impl Noise for ImuNoise {
    const NEEDS: &'static [&'static [&'static str]] = &[&["wx", "wy", "wz", "ax", "ay", "az"]];

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, stream: &mut Stream) {
        for (names_of, spread) in
            [(RATES, self.gyro_std_dev_rad_per_s), (ACCELERATIONS, self.acceleration_std_dev_m_per_s2)]
        {
            for number in places(names, names_of).into_iter().flatten() {
                reading[number] += spread * stream.normal();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;

    #[test]
    fn imu_noise_leaves_the_magnetic_field_unchanged() {
        let names = ["wx", "wy", "wz", "ax", "ay", "az", "mx"];
        let mut reading = [0.0; 7];
        let mut stream = Seed(7).stream(StableId::agent(0), "noise");
        let noise = ImuNoise { gyro_std_dev_rad_per_s: 1.0, acceleration_std_dev_m_per_s2: 0.0 };
        noise.apply_to(&names, &mut reading, &mut Vec::new(), &mut stream);
        assert!(reading[..3].iter().all(|number| *number != 0.0));
        assert_eq!(reading[3..], [0.0; 4]);
    }
}
