//! An object that was removed.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_picture::Picture;
use swarmarium_space::{Thing, ThingKind};

use super::{Figure, Look, Object};
use crate::kind::kind;

/// Placeholder for a removed object, so that the other objects keep their indices.
#[kind(Copy, Eq)]
pub struct Gone {}

impl Object for Gone {
    fn figure(&self) -> Figure {
        Figure { what: ThingKind::Nothing, ..Figure::default() }
    }

    fn moved(&self, _: DVec2, _: f64) -> Self {
        *self
    }

    fn draw(&self, _: &Thing, _: Look, _: &mut Picture) {}
}
