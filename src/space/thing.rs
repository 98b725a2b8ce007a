//! Objects as sensors, controllers and metrics find them: with name, team, place and what they are.

use std::ops::Range;

use bevy::math::DVec2;

use super::Space;
use super::field::Field;
use super::solid::Outline;

/// What an object is to those who look for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum What {
    /// Something solid, or a mark on the floor.
    #[default]
    Thing,
    /// A region that knows who is in it.
    Region,
    /// A goal that knows who arrived.
    Goal,
    /// A light.
    Light {
        /// How bright it is at a distance of one metre; any unit.
        intensity: f64,
    },
}

/// A form that owns its corners, in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A disc.
    Disc {
        /// Its middle.
        center: DVec2,
        /// Its radius.
        radius: f64,
    },
    /// A polygon whose edges do not cross, by its corners in either sense of rotation.
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

    /// The form turned to the unit vector `facing` and shifted by `to` (m).
    #[must_use]
    pub fn placed(&self, to: DVec2, facing: DVec2) -> Self {
        let at = |point: DVec2| to + facing.rotate(point);
        match self {
            &Self::Disc { center, radius } => Self::Disc { center: at(center), radius },
            Self::Polygon(corners) => Self::Polygon(corners.iter().copied().map(at).collect()),
        }
    }
}

/// An agent that came to a goal.
#[derive(bevy::prelude::Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the agent, as in its stable id.
    pub agent: u32,
    /// The step at whose end it was first there.
    pub step: u64,
}

/// An object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thing {
    /// Its name; empty for none.
    pub name: String,
    /// Its team, as a number; 0 for none.
    pub team: u32,
    /// What it is.
    pub what: What,
    /// Where its middle is (m).
    pub position: DVec2,
    /// What it covers, where it is now: one form or several; none for a point.
    pub forms: Vec<Form>,
    /// The numbers of its solids; none of what neither blocks nor is sensed.
    pub solids: Range<usize>,
    /// The numbers of the agents in it at the end of the last step, if it is a region or goal: in rising order.
    pub inside: Vec<u32>,
    /// Who came to it so far, if it is a goal: by number of the agent.
    pub arrivals: Vec<Arrival>,
}

impl Thing {
    /// Whether a disc of `radius` (m, 0 for a point) at `center` overlaps or touches it, across a wrapping border too.
    #[must_use]
    pub fn overlaps(&self, field: &Field, center: DVec2, radius: f64) -> bool {
        let center = self.position + field.offset(self.position, center);
        self.forms.iter().any(|form| form.outline().overlaps(center, radius))
    }

    /// Visits the rows of all bodies that overlap it or, with `centers_only`, have their centres in it.
    pub fn visit_overlapping(&self, space: &Space, centers_only: bool, mut visit: impl FnMut(usize)) {
        space.index().within_range(self.position, self.reach(), None, |body| {
            let center = self.position + body.offset;
            let meets = |form: &Form| match space.bodies.outline(body.row) {
                _ if centers_only => form.outline().overlaps(center, 0.0),
                None => form.outline().overlaps(center, body.radius),
                Some(solid) => form.outline().meets(&space.solids.outline(solid)),
            };
            if self.forms.iter().any(meets) {
                visit(body.row);
            }
        });
    }

    /// A little more than the radius (m) of a disc around its middle that holds it.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let reach = |form: &Form| match form {
            Form::Disc { center, radius } => center.distance(self.position) + radius,
            Form::Polygon(corners) => corners.iter().map(|corner| corner.distance(self.position)).fold(0.0, f64::max),
        };
        // What just touches counts as inside.
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
    use super::super::Border;
    use super::*;

    #[test]
    fn discs_touch_regions_as_in_robot_swarm_simulator() {
        let disc = Form::Disc { center: DVec2::new(1.0, 1.0), radius: 0.5 };
        let square = Form::Polygon([(2.0, 0.0), (3.0, 0.0), (3.0, 1.0), (2.0, 1.0)].map(DVec2::from).to_vec());
        let thing = Thing { position: DVec2::new(1.0, 1.0), forms: vec![disc, square], ..Thing::default() };
        let overlaps = |border, x: f64, y: f64, radius| {
            thing.overlaps(&Field::new(DVec2::splat(4.0), border), DVec2::new(x, y), radius)
        };
        assert!(overlaps(Border::Open, 1.0, 2.0, 0.5) && !overlaps(Border::Open, 1.0, 2.0, 0.49));
        assert!(overlaps(Border::Open, 2.5, 0.5, 0.0) && overlaps(Border::Open, 3.25, 0.5, 0.25));
        assert!(!overlaps(Border::Open, 3.25, 0.5, 0.2));
        assert!(overlaps(Border::Wrapping, 5.0, 1.0, 0.1) && !overlaps(Border::Open, 5.0, 1.0, 0.1));
    }

    #[test]
    fn forms_turn_and_shift() {
        let form = Form::Polygon(vec![DVec2::X]).placed(DVec2::ONE, DVec2::Y);
        assert_eq!(form, Form::Polygon(vec![DVec2::new(1.0, 2.0)]));
    }
}
