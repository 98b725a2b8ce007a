//! Behaviours: the actions of a supervisor in one of its states.

use bevy::prelude::*;
use swarmarium_core::controller::behaviour::AddBehaviour;

pub mod avoid_obstacles;
pub mod blend;
pub mod follow_wall;
pub mod go_to_angle;
pub mod go_to_goal;
pub mod hold;
mod reflex;
pub mod seek;
pub mod turn_on_spot;
pub mod wander;

pub(crate) fn plugin(app: &mut App) {
    app.add_behaviour::<hold::Hold>()
        .add_behaviour::<go_to_angle::GoToAngle>()
        .add_behaviour::<go_to_goal::GoToGoal>()
        .add_behaviour::<avoid_obstacles::AvoidObstacles>()
        .add_behaviour::<blend::Blend>()
        .add_behaviour::<follow_wall::FollowWall>()
        .add_behaviour::<turn_on_spot::TurnOnSpot>()
        .add_behaviour::<wander::Wander>()
        .add_behaviour::<seek::Seek>();
}

#[cfg(test)]
pub(crate) mod tests;
