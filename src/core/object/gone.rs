//! An object that was taken away.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_picture::Picture;
use swarmarium_space::{Thing, ThingKind};

use super::{Figure, Look, Object};

/// An object that was taken away; it keeps its place so that others keep theirs.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
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
