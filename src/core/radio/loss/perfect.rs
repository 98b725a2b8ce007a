//! Lossless radio.

use bevy::prelude::*;

use super::Loss;

/// Loses no packet, at any distance.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Perfect {}

impl Loss for Perfect {
    fn reception(&self, _: f64) -> f64 {
        1.0
    }

    fn is_lossless(&self) -> bool {
        true
    }
}
