//! Spatial index of bodies: a uniform grid filled by a counting sort.

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use bevy::math::DVec2;

use super::bodies::Bodies;
use super::field::{Boundary, Field, nearest_image};
use super::grid::Grid;
use super::helpers::Helpers;
use super::sector::Sector;

/// A body in the result of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Row of the body.
    pub row: usize,
    /// Vector (m) from the centre of the query to the centre of the body; the shortest in a periodic arena.
    pub offset: DVec2,
    /// Radius of the body (m).
    pub radius: f64,
    /// Group of the body.
    pub group: u32,
}

/// Return value of a visitor of a query: `()` always continues, `true` and [`ControlFlow::Break`] stop.
pub trait Answer {
    /// Whether to stop.
    fn stops(self) -> bool;
}

impl Answer for () {
    #[inline]
    fn stops(self) -> bool {
        false
    }
}

impl Answer for bool {
    #[inline]
    fn stops(self) -> bool {
        self
    }
}

impl Answer for ControlFlow<()> {
    #[inline]
    fn stops(self) -> bool {
        self.is_break()
    }
}

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
/// The number of bodies that one round of [`Index::spread_in_box`] visits.
const SAMPLE: usize = 64;
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

    /// Loads the slots that queries of `reach` (m) around some centers start with into the cache.
    ///
    /// Rows that follow each other are mostly far apart in space. A query waits for its slots, and the next query for
    /// the result of this one; here, the processor waits for many slots at once.
    pub(super) fn preload(&self, centers: impl Iterator<Item = DVec2>, reach: f64) {
        let load = |loaded, center: DVec2| {
            let center = self.grid.stored(center);
            let column = self.grid.column(center.x - reach);
            let first = |y| {
                let place = self.starts[self.grid.line(y) * self.grid.columns + column];
                self.slots.get(place as usize).map_or(0, |slot| slot.row)
            };
            loaded ^ first(center.y - reach) ^ first(center.y) ^ first(center.y + reach)
        };
        std::hint::black_box(centers.fold(0, load));
    }

    /// The body in `row` as in a query around `center`.
    #[inline]
    #[must_use]
    pub fn neighbour(&self, row: usize, center: DVec2) -> Option<Neighbour> {
        if row >= self.cells.len() {
            return None;
        }
        let slot = &self.slots[self.place(row)];
        let offset = match self.grid.period() {
            None => slot.position - center,
            Some(period) => nearest_image(slot.position - self.grid.stored(center), period),
        };
        Some(slot.neighbour(offset))
    }

    /// Visits every body of the cells that touch the box from `center + low` to `center + high` (m).
    ///
    /// These are all bodies with their centres in the box, and others near it.
    #[inline(always)]
    pub fn near_box<A: Answer>(
        &self,
        center: DVec2,
        (low, high): (DVec2, DVec2),
        visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let (low, high) = (low - self.slack, high + self.slack);
        match self.grid.period() {
            None => self.near_plain_box(center, low, high, visit),
            Some(period) => self.near_wrapped_box(period, center, low, high, visit),
        }
    }

    /// As [`near_box`](Self::near_box), in rounds: each visits an equal share of the bodies everywhere in the box, and
    /// the visitor returns whether it has seen enough after this round. The first round depends on `start`.
    pub(super) fn spread_in_box(
        &self,
        center: DVec2,
        (low, high): (DVec2, DVec2),
        start: usize,
        mut visit: impl FnMut(Neighbour) -> bool,
    ) {
        let (low, high) = (low - self.slack, high + self.slack);
        let period = self.grid.period();
        let center = self.grid.stored(center);
        let columns_of_grid = self.grid.columns;
        let mut pieces: Vec<Range<usize>> = Vec::new();
        match period {
            None => {
                let columns = self.grid.column(center.x + low.x)..self.grid.column(center.x + high.x) + 1;
                let lines = self.grid.line(center.y + low.y)..self.grid.line(center.y + high.y) + 1;
                pieces.extend(lines.map(|line| self.slots_of(line, columns.clone())));
            }
            Some(_) => {
                let (column, columns) = self.grid.wrapped_columns(center.x + low.x, center.x + high.x);
                let (line, lines) = self.grid.wrapped_lines(center.y + low.y, center.y + high.y);
                let right = columns.min(columns_of_grid - column);
                for line in (line..line + lines).map(|line| line % self.grid.lines) {
                    pieces.push(self.slots_of(line, column..column + right));
                    pieces.push(self.slots_of(line, 0..columns - right));
                }
            }
        }
        let rounds = (pieces.iter().map(Range::len).sum::<usize>() / SAMPLE).max(1);
        for round in 0..rounds {
            let first = (start + round) % rounds;
            let mut is_enough = false;
            for slot in pieces.iter().flat_map(|piece| self.slots[piece.clone()].iter().skip(first).step_by(rounds)) {
                let offset = slot.position - center;
                is_enough |= visit(slot.neighbour(period.map_or(offset, |period| nearest_image(offset, period))));
            }
            if is_enough {
                return;
            }
        }
    }

    /// Visits every body whose edge is closer to `center` than `range` (m): distance < range + radius.
    #[inline]
    pub fn within_range<A: Answer>(
        &self,
        center: DVec2,
        range: f64,
        except: Option<usize>,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let (reach, except) = (DVec2::splat(range + self.largest), except_row(except));
        self.near_box(center, (-reach, reach), |body| {
            let limit = range + body.radius;
            body.row != except && body.offset.length_squared() < limit * limit && visit(body).stops()
        })
    }

    /// Visits every body whose centre is closer to `center` than `range` (m).
    #[inline]
    pub fn centers_within_range<A: Answer>(
        &self,
        center: DVec2,
        range: f64,
        except: Option<usize>,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let (reach, except) = (DVec2::splat(range), except_row(except));
        self.near_box(center, (-reach, reach), |body| {
            body.row != except && body.offset.length_squared() < range * range && visit(body).stops()
        })
    }

    /// Visits every body that touches `sector` with its tip at `center`.
    #[inline]
    pub fn within_sector<A: Answer>(
        &self,
        center: DVec2,
        sector: &Sector,
        except: Option<usize>,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let except = except_row(except);
        self.near_box(center, sector.bounds(self.largest), |body| {
            body.row != except && sector.touches(body.offset, body.radius) && visit(body).stops()
        })
    }

    /// Visits every body whose centre is in `sector` with its tip at `center`.
    #[inline]
    pub fn centers_within_sector<A: Answer>(
        &self,
        center: DVec2,
        sector: &Sector,
        except: Option<usize>,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let except = except_row(except);
        self.near_box(center, sector.bounds(0.0), |body| {
            body.row != except && sector.holds(body.offset) && visit(body).stops()
        })
    }

    /// The body whose centre is nearest to `center` among those that `accept` accepts; the first of equally near ones.
    #[must_use]
    pub fn nearest(
        &self,
        center: DVec2,
        except: Option<usize>,
        mut accept: impl FnMut(&Neighbour) -> bool,
    ) -> Option<Neighbour> {
        let (all, except) = (self.grid.reach(center), except_row(except));
        let mut range = self.grid.size().length() / (self.len().max(1) as f64).sqrt();
        loop {
            // A range or reach that is NaN ends the search, too.
            let last = range.is_nan() || all.is_nan() || range >= all;
            let reach = DVec2::splat(if last { f64::INFINITY } else { range });
            let mut best: Option<(f64, Neighbour)> = None;
            self.near_box(center, (-reach, reach), |body| {
                let distance = body.offset.length_squared();
                let nearer = best.is_none_or(|(least, other)| (distance, body.row) < (least, other.row));
                if nearer && body.row != except && accept(&body) {
                    best = Some((distance, body));
                }
            });
            // Bodies outside the box may be nearer than one found in a corner of it.
            if last || best.is_some_and(|(distance, _)| distance <= range * range) {
                return best.map(|(_, body)| body);
            }
            range *= 2.0;
        }
    }

    /// Visits every body closer than `pad` (m, along an axis) to the segment from `origin` to `origin + step`, and
    /// others near it.
    #[inline(always)]
    pub(super) fn near_segment<A: Answer>(
        &self,
        origin: DVec2,
        step: DVec2,
        pad: f64,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let (low, high) = (step.min(DVec2::ZERO) - pad, step.max(DVec2::ZERO) + pad);
        if self.grid.period().is_some() {
            return self.near_box(origin, (low, high), visit);
        }
        let pad = pad + self.slack;
        let (first, last) =
            (self.grid.line(origin.y + low.y - self.slack), self.grid.line(origin.y + high.y + self.slack));
        for line in first..=last {
            let (bottom, top) = self.grid.band(line);
            // The part of the segment near this row of cells; the smallest positive number replaces a slope of zero.
            let slope = if step.y == 0.0 { f64::MIN_POSITIVE } else { step.y };
            let (a, b) = ((bottom - pad - origin.y) / slope, (top + pad - origin.y) / slope);
            let (a, b) = (a.min(b).clamp(0.0, 1.0) * step.x, a.max(b).clamp(0.0, 1.0) * step.x);
            let columns = self.grid.column(origin.x + a.min(b) - pad)..self.grid.column(origin.x + a.max(b) + pad) + 1;
            if self.visit_cells(line, columns, |slot| visit(slot.neighbour(slot.position - origin))) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn near_plain_box<A: Answer>(
        &self,
        center: DVec2,
        low: DVec2,
        high: DVec2,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let (low, high) = (center + low, center + high);
        let (first, end) = (self.grid.column(low.x), self.grid.column(high.x) + 1);
        for line in self.grid.line(low.y)..self.grid.line(high.y) + 1 {
            if self.visit_cells(line, first..end, |slot| visit(slot.neighbour(slot.position - center))) {
                return true;
            }
        }
        false
    }

    /// Visits every pair of bodies whose centres are closer than `reach` (m), each pair once: both rows and the squared
    /// distance. Pairs across the boundary of a periodic arena are not included.
    ///
    /// Only pairs with one body in `lines` and the other there or in rows of cells above, so that several threads can
    /// share all rows. The index must be up to date: [`Index::is_sorted`].
    pub(super) fn pairs(&self, lines: Range<usize>, reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
        let limit = reach * reach;
        for line in lines {
            let first = line * self.grid.columns;
            for place in self.slots_of(line, 0..self.grid.columns) {
                let Slot { position, row, .. } = self.slots[place];
                let mut meet = |others: &[Slot]| {
                    for other in others {
                        let distance = (other.position - position).length_squared();
                        if distance < limit {
                            visit(row as usize, other.row as usize, distance);
                        }
                    }
                };
                let end = self.grid.column(position.x + reach) + 1;
                meet(&self.slots[place + 1..self.starts[first + end] as usize]);
                // Most bodies are not that near to the row above.
                let top = self.grid.line(position.y + reach);
                if top > line {
                    let columns = self.grid.column(position.x - reach)..end;
                    (line + 1..top + 1).for_each(|line| meet(&self.slots[self.slots_of(line, columns.clone())]));
                }
            }
        }
    }

    /// As [`pairs`](Self::pairs), over all rows of cells; up to [`Index::FEW`] bodies, this is faster.
    pub(super) fn all_pairs(&self, reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
        let limit = reach * reach;
        let mut slots = self.slots.as_slice();
        while let [one, others @ ..] = slots {
            for other in others {
                let distance = (other.position - one.position).length_squared();
                if distance < limit {
                    visit(one.row as usize, other.row as usize, distance);
                }
            }
            slots = others;
        }
    }

    /// Visits the row of every body closer than `rim` (m, along an axis) to the edges of the area from `low` to `high`,
    /// or beyond them, and of others near it. Every body must be in its cell.
    pub(super) fn along_edges(&self, (low, high): (DVec2, DVec2), rim: f64, mut visit: impl FnMut(usize)) {
        let (left, right) = (self.grid.column(low.x + rim) + 1, self.grid.column(high.x - rim));
        let (bottom, top) = (self.grid.line(low.y + rim) + 1, self.grid.line(high.y - rim));
        let mut visit_cells =
            |line, columns| self.slots[self.slots_of(line, columns)].iter().for_each(|slot| visit(slot.row as usize));
        for line in 0..self.grid.lines {
            if left < right && (bottom..top).contains(&line) {
                visit_cells(line, 0..left);
                visit_cells(line, right..self.grid.columns);
            } else {
                visit_cells(line, 0..self.grid.columns);
            }
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

    // In a function of its own, so that queries in other arenas stay small.
    #[inline(never)]
    fn near_wrapped_box<A: Answer>(
        &self,
        period: DVec2,
        center: DVec2,
        low: DVec2,
        high: DVec2,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        let center = self.grid.stored(center);
        let (column, columns) = self.grid.wrapped_columns(center.x + low.x, center.x + high.x);
        let (line, lines) = self.grid.wrapped_lines(center.y + low.y, center.y + high.y);
        // Columns beyond the right boundary continue at the left one.
        let right = columns.min(self.grid.columns - column);
        let mut visit = |slot: &Slot| visit(slot.neighbour(nearest_image(slot.position - center, period)));
        (line..line + lines).any(|line| {
            let line = if line < self.grid.lines { line } else { line - self.grid.lines };
            self.visit_cells(line, column..column + right, &mut visit)
                || self.visit_cells(line, 0..columns - right, &mut visit)
        })
    }

    /// Visits the bodies in some adjacent columns of one row of cells.
    #[inline(always)]
    fn visit_cells<A: Answer>(&self, line: usize, columns: Range<usize>, mut visit: impl FnMut(&Slot) -> A) -> bool {
        // A loop, because closures of iterators are not always inlined; this runs for every robot at every step.
        for slot in &self.slots[self.slots_of(line, columns)] {
            if visit(slot).stops() {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn slots_of(&self, line: usize, columns: Range<usize>) -> Range<usize> {
        let first = line * self.grid.columns;
        self.starts[first + columns.start] as usize..self.starts[first + columns.end] as usize
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

impl Slot {
    #[inline(always)]
    fn neighbour(&self, offset: DVec2) -> Neighbour {
        Neighbour { row: self.row as usize, offset, radius: self.radius, group: self.group }
    }
}

/// The row to skip, or a row that no body has.
#[inline]
fn except_row(except: Option<usize>) -> usize {
    except.unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use bevy::tasks::TaskPoolBuilder;
    use proptest::prelude::*;
    use swarmarium_base::math;

    use super::super::fixture::{all, disc, point, space, with};
    use super::super::{Aperture, Space};
    use super::*;

    /// Compares the bodies visited by `query`, by row, with all bodies that `accept` accepts.
    fn compare(
        space: &Space,
        center: DVec2,
        query: impl FnOnce(&Index, &mut Vec<Neighbour>),
        accept: impl Fn(&Neighbour) -> bool,
    ) -> Result<(), TestCaseError> {
        let mut found = Vec::new();
        query(space.index(), &mut found);
        found.sort_by_key(|body| body.row);
        let expected: Vec<_> = all(space, center).into_iter().filter(accept).collect();
        prop_assert_eq!(found, expected);
        Ok(())
    }

    /// Compares all queries with brute force.
    fn check(space: &Space, center: DVec2, range: f64, half_angle: f64) -> Result<(), TestCaseError> {
        let except = Some(1);
        let others = |body: &Neighbour| body.row != 1;
        compare(
            space,
            center,
            |index, found| _ = index.within_range(center, range, except, |body| found.push(body)),
            |body| others(body) && body.offset.length_squared() < (range + body.radius).powi(2),
        )?;
        compare(
            space,
            center,
            |index, found| _ = index.centers_within_range(center, range, except, |body| found.push(body)),
            |body| others(body) && body.offset.length_squared() < range * range,
        )?;
        let sector = Aperture::new(half_angle, range, 0.2).toward(math::direction(center.x));
        compare(
            space,
            center,
            |index, found| _ = index.within_sector(center, &sector, except, |body| found.push(body)),
            |body| others(body) && sector.touches(body.offset, body.radius),
        )?;
        compare(
            space,
            center,
            |index, found| _ = index.centers_within_sector(center, &sector, except, |body| found.push(body)),
            |body| others(body) && sector.holds(body.offset),
        )?;
        let nearest = space.index().nearest(center, except, |body| body.group != 2);
        let by_distance =
            |a: &Neighbour, b: &Neighbour| a.offset.length_squared().total_cmp(&b.offset.length_squared());
        let expected =
            all(space, center).into_iter().filter(|body| others(body) && body.group != 2).min_by(by_distance);
        prop_assert_eq!(nearest, expected);
        Ok(())
    }

    proptest! {
        #[test]
        fn index_queries_equal_brute_force(
            space in space(), center in point(), range in 0.0..3.0, half_angle in 0.0..3.3,
        ) {
            check(&space, center, range, half_angle)?;
        }

        #[test]
        fn index_queries_follow_moved_bodies(
            mut space in space(),
            moves in prop::collection::vec((any::<prop::sample::Index>(), point()), 0..9),
            center in point(),
            range in 0.0..3.0,
        ) {
            for (row, step) in moves {
                if !space.bodies.is_empty() {
                    let row = row.index(space.bodies.len());
                    let position = space.bodies.positions()[row] + step - 2.0;
                    space.place_body(row, position, 0.0, step - 2.0);
                }
            }
            check(&space, center, range, 1.0)?;
            space.refresh();
            let mut fresh = Index::default();
            fresh.update(&space.arena, &space.bodies, true, None);
            prop_assert_eq!(&space.index.slots, &fresh.slots);
            prop_assert_eq!(&space.index.starts, &fresh.starts);
            prop_assert_eq!(&space.index.cells, &fresh.cells);
        }
    }

    proptest! {
        #[test]
        fn moved_bodies_have_the_order_of_a_new_index(
            mut space in space(),
            rounds in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), point()), 0..9), 1..4),
            reshaped: bool,
            threads in 0_usize..3,
        ) {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            let helpers = (threads > 0).then_some(Helpers { pool: &pool, is_eager: true });
            for moves in rounds {
                let count = space.bodies.len();
                for (row, step) in moves.into_iter().filter(|_| count > 0) {
                    let row = row.index(count);
                    if reshaped {
                        space.bodies.set(row, disc(step.x, step.y, 0.2));
                    } else {
                        let position = space.bodies.positions()[row] + (step - 2.0) / 10.0;
                        space.bodies.set_pose(row, position, 0.0, DVec2::ZERO);
                    }
                }
                space.update_with(helpers);
                let mut fresh = Index::default();
                fresh.update(&space.arena, &space.bodies, true, None);
                prop_assert_eq!(&space.index.slots, &fresh.slots);
                prop_assert_eq!(&space.index.starts, &fresh.starts);
                prop_assert_eq!(&space.index.cells, &fresh.cells);
                prop_assert_eq!((space.index.largest, space.index.is_heap()), (fresh.largest, fresh.is_heap()));
            }
        }
    }

    #[test]
    fn index_queries_work_with_no_body_one_body_and_all_at_one_position() {
        for boundary in [Boundary::Open, Boundary::Walls, Boundary::Periodic] {
            for count in [0, 1, 500] {
                let space = with(boundary, &vec![disc(1.0, 1.0, 0.1); count]);
                let mut found = 0;
                space.index().within_range(DVec2::ONE, 1.0, None, |_| found += 1);
                assert_eq!(found, count);
                assert_eq!(
                    space.index().nearest(DVec2::X, None, |_| true).map(|body| body.row),
                    (count > 0).then_some(0)
                );
            }
        }
    }

    #[test]
    fn a_visitor_can_stop_an_index_query() {
        let space = with(Boundary::Open, &[disc(0.0, 0.0, 0.1), disc(0.1, 0.0, 0.1)]);
        let mut seen = 0;
        let mut visit = |_| {
            seen += 1;
            true
        };
        assert!(space.index().within_range(DVec2::ZERO, 1.0, None, &mut visit));
        assert_eq!(seen, 1);
    }

    #[test]
    fn the_index_grid_stays_small_for_distant_bodies() {
        let mut bodies = vec![disc(0.0, 0.0, 0.01); 100];
        bodies.push(disc(1e9, 0.0, 0.01));
        for far in [DVec2::new(1e9, 0.0), DVec2::new(1e9, 1e9), DVec2::new(1e300, 1.0), DVec2::INFINITY, DVec2::NAN] {
            bodies[100].position = far;
            let space = with(Boundary::Open, &bodies);
            assert!(space.index().starts.len() <= 4 * 101 + 64);
        }
    }
}
