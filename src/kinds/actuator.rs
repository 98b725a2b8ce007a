//! Actuators: components by which clients move a robot.

use bevy::prelude::*;
use swarmarium_core::actuator::AddActuator;
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::step::plan::{AddKernel as _, Duty};

pub mod destination;
pub mod gripper;
pub mod keyboard;
pub mod light;
pub mod motion_vw;
pub mod motion_vw_diff;
pub mod motion_xyw;
pub mod orientation;
pub mod teleport;
pub mod waypoint;

pub(crate) fn plugin(app: &mut App) {
    app.add_actuator::<motion_vw::MotionVw>()
        .add_actuator::<motion_xyw::MotionXyw>()
        .add_actuator::<motion_vw_diff::MotionVwDiff>()
        .add_actuator::<waypoint::Waypoint>()
        .add_actuator::<destination::Destination>()
        .add_actuator::<orientation::Orientation>()
        .add_actuator::<teleport::Teleport>()
        .add_actuator::<keyboard::Keyboard>()
        .add_actuator::<light::Light>()
        .add_actuator::<gripper::Gripper>();
    // Present only in scenes with robots that have outputs.
    let outputs = app.world_mut().register_component::<Outputs>();
    app.add_kernel(Duty::Control, outputs, gripper::operate);
}

#[cfg(test)]
pub(crate) mod tests;
