//! Collisions: separates overlapping bodies, and pushes bodies out of solids and walls.
//!
//! Solids and walls take precedence over pushes between bodies: every push is checked along the straight line from the
//! position of the body before the step, so that its centre never enters a solid. Bodies that still overlap deeply
//! after all passes give up the motion of the step, so that a jam does not become denser from step to step.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::Boundary;
use super::helpers::Helpers;
use super::index::Neighbour;

mod push;

use push::{Parting, Push};

/// Smaller overlaps (m) are ignored, because rounding creates them again.
pub const TOLERANCE: f64 = 1e-9;

/// Number of rounds of [`Space::resolve_one`].
const ROUNDS_ALONE: u32 = 10;

/// Additional passes while an overlap is deep.
const MORE_PASSES: u32 = 4;
/// Smallest and largest number of passes over bodies that overlapped before they moved; large crowds get fewer.
const PASSES_OF_A_HEAP: (u32, u32) = (4, 16);
/// Number of pushes in a step after which no more bodies are held. It also limits the passes over bodies that
/// overlapped before they moved, to bound the time of a step for very large crowds.
const MOST_PUSHES: usize = 250_000;

/// As [`MOST_PUSHES`], for heaps, in which each push takes longer.
const MOST_IN_HEAP: usize = 30_000;

/// Buffers that [`Space::resolve`] reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pushes: Vec<Push>,
    /// Whether each row is listed; all false between calls.
    listed: Vec<bool>,
    /// Whether each row is held at its position before the step; all false between calls.
    held: Vec<bool>,
    /// Held rows.
    held_rows: Vec<u32>,
    /// Moved rows.
    moved: Vec<u32>,
    /// Rows that overlap others deeply after [`Space::resolve_one`].
    crowded: Vec<u32>,
}

impl Space {
    /// Separates all overlapping bodies; returns whether anything moved.
    ///
    /// In each pass every body moves by half of each overlap (by all of it if the other body is fixed), then leaves
    /// solids by the shortest way, then is moved within the walls. Its centre never enters a solid on the straight line
    /// from its position before the step, which is its position minus its displacement. Pushes change both positions
    /// and displacements.
    ///
    /// There are at most `passes` passes, and a few more while an overlap is deep. Bodies that still overlap deeply
    /// give up their motion: they are held at their positions before the step, and others make way for them. Bodies
    /// that already overlapped deeply before the step are separated in a last round of passes. The result is the same
    /// with and without `helpers`. The index must be up to date, and is so afterwards.
    pub fn resolve(&mut self, passes: u32, helpers: Option<Helpers>) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.list_all(&mut scratch, helpers);
        self.part(&mut scratch, passes, helpers);
        self.look_at_moved(&scratch.moved);
        self.scratch = scratch;
        self.index.refresh(&self.arena, &self.bodies);
        !self.scratch.moved.is_empty()
    }

    /// As [`Space::resolve`], for bodies that still overlap deeply after [`Space::resolve_one`], and those that they
    /// push.
    ///
    /// Call it after the turn of the last body; it updates the index.
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
        self.refresh();
        !self.scratch.moved.is_empty()
    }

    /// Wraps bodies that left a periodic arena, and lists all bodies that may have to move.
    fn list_all(&mut self, Scratch { pushes, listed, held, moved, .. }: &mut Scratch, helpers: Option<Helpers>) {
        moved.clear();
        pushes.clear();
        listed.resize(self.bodies.len(), false);
        held.resize(self.bodies.len(), false);
        self.wrap_all(|row| moved.push(row as u32));
        let is_sorted = self.index.is_sorted();
        // With solids, every body may be in one of them.
        let any_may_touch = !self.solids.is_empty() || !is_sorted;
        if self.index.is_heap() {
            // There are too many pairs.
            self.proximity.forget();
            pushes.extend(self.index.rows().map(Push::none));
            return;
        }
        if is_sorted && (!any_may_touch || self.is_anybody_watched()) {
            self.look_at_pairs(helpers, |row| pushes.push(Push::none(row)));
        }
        if any_may_touch {
            pushes.clear();
            pushes.extend(self.index.rows().map(Push::none));
        }
    }

    /// Separates the bodies in `pushes` and all bodies that they push, and records the moved rows.
    fn part(&mut self, scratch: &mut Scratch, passes: u32, helpers: Option<Helpers>) {
        let most = if self.index.is_heap() { MOST_IN_HEAP } else { MOST_PUSHES };
        let mut found = 0;
        loop {
            let usual = self.affordable(passes);
            found += self.pass(scratch, (usual, usual + self.affordable(MORE_PASSES)), helpers);
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
            if held_rows.len() == known || found > most {
                break;
            }
            self.list_touching(pushes, listed);
        }
        scratch.held_rows.drain(..).for_each(|row| scratch.held[row as usize] = false);
        if !scratch.pushes.is_empty() {
            // These bodies overlapped deeply before they moved.
            let (least, most) = PASSES_OF_A_HEAP;
            let passes = ((MOST_PUSHES / scratch.pushes.len()) as u32).clamp(least, most);
            self.pass(scratch, (0, self.affordable(passes)), helpers);
        }
        scratch.moved.sort_unstable();
        scratch.moved.dedup();
    }

    /// The number of passes, of those wanted, for which there is time in a heap; at least one.
    fn affordable(&self, wanted: u32) -> u32 {
        match self.index.is_heap() {
            true => ((MOST_IN_HEAP / self.bodies.len().max(1)) as u32).max(1).min(wanted),
            false => wanted,
        }
    }

    /// Passes over the bodies in `pushes` and those that they push: the usual number, and more while an overlap is
    /// deep. Afterwards `pushes` contains all deep overlaps. Returns the number of pushes.
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

    /// The rows moved by the last call of [`Space::resolve`], in order.
    #[inline]
    pub fn moved_rows(&self) -> &[u32] {
        &self.scratch.moved
    }

    /// Moves only the body in `row` out of everything it overlaps, in a few rounds; returns whether it moved.
    ///
    /// Other bodies stay, so the result depends on the order of calls for several bodies. A body that would overlap
    /// others more deeply than before its motion gives up the motion. [`Space::resolve_crowded`], called after the last
    /// body, separates the bodies that still overlap deeply. The index is updated.
    pub fn resolve_one(&mut self, row: usize) -> bool {
        self.resolve_alone(row, Some(1.0))
    }

    /// Moves every body out of solids and walls, even into other bodies; returns whether any was moved.
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

    /// As [`resolve_one`](Self::resolve_one), for the given part of overlaps with other bodies; `None` ignores other
    /// bodies.
    pub(super) fn resolve_alone(&mut self, row: usize, part: Option<f64>) -> bool {
        self.proximity.forget();
        let wraps = self.wrap_one(row);
        for round in 0..self.affordable(ROUNDS_ALONE) {
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

    /// Whether a body can return to its position before the step: no solid has moved there.
    fn can_go_back(&self, row: usize) -> bool {
        let before = self.before(row);
        let mut is_free = true;
        self.near_solids(before, before, |solid, shift| {
            let part = self.solids.properties(solid);
            let stops = part.blocks
                && part.owner != Some(row)
                && !self.passes(row, &part, true)
                && !self.is_held_by(row, &part);
            is_free &= !stops || !self.solids.outline(solid).contains(before - shift);
        });
        is_free
    }

    /// Position of a body before the step.
    fn before(&self, row: usize) -> DVec2 {
        let (position, moved) = (self.bodies.positions()[row], self.bodies.displacements()[row]);
        match self.arena.boundary {
            // Outside the arena if the body has crossed the boundary, so that the straight line is its actual path.
            Boundary::Periodic => position - moved,
            Boundary::Open | Boundary::Walls => self.arena.confine(position - moved, self.bodies.radii()[row]),
        }
    }

    /// Wraps all bodies that left a periodic arena; returns whether there were any.
    pub fn wrap(&mut self) -> bool {
        let mut any = false;
        self.wrap_all(|_| any = true);
        any
    }

    /// Wraps all bodies that left a periodic arena, and visits their rows.
    fn wrap_all(&mut self, mut visit: impl FnMut(usize)) {
        if self.arena.boundary == Boundary::Periodic {
            (0..self.bodies.len()).filter(|row| self.wrap_one(*row)).for_each(&mut visit);
        }
    }

    /// As [`wrap`](Self::wrap), for the body in a row.
    pub fn wrap_one(&mut self, row: usize) -> bool {
        let position = self.bodies.positions()[row];
        let wraps = self.arena.boundary == Boundary::Periodic && self.arena.wrap(position) != position;
        if wraps {
            self.proximity.forget();
            self.bodies.place(row, self.arena.wrap(position));
            self.move_in_index(row);
        }
        wraps
    }

    /// Adds `by` to the position and displacement of a body, and updates the index.
    pub(super) fn shift_body(&mut self, row: usize, by: DVec2) {
        self.bodies.shift(row, by);
        let outlined = self.bodies.contacts()[row] == Contact::Outlined;
        let radius = if outlined { 0.0 } else { self.bodies.radii()[row] };
        let position = self.arena.confine(self.bodies.positions()[row], radius);
        self.bodies.place(row, position);
        self.move_in_index(row);
    }

    /// Adds to `pushes` the rows that touch one of its rows: no other row can be pushed in the next round.
    fn list_touching(&self, pushes: &mut Vec<Push>, listed: &mut [bool]) {
        for push in &*pushes {
            listed[push.row()] = true;
        }
        for k in 0..pushes.len() {
            let row = pushes[k].row();
            let (position, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
            let mut list = |body: Neighbour| {
                if !std::mem::replace(&mut listed[body.row], true) {
                    pushes.push(Push::none(body.row));
                }
            };
            if self.index.is_heap() {
                let (reach, mut left) = (DVec2::splat(radius + self.index.largest_radius()), self.most_touches());
                self.index.spread_in_box(position, (-reach, reach), row, |body| {
                    if body.offset.length_squared() < (radius + body.radius) * (radius + body.radius) {
                        left = left.saturating_sub(1);
                        list(body);
                    }
                    left == 0
                });
            } else {
                self.index.within_range(position, radius, Some(row), list);
            }
        }
        for push in &*pushes {
            listed[push.row()] = false;
        }
    }
}

#[cfg(test)]
mod tests;
