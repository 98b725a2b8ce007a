//! The geometry of a uniform grid: which cell holds a point.

use bevy::math::DVec2;

use super::field::{Boundary, Field, nearest_image};

/// Cells per body, before rounding.
const CELLS_PER_BODY: f64 = 2.0;

/// Part of a cell by which a computed edge may be off, and plenty.
const ROUNDING: f64 = 1e-6;

/// Equal cells in lines (along x) that lie one above the other; points beyond the boundary belong to the nearest cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    field: Field,
    origin: DVec2,
    cell: DVec2,
    cells_per_metre: DVec2,
    pub(super) columns: usize,
    pub(super) lines: usize,
}

impl Grid {
    /// The grid for bodies at `positions`, none of a greater radius than `largest`.
    ///
    /// It covers the arena, or in an open one the bodies, with about two cells a body, none narrower than the widest
    /// body and at most four a body in all (and one).
    pub(super) fn fit(field: &Field, positions: &[DVec2], largest: f64) -> Self {
        let (low, high) = match field.boundary {
            Boundary::Open => bounds(positions),
            Boundary::Walls | Boundary::Periodic => (field.low, field.high()),
        };
        // Not the difference of the corners, which rounds.
        let size = if field.boundary == Boundary::Open { high - low } else { field.size };
        let wanted = CELLS_PER_BODY * positions.len().max(1) as f64;
        // The middle term keeps an area that is all length from being cut into too many cells.
        let side = (size.x * size.y / wanted).sqrt().max((size.x + size.y) / wanted).max(2.0 * largest);
        let (columns, lines) = (count(size.x, side), count(size.y, side));
        // An open arena with all bodies on a line or a point has no size to divide.
        let cell = |size: f64, count: usize| if size > 0.0 { size / count as f64 } else { 1.0 };
        let cell = DVec2::new(cell(size.x, columns), cell(size.y, lines));
        Self { field: *field, origin: low, cell, cells_per_metre: 1.0 / cell, columns, lines }
    }

    /// The arena's period in a periodic arena.
    #[inline]
    pub(super) fn period(&self) -> Option<DVec2> {
        (self.field.boundary == Boundary::Periodic).then_some(self.field.size)
    }

    /// `position` as the grid stores it: inside the arena where that wraps.
    #[inline]
    pub(super) fn stored(&self, position: DVec2) -> DVec2 {
        if self.field.boundary == Boundary::Periodic { self.field.wrap(position) } else { position }
    }

    /// Column of the stored coordinate `x`; never falls where `x` rises.
    #[inline]
    pub(super) fn column(&self, x: f64) -> usize {
        // Through `u32`, as a float turns into it in fewer instructions than into `usize`.
        (((x - self.origin.x) * self.cells_per_metre.x) as u32 as usize).min(self.columns - 1)
    }

    /// Line of the stored coordinate `y`; never falls where `y` rises.
    #[inline]
    pub(super) fn line(&self, y: f64) -> usize {
        (((y - self.origin.y) * self.cells_per_metre.y) as u32 as usize).min(self.lines - 1)
    }

    /// Cell of a stored position.
    #[inline]
    pub(super) fn cell(&self, position: DVec2) -> usize {
        self.line(position.y) * self.columns + self.column(position.x)
    }

    /// Columns from `low` to `high` in a periodic arena: the first and how many, each once at most.
    #[inline]
    pub(super) fn wrapped_columns(&self, low: f64, high: f64) -> (usize, usize) {
        let place = |x: f64| (x - self.origin.x) * self.cells_per_metre.x;
        wrapped_span(place(low), place(high), self.columns)
    }

    /// Lines from `low` to `high` in a periodic arena: the first and how many, each once at most.
    #[inline]
    pub(super) fn wrapped_lines(&self, low: f64, high: f64) -> (usize, usize) {
        let place = |y: f64| (y - self.origin.y) * self.cells_per_metre.y;
        wrapped_span(place(low), place(high), self.lines)
    }

    /// Lower and upper edge of `line`, rounded outwards; those at the boundary go on for ever.
    #[inline]
    pub(super) fn band(&self, line: usize) -> (f64, f64) {
        let edge = |line: f64| self.origin.y + line * self.cell.y;
        let low = if line == 0 { f64::NEG_INFINITY } else { edge(line as f64 - ROUNDING) };
        (low, if line + 1 == self.lines { f64::INFINITY } else { edge(line as f64 + 1.0 + ROUNDING) })
    }

    /// How far (m, along an axis, a little rounded up) the stored `position` lies outside `cell`.
    pub(super) fn excess(&self, cell: usize, position: DVec2) -> f64 {
        let corner = DVec2::new((cell % self.columns) as f64, (cell / self.columns) as f64) * self.cell;
        let middle = self.origin + corner + self.cell / 2.0;
        let offset = self.period().map_or(position - middle, |period| nearest_image(position - middle, period));
        (offset.abs() - self.cell / 2.0).max_element().max(0.0) + ROUNDING * self.cell.max_element()
    }

    /// Width and height (m).
    pub(super) fn size(&self) -> DVec2 {
        self.cell * DVec2::new(self.columns as f64, self.lines as f64)
    }

    /// Distance (m) beyond which a box around `center` holds every body inside the grid.
    pub(super) fn reach(&self, center: DVec2) -> f64 {
        (center - self.origin).abs().max((center - self.origin - self.size()).abs()).max_element()
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self::fit(&Field::new(DVec2::ONE, Boundary::Open), &[], 0.0)
    }
}

/// Smallest box around `positions`; a point where there are none.
fn bounds(positions: &[DVec2]) -> (DVec2, DVec2) {
    let Some(&first) = positions.first() else { return (DVec2::ZERO, DVec2::ZERO) };
    positions.iter().fold((first, first), |(low, high), &position| (low.min(position), high.max(position)))
}

/// How many cells no shorter than `side` fill `size`: one at least.
fn count(size: f64, side: f64) -> usize {
    ((size / side) as u32).max(1) as usize
}

fn wrapped_span(low: f64, high: f64, cells: usize) -> (usize, usize) {
    let (low, high) = ((low - ROUNDING).floor() as i64, (high + ROUNDING).floor() as i64);
    let span = high.saturating_sub(low).saturating_add(1).clamp(0, cells as i64);
    (low.rem_euclid(cells as i64) as usize, span as usize)
}
