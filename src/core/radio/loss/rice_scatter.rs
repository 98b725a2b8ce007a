//! Rice fading with constant scattered power.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{ln, marcum_q1, pow};

use super::{Loss, NEVER};
use crate::kind::kind;

/// As `Rice`, but only the direct path falls with distance; the scattered power is the same everywhere.
///
/// A packet arrives with the probability Q₁(`direct` (`reference_m` / d)^(n / 2), `threshold`). At any distance, this
/// is at least e^(-`threshold`² / 2), the contribution of the scattered power.
#[kind(Copy)]
pub struct RiceScatter {
    /// Envelope of the direct path at `reference_m`, in units of the standard deviation of the scattered components.
    #[reflect(@Limits::between(0.0, 1e4))]
    #[default(6.0)]
    pub direct: f64,
    /// Smallest envelope at which a packet arrives, in the same units.
    #[reflect(@Limits::between(0.0, 1e4))]
    #[default(2.0)]
    pub threshold: f64,
    /// Distance at which the envelope of the direct path is `direct`.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.5)]
    pub reference_m: f64,
    /// Path loss exponent of the direct path.
    #[reflect(@Limits::between(0.1, 10.0))]
    #[default(2.0)]
    pub exponent: f64,
}

impl Loss for RiceScatter {
    fn reception(&self, distance_m: f64) -> f64 {
        if self.direct == 0.0 {
            return marcum_q1(0.0, self.threshold);
        }
        marcum_q1(self.direct * pow(self.reference_m / distance_m, self.exponent / 2.0), self.threshold)
    }

    fn reach_m(&self) -> f64 {
        let least = self.threshold - (-2.0 * ln(NEVER)).sqrt();
        // Scattered power reaches any distance, unless the threshold is high.
        if least <= 0.0 { f64::INFINITY } else { self.reference_m * pow(self.direct / least, 2.0 / self.exponent) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_away_rice_scatter_loss_is_scattered_only() {
        let loss = RiceScatter::default();
        assert!((loss.reception(1e6) - libm::exp(-2.0)).abs() < 1e-9);
        assert_eq!(loss.reception(0.0), 1.0);
        assert!(loss.reach_m().is_infinite());
        assert!(RiceScatter { threshold: 10.0, ..loss }.reach_m() < 2.0);
    }
}
