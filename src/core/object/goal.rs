//! A goal that records arrivals.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Thing, ThingKind};

use super::region::Area;
use super::{Figure, Look, Notices, Object};
use crate::kind::{SearchWords, kind};

/// Detects the agents inside it and records the arrival of each. It blocks no robots.
#[kind(section = "Places", words = "target, destination, finish, site")]
pub struct Goal {
    /// Shape of the goal.
    pub area: Area,
    /// Teams that the goal is for; empty for all teams.
    pub teams: Vec<String>,
    /// Group that the goal is for; empty for all groups.
    pub group: String,
    /// Whether an agent arrives when its centre is in the goal, and not as soon as its edge is.
    #[default(true)]
    pub centers_only: bool,
}

impl Object for Goal {
    const NOTICES: bool = true;

    fn figure(&self) -> Figure {
        self.area.figure(ThingKind::Goal)
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        Self { area: self.area.moved(shift_m, turn_rad), ..self.clone() }
    }

    fn notices(&self) -> Option<Notices<'_>> {
        let Self { teams, group, centers_only, .. } = self;
        Some(Notices { teams, group, centers_only: *centers_only, keeps_arrivals: true })
    }

    fn problem(&self) -> Option<String> {
        self.area.problem()
    }

    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        let role = if thing.inside.is_empty() { look.role(Role::Accent) } else { Role::Occupied };
        for form in &thing.forms {
            if look.filled {
                picture.form(Layer::Objects, role.faint(0.12), form, None);
            }
            picture.form(Layer::Objects, role, form, Some(Width::Pixels(2.5)));
        }
        // A cross at the centre distinguishes it from a region.
        let arm = 6.0 / picture.pixels_per_m;
        for way in [DVec2::splat(arm), DVec2::new(arm, -arm)] {
            picture.segment(Layer::Objects, role, [thing.position - way, thing.position + way], Width::Pixels(1.5));
        }
    }
}
