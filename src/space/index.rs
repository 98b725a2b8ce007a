//! Spatial index of bodies: a uniform grid filled by a counting sort.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bevy::math::DVec2;

use super::bodies::Bodies;
use super::field::{Boundary, Field};
use super::grid::Grid;
use super::helpers::Helpers;

mod queries;

pub use queries::{Answer, Neighbour};

/// A body in the order of cells; half a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slot {
    position: DVec2,
    radius: f64,
    row: u32,
    group: u32,
}

/// All bodies sorted by cell, and by row within a cell.
///
/// After an update it depends only on the arena and the bodies, not on its previous state. Every query visits bodies in
/// the order of cells, skips the row in `except`, and returns whether a visitor stopped it.
#[derive(Clone, Debug)]
pub struct Index {
    grid: Grid,
    slots: Vec<Slot>,
    /// First slot of each cell, and the end.
    starts: Vec<u32>,
    /// Cell of each row.
    cells: Vec<u32>,
    /// Rows that left their cells in the current update, with their new cells, for each piece of work. A buffer.
    leavers: Vec<Vec<(u32, u32)>>,
    largest: f64,
    /// Largest distance (m) of a body from its cell.
    slack: f64,
    /// Whether bodies were moved since the last update.
    moved: bool,
    /// Largest distance (m) that a body moved from before the last update; infinite if unknown.
    motion: f64,
    /// Whether the grid depends on the positions of bodies although the arena is not open.
    fits_most: bool,
    /// Number of bodies in the fullest cell; any larger number up to [`FULL`] if no cell is full.
    fullest: u32,
}

/// Bodies form a heap if the number of all bodies times the number in the fullest cell exceeds this.
const HEAP: usize = 500_000;
/// A heap has a cell with more bodies than this. At most nine discs of one size fit into a cell without overlap.
const FULL: u32 = 24;
/// Smallest number of bodies that several threads share.
const WORTH_SHARING: usize = 8000;
/// Bodies that left their cells are moved one by one up to this many moved slots per body; otherwise all are sorted.
const MOVES_PER_BODY: usize = 16;

impl Default for Index {
    fn default() -> Self {
        let (slots, cells, leavers) = Default::default();
        let starts = vec![0, 0];
        let (grid, moved, fits_most, fullest) = (Grid::default(), false, false, 0);
        let (largest, slack, motion) = (0.0, 0.0, f64::INFINITY);
        Self { grid, slots, starts, cells, leavers, largest, slack, moved, motion, fits_most, fullest }
    }
}

impl Index {
    /// Number of bodies up to which comparing all of them is faster than finding neighbours by cells.
    pub(super) const FEW: usize = 12;

    /// Updates the index for `bodies`. Unless they are reshaped, their radii and groups are those of the last update.
    ///
    /// Few bodies leave their cells in a step: these are moved, and all others stay in their order. The result is the
    /// same with and without `helpers`.
    pub(super) fn update(&mut self, field: &Field, bodies: &Bodies, is_reshaped: bool, helpers: Option<Helpers>) {
        let (count, positions) = (bodies.len(), &bodies.positions()[..bodies.len()]);
        if is_reshaped || count != self.cells.len() {
            self.largest = bodies.radii()[..count].iter().fold(0.0, |largest: f64, &radius| largest.max(radius));
        }
        self.slack = 0.0;
        self.moved = false;
        let grid = Grid::fit(field, positions, self.largest);
        let helpers = helpers.and_then(|helpers| helpers.for_items(count, WORTH_SHARING));
        let is_known = count == self.cells.len();
        // The order depends on the grid only by its shape and the cells of the bodies.
        let has_order = is_known
            && !self.fits_most
            && (grid.columns, grid.lines) == (self.grid.columns, self.grid.lines)
            && self.fullest <= FULL;
        self.grid = grid;
        self.motion = if is_known { self.copy_bodies(bodies, is_reshaped, helpers) } else { f64::INFINITY };
        if has_order && self.move_leavers(positions, helpers) {
            return;
        }
        self.sort(bodies);
        self.fits_most = self.is_heap() && field.boundary != Boundary::Periodic;
        if self.fits_most {
            // A few bodies far away must not put all others into one cell.
            self.grid = Grid::fit_most(field, positions, self.largest);
            self.sort(bodies);
        }
    }

    /// Moves the slots of all bodies that left their cells. Returns whether all slots are in order afterwards: if many
    /// bodies left, or entered one cell, sorting is better.
    fn move_leavers(&mut self, positions: &[DVec2], helpers: Option<Helpers>) -> bool {
        self.find_leavers(positions, helpers);
        let leavers = std::mem::take(&mut self.leavers);
        let moves = |&(row, cell): &(u32, u32)| {
            let from = self.cells[row as usize];
            let slots = self.starts[from as usize].abs_diff(self.starts[cell as usize]);
            // Several beginnings of cells are moved in the time of a slot.
            (slots + from.abs_diff(cell) / 8) as usize + 1
        };
        let moves: usize = leavers.iter().flatten().map(moves).sum();
        let is_quick = moves <= MOVES_PER_BODY * positions.len();
        for &(row, cell) in leavers.iter().flatten().filter(|_| is_quick) {
            self.change_cell(row as usize, cell as usize);
            self.fullest = self.fullest.max(self.starts[cell as usize + 1] - self.starts[cell as usize]);
        }
        self.leavers = leavers;
        is_quick && self.fullest <= FULL
    }

    /// Lists the rows that left their cells.
    fn find_leavers(&mut self, positions: &[DVec2], helpers: Option<Helpers>) {
        let Self { grid, cells, leavers, .. } = self;
        leavers.iter_mut().for_each(Vec::clear);
        let find = |rows: Range<usize>, found: &mut Vec<(u32, u32)>| {
            for row in rows {
                let cell = grid.cell(grid.stored(positions[row])) as u32;
                if cell != cells[row] {
                    found.push((row as u32, cell));
                }
            }
        };
        match helpers {
            None => {
                leavers.resize_with(leavers.len().max(1), Vec::new);
                find(0..positions.len(), &mut leavers[0]);
            }
            Some(helpers) => {
                let pieces: Vec<_> = helpers.pieces(positions.len()).collect();
                leavers.resize_with(leavers.len().max(pieces.len()), Vec::new);
                helpers.take_each(pieces.into_iter().zip(leavers).collect(), |(rows, found)| find(rows, found));
            }
        }
    }

    /// Moves the slot of a row to another cell.
    fn change_cell(&mut self, row: usize, to: usize) {
        let (from, place) = (self.cells[row] as usize, self.place(row));
        let next = self.place_in(to, row);
        if from < to {
            self.slots[place..next].rotate_left(1);
            self.starts[from + 1..=to].iter_mut().for_each(|start| *start -= 1);
        } else {
            self.slots[next..=place].rotate_right(1);
            self.starts[to + 1..=from].iter_mut().for_each(|start| *start += 1);
        }
        self.cells[row] = to as u32;
    }

    /// Copies the positions of all bodies to their slots, and if they are reshaped, everything else. Returns the largest
    /// distance (m) of a copied position from the one before; infinite if bodies are reshaped.
    fn copy_bodies(&mut self, bodies: &Bodies, is_reshaped: bool, helpers: Option<Helpers>) -> f64 {
        let (grid, positions, radii, groups) = (self.grid, bodies.positions(), bodies.radii(), bodies.groups());
        // Whether all moved by no more than a finite distance, and the square of that.
        let copy = |slots: &mut [Slot]| {
            let (mut is_known, mut most) = (!is_reshaped, 0.0);
            for slot in slots {
                let position = grid.stored(positions[slot.row as usize]);
                let square = (position - slot.position).length_squared();
                is_known &= square < f64::INFINITY;
                most = if square > most { square } else { most };
                slot.position = position;
            }
            if is_known { most } else { f64::INFINITY }
        };
        let square = match helpers {
            None => copy(&mut self.slots),
            Some(helpers) => {
                let most = Mutex::new(0.0);
                helpers.share(&mut self.slots, |slots| {
                    let square = copy(slots);
                    let mut most = most.lock().unwrap_or_else(PoisonError::into_inner);
                    *most = square.max(*most);
                });
                most.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        };
        if is_reshaped {
            for slot in &mut self.slots {
                (slot.radius, slot.group) = (radii[slot.row as usize], groups[slot.row as usize]);
            }
        }
        square.sqrt()
    }

    /// Slot of a row.
    #[inline]
    fn place(&self, row: usize) -> usize {
        self.place_in(self.cells[row] as usize, row)
    }

    /// Slot of a row in a cell, or the one that it would have there.
    #[inline]
    fn place_in(&self, cell: usize, row: usize) -> usize {
        let first = self.starts[cell] as usize;
        let slots = &self.slots[first..self.starts[cell + 1] as usize];
        first + slots.partition_point(|slot| (slot.row as usize) < row)
    }

    /// Whether so many bodies are in one place that a comparison of all neighbours would take too long: the time of a
    /// step must not grow with the square of their number.
    #[inline]
    pub(super) fn is_heap(&self) -> bool {
        self.fullest > FULL && self.fullest as usize * self.slots.len() > HEAP
    }

    /// Number of bodies.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no body.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Largest distance (m) that a body moved from before the last update; infinite if unknown.
    pub(super) fn motion(&self) -> f64 {
        self.motion
    }

    /// Radius (m) of the largest body.
    #[inline]
    #[must_use]
    pub fn largest_radius(&self) -> f64 {
        self.largest
    }

    /// Rows in the order of cells: neighbours in space are mostly neighbours in this order.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.slots.iter().map(|slot| slot.row as usize)
    }

    /// Updates the index after moves by [`Index::move_body`] only; very cheap if no body left its cell.
    pub(super) fn refresh(&mut self, field: &Field, bodies: &Bodies) {
        // The grid of an open arena, or of a heap, depends on the positions of bodies.
        if self.moved && (self.slack > 0.0 || self.fits_most || field.boundary == Boundary::Open) {
            self.update(field, bodies, bodies.is_reshaped(), None);
        }
    }

    /// Moves the body in `row` to `position`. Queries return it there, but are slightly slower until the next update.
    pub fn move_body(&mut self, row: usize, position: DVec2) {
        let (position, place) = (self.grid.stored(position), self.place(row));
        self.slots[place].position = position;
        self.moved = true;
        let cell = self.cells[row] as usize;
        if self.grid.cell(position) != cell {
            self.slack = self.slack.max(self.grid.excess(cell, position));
        }
    }

    /// Number of rows of cells.
    pub(super) fn lines(&self) -> usize {
        self.grid.lines
    }

    /// Mean number of bodies in a square of this side (m).
    pub(super) fn mean_count(&self, side: f64) -> f64 {
        let size = self.grid.size();
        self.slots.len() as f64 * side * side / (size.x * size.y)
    }

    /// Whether every body is in its cell.
    pub(super) fn is_sorted(&self) -> bool {
        self.slack == 0.0
    }

    /// Stable counting sort of the rows by cell.
    fn sort(&mut self, bodies: &Bodies) {
        let cell = |position: &DVec2| self.grid.cell(self.grid.stored(*position)) as u32;
        self.cells.clear();
        self.cells.extend(bodies.positions()[..bodies.len()].iter().map(cell));
        // While slots are filled, `starts[cell + 1]` advances from the first slot of the cell to its end.
        self.starts.clear();
        self.starts.resize(self.grid.columns * self.grid.lines + 2, 0);
        for &cell in &self.cells {
            self.starts[cell as usize + 2] += 1;
        }
        let (mut total, mut fullest) = (0, 0);
        for start in &mut self.starts {
            fullest = fullest.max(*start);
            total += *start;
            *start = total;
        }
        self.fullest = fullest;
        self.slots.resize(bodies.len(), Slot::default());
        for row in 0..bodies.len() {
            let next = &mut self.starts[self.cells[row] as usize + 1];
            let place = *next;
            *next += 1;
            self.slots[place as usize] = self.slot(bodies, row);
        }
        self.starts.pop();
    }

    #[inline]
    fn slot(&self, bodies: &Bodies, row: usize) -> Slot {
        let position = self.grid.stored(bodies.positions()[row]);
        Slot { position, radius: bodies.radii()[row], row: row as u32, group: bodies.groups()[row] }
    }
}

#[cfg(test)]
mod tests;
