//! Reception within a fixed range.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use super::Loss;
use crate::kind::kind;

/// Loses no packet within a range, and every packet beyond it.
#[kind(Copy)]
pub struct Disc {
    /// Range between centres.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(1.5)]
    pub range_m: f64,
}

impl Loss for Disc {
    fn reception(&self, distance_m: f64) -> f64 {
        if distance_m <= self.range_m { 1.0 } else { 0.0 }
    }

    fn reach_m(&self) -> f64 {
        self.range_m
    }

    fn is_lossless(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_belongs_to_disc_loss() {
        let disc = Disc { range_m: 0.5 };
        assert_eq!([0.0, 0.5, 0.500_001].map(|distance| disc.reception(distance)), [1.0, 1.0, 0.0]);
    }
}
