//! A region that detects agents.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Form, Thing, ThingKind, polygon};

use super::{Figure, Look, Notices, Object};
use crate::kind::{SearchWords, kind};

/// Detects the agents inside it: those that overlap or touch it at the end of a step (RobotSwarmSimulator
/// `DetectionRegion`). It blocks no robots.
#[kind(section = "Places", words = "zone, area, nest, home, site")]
pub struct Region {
    /// Shape of the region.
    pub area: Area,
    /// Teams that count; empty for all teams.
    pub teams: Vec<String>,
    /// Group that counts; empty for all groups.
    pub group: String,
}

/// The shape of a region or goal.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Area {
    /// A disc.
    Disc {
        /// Centre of the disc.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        center_m: DVec2,
        /// Radius of the disc.
        #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
        radius_m: f64,
    },
    /// An axis-aligned rectangle.
    Box {
        /// Lower left corner.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        min_m: DVec2,
        /// Upper right corner.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        max_m: DVec2,
    },
    /// A polygon, convex or concave.
    Polygon {
        /// The corners, in order; edges must not cross.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        corners_m: Vec<DVec2>,
    },
}

impl Default for Area {
    fn default() -> Self {
        Self::Disc { center_m: DVec2::ZERO, radius_m: 0.5 }
    }
}

impl Area {
    /// The figure of this area for an object that is not solid.
    pub fn figure(&self, what: ThingKind) -> Figure {
        let (center_m, form) = match self {
            &Self::Disc { center_m, radius_m } => (center_m, Form::Disc { center: center_m, radius: radius_m }),
            &Self::Box { min_m, max_m } => (min_m.midpoint(max_m), Form::Polygon(corners(min_m, max_m))),
            Self::Polygon { corners_m } => (polygon::centroid(corners_m), Form::Polygon(corners_m.clone())),
        };
        Figure { what, center_m, forms: vec![form], is_solid: false }
    }

    /// The same area, shifted by `shift_m` (m) and turned by `turn_rad` (rad) about its centre; a turned box is a
    /// polygon.
    #[must_use]
    pub fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        let turned = |corners: &[DVec2]| Self::Polygon { corners_m: polygon::moved(corners, shift_m, turn_rad) };
        match self {
            &Self::Disc { center_m, radius_m } => Self::Disc { center_m: center_m + shift_m, radius_m },
            &Self::Box { min_m, max_m } if turn_rad == 0.0 => {
                Self::Box { min_m: min_m + shift_m, max_m: max_m + shift_m }
            }
            &Self::Box { min_m, max_m } => turned(&corners(min_m, max_m)),
            Self::Polygon { corners_m } => turned(corners_m),
        }
    }

    /// The problem with a box, if it is not usable.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Box { min_m, max_m } if !min_m.cmplt(*max_m).all() => {
                Some("`min_m` of the box must be below and left of `max_m`".into())
            }
            _ => None,
        }
    }
}

/// The corners of a box (m), anticlockwise from the lower left one.
fn corners(min_m: DVec2, max_m: DVec2) -> Vec<DVec2> {
    vec![min_m, DVec2::new(max_m.x, min_m.y), max_m, DVec2::new(min_m.x, max_m.y)]
}

impl Object for Region {
    const NOTICES: bool = true;

    fn figure(&self) -> Figure {
        self.area.figure(ThingKind::Region)
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        Self { area: self.area.moved(shift_m, turn_rad), ..self.clone() }
    }

    fn notices(&self) -> Option<Notices<'_>> {
        Some(Notices { teams: &self.teams, group: &self.group, centers_only: false, keeps_arrivals: false })
    }

    fn problem(&self) -> Option<String> {
        self.area.problem()
    }

    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        // Not by colour alone: an occupied region also has a thicker rim.
        let (role, width) = if thing.inside.is_empty() { (look.role(Role::Clear), 1.0) } else { (Role::Occupied, 2.5) };
        // A colour of its own is also that of the floor, whether it is occupied or not.
        let area = look.color.map_or(role.faint(0.18), |color| color.faint(0.5));
        for form in &thing.forms {
            if look.filled {
                picture.form(Layer::Objects, area, form, None);
            }
            picture.form(Layer::Objects, role, form, Some(Width::Pixels(width)));
        }
    }
}
