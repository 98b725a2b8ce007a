//! An obstacle with corners.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Object, Solid};
use crate::draw::{Layer, Picture, Role, Shape};
use crate::kind::Limits;
use crate::scene::description::MAX_LENGTH_M;

/// A polygon, also a concave one, that blocks robots and rays. Its edges must not cross.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Polygon {
    /// The corners, in order.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub corners_m: Vec<DVec2>,
}

impl Default for Polygon {
    /// A unit square at the origin.
    fn default() -> Self {
        Self { corners_m: vec![DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y] }
    }
}

impl Object for Polygon {
    fn solid(&self) -> Option<Solid> {
        Some(Solid::Polygon(self.corners_m.clone()))
    }

    fn draw(&self, picture: &mut Picture) {
        picture.add(Layer::Objects, Role::Obstacle, Shape::Polygon(self.corners_m.clone()));
    }
}
