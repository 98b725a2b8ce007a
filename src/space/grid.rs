//! Geometry of a uniform grid of cells.

use bevy::math::DVec2;

use super::field::{Boundary, Field, nearest_image};

/// Number of cells per body, before rounding.
const CELLS_PER_BODY: f64 = 2.0;

/// Upper bound of the error of a computed edge, as a fraction of a cell.
const ROUNDING: f64 = 1e-6;

/// Equal cells in rows (along x) above each other; points beyond the boundary belong to the nearest cell.
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
    /// The grid for bodies at `positions` with radii up to `largest`.
    ///
    /// It covers the arena or, for an open one, the bodies, with about two cells per body. No cell is narrower than the
    /// largest body, and there are at most four cells per body, plus one.
    pub(super) fn fit(field: &Field, positions: &[DVec2], largest: f64) -> Self {
        let (low, high) = match field.boundary {
            Boundary::Open => bounds(positions),
            Boundary::Walls | Boundary::Periodic => (field.low, field.high()),
        };
        // The difference of the corners would be rounded.
        let size = if field.boundary == Boundary::Open { high - low } else { field.size };
        Self::over(field, (low, size), positions.len(), largest)
    }

    /// As [`fit`](Self::fit), without a periodic boundary, where most bodies are in a small part of the area: it covers
    /// most of them.
    pub(super) fn fit_most(field: &Field, positions: &[DVec2], largest: f64) -> Self {
        let [x, y] = [|at: &DVec2| at.x, |at: &DVec2| at.y].map(|of| inner_span(positions.iter().map(of).collect()));
        Self::over(field, (DVec2::new(x.0, y.0), DVec2::new(x.1 - x.0, y.1 - y.0)), positions.len(), largest)
    }

    /// The grid over an area of a size (m) from `low` for a number of bodies.
    fn over(field: &Field, (low, size): (DVec2, DVec2), bodies: usize, largest: f64) -> Self {
        let wanted = CELLS_PER_BODY * bodies.max(1) as f64;
        // The second term limits the number of cells of a very long, narrow area.
        let side = (size.x * size.y / wanted).sqrt().max((size.x + size.y) / wanted).max(2.0 * largest);
        let (columns, lines) = (count(size.x, side), count(size.y, side));
        // In an open arena, coincident or collinear bodies have no extent to divide.
        let cell = |size: f64, count: usize| if size > 0.0 { size / count as f64 } else { 1.0 };
        let cell = DVec2::new(cell(size.x, columns), cell(size.y, lines));
        Self { field: *field, origin: low, cell, cells_per_metre: 1.0 / cell, columns, lines }
    }

    /// The arena's period in a periodic arena.
    #[inline]
    pub(super) fn period(&self) -> Option<DVec2> {
        (self.field.boundary == Boundary::Periodic).then_some(self.field.size)
    }

    /// `position` as stored in the grid: wrapped in a periodic arena.
    #[inline]
    pub(super) fn stored(&self, position: DVec2) -> DVec2 {
        if self.field.boundary == Boundary::Periodic { self.field.wrap(position) } else { position }
    }

    /// Column of the stored coordinate `x`; a monotonic function.
    #[inline]
    pub(super) fn column(&self, x: f64) -> usize {
        // Via `u32`, because the conversion of a float takes fewer instructions than to `usize`.
        (((x - self.origin.x) * self.cells_per_metre.x) as u32 as usize).min(self.columns - 1)
    }

    /// Row of cells of the stored coordinate `y`; a monotonic function.
    #[inline]
    pub(super) fn line(&self, y: f64) -> usize {
        (((y - self.origin.y) * self.cells_per_metre.y) as u32 as usize).min(self.lines - 1)
    }

    /// Cell of a stored position.
    #[inline]
    pub(super) fn cell(&self, position: DVec2) -> usize {
        self.line(position.y) * self.columns + self.column(position.x)
    }

    /// Columns from `low` to `high` in a periodic arena: first column and number of columns, each at most once.
    #[inline]
    pub(super) fn wrapped_columns(&self, low: f64, high: f64) -> (usize, usize) {
        let place = |x: f64| (x - self.origin.x) * self.cells_per_metre.x;
        wrapped_span(place(low), place(high), self.columns)
    }

    /// Rows from `low` to `high` in a periodic arena: first row and number of rows, each at most once.
    #[inline]
    pub(super) fn wrapped_lines(&self, low: f64, high: f64) -> (usize, usize) {
        let place = |y: f64| (y - self.origin.y) * self.cells_per_metre.y;
        wrapped_span(place(low), place(high), self.lines)
    }

    /// Lower and upper edge of `line`, rounded outwards; infinite at the boundary.
    #[inline]
    pub(super) fn band(&self, line: usize) -> (f64, f64) {
        let edge = |line: f64| self.origin.y + line * self.cell.y;
        let low = if line == 0 { f64::NEG_INFINITY } else { edge(line as f64 - ROUNDING) };
        (low, if line + 1 == self.lines { f64::INFINITY } else { edge(line as f64 + 1.0 + ROUNDING) })
    }

    /// Distance (m, along an axis, rounded up slightly) of the stored `position` from `cell`; 0 inside.
    pub(super) fn excess(&self, cell: usize, position: DVec2) -> f64 {
        let corner = DVec2::new((cell % self.columns) as f64, (cell / self.columns) as f64) * self.cell;
        let middle = self.origin + corner + self.cell / 2.0;
        let offset = self.period().map_or(position - middle, |period| nearest_image(position - middle, period));
        let beyond = (offset.abs() - self.cell / 2.0).max(DVec2::ZERO);
        // On an axis whose cell is the same, queries find the body anyway, also beyond the grid.
        let x = if self.column(position.x) == cell % self.columns { 0.0 } else { beyond.x };
        let y = if self.line(position.y) == cell / self.columns { 0.0 } else { beyond.y };
        x.max(y) + ROUNDING * self.cell.max_element()
    }

    /// Width and height (m).
    pub(super) fn size(&self) -> DVec2 {
        self.cell * DVec2::new(self.columns as f64, self.lines as f64)
    }

    /// Distance (m) at which a box around `center` contains all bodies inside the grid.
    pub(super) fn reach(&self, center: DVec2) -> f64 {
        (center - self.origin).abs().max((center - self.origin - self.size()).abs()).max_element()
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self::fit(&Field::new(DVec2::ONE, Boundary::Open), &[], 0.0)
    }
}

/// Bounding box of `positions`; a point if there are none.
fn bounds(positions: &[DVec2]) -> (DVec2, DVec2) {
    let Some(&first) = positions.first() else { return (DVec2::ZERO, DVec2::ZERO) };
    positions.iter().fold((first, first), |(low, high), &position| (low.min(position), high.max(position)))
}

/// The range of nine tenths of some coordinates, widened by half of it on both sides.
fn inner_span(mut coordinates: Vec<f64>) -> (f64, f64) {
    let Some(last) = coordinates.len().checked_sub(1) else { return (0.0, 0.0) };
    let mut at = |place: usize| *coordinates.select_nth_unstable_by(place, f64::total_cmp).1;
    let (low, high) = (at(last / 20), at(last - last / 20));
    let rim = (high - low) / 2.0;
    (low - rim, high + rim)
}

/// Number of cells of at least `side` in `size`; at least one.
fn count(size: f64, side: f64) -> usize {
    ((size / side) as u32).max(1) as usize
}

fn wrapped_span(low: f64, high: f64, cells: usize) -> (usize, usize) {
    let (low, high) = ((low - ROUNDING).floor() as i64, (high + ROUNDING).floor() as i64);
    let span = high.saturating_sub(low).saturating_add(1).clamp(0, cells as i64);
    (low.rem_euclid(cells as i64) as usize, span as usize)
}
