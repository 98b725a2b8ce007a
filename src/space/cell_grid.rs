//! A grid of equal cells over the arena, with the obstacles that separate cells.

use bevy::math::{DVec2, UVec2};

use super::field::{Boundary, Field};
use super::solid::Solids;

/// A grid of equal cells that fills the arena, row by row from the lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGrid {
    /// The arena.
    pub arena: Field,
    /// Width and height of a cell (m).
    pub cell_m: DVec2,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// What obstacles separate; `None` if nothing does.
    partition: Option<Partition>,
}

/// The columns and rows of the four cells whose centres surround a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    /// The left and the right column.
    pub columns: [usize; 2],
    /// The lower and the upper row.
    pub rows: [usize; 2],
    /// The position of the point between them, from 0 to 1.
    pub part: DVec2,
}

impl Around {
    /// The share of each cell in the point, in the order of [`CellGrid::shares`].
    #[inline]
    #[must_use]
    pub fn parts(&self) -> [f64; 4] {
        let (part, rest) = (self.part, DVec2::ONE - self.part);
        [rest.x * rest.y, part.x * rest.y, rest.x * part.y, part.x * part.y]
    }

    /// The place of the nearest cell, in the order of [`CellGrid::shares`].
    #[must_use]
    pub fn nearest(&self) -> usize {
        usize::from(self.part.x >= 0.5) + 2 * usize::from(self.part.y >= 0.5)
    }
}

/// The cells that obstacles separate.
#[derive(Clone, Debug, PartialEq)]
struct Partition {
    /// Whether an obstacle separates a cell from the next one in its row, and in its column.
    parted: [Vec<bool>; 2],
    /// Whether the centre of a cell is in an obstacle.
    solid: Vec<bool>,
}

impl CellGrid {
    /// The grid whose cells are at most as large as a cell (m), with whole numbers of columns and rows.
    #[must_use]
    pub fn new(arena: Field, cell_m: DVec2) -> Self {
        // A quotient that should be whole is not rounded up.
        let count = (arena.size / cell_m - 1e-9).ceil().max(DVec2::ONE);
        let [columns, rows] = count.to_array().map(|cells| cells as usize);
        Self { arena, cell_m: arena.size / count, columns, rows, partition: None }
    }

    /// The number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether it has no cells: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The area of a cell (m²).
    #[must_use]
    pub fn cell_m2(&self) -> f64 {
        self.cell_m.x * self.cell_m.y
    }

    /// The centre of a cell (m).
    #[must_use]
    pub fn center(&self, column: usize, row: usize) -> DVec2 {
        self.arena.low + self.cell_m * (DVec2::new(column as f64, row as f64) + 0.5)
    }

    /// Finds the cells that blocking solids separate, those of bodies and those that do not count excepted: a solid is between the
    /// centres of the two cells.
    pub fn divide(&mut self, solids: &Solids, counts: impl Fn(usize) -> bool) {
        self.partition = None;
        for solid in 0..solids.len() {
            let properties = solids.properties(solid);
            if !properties.blocks || properties.is_body || !counts(solid) {
                continue;
            }
            let outline = solids.outline(solid);
            let (low, high) = outline.bounds();
            let last = DVec2::new(self.columns as f64, self.rows as f64) - 1.0;
            let [low, high] = [low, high].map(|corner| (corner - self.arena.low) / self.cell_m);
            let [low, high] = [low - 2.0, high + 1.0].map(|corner| corner.floor().clamp(DVec2::ZERO, last).as_uvec2());
            let Self { arena, cell_m, columns, rows, partition } = self;
            let Partition { parted, solid: solid_cells } = partition.get_or_insert_with(|| {
                let cells = *columns * *rows;
                Partition { parted: [(); 2].map(|()| vec![false; cells]), solid: vec![false; cells] }
            });
            for (row, column) in (low.y..=high.y).flat_map(|row| (low.x..=high.x).map(move |column| (row, column))) {
                let middle = arena.low + *cell_m * (UVec2::new(column, row).as_dvec2() + 0.5);
                let cell = row as usize * *columns + column as usize;
                solid_cells[cell] |= outline.contains(middle);
                for (axis, step) in [DVec2::X, DVec2::Y].into_iter().enumerate() {
                    parted[axis][cell] |= outline.meets_segment(middle, middle + step * *cell_m);
                }
            }
        }
    }

    /// Whether obstacles separate any cells.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        self.partition.is_some()
    }

    /// Whether an obstacle separates a cell from the next one along an axis: 0 in its row, 1 in its column.
    #[inline]
    #[must_use]
    pub fn is_parted(&self, axis: usize, cell: usize) -> bool {
        self.partition.as_ref().is_some_and(|partition| partition.parted[axis][cell])
    }

    /// The four cells whose centres surround a point of the arena (m), each with its share of the point: in order, the lower
    /// left, the lower right, the upper left and the upper right one.
    ///
    /// At the border, cells beyond it are those across a periodic boundary, or else the last ones. A cell in an obstacle has no
    /// share, and neither has a cell that an obstacle separates from the nearest one.
    #[inline]
    #[must_use]
    pub fn shares(&self, point: DVec2) -> [(usize, f64); 4] {
        let around = self.around(point);
        let (cells, parts) = (self.cells(&around), around.parts());
        match &self.partition {
            None => [0, 1, 2, 3].map(|place| (cells[place], parts[place])),
            Some(partition) => partition.shares(cells, parts, around.part),
        }
    }

    /// The cells whose centres surround a point of the arena (m), in the order of [`shares`](Self::shares).
    #[inline]
    #[must_use]
    pub fn cells(&self, Around { columns, rows, .. }: &Around) -> [usize; 4] {
        let rows = rows.map(|row| row * self.columns);
        [rows[0] + columns[0], rows[0] + columns[1], rows[1] + columns[0], rows[1] + columns[1]]
    }

    /// The columns and rows whose centres surround a point of the arena (m).
    #[inline]
    #[must_use]
    pub fn around(&self, point: DVec2) -> Around {
        let at = (point - self.arena.low) / self.cell_m - 0.5;
        let low = at.floor();
        let wraps = self.arena.boundary == Boundary::Periodic;
        let pair = |low: f64, count: usize| {
            let (first, last) = (low as i64, count as i64 - 1);
            match wraps && (first < 0 || first >= last) {
                true => [count - 1, 0],
                false => [first, first + 1].map(|place| place.clamp(0, last) as usize),
            }
        };
        Around { columns: pair(low.x, self.columns), rows: pair(low.y, self.rows), part: at - low }
    }

    /// A point as one of the arena: across a periodic boundary if it is outside; `None` if it is outside without one.
    #[inline]
    #[must_use]
    pub fn inside(&self, point: DVec2) -> Option<DVec2> {
        if self.arena.boundary == Boundary::Periodic {
            return point.is_finite().then(|| self.arena.wrap(point));
        }
        let is_inside = point.cmpge(self.arena.low).all() && point.cmple(self.arena.high()).all();
        is_inside.then_some(point)
    }
}

impl Partition {
    fn shares(&self, cells: [usize; 4], parts: [f64; 4], part: DVec2) -> [(usize, f64); 4] {
        let [across, along] = &self.parted;
        let is_parted = across[cells[0]] || across[cells[2]] || along[cells[0]] || along[cells[1]];
        let near = part.round();
        let corners = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
        let share = |place: usize| match is_parted {
            true => f64::from(u8::from(near == corners[place])),
            false => parts[place],
        };
        let free = |place: usize| if self.solid[cells[place]] { 0.0 } else { share(place) };
        let sum: f64 = (0..4).map(free).sum();
        [0, 1, 2, 3].map(|place| (cells[place], if sum > 0.0 { free(place) / sum } else { 0.0 }))
    }
}
