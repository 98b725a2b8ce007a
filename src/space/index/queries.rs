//! Queries of the index of bodies: neighbours within ranges and sectors, along segments, and pairs.

use std::ops::{ControlFlow, Range};

use bevy::math::DVec2;

use super::{Index, Slot};
use crate::field::nearest_image;
use crate::sector::Sector;

/// The number of bodies that one round of [`Index::spread_in_box`] visits.
const SAMPLE: usize = 64;

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

impl Index {
    /// Loads the slots that queries of `reach` (m) around some centers start with into the cache.
    ///
    /// Rows that follow each other are mostly far apart in space. A query waits for its slots, and the next query for
    /// the result of this one; here, the processor waits for many slots at once.
    pub(crate) fn preload(&self, centers: impl Iterator<Item = DVec2>, reach: f64) {
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
    pub(crate) fn spread_in_box(
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
    pub(crate) fn near_segment<A: Answer>(
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
    pub(crate) fn pairs(&self, lines: Range<usize>, reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
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
    pub(crate) fn all_pairs(&self, reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
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
    pub(crate) fn along_edges(&self, (low, high): (DVec2, DVec2), rim: f64, mut visit: impl FnMut(usize)) {
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
