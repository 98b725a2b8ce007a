//! Standing still.

use bevy::prelude::*;

use super::{Behaviour, Deed, Situation};
use crate::controller::Drive;

/// Stands still.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Hold {}

impl Behaviour for Hold {
    fn act(&self, _: &Situation, _: &mut Vec<f64>) -> Deed {
        Deed::Drive(Drive::default())
    }
}
