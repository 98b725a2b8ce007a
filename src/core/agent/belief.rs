//! The pose estimate of a robot.

use bevy::math::DVec2;

use super::Pose;

/// The estimate that a sensor has of the pose of its robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief<'a> {
    /// The estimated pose.
    pub pose: Pose,
    /// The estimated earlier positions, in metres, oldest first.
    pub path_m: &'a [DVec2],
}
