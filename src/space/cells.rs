//! Grid of static solids: finds those near a box.

use bevy::math::DVec2;

/// A solid that covers more cells than this is always tested.
const MOST_CELLS: usize = 64;
/// With so many solids, long ones that cover a few rows or columns are sorted, too: maps have many of them.
const MANY: usize = 512;
/// The largest mean number of cells of a solid in such a grid.
const MOST_COVERED: usize = 16;

/// Boxes sorted by the cells that they cover; depends only on the boxes and their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    origin: DVec2,
    /// Upper corner of all boxes; `origin` is the lower one.
    high: DVec2,
    cells_per_metre: DVec2,
    columns: usize,
    lines: usize,
    /// First item of each cell, and the end.
    starts: Vec<u32>,
    items: Vec<u32>,
    /// Numbers of the boxes that cover too many cells.
    wide: Vec<u32>,
}

impl Cells {
    /// Sorts numbered boxes into a grid with about one cell per box.
    pub fn from_boxes(boxes: &[(u32, DVec2, DVec2)]) -> Self {
        let low = boxes.iter().fold(DVec2::INFINITY, |all, (_, low, _)| all.min(*low));
        let high = boxes.iter().fold(DVec2::NEG_INFINITY, |all, (.., high)| all.max(*high));
        let size = (high - low).max(DVec2::splat(1e-9));
        let side = (size.x * size.y / boxes.len().max(1) as f64).sqrt();
        let count = |size: f64| ((size / side) as usize).clamp(1, boxes.len().max(1));
        let (columns, lines) = (count(size.x), count(size.y));
        let cells_per_metre = DVec2::new(columns as f64, lines as f64) / size;
        let mut cells = Self { origin: low, high, cells_per_metre, columns, lines, ..Self::default() };
        let cells_of = |low: &DVec2, high: &DVec2| {
            let ((left, bottom), (right, top)) = (cells.cell(*low), cells.cell(*high));
            (right - left + 1) * (top - bottom + 1)
        };
        let long = if boxes.len() < MANY { MOST_CELLS } else { MOST_CELLS.max(2 * (columns + lines)) };
        let sum: usize = boxes.iter().map(|(_, low, high)| cells_of(low, high)).filter(|count| *count <= long).sum();
        let most = if sum <= MOST_COVERED * boxes.len() { long } else { MOST_CELLS };
        let mut covered = Vec::new();
        for (number, low, high) in boxes {
            let ((left, bottom), (right, top)) = (cells.cell(*low), cells.cell(*high));
            if (right - left + 1) * (top - bottom + 1) > most {
                cells.wide.push(*number);
                continue;
            }
            let lines = bottom..=top;
            covered.extend(lines.flat_map(|line| (left..=right).map(move |column| (line * columns + column, *number))));
        }
        // In order of cells, then of numbers.
        covered.sort_unstable();
        cells.starts = (0..=columns * lines).map(|cell| covered.partition_point(|(at, _)| *at < cell) as u32).collect();
        cells.items = covered.into_iter().map(|(_, number)| number).collect();
        cells
    }

    /// Lower and upper corner of the box around all boxes.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        (self.origin, self.high)
    }

    /// Visits the numbers of all boxes that may meet the box from `low` to `high`, each once. `low_of` returns the
    /// lower corner of a box.
    #[inline]
    pub fn near(&self, low: DVec2, high: DVec2, low_of: impl Fn(usize) -> DVec2, mut visit: impl FnMut(usize)) {
        self.wide.iter().for_each(|number| visit(*number as usize));
        if self.items.is_empty() {
            return;
        }
        let ((left, bottom), (right, top)) = (self.cell(low), self.cell(high));
        for line in bottom..=top {
            for column in left..=right {
                let cell = line * self.columns + column;
                for &number in &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                    // Report it only in the first cell that it shares with the box.
                    let (first, below) = self.cell(low_of(number as usize));
                    if first.max(left) == column && below.max(bottom) == line {
                        visit(number as usize);
                    }
                }
            }
        }
    }

    /// Column and row of the cell of a point, or of the nearest cell for points outside.
    #[inline]
    fn cell(&self, point: DVec2) -> (usize, usize) {
        let place = (point - self.origin) * self.cells_per_metre;
        ((place.x as u32 as usize).min(self.columns - 1), (place.y as u32 as usize).min(self.lines - 1))
    }
}
