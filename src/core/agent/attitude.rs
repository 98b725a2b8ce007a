//! What a robot has beyond the plane.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

/// Height and tilt of a robot. Sensors tell them and teleporting sets them; nothing that happens in the plane depends on
/// them.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Attitude {
    /// Height of its middle above the ground.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub z_m: f64,
    /// Pitch.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub pitch_rad: f64,
    /// Roll.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub roll_rad: f64,
}
