//! Independent packet losses.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use super::{Loss, range_or_any};
use crate::kind::kind;

/// Loses each packet with the same probability, at any distance within its range.
#[kind(Copy)]
pub struct Bernoulli {
    /// Probability that a packet is lost.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub probability: f64,
    /// Range between centres; 0 for any distance.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
}

impl Loss for Bernoulli {
    fn reception(&self, distance_m: f64) -> f64 {
        if distance_m <= self.reach_m() { 1.0 - self.probability } else { 0.0 }
    }

    fn reach_m(&self) -> f64 {
        range_or_any(self.range_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bernoulli_loss_may_have_unlimited_range() {
        assert_eq!(Bernoulli { probability: 0.25, range_m: 0.0 }.reception(1e9), 0.75);
        assert_eq!(Bernoulli { probability: 0.25, range_m: 2.0 }.reception(2.5), 0.0);
    }
}
