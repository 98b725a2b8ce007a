//! The arena: a rectangle with a boundary.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use super::field::Boundary;

/// A rectangular field, x to the right and y up.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Arena {
    /// Lower left corner of the arena.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub corner_m: DVec2,
    /// Width and height of the arena.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub size_m: DVec2,
    /// Effect of the boundary.
    pub boundary: Boundary,
    /// Colour of the floor, such as `#202830`; empty for the colour of the theme.
    pub background: String,
}

impl Default for Arena {
    fn default() -> Self {
        Self { corner_m: DVec2::ZERO, size_m: DVec2::splat(10.0), boundary: Boundary::Open, background: String::new() }
    }
}

impl Arena {
    /// The centre of the field.
    pub fn center_m(&self) -> DVec2 {
        self.corner_m + self.size_m / 2.0
    }
}
