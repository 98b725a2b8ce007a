//! A round obstacle.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_space::{Form, ThingKind};

use super::{Figure, Object};
use crate::kind::{SearchWords, kind};

/// A disc, such as a pillar, a ball or a mark on the floor.
#[kind(Copy, section = "Obstacles", words = "obstacle, pillar, ball, puck, circle, rock, stone")]
pub struct Disc {
    /// Centre of the disc.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub center_m: DVec2,
    /// Radius of the disc.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.5)]
    pub radius_m: f64,
}

impl Object for Disc {
    fn figure(&self) -> Figure {
        let Self { center_m, radius_m } = *self;
        let forms = vec![Form::Disc { center: center_m, radius: radius_m }];
        Figure { what: ThingKind::Thing, center_m, forms, is_solid: true }
    }

    fn moved(&self, shift_m: DVec2, _: f64) -> Self {
        Self { center_m: self.center_m + shift_m, ..*self }
    }
}
