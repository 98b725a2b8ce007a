//! Lossless radio.

use bevy::prelude::*;

use super::Loss;
use crate::kind::kind;

/// Loses no packet, at any distance.
#[kind(Copy)]
pub struct Perfect {}

impl Loss for Perfect {
    fn reception(&self, _: f64) -> f64 {
        1.0
    }

    fn is_lossless(&self) -> bool {
        true
    }
}
