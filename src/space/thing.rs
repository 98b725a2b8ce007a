//! Objects of a scene as sensors, controllers and metrics see them.

use std::ops::Range;
use std::sync::Arc;

use bevy::math::DVec2;

use super::Space;
use super::color::{FloorGrid, Rgb};
use super::field::Field;
use super::solid::Outline;

/// The kind of an object for sensors, controllers and metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ThingKind {
    /// An obstacle, or a mark on the floor.
    #[default]
    Thing,
    /// A region that detects agents in it.
    Region,
    /// A goal that records arrivals.
    Goal,
    /// A light.
    Light {
        /// Brightness at a distance of one metre; any unit.
        intensity: f64,
    },
    /// Coloured cells of the floor.
    Floor,
    /// An object that was removed.
    Nothing,
}

/// A form with its own corners (m).
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A disc.
    Disc {
        /// Its centre.
        center: DVec2,
        /// Its radius.
        radius: f64,
    },
    /// A simple polygon, with its corners in either orientation.
    Polygon(Vec<DVec2>),
}

impl Form {
    /// The form as an outline.
    #[must_use]
    pub fn outline(&self) -> Outline<'_> {
        match self {
            &Self::Disc { center, radius } => Outline::Disc { center, radius },
            Self::Polygon(corners) => Outline::Polygon(corners),
        }
    }

    /// Whether it and another form touch or are at most `gap` (m) apart, also across a periodic boundary.
    #[must_use]
    pub fn is_within(&self, field: &Field, other: &Self, gap: f64) -> bool {
        let (one, other) = (self.outline(), other.outline());
        let (low, high) = one.bounds();
        let (other_low, other_high) = other.bounds();
        let is_far =
            |shift: DVec2| (other_low + shift).cmpgt(high + gap).any() || (other_high + shift).cmplt(low - gap).any();
        field
            .images((other_low, other_high), (low - gap, high + gap))
            .any(|shift| !is_far(shift) && one.is_within(&other, shift, gap))
    }

    /// The form rotated to the unit vector `facing` and shifted by `to` (m).
    #[must_use]
    pub fn placed(&self, to: DVec2, facing: DVec2) -> Self {
        let at = |point: DVec2| to + facing.rotate(point);
        match self {
            &Self::Disc { center, radius } => Self::Disc { center: at(center), radius },
            Self::Polygon(corners) => Self::Polygon(corners.iter().copied().map(at).collect()),
        }
    }

    /// Becomes another form as [`placed`](Self::placed), in the same memory if both are polygons.
    pub fn place(&mut self, form: &Self, to: DVec2, facing: DVec2) {
        match (self, form) {
            (Self::Polygon(corners), Self::Polygon(drawn)) => {
                corners.clear();
                corners.extend(drawn.iter().map(|corner| to + facing.rotate(*corner)));
            }
            (form, drawn) => *form = drawn.placed(to, facing),
        }
    }
}

/// The arrival of an agent at a goal.
#[derive(bevy::prelude::Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the agent, as in its stable id.
    pub agent: u32,
    /// The first step at whose end the agent was there.
    pub step: u64,
}

/// An object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thing {
    /// Its name; empty for none.
    pub name: String,
    /// Its team, as a number; 0 for none.
    pub team: u32,
    /// Its kind.
    pub what: ThingKind,
    /// Position of its centre (m).
    pub position: DVec2,
    /// The forms that it covers now; none for a point.
    pub forms: Vec<Form>,
    /// The numbers of its solids; empty for an object that neither blocks nor is sensed.
    pub solids: Range<usize>,
    /// The numbers of the agents in it at the end of the last step, for regions and goals; in ascending order.
    pub inside: Vec<u32>,
    /// Arrivals so far, for goals; by number of the agent.
    pub arrivals: Vec<Arrival>,
    /// Whether robots can push and grasp it.
    pub can_be_pushed: bool,
    /// The row from which its sensors read, if it is active.
    pub row: Option<usize>,
    /// Its colour for sensors; `None` for an object that is as grey as all others.
    pub color: Option<Rgb>,
    /// The cells with which it covers the floor.
    pub floor: Option<Arc<FloorGrid>>,
}

impl Thing {
    /// Whether a disc of `radius` (m, 0 for a point) at `center` overlaps or touches it, also across a periodic
    /// boundary.
    #[must_use]
    pub fn overlaps(&self, field: &Field, center: DVec2, radius: f64) -> bool {
        self.forms.iter().any(|form| {
            let outline = form.outline();
            let mut shifts = field.images(outline.bounds(), (center - radius, center + radius));
            shifts.any(|shift| outline.overlaps(center - shift, radius))
        })
    }

    /// Visits the rows of all bodies that overlap it or, with `centers_only`, have their centres in it.
    pub fn visit_overlapping(&self, space: &Space, centers_only: bool, mut visit: impl FnMut(usize)) {
        space.index().within_range(self.position, self.reach(), None, |body| {
            let (arena, center) = (&space.arena, space.bodies.positions()[body.row]);
            let overlaps = match space.bodies.outline(body.row) {
                _ if centers_only => self.overlaps(arena, center, 0.0),
                None => self.overlaps(arena, center, body.radius),
                Some(solid) => self.meets(arena, &space.solids.outline(solid)),
            };
            if overlaps {
                visit(body.row);
            }
        });
    }

    /// Whether it and an outline have a common point, also across a periodic boundary.
    fn meets(&self, field: &Field, outline: &Outline) -> bool {
        self.forms.iter().any(|form| {
            let form = form.outline();
            field.images(outline.bounds(), form.bounds()).any(|shift| form.meets(outline, shift))
        })
    }

    /// Slightly more than the radius (m) of the enclosing disc around its centre.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let reach = |form: &Form| match form {
            Form::Disc { center, radius } => center.distance(self.position) + radius,
            Form::Polygon(corners) => corners.iter().map(|corner| corner.distance(self.position)).fold(0.0, f64::max),
        };
        // Bodies that just touch count as inside.
        self.forms.iter().map(reach).fold(0.0, f64::max) * (1.0 + 1e-9) + 1e-9
    }

    /// The arrival of an agent, by its number.
    #[must_use]
    pub fn arrival(&self, agent: u32) -> Option<Arrival> {
        let place = self.arrivals.binary_search_by_key(&agent, |arrival| arrival.agent).ok()?;
        Some(self.arrivals[place])
    }
}

#[cfg(test)]
mod tests {
    use super::super::Boundary;
    use super::*;

    #[test]
    fn discs_touch_regions_as_in_robotswarmsimulator() {
        let disc = Form::Disc { center: DVec2::new(1.0, 1.0), radius: 0.5 };
        let square = Form::Polygon([(2.0, 0.0), (3.0, 0.0), (3.0, 1.0), (2.0, 1.0)].map(DVec2::from).to_vec());
        let thing = Thing { position: DVec2::new(1.0, 1.0), forms: vec![disc, square], ..Thing::default() };
        let overlaps = |boundary, x: f64, y: f64, radius| {
            thing.overlaps(&Field::new(DVec2::splat(4.0), boundary), DVec2::new(x, y), radius)
        };
        assert!(overlaps(Boundary::Open, 1.0, 2.0, 0.5) && !overlaps(Boundary::Open, 1.0, 2.0, 0.49));
        assert!(overlaps(Boundary::Open, 2.5, 0.5, 0.0) && overlaps(Boundary::Open, 3.25, 0.5, 0.25));
        assert!(!overlaps(Boundary::Open, 3.25, 0.5, 0.2));
        assert!(overlaps(Boundary::Periodic, 5.0, 1.0, 0.1) && !overlaps(Boundary::Open, 5.0, 1.0, 0.1));
    }

    #[test]
    fn all_images_of_a_thing_count_in_a_wrapping_arena() {
        // An L along two boundaries: its right arm is nearer across the boundary than through its centre.
        let corners = [(0.0, 0.0), (3.5, 0.0), (3.5, 0.5), (0.5, 0.5), (0.5, 3.5), (0.0, 3.5)].map(DVec2::from);
        let position = super::super::polygon::centroid(&corners);
        let thing = Thing { position, forms: vec![Form::Polygon(corners.to_vec())], ..Thing::default() };
        let mut space = Space::new(Field::new(DVec2::splat(4.0), Boundary::Periodic));
        let outline = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)].map(DVec2::from);
        let solid = space.solids.add_polygon(&outline).unwrap();
        space.bodies.resize(2);
        let corners = outline.to_vec();
        space.bodies.set_outlines(vec![super::super::Drawn { row: 1, solid, corners }]);
        let mut found = |at: DVec2| {
            let disc = super::super::Body { position: at, radius: 0.2, ..Default::default() };
            space.bodies.set(0, disc);
            space.bodies.set(1, super::super::Body { contact: super::super::Contact::Outlined, ..disc });
            space.place_outline(1);
            space.update();
            let mut rows = Vec::new();
            thing.visit_overlapping(&space, false, |row| rows.push(row));
            rows.sort_unstable();
            rows
        };
        assert_eq!(found(DVec2::new(3.3, 0.25)), [0, 1]);
        assert_eq!(found(DVec2::new(2.0, 3.9)), [0, 1], "across the lower boundary");
        assert_eq!(found(DVec2::new(3.75, 2.0)), [1], "across the left boundary, with the corner of the box alone");
        assert_eq!(found(DVec2::new(2.0, 2.0)), [] as [usize; 0]);
    }

    #[test]
    fn forms_are_within_a_gap_also_across_a_periodic_boundary() {
        let disc = |x: f64| Form::Disc { center: DVec2::new(x, 1.0), radius: 0.25 };
        let square = Form::Polygon([(3.0, 0.0), (3.5, 0.0), (3.5, 2.0), (3.0, 2.0)].map(DVec2::from).to_vec());
        let within = |boundary, one: &Form, other: &Form, gap| {
            let field = Field::new(DVec2::splat(4.0), boundary);
            assert_eq!(one.is_within(&field, other, gap), other.is_within(&field, one, gap));
            one.is_within(&field, other, gap)
        };
        assert!(
            within(Boundary::Open, &disc(1.0), &disc(1.5), 0.0) && !within(Boundary::Open, &disc(1.0), &disc(1.6), 0.0)
        );
        assert!(
            within(Boundary::Open, &disc(1.0), &disc(2.0), 0.5)
                && !within(Boundary::Open, &disc(1.0), &disc(2.0), 0.49)
        );
        assert!(
            within(Boundary::Open, &disc(2.5), &square, 0.25) && !within(Boundary::Open, &disc(2.5), &square, 0.24)
        );
        assert!(
            within(Boundary::Periodic, &disc(0.0), &square, 0.25) && !within(Boundary::Open, &disc(0.0), &square, 0.25)
        );
    }

    #[test]
    fn shapes_of_things_rotate_and_shift() {
        let form = Form::Polygon(vec![DVec2::X]).placed(DVec2::ONE, DVec2::Y);
        assert_eq!(form, Form::Polygon(vec![DVec2::new(1.0, 2.0)]));
    }
}
