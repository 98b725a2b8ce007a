//! Collisions: overlapping bodies part, and solids and walls push bodies out.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::Border;
use super::helpers::Helpers;
use super::solid::Part;
use super::solid::unit_or;

/// Overlaps below this (m) are left alone: rounding makes them anew.
pub(crate) const TOLERANCE: f64 = 1e-9;

/// From this many bodies on that may overlap, several threads look at them.
const WORTH_SHARING: usize = 2000;

/// Rounds of [`Space::resolve_one`].
const ROUNDS_ALONE: u32 = 10;

/// Ways in which bodies with the same centre part, all unit vectors.
const PARTINGS: [DVec2; 8] = [
    DVec2::new(1.0, 0.0),
    DVec2::new(0.8, 0.6),
    DVec2::new(0.6, 0.8),
    DVec2::new(0.28, 0.96),
    DVec2::new(0.0, 1.0),
    DVec2::new(-0.28, 0.96),
    DVec2::new(-0.6, 0.8),
    DVec2::new(-0.8, 0.6),
];

/// How the body in `row` is to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    row: u32,
    /// Whether it touches anything, even where its pushes add up to nothing.
    hit: bool,
    by: DVec2,
}

/// Memory that [`Space::resolve`] uses again each time.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pushes: Vec<Push>,
    /// Whether each row is listed; all false between calls.
    listed: Vec<bool>,
    /// Rows that were moved.
    moved: Vec<u32>,
}

impl Space {
    /// Parts overlapping bodies, all at once, in at most `passes` rounds; returns whether anything moved.
    ///
    /// In each round every body makes way for its own half of each overlap (for all of it where the other is fixed),
    /// then leaves solids by the shortest way, then stays within the walls. Positions and displacements take up the
    /// pushes. The outcome is the same with and without `helpers`. The index must be up to date, and is so afterwards.
    pub fn resolve(&mut self, passes: u32, helpers: Option<Helpers>) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { pushes, listed, moved } = &mut scratch;
        moved.clear();
        pushes.clear();
        listed.resize(self.bodies.len(), false);
        self.wrap_all(|row| moved.push(row as u32));
        let is_sorted = self.index.is_sorted();
        // Where there are solids, every body may be in one of them.
        let any_may_touch = !self.solids.is_empty() || !is_sorted;
        if is_sorted && (!any_may_touch || self.is_anybody_watched()) {
            self.look_at_pairs(helpers, |row| pushes.push(Push::none(row)));
        }
        if any_may_touch {
            pushes.clear();
            pushes.extend(self.index.rows().map(Push::none));
        }
        for _ in 0..passes {
            self.find_pushes(pushes, helpers);
            pushes.retain(|push| push.hit);
            if pushes.is_empty() {
                break;
            }
            for push in &*pushes {
                self.shift_body(push.row as usize, push.by);
                moved.push(push.row);
            }
            self.list_touching(pushes, listed);
        }
        // Only those that still have something to do can be where nobody should be.
        moved.extend(pushes.iter().map(|push| push.row).filter(|row| self.retreat(*row as usize)));
        moved.sort_unstable();
        moved.dedup();
        self.look_at_moved(moved);
        self.scratch = scratch;
        self.index.refresh(&self.arena, &self.bodies);
        !self.scratch.moved.is_empty()
    }

    /// The rows that [`Space::resolve`] moved when it was called last, in their order.
    #[inline]
    pub fn moved_rows(&self) -> &[u32] {
        &self.scratch.moved
    }

    /// Moves the body in `row` alone out of all it overlaps, in a few rounds; returns whether it moved.
    ///
    /// The other bodies stay, so the outcome depends on the order in which this is done for several bodies. The index
    /// follows the body; call [`Space::refresh`] after the last one.
    pub fn resolve_one(&mut self, row: usize) -> bool {
        self.resolve_alone(row, Some(1.0))
    }

    /// Moves every body out of solids and walls, whatever other bodies are in the way; whether any was moved.
    pub fn make_way(&mut self) -> bool {
        let mut any = false;
        for row in 0..self.bodies.len() {
            any |= self.resolve_alone(row, None);
        }
        if any {
            self.refresh();
        }
        any
    }

    /// As [`resolve_one`](Self::resolve_one), with all of the overlap with other bodies or without looking at them.
    pub(super) fn resolve_alone(&mut self, row: usize, part: Option<f64>) -> bool {
        self.company.forget();
        let wraps = self.wrap_one(row);
        for round in 0..ROUNDS_ALONE {
            let push = self.push_on(row, part);
            if !push.hit {
                return wraps || round > 0;
            }
            self.shift_body(row, push.by);
        }
        self.retreat(row);
        true
    }

    /// Takes a body back to where it came from when pushes, in a narrow place, have left its centre inside a solid.
    ///
    /// Returns whether it did.
    fn retreat(&mut self, row: usize) -> bool {
        if self.solids.is_empty() || self.bodies.contacts()[row] != Contact::Mobile {
            return false;
        }
        let (position, moved) = (self.bodies.positions()[row], self.bodies.displacements()[row]);
        let before = self.arena.confine(position - moved, self.bodies.radii()[row]);
        let retreats = self.holds(position, row) && !self.holds(before, row);
        if retreats {
            self.shift_body(row, -moved);
        }
        retreats
    }

    /// Whether `point` is inside any solid that blocks, but for those of the row in `except`.
    fn holds(&self, point: DVec2, except: usize) -> bool {
        let mut found = false;
        self.near_solids(point, point, |solid, shift| {
            let Part { blocks, owner, .. } = self.solids.part(solid);
            found |= blocks && owner != Some(except) && self.solids.outline(solid).contains(point - shift);
        });
        found
    }

    /// Computes every push in place; each depends on the bodies as they are, so the order does not matter.
    fn find_pushes(&self, pushes: &mut [Push], helpers: Option<Helpers>) {
        let find = |pushes: &mut [Push]| {
            for push in pushes {
                *push = self.push_on(push.row as usize, Some(0.5));
            }
        };
        match helpers.and_then(|helpers| helpers.for_items(pushes.len(), WORTH_SHARING)) {
            Some(helpers) => helpers.share(pushes, find),
            None => find(pushes),
        }
    }

    /// How the body in `row` makes way, for the given `part` of each overlap with another mobile body; with none of
    /// them, for solids and walls alone.
    #[inline]
    fn push_on(&self, row: usize, part: Option<f64>) -> Push {
        let (position, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
        let contact = self.bodies.contacts()[row];
        if contact == Contact::Fixed {
            return Push::none(row);
        }
        // Of a body that goes where its motion takes it, walls stop the centre.
        let radius = if contact == Contact::Outlined { 0.0 } else { radius };
        let mut push = Push::none(row);
        let mut target = position;
        if contact == Contact::Mobile {
            if let Some(part) = part {
                self.part_from_bodies(&mut push, position, radius, part);
                target += push.by;
            }
            if !self.solids.is_empty() {
                target += self.way_out_of_solids(&mut push, target, radius, part.is_some());
            }
        }
        // Crossing a wrapping border is not a way that a body goes: `shift_body` brings it back.
        let confined = if self.arena.border == Border::Wrapping { target } else { self.arena.confine(target, radius) };
        push.hit |= confined != target;
        push.by = confined - position;
        push
    }

    #[inline]
    fn part_from_bodies(&self, push: &mut Push, position: DVec2, radius: f64, part: f64) {
        let row = push.row as usize;
        let reach = DVec2::splat(radius + self.index.largest_radius());
        self.index.near_box(position, (-reach, reach), |body| {
            let limit = radius + body.radius - TOLERANCE;
            let distance_squared = body.offset.length_squared();
            // Nobody touches one that is nowhere.
            let touches = limit > 0.0 && distance_squared < limit * limit;
            if !touches || body.row == row {
                return;
            }
            let part = match self.bodies.contacts()[body.row] {
                Contact::Mobile => part,
                Contact::Fixed => 1.0,
                Contact::Ghost | Contact::Outlined => return,
            };
            let distance = distance_squared.sqrt();
            let overlap = radius + body.radius - distance;
            push.hit = true;
            push.by += part * overlap * unit_or(-body.offset, distance, parting(row, body.row));
        });
    }

    /// The way from `center` out of one solid after another, those of bodies among them or not.
    fn way_out_of_solids(&self, push: &mut Push, center: DVec2, radius: f64, with_bodies: bool) -> DVec2 {
        let mut way = DVec2::ZERO;
        self.near_solids(center - radius, center + radius, |solid, shift| {
            let part = self.solids.part(solid);
            if !part.blocks || (part.is_body && !with_bodies) {
                return;
            }
            let exit = parting(push.row as usize, usize::MAX);
            let out = self.solids.push_out(solid, center + way - shift, radius, exit).unwrap_or_default();
            if out.length_squared() > TOLERANCE * TOLERANCE {
                push.hit = true;
                way += out;
            }
        });
        way
    }

    /// Brings all bodies that left a wrapping arena back into it; returns whether any had.
    pub fn wrap(&mut self) -> bool {
        let mut any = false;
        self.wrap_all(|_| any = true);
        any
    }

    /// Brings back all bodies that left a wrapping arena; hands out their rows.
    fn wrap_all(&mut self, mut visit: impl FnMut(usize)) {
        if self.arena.border == Border::Wrapping {
            (0..self.bodies.len()).filter(|row| self.wrap_one(*row)).for_each(&mut visit);
        }
    }

    /// As [`wrap`](Self::wrap), for the body in a row.
    pub fn wrap_one(&mut self, row: usize) -> bool {
        let position = self.bodies.positions()[row];
        let wraps = self.arena.border == Border::Wrapping && self.arena.wrap(position) != position;
        if wraps {
            self.company.forget();
            self.bodies.place(row, self.arena.wrap(position));
            self.index.move_body(row, position);
        }
        wraps
    }

    /// Adds `by` to a body's position and displacement, in the index too.
    pub(super) fn shift_body(&mut self, row: usize, by: DVec2) {
        self.bodies.shift(row, by);
        let outlined = self.bodies.contacts()[row] == Contact::Outlined;
        let radius = if outlined { 0.0 } else { self.bodies.radii()[row] };
        let position = self.arena.confine(self.bodies.positions()[row], radius);
        self.bodies.place(row, position);
        self.index.move_body(row, position);
    }

    /// Adds to `pushes` the rows that touch one of them: no other row can have anything to do in the next round.
    fn list_touching(&self, pushes: &mut Vec<Push>, listed: &mut [bool]) {
        for push in &*pushes {
            listed[push.row as usize] = true;
        }
        for k in 0..pushes.len() {
            let row = pushes[k].row as usize;
            self.index.within_range(self.bodies.positions()[row], self.bodies.radii()[row], Some(row), |body| {
                if !std::mem::replace(&mut listed[body.row], true) {
                    pushes.push(Push::none(body.row));
                }
            });
        }
        for push in &*pushes {
            listed[push.row as usize] = false;
        }
    }
}

impl Push {
    #[inline]
    fn none(row: usize) -> Self {
        Self { row: row as u32, hit: false, by: DVec2::ZERO }
    }
}

/// The way in which `row` parts from `other` at the same place: opposite to the way of the other.
fn parting(row: usize, other: usize) -> DVec2 {
    // A multiplicative hash (Knuth), so that many bodies in one place part in many directions.
    let mixed = row.min(other).wrapping_mul(31).wrapping_add(row.max(other)).wrapping_mul(0x9E37_79B9) >> 16;
    let way = PARTINGS[mixed % PARTINGS.len()];
    if row < other { way } else { -way }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::TaskPoolBuilder;
    use proptest::prelude::*;

    use super::super::fixture::{SIZE, all, disc, space, with};
    use super::super::{Body, Outline, polygon};
    use super::*;

    /// Depth (m) of the deepest overlap of two bodies.
    fn deepest(space: &Space) -> f64 {
        let (positions, radii) = (space.bodies.positions(), space.bodies.radii());
        let depth = |row: usize| {
            let others = all(space, positions[row]).into_iter().filter(move |body| body.row != row);
            others.map(|body| radii[row] + body.radius - body.offset.length()).fold(0.0, f64::max)
        };
        (0..positions.len()).map(depth).fold(0.0, f64::max)
    }

    /// Many bodies in a heap.
    fn heap(count: u32) -> Vec<Body> {
        (0..count).map(|k| disc(f64::from(k % 37) * 0.05, f64::from(k % 101) * 0.02, 0.01)).collect()
    }

    #[test]
    fn two_bodies_part_evenly() {
        let mut space = with(Border::Open, &[disc(0.0, 0.0, 0.5), disc(0.6, 0.0, 0.5)]);
        assert!(space.resolve(4, None));
        let moved = space.bodies.displacements();
        assert!((moved[0] + moved[1]).length() < 1e-12);
        assert!((moved[1].x - 0.2).abs() < 1e-12 && moved[1].y == 0.0);
        assert!(!space.resolve(4, None));
    }

    #[test]
    fn bodies_in_one_place_part() {
        for count in [2, 3, 50] {
            let mut space = with(Border::Open, &vec![disc(1.0, 1.0, 0.1); count]);
            assert!(space.resolve(1, None));
            let sum: DVec2 = space.bodies.displacements().iter().sum();
            assert!(sum.length() < 1e-12 && space.bodies.positions()[0] != DVec2::ONE);
            space.resolve(1000, None);
            assert!(deepest(&space) < 1e-6);
        }
    }

    #[test]
    fn fixed_bodies_stay_and_ghosts_pass() {
        let fixed = Body { contact: Contact::Fixed, ..disc(1.0, 1.0, 0.5) };
        let ghost = Body { contact: Contact::Ghost, ..disc(1.2, 1.0, 0.5) };
        let mut space = with(Border::Walled, &[fixed, disc(1.5, 1.0, 0.5), ghost]);
        space.resolve(9, None);
        assert_eq!(space.bodies.displacements(), [DVec2::ZERO, DVec2::new(0.5, 0.0), DVec2::ZERO]);
    }

    #[test]
    fn one_body_alone_makes_way() {
        let mut space = with(Border::Open, &[disc(0.0, 0.0, 0.5), disc(0.6, 0.0, 0.5)]);
        assert!(space.resolve_one(1));
        space.refresh();
        assert_eq!(space.bodies.positions(), [DVec2::ZERO, DVec2::X]);
        assert!(!space.resolve_one(1));
    }

    #[test]
    fn solids_push_bodies_out() {
        let mut space = with(Border::Walled, &[disc(1.0, 1.0, 0.1), disc(3.0, 1.5, 0.1), disc(1.5, 2.0, 0.1)]);
        let corners = [(0.5, 0.5), (2.5, 0.5), (2.5, 1.2), (1.2, 1.2), (1.2, 2.5), (0.5, 2.5)].map(DVec2::from);
        space.solids.add_polygon(&corners).unwrap();
        space.solids.add_disc(DVec2::new(3.0, 1.5), 0.5).unwrap();
        assert!(space.resolve(50, None));
        for &position in space.bodies.positions() {
            let (nearest, _) = polygon::closest_boundary_point(&corners, position).unwrap();
            assert!(!polygon::contains(&corners, position) && position.distance(nearest) > 0.1 - 1e-8);
            assert!(position.distance(DVec2::new(3.0, 1.5)) > 0.6 - 1e-8);
        }
    }

    #[test]
    fn threads_change_nothing() {
        let pool = TaskPoolBuilder::new().num_threads(2).build();
        for border in [Border::Open, Border::Walled, Border::Wrapping] {
            let mut alone = with(border, &heap(17_000));
            let mut together = alone.clone();
            alone.resolve(5, None);
            together.resolve(5, Some(Helpers { pool: &pool, is_eager: true }));
            assert_eq!(alone.bodies.positions(), together.bodies.positions());
        }
    }

    proptest! {
        #[test]
        fn every_round_is_what_brute_force_makes(mut space in space()) {
            let mut expected = space.clone();
            expected.wrap();
            space.resolve(3, None);
            for _ in 0..3 {
                let steps: Vec<_> = (0..expected.bodies.len()).map(|row| expected.push_on(row, Some(0.5))).collect();
                for push in steps.iter().filter(|push| push.hit) {
                    expected.shift_body(push.row as usize, push.by);
                }
            }
            // Only the order of the sums may differ: the index of `expected` is sorted at the same times.
            prop_assert_eq!(space.bodies.positions(), expected.bodies.positions());
            prop_assert_eq!(space.bodies.displacements(), expected.bodies.displacements());
        }

        #[test]
        fn no_centre_is_ever_inside_a_solid_or_beyond_a_wall(
            (arms, stars) in (3..9_usize, 1..4_u32),
            spikes in prop::collection::vec(0.15..1.4, 9),
            headings in prop::collection::vec(-3.2..3.2, 12),
            alone in any::<bool>(),
        ) {
            let discs = (0..12_u32).map(|k| disc(0.2 + 0.3 * f64::from(k), 0.1, 0.04 + 0.008 * f64::from(k)));
            let mut space = with(Border::Walled, &discs.collect::<Vec<_>>());
            for k in 0..stars {
                let middle = DVec2::new(0.9 + 1.1 * f64::from(k), 1.6);
                let corner = |arm: usize| {
                    let bearing = std::f64::consts::TAU * (arm as f64 + 0.3 * f64::from(k)) / (2 * arms) as f64;
                    let reach = if arm.is_multiple_of(2) { spikes[arm % 9] } else { 0.1 };
                    (middle + reach * crate::math::direction(bearing)).clamp(DVec2::splat(0.3), SIZE)
                };
                let corners: Vec<DVec2> = (0..2 * arms).map(corner).collect();
                _ = space.solids.add_polygon(&corners);
            }
            prop_assume!((0..12).all(|row| !space.holds(space.bodies.positions()[row], row)));
            for step in 0..120 {
                for (row, heading) in headings.iter().enumerate() {
                    let way = crate::math::direction(heading + 0.02 * f64::from(step)) * 0.05;
                    let position = space.bodies.positions()[row] + way;
                    space.place_body(row, position, 0.0, way);
                    if alone {
                        space.resolve_one(row);
                    }
                }
                space.update();
                if !alone {
                    space.resolve(4, None);
                }
                for (row, &position) in space.bodies.positions().iter().enumerate() {
                    prop_assert!(position.cmpge(DVec2::ZERO).all() && position.cmple(SIZE).all());
                    // On the very edge, where rounding put it, is not inside.
                    let depth = |solid: usize| match space.solids.outline(solid) {
                        Outline::Polygon(corners) if polygon::contains(corners, position) => {
                            polygon::closest_boundary_point(corners, position).unwrap().0.distance(position)
                        }
                        _ => 0.0,
                    };
                    let deepest = (0..space.solids.len()).map(depth).fold(0.0, f64::max);
                    prop_assert!(deepest < 1e-9, "body {row} is {deepest} deep at {position} in step {step}");
                }
            }
        }

        #[test]
        fn bodies_part_and_stay_within_walls(mut space in space()) {
            space.resolve(3, None);
            for (&position, &radius) in space.bodies.positions().iter().zip(space.bodies.radii()) {
                prop_assert!(position.is_finite());
                match space.arena.border {
                    Border::Open => {}
                    Border::Walled => prop_assert!(
                        position.cmpge(DVec2::splat(radius)).all() && position.cmple(SIZE - radius).all()
                    ),
                    Border::Wrapping => prop_assert!(position.cmpge(DVec2::ZERO).all() && position.cmplt(SIZE).all()),
                }
            }
            if space.arena.border == Border::Open {
                space.resolve(3000, None);
                prop_assert!(deepest(&space) < 1e-6);
            }
        }
    }
}
