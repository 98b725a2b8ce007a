//! A round obstacle.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Object, Solid};
use crate::draw::{Layer, Picture, Role};
use crate::kind::Limits;
use crate::scene::description::MAX_LENGTH_M;

/// A disc that blocks robots and rays.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Disc {
    /// Middle of the disc.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub center_m: DVec2,
    /// Radius of the disc.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub radius_m: f64,
}

impl Default for Disc {
    fn default() -> Self {
        Self { center_m: DVec2::ZERO, radius_m: 0.5 }
    }
}

impl Object for Disc {
    fn solid(&self) -> Option<Solid> {
        Some(Solid::Disc { center_m: self.center_m, radius_m: self.radius_m })
    }

    fn draw(&self, picture: &mut Picture) {
        picture.disc(Layer::Objects, Role::Obstacle, self.center_m, self.radius_m);
    }
}
