//! Collisions: overlapping bodies part, and solids and walls push bodies out.
//!
//! Walls and solids win over pushes between bodies: every push is checked along the straight way from where the body was
//! before the step, so that its centre never enters a solid. Bodies that still overlap deeply after all passes give up the
//! motion of the step, so that a jam does not become denser from step to step.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::Border;
use super::helpers::Helpers;
use super::solid::Part;
use super::solid::unit_or;

/// Overlaps below this (m) are left alone: rounding makes them anew.
pub const TOLERANCE: f64 = 1e-9;

/// From this many bodies on that may overlap, several threads look at them.
const WORTH_SHARING: usize = 2000;

/// Rounds of [`Space::resolve_one`].
const ROUNDS_ALONE: u32 = 10;

/// An overlap is deep beyond this part of the diameter of the smaller body: then there are more passes.
const DEEP: f64 = 0.01;
/// Passes besides the usual ones, while some overlap is deep.
const MORE_PASSES: u32 = 4;
/// The fewest and the most passes over bodies that overlapped before they moved; large crowds get fewer.
const PASSES_OF_A_HEAP: (usize, usize) = (4, 16);
/// The number of pushes in a step from which no more bodies are held. It also limits the passes over bodies that
/// overlapped before they moved, so that a step of a crowd of many thousands ends in time.
const MOST_PUSHES: usize = 250_000;
/// The number of contacts from which the pushes on a body are weighted less, because their sum would move it too far.
const CROWDED: u32 = 3;
/// In passes besides the usual ones, pushes are turned by the angle with this cosine and sine, so that a row of bodies
/// along a wall buckles.
const TURN: DVec2 = DVec2::new(0.998_749_217_771_909, 0.05);

/// The most corrections that keep a body on its side of the solids in its way; after these, it stays where it was.
const SLIDES: u32 = 4;

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
    /// Whether it overlaps a body deeply.
    deep: bool,
    by: DVec2,
}

/// How bodies part in a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting<'a> {
    /// The part of each overlap by which a body makes way if the other body can move; `None` ignores other bodies and
    /// their outlines.
    part: Option<f64>,
    /// Whether pushes are turned a little.
    turned: bool,
    /// Whether each row is held where it is; empty for none.
    held: &'a [bool],
}

/// Memory that [`Space::resolve`] uses again each time.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pushes: Vec<Push>,
    /// Whether each row is listed; all false between calls.
    listed: Vec<bool>,
    /// Whether each row is held where it was before the step; all false between calls.
    held: Vec<bool>,
    /// The rows that are held.
    held_rows: Vec<u32>,
    /// Rows that were moved.
    moved: Vec<u32>,
    /// Rows that overlap others deeply after [`Space::resolve_one`].
    crowded: Vec<u32>,
}

impl Space {
    /// Parts overlapping bodies, all at once; returns whether anything moved.
    ///
    /// In each pass every body makes way for its own half of each overlap (for all of it where the other is fixed), then
    /// leaves solids by the shortest way, then stays within the walls. Its centre never enters a solid on the straight way
    /// from where it was before the step, that is its position less its displacement. Positions and displacements take up
    /// the pushes.
    ///
    /// There are at most `passes` passes, and a few more while some overlap is deep. Bodies that overlap deeply even then
    /// give up their motion: they are held where they were before the step, and the others make way for them. Bodies that
    /// already overlapped deeply before the step part in a last round of passes. The outcome is the same with and without `helpers`.
    /// The index must be up to date, and is so afterwards.
    pub fn resolve(&mut self, passes: u32, helpers: Option<Helpers>) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.list_all(&mut scratch, helpers);
        self.part(&mut scratch, passes, helpers);
        self.look_at_moved(&scratch.moved);
        self.scratch = scratch;
        self.index.refresh(&self.arena, &self.bodies);
        !self.scratch.moved.is_empty()
    }

    /// As [`Space::resolve`], for the bodies that [`Space::resolve_one`] left deep in others, and those that they push.
    ///
    /// Call it when the last body has had its turn; it brings the index up to date.
    pub fn resolve_crowded(&mut self, passes: u32, helpers: Option<Helpers>) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { pushes, moved, crowded, listed, held, .. } = &mut scratch;
        moved.clear();
        pushes.clear();
        crowded.sort_unstable();
        crowded.dedup();
        // Bodies may have been removed since.
        pushes.extend(
            crowded.drain(..).map(|row| Push::none(row as usize)).filter(|push| push.row() < self.bodies.len()),
        );
        if !pushes.is_empty() {
            self.proximity.forget();
            listed.resize(self.bodies.len(), false);
            held.resize(self.bodies.len(), false);
            self.list_touching(pushes, listed);
            self.part(&mut scratch, passes, helpers);
        }
        self.scratch = scratch;
        self.index.refresh(&self.arena, &self.bodies);
        !self.scratch.moved.is_empty()
    }

    /// Wraps the bodies that left a wrapping arena, and lists all bodies that may have to make way.
    fn list_all(&mut self, Scratch { pushes, listed, held, moved, .. }: &mut Scratch, helpers: Option<Helpers>) {
        moved.clear();
        pushes.clear();
        listed.resize(self.bodies.len(), false);
        held.resize(self.bodies.len(), false);
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
    }

    /// Parts the bodies in `pushes` and all bodies that they push, and records the rows that were moved.
    fn part(&mut self, scratch: &mut Scratch, passes: u32, helpers: Option<Helpers>) {
        let mut found = 0;
        loop {
            found += self.pass(scratch, (passes, passes + MORE_PASSES), helpers);
            let Scratch { pushes, held, held_rows, moved, listed, .. } = &mut *scratch;
            pushes.retain(|push| push.deep);
            let known = held_rows.len();
            for push in &*pushes {
                if self.can_go_back(push.row()) && !std::mem::replace(&mut held[push.row()], true) {
                    // It gives up the motion of the step.
                    held_rows.push(push.row);
                    moved.push(push.row);
                    self.shift_body(push.row(), -self.bodies.displacements()[push.row()]);
                }
            }
            if held_rows.len() == known || found > MOST_PUSHES {
                break;
            }
            self.list_touching(pushes, listed);
        }
        scratch.held_rows.drain(..).for_each(|row| scratch.held[row as usize] = false);
        if !scratch.pushes.is_empty() {
            // They overlapped deeply before they moved.
            let (least, most) = PASSES_OF_A_HEAP;
            let passes = (MOST_PUSHES / scratch.pushes.len()).clamp(least, most);
            self.pass(scratch, (0, passes as u32), helpers);
        }
        scratch.moved.sort_unstable();
        scratch.moved.dedup();
    }

    /// Passes over the bodies in `pushes` and those that they push: the usual number, and more while any overlap is deep.
    /// Afterwards `pushes` contains all deep overlaps. Returns the number of pushes.
    fn pass(&mut self, scratch: &mut Scratch, (usual, most): (u32, u32), helpers: Option<Helpers>) -> usize {
        let Scratch { pushes, listed, held, moved, .. } = scratch;
        let mut found = 0;
        for pass in 0.. {
            let parting = Parting { part: Some(0.5), turned: pass >= usual, held };
            self.find_pushes(pushes, parting, helpers);
            pushes.retain(|push| push.hit);
            found += pushes.len();
            let moves = |push: &&Push| !held[push.row()];
            if pushes.iter().filter(moves).all(|push| pass >= usual && !push.deep) || pass >= most {
                break;
            }
            for push in pushes.iter().filter(moves) {
                self.shift_body(push.row(), push.by);
                moved.push(push.row);
            }
            self.list_touching(pushes, listed);
        }
        found
    }

    /// The rows that [`Space::resolve`] moved when it was called last, in their order.
    #[inline]
    pub fn moved_rows(&self) -> &[u32] {
        &self.scratch.moved
    }

    /// Moves the body in `row` alone out of all it overlaps, in a few rounds; returns whether it moved.
    ///
    /// The other bodies stay, so the outcome depends on the order in which this is done for several bodies. A body that
    /// would end up deeper in others than before its motion gives up the motion. [`Space::resolve_crowded`], to be
    /// called after the last body, parts the bodies that are still deep in others. The index follows the body.
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
        self.proximity.forget();
        let wraps = self.wrap_one(row);
        for round in 0..ROUNDS_ALONE {
            let push = self.push_on(row, Parting { part, turned: round >= ROUNDS_ALONE / 2, held: &[] });
            if !push.hit {
                return wraps || round > 0;
            }
            self.shift_body(row, push.by);
        }
        if part.is_some() && self.bodies.contacts()[row] == Contact::Mobile {
            let (now, before) =
                (self.crowding(row, self.bodies.positions()[row]), self.crowding(row, self.before(row)));
            let gives_up = now.deep && now.squares > before.squares && self.can_go_back(row);
            if gives_up {
                self.shift_body(row, -self.bodies.displacements()[row]);
            }
            let is_deep = if gives_up { before.deep } else { now.deep };
            if is_deep {
                self.scratch.crowded.push(row as u32);
            }
        }
        true
    }

    /// Whether a body can go back to where it was before the step: no solid has moved onto that place.
    fn can_go_back(&self, row: usize) -> bool {
        let before = self.before(row);
        let mut is_free = true;
        self.near_solids(before, before, |solid, shift| {
            let part = self.solids.part(solid);
            let stops = part.blocks && part.owner != Some(row) && !self.passes(row, &part, true);
            is_free &= !stops || !self.solids.outline(solid).contains(before - shift);
        });
        is_free
    }

    /// Where a body was before the step.
    fn before(&self, row: usize) -> DVec2 {
        let (position, moved) = (self.bodies.positions()[row], self.bodies.displacements()[row]);
        match self.arena.border {
            // Outside the arena if the body has crossed the border, so that the straight way is the way that it took.
            Border::Wrapping => position - moved,
            Border::Open | Border::Walled => self.arena.confine(position - moved, self.bodies.radii()[row]),
        }
    }

    /// How deep a body would be in others with its centre at a point.
    fn crowding(&self, row: usize, center: DVec2) -> Crowding {
        let mut crowding = Crowding::default();
        let radius = self.bodies.radii()[row];
        self.touching(row, center, radius, |other| {
            crowding.squares += other.overlap * other.overlap;
            crowding.deep |= other.overlap > deep_m(radius, other.radius);
        });
        crowding
    }

    /// Visits the discs that the body in `row` would overlap and collide with if its centre were at `center`.
    #[inline]
    fn touching(&self, row: usize, center: DVec2, radius: f64, mut visit: impl FnMut(Touch)) {
        let reach = DVec2::splat(radius + self.index.largest_radius());
        self.index.near_box(center, (-reach, reach), |body| {
            let limit = radius + body.radius - TOLERANCE;
            let distance_squared = body.offset.length_squared();
            // A body whose position is not a number touches nothing.
            let touches = limit > 0.0 && distance_squared < limit * limit;
            if !touches || body.row == row || !self.bodies.push(row, body.row) {
                return;
            }
            let is_fixed = match self.bodies.contacts()[body.row] {
                Contact::Mobile => false,
                Contact::Fixed => true,
                Contact::Ghost | Contact::Outlined => return,
            };
            let distance = distance_squared.sqrt();
            let overlap = radius + body.radius - distance;
            let away = unit_or(-body.offset, distance, parting(row, body.row));
            visit(Touch { row: body.row, radius: body.radius, is_fixed, overlap, away });
        });
    }

    /// Computes every push in place; each depends on the bodies as they are, so the order does not matter.
    fn find_pushes(&self, pushes: &mut [Push], parting: Parting, helpers: Option<Helpers>) {
        let find = |pushes: &mut [Push]| {
            for push in pushes {
                *push = self.push_on(push.row(), parting);
            }
        };
        match helpers.and_then(|helpers| helpers.for_items(pushes.len(), WORTH_SHARING)) {
            Some(helpers) => helpers.share(pushes, find),
            None => find(pushes),
        }
    }

    /// How the body in `row` makes way for other bodies, solids and walls.
    #[inline]
    fn push_on(&self, row: usize, parting: Parting) -> Push {
        let (position, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
        let contact = self.bodies.contacts()[row];
        if contact == Contact::Fixed {
            return Push::none(row);
        }
        // Of a body that goes where its motion takes it, walls stop the centre.
        let radius = if contact == Contact::Outlined { 0.0 } else { radius };
        let mut push = Push::none(row);
        let mut target = position;
        let with_bodies = parting.part.is_some();
        if contact == Contact::Mobile {
            if let Some(part) = parting.part {
                self.part_from_bodies(&mut push, (position, radius), part, parting);
                target += push.by;
            }
            if !self.solids.is_empty() {
                target += self.way_out_of_solids(&mut push, target, radius, with_bodies);
            }
        }
        // Crossing a wrapping border is not a way that a body goes: `shift_body` brings it back.
        let confine =
            |target| if self.arena.border == Border::Wrapping { target } else { self.arena.confine(target, radius) };
        let mut end = confine(target);
        push.hit |= end != target;
        if contact == Contact::Mobile && !self.solids.is_empty() {
            // A way shorter than the radius enters no solid if the disc touches none at its end.
            if push.hit || self.bodies.displacements()[row].length_squared() > radius * radius {
                let swept = self.swept(row, end, radius, (with_bodies, confine));
                push.hit |= swept != end;
                end = swept;
            }
        }
        push.by = end - position;
        push
    }

    fn part_from_bodies(&self, push: &mut Push, (position, radius): (DVec2, f64), part: f64, parting: Parting) {
        let row = push.row();
        let mut count = 0_u32;
        self.touching(row, position, radius, |other| {
            let makes_way = !other.is_fixed && !parting.held.get(other.row).is_some_and(|held| *held);
            let part = if makes_way { part } else { 1.0 };
            let mut away = other.away;
            if parting.turned {
                let turn = if (row ^ other.row) & 1 == 0 { TURN } else { DVec2::new(TURN.x, -TURN.y) };
                away = turn.rotate(away);
            }
            count += 1;
            push.hit = true;
            push.deep |= other.overlap > deep_m(radius, other.radius);
            push.by += part * other.overlap * away;
        });
        if count >= CROWDED {
            push.by *= f64::from(CROWDED - 1) / f64::from(count);
        }
    }

    /// The way from `center` out of one solid after another, those of bodies among them or not.
    fn way_out_of_solids(&self, push: &mut Push, center: DVec2, radius: f64, with_bodies: bool) -> DVec2 {
        let mut way = DVec2::ZERO;
        self.near_solids(center - radius, center + radius, |solid, shift| {
            let part = self.solids.part(solid);
            if !part.blocks || self.passes(push.row(), &part, with_bodies) {
                return;
            }
            let exit = parting(push.row(), usize::MAX);
            let out = self.solids.push_out(solid, center + way - shift, radius, exit).unwrap_or_default();
            if out.length_squared() > TOLERANCE * TOLERANCE {
                push.hit = true;
                way += out;
            }
        });
        way
    }

    /// Whether the body in `row` passes through `part`: a part of another body, unless bodies count and both push.
    fn passes(&self, row: usize, part: &Part, with_bodies: bool) -> bool {
        part.is_body && part.owner.is_none_or(|owner| !with_bodies || !self.bodies.push(row, owner))
    }

    /// The end of the motion of a body from its position before the step straight to `end`. A solid in its way deflects
    /// it along the edge on the near side; in a place too narrow for that, the body stays where it was.
    fn swept(
        &self,
        row: usize,
        mut end: DVec2,
        radius: f64,
        (with_bodies, confine): (bool, impl Fn(DVec2) -> DVec2),
    ) -> DVec2 {
        let before = self.before(row);
        let counts = |part: &Part| part.owner != Some(row) && !self.passes(row, part, with_bodies);
        for _ in 0..SLIDES {
            let Some(entry) = self.first_entry(before, end, counts) else { return end };
            let beside = radius.max(TOLERANCE) - (end - entry.point).dot(entry.outside);
            end = confine(end + beside * entry.outside);
        }
        if self.first_entry(before, end, counts).is_some() { before } else { end }
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
            self.proximity.forget();
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
            listed[push.row()] = true;
        }
        for k in 0..pushes.len() {
            let row = pushes[k].row();
            self.index.within_range(self.bodies.positions()[row], self.bodies.radii()[row], Some(row), |body| {
                if !std::mem::replace(&mut listed[body.row], true) {
                    pushes.push(Push::none(body.row));
                }
            });
        }
        for push in &*pushes {
            listed[push.row()] = false;
        }
    }
}

impl Push {
    #[inline]
    fn none(row: usize) -> Self {
        Self { row: row as u32, hit: false, deep: false, by: DVec2::ZERO }
    }

    #[inline]
    fn row(&self) -> usize {
        self.row as usize
    }
}

/// A body that overlaps another one.
struct Touch {
    row: usize,
    radius: f64,
    is_fixed: bool,
    /// The depth (m) of the overlap.
    overlap: f64,
    /// The unit vector away from it.
    away: DVec2,
}

/// How deep a body is in others.
#[derive(Clone, Copy, Debug, Default)]
struct Crowding {
    deep: bool,
    /// The sum (m²) of the squares of its overlaps.
    squares: f64,
}

/// The depth (m) beyond which an overlap of two bodies is deep.
fn deep_m(radius: f64, other: f64) -> f64 {
    (2.0 * DEEP * radius.min(other)).max(2.0 * TOLERANCE)
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
            let parting = Parting { part: Some(0.5), turned: false, held: &[] };
            let sum: DVec2 = (0..count).map(|row| space.push_on(row, parting).by).sum();
            assert!(sum.length() < 1e-12);
            assert!(space.resolve(1, None) && space.bodies.positions()[0] != DVec2::ONE);
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

    /// Moves all bodies by what `way` says, and parts them: one after another, or all at once.
    fn drive(space: &mut Space, alone: bool, way: impl Fn(DVec2, f64) -> DVec2) {
        for row in 0..space.bodies.len() {
            let position = space.bodies.positions()[row];
            let way = way(position, space.bodies.radii()[row]);
            space.place_body(row, position + way, 0.0, way);
            if alone {
                space.resolve_one(row);
            }
        }
        if alone {
            space.resolve_crowded(4, None);
        } else {
            space.update();
            space.resolve(4, None);
        }
    }

    /// The deepest overlap of two bodies, in units of the diameter of the smaller one.
    fn deepest_part(space: &Space) -> f64 {
        let (positions, radii) = (space.bodies.positions(), space.bodies.radii());
        let depth = |row: usize| {
            let others = all(space, positions[row]).into_iter().filter(move |body| body.row != row);
            let part = |body: super::super::Neighbour| {
                (radii[row] + body.radius - body.offset.length()) / (2.0 * radii[row].min(body.radius))
            };
            others.map(part).fold(0.0, f64::max)
        };
        (0..positions.len()).map(depth).fold(0.0, f64::max)
    }

    /// Bodies of one or of three sizes around a place, some of them in the same spot.
    fn crowd(border: Border, count: u32, middle: DVec2, (spread, is_mixed): (f64, bool)) -> Space {
        let body = |k: u32| {
            let way =
                swarmarium_base::math::direction(f64::from(k) * 2.4) * (f64::from(k / 2) / f64::from(count)).sqrt();
            let radius = if is_mixed { [0.03, 0.05, 0.08][k as usize % 3] } else { 0.05 };
            Body { position: middle + spread * way, radius, ..Body::default() }
        };
        with(border, &(0..count).map(body).collect::<Vec<_>>())
    }

    #[test]
    fn a_crowd_settles_whether_it_stands_or_drives_on() {
        let middle = SIZE / 2.0;
        let cases = [
            (Border::Open, 30, middle, middle, 0.05),
            (Border::Open, 100, middle, middle, 1.0),
            (Border::Walled, 60, DVec2::splat(0.3), DVec2::ZERO, 0.3),
            (Border::Wrapping, 60, DVec2::ZERO, DVec2::ZERO, 0.4),
        ];
        for (border, count, from, to, spread) in cases {
            for (alone, is_mixed) in [(false, false), (true, false), (false, true), (true, true)] {
                for radii_per_step in [0.0, 0.3, 1.0] {
                    let mut space = crowd(border, count, from, (spread, is_mixed));
                    let mut worst = 0.0_f64;
                    for step in 0..105 {
                        let arena = space.arena;
                        drive(&mut space, alone, |at, radius| {
                            arena.offset(at, to).clamp_length_max(radii_per_step * radius)
                        });
                        worst = if step < 100 { 0.0 } else { worst.max(deepest_part(&space)) };
                    }
                    let case = format!("{border:?} {count} alone {alone} mixed {is_mixed} {radii_per_step} radii");
                    assert!(worst <= 0.05, "{case}: {worst}");
                }
            }
        }
    }

    #[test]
    fn a_row_along_a_wall_buckles() {
        for alone in [false, true] {
            let row = (0..20_u32).map(|k| disc(0.1 + 0.005 * f64::from(k), 0.05, 0.05)).collect::<Vec<_>>();
            let mut space = with(Border::Walled, &row);
            for _ in 0..100 {
                drive(&mut space, alone, |_, _| DVec2::ZERO);
            }
            assert!(deepest_part(&space) <= 0.05, "{}", deepest_part(&space));
        }
    }

    /// A pen of four walls of 1 cm, 1 m by 1 m inside, about `middle`.
    fn pen(space: &mut Space, middle: DVec2) {
        for (low, high) in [((-0.51, -0.51), (0.51, -0.5)), ((-0.51, 0.5), (0.51, 0.51))]
            .into_iter()
            .chain([((-0.51, -0.51), (-0.5, 0.51)), ((0.5, -0.51), (0.51, 0.51))])
        {
            let corners = [low, (high.0, low.1), high, (low.0, high.1)];
            space.solids.add_polygon(&corners.map(|corner| middle + DVec2::from(corner))).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn no_crowd_leaves_a_pen_or_enters_an_obstacle_in_it(
            border in prop_oneof![Just(Border::Open), Just(Border::Walled), Just(Border::Wrapping)],
            (alone, is_mixed) in (any::<bool>(), any::<bool>()),
            count in 2..60_u32,
            radii_per_step in prop_oneof![0.1..1.0, 1.0..30.0],
            (to_x, to_y) in (-2.0..2.0, -2.0..2.0),
            obstacle in 0..3,
        ) {
            // In a wrapping arena, the pen lies across a corner of it.
            let middle = if border == Border::Wrapping { DVec2::ZERO } else { SIZE / 2.0 };
            let mut space = crowd(border, count, middle - 0.2, (0.25, is_mixed));
            pen(&mut space, middle);
            let spike = [(0.1, 0.1), (0.5, 0.28), (0.5, 0.3), (0.1, 0.13)].map(|corner| middle + DVec2::from(corner));
            let added = match obstacle {
                0 => space.solids.add_disc(middle + 0.3, 0.02),
                1 => space.solids.add_polygon(&spike),
                _ => Ok(0),
            };
            prop_assert!(added.is_ok());
            let to = DVec2::new(to_x, to_y);
            for step in 0..60 {
                let before = space.bodies.positions().to_vec();
                let turn = swarmarium_base::math::direction(if step < 30 { 0.0 } else { 3.0 });
                drive(&mut space, alone, |_, radius| turn.rotate(to).normalize_or_zero() * radii_per_step * radius);
                for (row, position) in space.bodies.positions().iter().enumerate() {
                    let place = space.arena.offset(middle, *position);
                    prop_assert!(place.abs().max_element() < 0.5, "body {row} is at {place} in step {step}");
                    // Checked independently of the sweep, at many points in between.
                    let start = space.arena.offset(middle, before[row]);
                    let crossed = |part: i32| {
                        let point = middle + start.lerp(place, f64::from(part) / 200.0);
                        (4..space.solids.len()).any(|solid| space.solids.outline(solid).contains(point))
                    };
                    prop_assert!(!(0..=200).any(crossed), "body {row} crosses the obstacle in step {step}");
                }
            }
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
            let mut scratch = Scratch::default();
            space.list_all(&mut scratch, None);
            space.pass(&mut scratch, (3, 3), None);
            space.refresh();
            let parting = Parting { part: Some(0.5), turned: false, held: &[] };
            for _ in 0..3 {
                let steps: Vec<_> = (0..expected.bodies.len()).map(|row| expected.push_on(row, parting)).collect();
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
                    (middle + reach * swarmarium_base::math::direction(bearing)).clamp(DVec2::splat(0.3), SIZE)
                };
                let corners: Vec<DVec2> = (0..2 * arms).map(corner).collect();
                _ = space.solids.add_polygon(&corners);
            }
            let holds = |point: DVec2| (0..space.solids.len()).any(|solid| space.solids.outline(solid).contains(point));
            prop_assume!(!space.bodies.positions().iter().any(|position| holds(*position)));
            for step in 0..120 {
                for (row, heading) in headings.iter().enumerate() {
                    let way = swarmarium_base::math::direction(heading + 0.02 * f64::from(step)) * 0.05;
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
