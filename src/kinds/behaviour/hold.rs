//! Stands still.

use bevy::prelude::*;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::behaviour::{Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::kind;

/// Stands still.
#[kind(Copy)]
pub struct Hold {}

impl Behaviour for Hold {
    fn act(&self, _: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
        BehaviourOutput::Drive(Drive::default())
    }
}
