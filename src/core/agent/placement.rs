//! Poses in scene files.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use crate::kind::Positional;

/// A pose in a scene file: `(x_m, y_m, heading_rad)`, with or without the names.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone, @Positional)]
pub struct Placement {
    /// Position along x.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub x_m: f64,
    /// Position along y.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub y_m: f64,
    /// Heading, anticlockwise from x.
    pub heading_rad: f64,
}
