//! Fading by scattered power that is everywhere the same.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{ln, marcum_q1, pow};

use super::{Loss, NEVER};

/// As `Rice`, with scattered power that does not fall with distance: only the direct path does.
///
/// A packet gets through with the probability Q₁(`direct` (`reference_m` / d)^(n / 2), `threshold`). However far, that is
/// at least e^(-`threshold`² / 2): what is scattered is everywhere.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct RiceScatter {
    /// Envelope of the direct path at `reference_m`, in units of the spread of the scattered ones.
    #[reflect(@Limits::between(0.0, 1e4))]
    pub direct: f64,
    /// Envelope that a packet needs, in the same units.
    #[reflect(@Limits::between(0.0, 1e4))]
    pub threshold: f64,
    /// Distance at which the direct path is what `direct` says.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub reference_m: f64,
    /// Exponent by which the power of the direct path falls with distance.
    #[reflect(@Limits::between(0.1, 10.0))]
    pub exponent: f64,
}

impl Default for RiceScatter {
    fn default() -> Self {
        Self { direct: 6.0, threshold: 2.0, reference_m: 0.5, exponent: 2.0 }
    }
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
        // Some of what is scattered gets anywhere, unless the threshold is high.
        if least <= 0.0 { f64::INFINITY } else { self.reference_m * pow(self.direct / least, 2.0 / self.exponent) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_away_only_what_is_scattered_is_left() {
        let loss = RiceScatter::default();
        assert!((loss.reception(1e6) - libm::exp(-2.0)).abs() < 1e-9);
        assert_eq!(loss.reception(0.0), 1.0);
        assert!(loss.reach_m().is_infinite());
        assert!(RiceScatter { threshold: 10.0, ..loss }.reach_m() < 2.0);
    }
}
