//! Rice fading with a constant K-factor.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{ln, marcum_q1, pow};

use super::{Loss, NEVER};
use crate::kind::kind;

/// Rice fading: loses a packet when the envelope of its signal is below the threshold of the receiver (Rice,
/// "Mathematical analysis of random noise", 1944; the loss of the Swarm Robot Project Simulator).
///
/// The mean power falls with the exponent n of the distance d, and the K-factor is constant. A packet arrives with the
/// probability Q₁(√(2K), √(2(K + 1)) (d / R)^(n / 2)), where Q₁ is the Marcum Q function and R the distance at which
/// the mean power equals the threshold. Where this probability is below 1e-12, no packet arrives.
#[kind(Copy)]
pub struct Rice {
    /// Distance R at which the mean power equals the threshold.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(1.5)]
    pub range_m: f64,
    /// K-factor: power of the direct path over that of all scattered paths. 0 is Rayleigh fading; large values approach
    /// a sharp edge at the range.
    #[reflect(@Limits::between(0.0, 1e4))]
    #[default(4.0)]
    pub k: f64,
    /// Path loss exponent: 2 in free space, 3 to 5 indoors.
    #[reflect(@Limits::between(0.1, 10.0))]
    #[default(2.0)]
    pub exponent: f64,
}

impl Rice {
    /// Direct component of the signal and the threshold at the range, for scattered components of standard deviation 1.
    fn parts(&self) -> (f64, f64) {
        ((2.0 * self.k).sqrt(), (2.0 * (self.k + 1.0)).sqrt())
    }
}

impl Loss for Rice {
    fn reception(&self, distance_m: f64) -> f64 {
        let (direct, threshold) = self.parts();
        marcum_q1(direct, threshold * pow(distance_m / self.range_m, self.exponent / 2.0))
    }

    fn reach_m(&self) -> f64 {
        // Q₁(a, b) ≤ e^(-(b - a)² / 2) for b > a (Simon and Alouini, "Digital communication over fading channels").
        let (direct, threshold) = self.parts();
        self.range_m * pow((direct + (-2.0 * ln(NEVER)).sqrt()) / threshold, 2.0 / self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rice_loss_without_a_direct_path_is_rayleigh_fading() {
        let rayleigh = Rice { range_m: 2.0, k: 0.0, exponent: 3.0 };
        for distance in [0.0, 0.5, 1.0, 2.0, 3.0] {
            let expected = libm::exp(-libm::pow(distance / 2.0, 3.0));
            assert!((rayleigh.reception(distance) - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn rice_loss_with_a_direct_path_only_is_a_disc() {
        let direct = Rice { range_m: 1.0, k: 1e4, exponent: 2.0 };
        assert!(direct.reception(0.95) > 1.0 - 1e-9 && direct.reception(1.05) < 1e-9);
    }
}
