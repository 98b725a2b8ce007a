//! A polygonal obstacle.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_space::{Form, ThingKind, polygon};

use super::{Figure, Object};
use crate::kind::{SearchWords, kind};

/// A polygon, convex or concave. Its edges must not cross.
#[kind(section = "Obstacles", words = "obstacle, wall, block, box, rectangle, fence")]
pub struct Polygon {
    /// The corners, in order.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(vec![DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y])]
    pub corners_m: Vec<DVec2>,
}

impl Object for Polygon {
    fn figure(&self) -> Figure {
        let center_m = polygon::centroid(&self.corners_m);
        let forms = vec![Form::Polygon(self.corners_m.clone())];
        Figure { what: ThingKind::Thing, center_m, forms, is_solid: true }
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        Self { corners_m: polygon::moved(&self.corners_m, shift_m, turn_rad) }
    }
}
