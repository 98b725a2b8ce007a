//! A light.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};
use swarmarium_space::{Thing, ThingKind};

use super::{Figure, Look, Object};
use crate::kind::{SearchWords, kind};

/// A point light that shines equally in all directions. It blocks no robots.
#[kind(Copy, section = "Places", words = "lamp, beacon, sun, source")]
pub struct Light {
    /// Position of the light.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub position_m: DVec2,
    /// Brightness at a distance of one metre, in any unit. The sensor decides how it decreases with the distance.
    #[reflect(@Limits::between(0.0, 1e9))]
    #[default(1.0)]
    pub intensity: f64,
}

impl Object for Light {
    fn figure(&self) -> Figure {
        let what = ThingKind::Light { intensity: self.intensity };
        Figure { what, center_m: self.position_m, ..Figure::default() }
    }

    fn moved(&self, shift_m: DVec2, _: f64) -> Self {
        Self { position_m: self.position_m + shift_m, ..*self }
    }

    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        let role = look.role(Role::Light);
        for (radius_px, opacity) in [(22.0, 0.12), (12.0, 0.25), (5.0, 1.0)] {
            picture.disc(Layer::Objects, role.faint(opacity), thing.position, radius_px / picture.pixels_per_m);
        }
    }
}
