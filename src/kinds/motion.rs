//! Motion models beyond those of the core.

use bevy::prelude::*;
use swarmarium_core::motion::AddMotionModel;

pub mod ackermann;
pub mod kilobot;
pub mod self_propelled_point;

pub(crate) fn plugin(app: &mut App) {
    app.add_motion_model::<ackermann::Ackermann>()
        .add_motion_model::<kilobot::Kilobot>()
        .add_motion_model::<self_propelled_point::SelfPropelledPoint>();
}
