//! Stands still.

use bevy::prelude::*;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::behaviour::{Behaviour, BehaviourOutput, Situation};

/// Stands still.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Hold {}

impl Behaviour for Hold {
    fn act(&self, _: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
        BehaviourOutput::Drive(Drive::default())
    }
}
