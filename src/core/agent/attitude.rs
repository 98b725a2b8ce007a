//! Height and tilt of a robot, which the plane does not have.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

/// Height and tilt of a robot. Sensors report them and teleporting sets them; movement and contacts in the plane ignore
/// them.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Attitude {
    /// Height of the centre above the ground.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub z_m: f64,
    /// Pitch: rotation downwards, about the axis to the left.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub pitch_rad: f64,
    /// Roll: rotation to the right, about the axis ahead.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub roll_rad: f64,
}
