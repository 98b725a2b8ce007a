//! What a robot takes its pose to be.

use bevy::math::DVec2;

use super::Pose;

/// Where a sensor takes its robot to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief<'a> {
    /// The pose.
    pub pose: Pose,
    /// Where it takes it to have been before, in metres, the oldest first.
    pub path_m: &'a [DVec2],
}
