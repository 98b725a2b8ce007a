//! Visibility of one target from a body, with a choice of what hides it.

use bevy::math::DVec2;

use super::Space;
use super::hit::Target;
use super::index::Neighbour;
use super::solid::SolidProperties;
use super::surroundings::Surroundings;

/// What hides things behind it from a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blockers {
    /// Whether other bodies do.
    pub bodies: bool,
    /// Whether solids do that are not bodies.
    pub solids: bool,
}

impl Blockers {
    /// Whether nothing hides anything.
    #[inline]
    #[must_use]
    pub fn are_none(self) -> bool {
        !self.bodies && !self.solids
    }

    /// Whether a solid hides things.
    #[inline]
    fn include(self, SolidProperties { is_body, .. }: SolidProperties) -> bool {
        if is_body { self.bodies } else { self.solids }
    }
}

impl Space {
    /// Whether no blocker covers a point of the line from the body in `row` to `target` at `offset` (m) from its centre.
    /// The body and the target themselves never hide anything.
    ///
    /// For a single target; for several, use [`Space::blocking_solids`] and [`Space::is_shown`].
    #[must_use]
    pub fn is_lit(
        &self,
        row: usize,
        (offset, target): (DVec2, Target),
        blockers: Blockers,
        around: &mut Surroundings,
    ) -> bool {
        let eye = self.bodies.positions()[row];
        let except = [Target::Body(row), target];
        let pad = self.index.largest_radius();
        if blockers.bodies && self.index.near_segment(eye, offset, pad, |body| self.hides(&body, offset, &except)) {
            return false;
        }
        if self.solids.is_empty() || blockers.are_none() {
            return true;
        }
        let bounds = (offset.min(DVec2::ZERO), offset.max(DVec2::ZERO));
        self.collect_solids(row, bounds, blockers, around);
        around.is_clear(offset, |hit| self.is_between(hit, target))
    }

    /// Collects in `around` the solids within `reach` (m) of the centre of the body in `row` that hide things from it.
    pub fn blocking_solids(&self, row: usize, reach: f64, blockers: Blockers, around: &mut Surroundings) {
        if self.solids.is_empty() {
            around.clear();
        } else {
            let reach = DVec2::splat(reach);
            self.collect_solids(row, (-reach, reach), blockers, around);
        }
    }

    /// Whether neither one of the discs `near` nor one of the solids `around` hides `target` at `offset` (m) from the
    /// eye that both are relative to.
    #[inline]
    #[must_use]
    pub fn is_shown(&self, near: &[Neighbour], around: &Surroundings, offset: DVec2, target: Target) -> bool {
        !self.discs_hide(near, offset, &[target])
            && (around.is_empty() || around.is_clear(offset, |hit| self.is_between(hit, target)))
    }

    /// Whether a hit is not the target itself.
    fn is_between(&self, hit: Target, target: Target) -> bool {
        match (hit, target) {
            (Target::Solid(solid), Target::Thing(place)) => {
                self.things.get(place).is_none_or(|thing| !thing.solids.contains(&solid))
            }
            _ => hit != target,
        }
    }

    fn collect_solids(&self, row: usize, bounds: (DVec2, DVec2), blockers: Blockers, around: &mut Surroundings) {
        around.clear();
        let center = self.bodies.positions()[row];
        around.add_solids_for_rays(self, center, bounds, blockers.solids, |_, properties| {
            properties.owner != Some(row) && blockers.include(properties)
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{all, disc, point, space, with};
    use super::super::{Body, Boundary, Contact, Drawn, Form, Thing};
    use super::*;

    /// Distance (m) of a point to a segment from the origin.
    fn distance(point: DVec2, end: DVec2) -> f64 {
        let part = (point.dot(end) / end.length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(end * part)
    }

    proptest! {
        #[test]
        fn a_target_is_hidden_exactly_by_discs_on_the_line(
            mut space in space(),
            pillars in prop::collection::vec((point(), 0.05..0.5), 0..8),
            to in point(),
            bodies: bool,
            solids: bool,
        ) {
            prop_assume!(space.arena.boundary != Boundary::Periodic && !space.bodies.is_empty());
            for (center, radius) in &pillars {
                space.solids.add_disc(*center, *radius).unwrap();
            }
            space.solids.sort();
            space.update();
            let eye = space.bodies.positions()[0];
            let offset = to - eye;
            prop_assume!(offset.length() > 1e-6);
            let others = all(&space, eye).into_iter().skip(1);
            let discs = others.filter(|_| bodies).map(|body| (body.offset, body.radius));
            let solid = pillars.iter().filter(|_| solids).map(|(center, radius)| (*center - eye, *radius));
            let gaps: Vec<f64> = discs.chain(solid).map(|(at, radius)| distance(at, offset) - radius).collect();
            // A line that only touches a disc may go either way.
            prop_assume!(gaps.iter().all(|gap| gap.abs() > 1e-9));
            let expected = gaps.iter().all(|gap| *gap > 0.0);
            let (mut around, blockers) = (Surroundings::default(), Blockers { bodies, solids });
            // No object has this place.
            let target = Target::Thing(usize::MAX);
            prop_assert_eq!(space.is_lit(0, (offset, target), blockers, &mut around), expected);
            let mut near = Vec::new();
            if bodies {
                space.index().within_range(eye, offset.length() + 1e-6, Some(0), |body| near.push(body));
            }
            space.blocking_solids(0, offset.length(), blockers, &mut around);
            prop_assert_eq!(space.is_shown(&near, &around, offset, target), expected);
        }
    }

    #[test]
    fn neither_the_own_body_nor_the_target_hides_anything() {
        let mut space = with(Boundary::Open, &[disc(0.0, 0.0, 0.3), disc(2.0, 0.0, 0.3), disc(1.0, 0.0, 0.1)]);
        let corners: Vec<DVec2> = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)].map(DVec2::from).to_vec();
        let solid = space.solids.add_disc(DVec2::new(0.0, 2.0), 0.5).unwrap();
        let form = Form::Disc { center: DVec2::new(0.0, 2.0), radius: 0.5 };
        space.things.push(Thing { forms: vec![form], solids: solid..solid + 1, ..Thing::default() });
        // The third body is a square, which is a solid of its own.
        let outline = space.solids.add_polygon(&corners).unwrap();
        space.solids.set_properties(outline, SolidProperties::body(2));
        let square = Body { contact: Contact::Outlined, radius: 0.3, ..disc(1.0, 0.0, 0.3) };
        space.bodies.set(2, square);
        space.bodies.set_outlines(vec![Drawn { row: 2, solid: outline, corners }]);
        space.place_outline(2);
        space.solids.sort();
        space.update();
        let mut around = Surroundings::default();
        let mut sees = |offset: (f64, f64), target, bodies, solids| {
            space.is_lit(0, (offset.into(), target), Blockers { bodies, solids }, &mut around)
        };
        assert!(!sees((2.0, 0.0), Target::Body(1), true, false), "the square is a robot");
        assert!(sees((2.0, 0.0), Target::Body(1), false, true));
        assert!(sees((1.0, 0.0), Target::Body(2), true, true));
        assert!(sees((0.0, 2.0), Target::Thing(0), true, true));
        assert!(!sees((0.0, 3.0), Target::Thing(1), true, true) && sees((0.0, 3.0), Target::Thing(1), true, false));
    }
}
