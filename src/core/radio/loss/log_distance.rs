//! Log-distance path loss with log-normal shadowing.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{ln, normal_below, pow};

use super::{Loss, LossRandom};
use crate::kind::kind;

/// Bound of the shadowing in standard deviations; larger values have a probability below 10⁻¹².
const NEVER_SPREADS: f64 = 7.1;

/// Log-distance path loss with log-normal shadowing: loses a packet when the received power is below the sensitivity of
/// the receiver (Rappaport, "Wireless communications", section 4.9).
///
/// The received power at a distance d is `power_dbm - loss_at_1_m_db - 10 n log₁₀(d / 1 m)`, plus a normally
/// distributed number of decibels for the shadowing by obstacles.
#[kind(Copy)]
pub struct LogDistance {
    /// Transmission power.
    #[reflect(@Limits::between(-200.0, 200.0))]
    pub power_dbm: f64,
    /// Smallest received power at which a packet arrives.
    #[reflect(@Limits::between(-300.0, 200.0))]
    #[default(-92.0)]
    pub sensitivity_dbm: f64,
    /// Path loss at a distance of one metre.
    #[reflect(@Limits::between(-200.0, 200.0))]
    #[default(40.0)]
    pub loss_at_1_m_db: f64,
    /// Path loss exponent n: 2 in free space, 3 to 5 indoors.
    #[reflect(@Limits::between(0.1, 10.0))]
    #[default(3.0)]
    pub exponent: f64,
    /// Standard deviation of the shadowing: 3 to 8 dB indoors.
    #[reflect(@Limits::between(0.0, 50.0))]
    #[default(4.0)]
    pub shadowing_db: f64,
    /// Correlation of the shadowing of a link between successive packets: 0 for independent values; with 1, each pair
    /// of robots has one constant value, the same in both directions.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub correlation: f64,
}

impl LogDistance {
    /// Received power over sensitivity at a distance, without shadowing (dB).
    fn margin_db(&self, distance_m: f64) -> f64 {
        let lost = 10.0 * self.exponent * ln(distance_m) / std::f64::consts::LN_10;
        self.power_dbm - self.loss_at_1_m_db - lost - self.sensitivity_dbm
    }
}

impl Loss for LogDistance {
    fn reception(&self, distance_m: f64) -> f64 {
        let margin = self.margin_db(distance_m);
        if self.shadowing_db > 0.0 {
            normal_below(margin / self.shadowing_db)
        } else {
            f64::from(u8::from(margin >= 0.0))
        }
    }

    fn reach_m(&self) -> f64 {
        pow(10.0, (self.margin_db(1.0) + NEVER_SPREADS * self.shadowing_db) / (10.0 * self.exponent))
    }

    fn remembers(&self) -> bool {
        self.correlation > 0.0
    }

    fn passes(&self, distance_m: f64, memory: &mut Option<f64>, random: &mut LossRandom) -> bool {
        let kept = self.correlation;
        let shadow = match *memory {
            // A first-order Gauss-Markov process: standard normal at every packet.
            Some(before) => kept * before + (1.0 - kept * kept).sqrt() * random.packet.normal(),
            None if self.remembers() => random.pair.normal(),
            None => random.packet.normal(),
        };
        *memory = Some(shadow).filter(|_| self.remembers());
        self.margin_db(distance_m) + self.shadowing_db * shadow >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sent;
    use super::*;

    #[test]
    fn log_distance_loss_is_one_half_at_the_threshold_power() {
        let loss = LogDistance::default();
        let edge = libm::pow(10.0, 52.0 / 30.0);
        assert!((loss.reception(edge) - 0.5).abs() < 1e-12);
        assert!((loss.reception(edge * libm::pow(10.0, 4.0 / 30.0)) - 0.158_655_253_931).abs() < 1e-9);
        let sharp = LogDistance { shadowing_db: 0.0, ..loss };
        assert_eq!([0.999, 1.001].map(|part| sharp.reception(part * edge)), [1.0, 0.0]);
        assert_eq!(loss.reception(0.0), 1.0);
    }

    #[test]
    fn lasting_log_distance_shadowing_decides_once_per_link() {
        let frozen = LogDistance { correlation: 1.0, ..LogDistance::default() };
        let edge = libm::pow(10.0, 52.0 / 30.0);
        let passed = sent(&frozen, edge, 100);
        assert!(passed.iter().all(|one| *one == passed[0]));
        let fleeting = sent(&LogDistance::default(), edge, 100);
        assert!(fleeting.contains(&true) && fleeting.contains(&false));
    }
}
