//! An immobile robot.

use bevy::prelude::*;

use super::MotionModel;
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::{SearchWords, kind};
use crate::state::NoMemory;

/// Ignores all commands and cannot be pushed (RobotSwarmSimulator `StaticAgent`).
#[kind(Copy, section = "Fixed", words = "fixed, stand still, beacon, does not move")]
pub struct Static {}

impl MotionModel for Static {
    type Memory = NoMemory;
    const ACCEPTS: &'static [CommandForm] =
        &[CommandForm::Drive, CommandForm::Wheels, CommandForm::Velocity, CommandForm::Course];
    const IS_PUSHED: bool = false;

    fn integrate(&self, _: &mut NoMemory, pose: &Pose, _: &Command, _: f64) -> Pose {
        *pose
    }
}
