//! Scalar fields on grids over the arena, such as pheromone or temperature: sources, diffusion, evaporation.

use std::sync::{Arc, OnceLock};

use bevy::math::DVec2;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MAX_NUMBER};
use swarmarium_base::math;

use super::cell_grid::CellGrid;
use super::diffusion::{Kernel, without_tiny};
use super::field::{Boundary, Field};
use super::solid::Solids;
use super::thing::Thing;

/// Largest number of cells of all fields of a scene together.
pub const MAX_CELLS: f64 = 1e6;
/// Largest spread of a step, D dt / h²: kernels have up to six times its root as many cells.
const MAX_SPREAD: f64 = 1000.0;
/// The same for fields that obstacles block, which need one iteration for each [`SPREAD_AT_ONCE`].
const MAX_BLOCKED_SPREAD: f64 = 25.0;
/// The largest spread along both axes together of an iteration among obstacles: content stays positive up to 1/2.
const SPREAD_AT_ONCE: f64 = 0.25;
/// Smallest number of cells in a block of rows, which snapshots share.
const BLOCK_CELLS: usize = 1024;

/// A scalar field: an amount per area on a grid over the arena, such as pheromone, temperature or a signal.
///
/// Sources and emitters of robots add to it, it spreads by diffusion, and it evaporates. Its units are those of the author:
/// amounts are in units, and values in units per square metre.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct FieldSettings {
    /// Name, by which emitters, sensors and metrics refer to it.
    pub name: String,
    /// Largest width and height of a cell; cells are stretched to less so that a whole number fits in the arena. It takes effect
    /// at the next reset.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub cell_m: f64,
    /// Diffusion coefficient: an amount at a point spreads to the variance 2 D t along each axis after the time t.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub diffusion_m2_per_s: f64,
    /// Fraction that evaporates per second: the half-life is ln 2 divided by it.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub evaporation_per_s: f64,
    /// Value everywhere at the start, per square metre.
    #[reflect(@Limits::between(0.0, MAX_NUMBER))]
    pub initial_per_m2: f64,
    /// Fixed sources, and sources on objects.
    pub sources: Vec<FieldSource>,
    /// Whether nothing diffuses through obstacles that do not move.
    pub blocked_by_obstacles: bool,
    /// Whether it is left out of pictures.
    pub hidden: bool,
    /// Value of the last colour in pictures; 0 for a round number above the largest value.
    #[reflect(@Limits::between(0.0, MAX_NUMBER))]
    pub color_max_per_m2: f64,
}

impl Default for FieldSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            cell_m: 0.1,
            diffusion_m2_per_s: 0.0,
            evaporation_per_s: 0.0,
            initial_per_m2: 0.0,
            sources: Vec::new(),
            blocked_by_obstacles: false,
            hidden: false,
            color_max_per_m2: 0.0,
        }
    }
}

/// A source of a scalar field: a point or a disc.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct FieldSource {
    /// Name of an object that it follows, and from whose centre `center_m` is measured; empty for none. Of several objects with
    /// the name, it is on the first one.
    pub object: String,
    /// Centre of the source, relative to that of `object` if it follows one.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub center_m: DVec2,
    /// Radius of the disc; 0 for a point.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub radius_m: f64,
    /// Total amount that it adds per second.
    #[reflect(@Limits::between(0.0, MAX_NUMBER))]
    pub rate_per_s: f64,
    /// Value to which it sets the cells of the disc after each step, instead of adding an amount; `None` to add.
    #[reflect(@Limits::between(0.0, MAX_NUMBER))]
    pub fixed_per_m2: Option<f64>,
    /// Period in which it is switched on and off; 0 if it is always on.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub period_s: f64,
    /// Fraction of the period in which it is on.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub duty: f64,
    /// Fraction of the period after which it is first switched on.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub phase: f64,
}

impl Default for FieldSource {
    fn default() -> Self {
        Self {
            object: String::new(),
            center_m: DVec2::ZERO,
            radius_m: 0.0,
            rate_per_s: 1.0,
            fixed_per_m2: None,
            period_s: 0.0,
            duty: 0.5,
            phase: 0.0,
        }
    }
}

/// Shortest period of a source (s).
const MIN_PERIOD_S: f64 = 1e-3;

impl FieldSettings {
    /// The number of cells that it has in an arena.
    #[must_use]
    pub fn cells(&self, arena_m: DVec2) -> f64 {
        let count = (arena_m / self.cell_m - 1e-9).ceil().max(DVec2::ONE);
        count.x * count.y
    }

    /// Problem of its parameters in an arena of this size (m), for steps of `dt_s`: the name of the field, and a message.
    #[must_use]
    pub fn problem(&self, arena_m: DVec2, dt_s: f64) -> Option<(String, String)> {
        let cells = self.cells(arena_m);
        if cells > MAX_CELLS {
            let least_m = round_up_length((arena_m.x * arena_m.y / MAX_CELLS).sqrt());
            return Some((
                "cell_m".into(),
                format!(
                    "cells of {} m are {cells} cells, and at most {MAX_CELLS} are allowed: try {least_m}",
                    self.cell_m
                ),
            ));
        }
        let grid = CellGrid::new(Field::new(arena_m, Boundary::Open), DVec2::splat(self.cell_m));
        let finest_m = grid.cell_m.min_element();
        let most = if self.blocked_by_obstacles { MAX_BLOCKED_SPREAD } else { MAX_SPREAD };
        let spread = self.diffusion_m2_per_s * dt_s / (finest_m * finest_m);
        if spread > most {
            let why = if self.blocked_by_obstacles { " among obstacles" } else { "" };
            let message = format!(
                "a step spreads it over too many cells: `diffusion_m2_per_s` × `dt_s` / `cell_m`² is at most {most}{why}, \
                 found {spread:.1}; choose larger cells"
            );
            return Some(("diffusion_m2_per_s".into(), message));
        }
        let wrong = self.sources.iter().position(|source| source.period_s > 0.0 && source.period_s < MIN_PERIOD_S)?;
        Some((format!("sources[{wrong}].period_s"), format!("expected 0, or at least {MIN_PERIOD_S}")))
    }
}

/// Rounds a length up to two digits.
fn round_up_length(length_m: f64) -> f64 {
    let mut unit = 1e-9;
    while length_m / unit >= 100.0 {
        unit *= 10.0;
    }
    let digits = (length_m / unit - 1e-9).ceil();
    // A division by a whole number gives the nearest decimal number.
    if unit < 1.0 { digits / (1.0 / unit).round() } else { digits * unit }
}

impl FieldSource {
    /// The amount that is left at the end of a span of time (s) of what it adds in this span, if the part `decay_per_s`
    /// evaporates per second.
    fn amount(&self, (start_s, dt_s): (f64, f64), decay_per_s: f64) -> f64 {
        let end_s = start_s + dt_s;
        if self.fixed_per_m2.is_some() {
            return 0.0;
        }
        if self.period_s <= 0.0 {
            return self.rate_per_s * left_of_one(dt_s, decay_per_s);
        }
        let (first, last) = (self.period_at(start_s), self.period_at(end_s));
        let mut left_s = 0.0;
        let mut period = first;
        while period <= last {
            let on_s = (period + self.phase) * self.period_s;
            let (from_s, to_s) = (on_s.max(start_s), (on_s + self.duty * self.period_s).min(end_s));
            if to_s > from_s {
                left_s += left_of_one(to_s - from_s, decay_per_s) * math::exp(-decay_per_s * (end_s - to_s));
            }
            period += 1.0;
        }
        self.rate_per_s * left_s
    }

    /// The number of the period at a time (s).
    fn period_at(&self, time_s: f64) -> f64 {
        (time_s / self.period_s - self.phase).floor()
    }

    /// Its centre (m); `None` if there is no object with the name.
    fn center(&self, things: &[Thing]) -> Option<DVec2> {
        if self.object.is_empty() {
            return Some(self.center_m);
        }
        things.iter().find(|thing| thing.name == self.object).map(|thing| thing.position + self.center_m)
    }

    /// Whether it is switched on at a time (s).
    fn is_on(&self, time_s: f64) -> bool {
        self.period_s <= 0.0 || time_s / self.period_s - self.phase - self.period_at(time_s) < self.duty
    }
}

/// The amount that is left after a time (s) of one unit per second, if the part `decay_per_s` evaporates per second:
/// (1 − e^(−k t)) / k.
fn left_of_one(time_s: f64, decay_per_s: f64) -> f64 {
    let x = decay_per_s * time_s;
    if x > 0.03 {
        return (1.0 - math::exp(-x)) / decay_per_s;
    }
    // The difference would lose digits; the first term that is left out is below 1e-15.
    let terms = [1.0, -1.0 / 2.0, 1.0 / 6.0, -1.0 / 24.0, 1.0 / 120.0, -1.0 / 720.0, 1.0 / 5040.0];
    time_s * terms.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

/// An amount that a robot adds to a field while it moves along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Emission {
    /// The field, by its place in the scene.
    pub field: usize,
    /// The position at the start of the step (m).
    pub from: DVec2,
    /// The position at its end (m).
    pub to: DVec2,
    /// Amount per second.
    pub rate_per_s: f64,
}

/// A block of rows of a field. Snapshots share blocks that have not changed.
type Block = Option<Arc<Vec<f64>>>;

/// A scalar field with its values.
#[derive(Clone, Debug)]
pub struct ScalarField {
    settings: Arc<FieldSettings>,
    grid: Arc<CellGrid>,
    /// Rows of a block, as a power of two.
    block_shift: u32,
    /// The values by block (units/m²), row by row; `None` for zeros.
    blocks: Vec<Block>,
}

impl ScalarField {
    /// A field in an arena, with its value at the start.
    #[must_use]
    pub fn new(settings: FieldSettings, arena: Field) -> Self {
        let grid = CellGrid::new(arena, DVec2::splat(settings.cell_m));
        let block_shift = BLOCK_CELLS.div_ceil(grid.columns).next_power_of_two().trailing_zeros();
        let block_rows = 1 << block_shift;
        let block = |first: usize| {
            let rows = block_rows.min(grid.rows - first);
            (settings.initial_per_m2 > 0.0).then(|| Arc::new(vec![settings.initial_per_m2; rows * grid.columns]))
        };
        let blocks = (0..grid.rows).step_by(block_rows).map(block).collect();
        Self { settings: Arc::new(settings), grid: Arc::new(grid), block_shift, blocks }
    }

    /// Its parameters.
    #[must_use]
    pub fn settings(&self) -> &FieldSettings {
        &self.settings
    }

    /// Sets the parameters that take effect at once: those of diffusion, evaporation, sources and drawing.
    pub fn set_live(&mut self, new: &FieldSettings) {
        let FieldSettings { name, cell_m, initial_per_m2, .. } = &*self.settings;
        let (name, cell_m, initial_per_m2) = (name.clone(), *cell_m, *initial_per_m2);
        self.settings = Arc::new(FieldSettings { name, cell_m, initial_per_m2, ..new.clone() });
    }

    /// Its grid.
    #[must_use]
    pub fn grid(&self) -> &CellGrid {
        &self.grid
    }

    /// The blocks of its memory: address and size in bytes. Copies share them until they change.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.iter().flatten().map(|block| (Arc::as_ptr(block).addr(), size_of_val(&block[..])))
    }

    /// Whether it shares all blocks with another one, and has the same parameters.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&Block, &Block)| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        Arc::ptr_eq(&self.settings, &other.settings)
            && Arc::ptr_eq(&self.grid, &other.grid)
            && self.blocks.iter().zip(&other.blocks).all(is_same)
    }

    /// The values of all cells (units/m²), row by row, in runs; a run of zeros is its length alone.
    pub fn runs(&self) -> impl Iterator<Item = Result<&[f64], usize>> {
        self.blocks.iter().enumerate().map(|(place, block)| match block {
            Some(values) => Ok(&values[..]),
            None => Err(self.rows_of(place).len() * self.grid.columns),
        })
    }

    /// The values of all cells (units/m²), row by row.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.grid.len());
        for run in self.runs() {
            match run {
                Ok(run) => values.extend_from_slice(run),
                Err(zeros) => values.resize(values.len() + zeros, 0.0),
            }
        }
        values
    }

    /// The amount in the whole field (units).
    #[must_use]
    pub fn total(&self) -> f64 {
        let rows = self.blocks.iter().flatten().flat_map(|block| block.chunks(self.grid.columns));
        // A sum of no numbers would be -0.
        rows.map(|row| row.iter().sum::<f64>()).fold(0.0, |sum, row| sum + row) * self.grid.cell_m2()
    }

    /// The largest value (units/m²).
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.blocks.iter().flatten().flat_map(|block| block.iter()).copied().fold(0.0, f64::max)
    }

    /// The value at a point (units/m²): interpolated between the centres of the four cells around it, along both axes in
    /// turn; 0 outside the arena.
    #[must_use]
    pub fn value(&self, point: DVec2) -> f64 {
        let Some(point) = self.grid.inside(point) else { return 0.0 };
        let shares = self.grid.shares(point);
        shares.iter().map(|(cell, share)| share * self.of_cell(*cell)).sum()
    }

    /// The gradient at a point (units/m³): that of the interpolated [value](Self::value); 0 outside the arena.
    #[must_use]
    pub fn gradient(&self, point: DVec2) -> DVec2 {
        let Some(point) = self.grid.inside(point) else { return DVec2::ZERO };
        let around = self.grid.around(point);
        let (cells, part) = (self.grid.cells(&around), around.part);
        let [one, next, above, last] = cells.map(|cell| self.of_cell(cell));
        // Nothing passes between parted cells, so their values have nothing to do with each other.
        let across = |axis: usize, cell: usize, rise: f64| if self.grid.is_parted(axis, cell) { 0.0 } else { rise };
        let x = [across(0, cells[0], next - one), across(0, cells[2], last - above)];
        let y = [across(1, cells[0], above - one), across(1, cells[1], last - next)];
        DVec2::new(x[0] + part.y * (x[1] - x[0]), y[0] + part.x * (y[1] - y[0])) / self.grid.cell_m
    }

    /// The value of a cell (units/m²).
    #[inline]
    fn of_cell(&self, cell: usize) -> f64 {
        let block = (cell / self.grid.columns) >> self.block_shift;
        let first = (block << self.block_shift) * self.grid.columns;
        self.blocks[block].as_ref().map_or(0.0, |values| values[cell - first])
    }

    /// The rows of a block.
    fn rows_of(&self, block: usize) -> std::ops::Range<usize> {
        let first = block << self.block_shift;
        first..(first + (1 << self.block_shift)).min(self.grid.rows)
    }

    /// Access to change cells.
    fn writer(&mut self) -> Writer<'_> {
        let Self { grid, block_shift, blocks, .. } = self;
        Writer { grid, block_shift: *block_shift, blocks: blocks.iter_mut().map(OpenBlock::Closed).collect() }
    }

    /// Adds an amount (units) at a point: to the four cells around it, so that its centre of mass is there. Outside the arena,
    /// it is lost.
    pub fn deposit(&mut self, point: DVec2, amount: f64) {
        self.writer().deposit(point, amount);
    }

    /// Sets the values of all cells (units/m²) to those of a function of their centres (m); at least 0.
    pub fn fill(&mut self, value: impl Fn(DVec2) -> f64) {
        let mut writer = self.writer();
        for row in 0..writer.grid.rows {
            for column in 0..writer.grid.columns {
                let center = writer.grid.center(column, row);
                writer.row(row)[column] = value(center).max(0.0);
            }
        }
    }

    /// Finds the cells between which obstacles stop diffusion: the solids that count.
    pub fn divide(&mut self, solids: &Solids, counts: impl Fn(usize) -> bool) {
        let mut grid = CellGrid::clone(&self.grid);
        grid.divide(solids, |solid| self.settings.blocked_by_obstacles && counts(solid));
        if grid != *self.grid {
            self.grid = Arc::new(grid);
        }
    }

    /// Advances the field by a step from `start_s`, `dt_s` long (s).
    fn advance(&mut self, memory: &mut Memory, (start_s, dt_s): (f64, f64), things: &[Thing], added: &[Emission]) {
        let settings = self.settings.clone();
        let decay_per_s = settings.evaporation_per_s;
        memory.prepare(&settings, &self.grid, dt_s);
        memory.discs.resize_with(settings.sources.len(), Disc::default);
        for (source, disc) in settings.sources.iter().zip(&mut memory.discs) {
            disc.amount = source.amount((start_s, dt_s), decay_per_s);
            let center = source.center(things);
            disc.is_there = center.is_some();
            if let Some(center) = center {
                disc.find(&self.grid, center, source.radius_m);
            }
        }
        // Half of what is added spreads in this step: on the average, it spreads for half of the step.
        let of_rate = left_of_one(dt_s, decay_per_s);
        if !added.is_empty() || !memory.discs.is_empty() {
            let mut writer = self.writer();
            memory.discs.iter().for_each(|disc| writer.add(disc, 0.5));
            added.iter().for_each(|emission| writer.deposit(emission.from, emission.rate_per_s * of_rate * 0.5));
        }
        self.diffuse(memory);
        if !added.is_empty() || !memory.discs.is_empty() {
            // The first half has evaporated during the step.
            let rest = 1.0 - memory.decay * 0.5;
            let mut writer = self.writer();
            added.iter().for_each(|emission| writer.deposit(emission.to, emission.rate_per_s * of_rate * rest));
            for (source, disc) in settings.sources.iter().zip(&memory.discs) {
                writer.add(disc, rest);
                if let Some(fixed) = source.fixed_per_m2.filter(|_| source.is_on(start_s + dt_s)) {
                    writer.fix(disc, fixed);
                }
            }
        }
    }

    /// Diffusion and evaporation of a step.
    fn diffuse(&mut self, memory: &mut Memory) {
        let Memory { kernels: [across, along], spread, decay, .. } = memory;
        if across.reach() == 0 && along.reach() == 0 {
            if *decay < 1.0 {
                let values = self.blocks.iter_mut().flatten().flat_map(|block| Arc::make_mut(block).iter_mut());
                values.for_each(|value| *value = without_tiny(*value * *decay));
            }
            return;
        }
        if self.blocks.iter().all(Option::is_none) {
            return;
        }
        if self.grid.is_divided() {
            let (spread, decay) = (*spread, *decay);
            return self.diffuse_among_obstacles(memory, spread, decay);
        }
        let Memory { mixed, padded, is_zero, .. } = memory;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let image = Image { wraps: self.grid.arena.boundary == Boundary::Periodic };
        mixed.resize(columns * rows, 0.0);
        is_zero.resize(rows, false);
        let reach = across.reach();
        padded.resize(columns + 2 * reach, 0.0);
        for place in 0..self.blocks.len() {
            let block_rows = self.rows_of(place);
            is_zero[block_rows.clone()].fill(self.blocks[place].is_none());
            let out = &mut mixed[block_rows.start * columns..block_rows.end * columns];
            let Some(block) = &self.blocks[place] else {
                out.fill(0.0);
                continue;
            };
            for (row, out) in block.chunks(columns).zip(out.chunks_mut(columns)) {
                padded[reach..reach + columns].copy_from_slice(row);
                for distance in 1..=reach {
                    padded[reach - distance] = row[image.below(distance, columns)];
                    padded[reach + columns + distance - 1] = row[image.beyond(distance, columns)];
                }
                let padded = &padded[..];
                across.mix(1.0, out, &padded[reach..], |k| [&padded[reach - k..], &padded[reach + k..]]);
            }
        }
        let reach = along.reach();
        let at = |row: usize| &mixed[row * columns..(row + 1) * columns];
        let below = |row: usize, k: usize| if k <= row { row - k } else { image.below(k - row, rows) };
        let beyond = |row: usize, k: usize| match row + k {
            next if next < rows => next,
            next => image.beyond(next - rows + 1, rows),
        };
        for place in 0..self.blocks.len() {
            let block_rows = self.rows_of(place);
            let gets =
                |row: usize| !is_zero[row] || (1..=reach).any(|k| !is_zero[below(row, k)] || !is_zero[beyond(row, k)]);
            if self.blocks[place].is_none() && !block_rows.clone().any(gets) {
                continue;
            }
            let values = unshared(&mut self.blocks[place], block_rows.len() * columns);
            for (row, out) in block_rows.zip(values.chunks_mut(columns)) {
                along.mix(*decay, out, at(row), |k| [at(below(row, k)), at(beyond(row, k))]);
            }
        }
    }

    /// Diffusion by exchange between the cells that no obstacle separates, of second order in time: each iteration is the mean of
    /// the present values and those after two steps of Euler's method (Shu and Osher, 1988), which keeps values positive.
    fn diffuse_among_obstacles(&mut self, memory: &mut Memory, spread: DVec2, decay: f64) {
        let Memory { mixed, padded, .. } = memory;
        let iterations = ((spread.x + spread.y) / SPREAD_AT_ONCE).ceil().max(1.0);
        let spread = spread / iterations;
        let mut values = self.values();
        for _ in 0..iterations as usize {
            mixed.clone_from(&values);
            for _ in 0..2 {
                exchange(&self.grid, spread, mixed, padded);
            }
            values.iter_mut().zip(&*mixed).for_each(|(value, next)| *value = 0.5 * (*value + next));
        }
        let columns = self.grid.columns;
        for place in 0..self.blocks.len() {
            let rows = self.rows_of(place);
            let from = &values[rows.start * columns..rows.end * columns];
            if self.blocks[place].is_none() && from.iter().all(|value| *value == 0.0) {
                continue;
            }
            let out = unshared(&mut self.blocks[place], from.len());
            out.iter_mut().zip(from).for_each(|(out, value)| *out = without_tiny(value * decay));
        }
    }
}

/// A step of Euler's method for the exchange between neighbours that no obstacle separates.
fn exchange(grid: &CellGrid, spread: DVec2, values: &mut [f64], flows: &mut Vec<f64>) {
    let (columns, rows) = (grid.columns, grid.rows);
    let wraps = grid.arena.boundary == Boundary::Periodic;
    // The next cell in the row and in the column.
    let next = |cell: usize| {
        let (column, row) = (cell % columns, cell / columns);
        let across = if column + 1 < columns { Some(cell + 1) } else { wraps.then(|| row * columns) };
        let along = if row + 1 < rows { Some(cell + columns) } else { wraps.then_some(column) };
        [(across, spread.x), (along, spread.y)]
    };
    flows.clear();
    for (cell, value) in values.iter().enumerate() {
        for (axis, (next, spread)) in next(cell).into_iter().enumerate() {
            let next = next.filter(|_| !grid.is_parted(axis, cell));
            flows.push(next.map_or(0.0, |next| spread * (values[next] - value)));
        }
    }
    for (place, flow) in flows.iter().enumerate().filter(|(_, flow)| **flow != 0.0) {
        let cell = place / 2;
        values[cell] += flow;
        if let (Some(next), _) = next(cell)[place % 2] {
            values[next] -= flow;
        }
    }
}

/// The values of a block that nothing else shares, to write all of them.
fn unshared(block: &mut Block, count: usize) -> &mut [f64] {
    if block.as_mut().and_then(Arc::get_mut).is_none() {
        *block = None;
    }
    open(block, count)
}

/// The values of a block, to change some: a copy if others share it.
fn open(block: &mut Block, count: usize) -> &mut [f64] {
    let values: &mut Vec<f64> = Arc::make_mut(block.get_or_insert_with(|| Arc::new(vec![0.0; count])));
    values
}

/// The images of cells beyond the ends of a line: across a periodic boundary, or mirrored at the edge of the last cell.
#[derive(Clone, Copy)]
struct Image {
    wraps: bool,
}

impl Image {
    /// The cell at a distance below the first one of `count`; the distance is at least 1.
    fn below(self, distance: usize, count: usize) -> usize {
        if self.wraps { (count - distance % count) % count } else { mirrored(distance - 1, count) }
    }

    /// The cell at a distance beyond the last one of `count`; the distance is at least 1.
    fn beyond(self, distance: usize, count: usize) -> usize {
        if self.wraps { (distance - 1) % count } else { count - 1 - mirrored(distance - 1, count) }
    }
}

/// The place of a cell in a line of `count` that is mirrored at both ends.
fn mirrored(place: usize, count: usize) -> usize {
    let place = place % (2 * count);
    if place < count { place } else { 2 * count - 1 - place }
}

/// Access to the cells of a field to change them. It opens blocks once.
struct Writer<'a> {
    grid: &'a CellGrid,
    block_shift: u32,
    blocks: SmallVec<[OpenBlock<'a>; 64]>,
}

/// A block of a field that is being changed.
enum OpenBlock<'a> {
    /// It has not been changed yet: copies may share it.
    Closed(&'a mut Block),
    /// Its values.
    Open(&'a mut [f64]),
}

impl Writer<'_> {
    /// The values of a row.
    #[inline]
    fn row(&mut self, row: usize) -> &mut [f64] {
        let Self { grid, block_shift, blocks } = self;
        let (place, columns) = (row >> *block_shift, grid.columns);
        let first = place << *block_shift;
        let block = &mut blocks[place];
        if matches!(block, OpenBlock::Closed(_))
            && let OpenBlock::Closed(closed) = std::mem::replace(block, OpenBlock::Open(&mut []))
        {
            let rows = (1 << *block_shift).min(grid.rows - first);
            *block = OpenBlock::Open(open(closed, rows * columns));
        }
        match block {
            OpenBlock::Open(values) => &mut values[(row - first) * columns..(row - first + 1) * columns],
            OpenBlock::Closed(_) => &mut [],
        }
    }

    fn cell(&mut self, cell: usize) -> &mut f64 {
        let columns = self.grid.columns;
        &mut self.row(cell / columns)[cell % columns]
    }

    /// As [`ScalarField::deposit`].
    #[inline]
    fn deposit(&mut self, point: DVec2, amount: f64) {
        let Some(point) = self.grid.inside(point).filter(|_| amount > 0.0) else { return };
        let amount = amount / self.grid.cell_m2();
        if self.grid.is_divided() {
            return self.deposit_among_obstacles(point, amount);
        }
        let around = self.grid.around(point);
        let parts = around.parts();
        for (place, row) in around.rows.into_iter().enumerate() {
            let row = self.row(row);
            row[around.columns[0]] += amount * parts[2 * place];
            row[around.columns[1]] += amount * parts[2 * place + 1];
        }
    }

    #[inline(never)]
    fn deposit_among_obstacles(&mut self, point: DVec2, value: f64) {
        let shares = self.grid.shares(point);
        if shares.iter().all(|(_, share)| *share == 0.0) {
            // All cells around are in obstacles.
            let around = self.grid.around(point);
            *self.cell(self.grid.cells(&around)[around.nearest()]) += value;
        }
        for (cell, share) in shares.into_iter().filter(|(_, share)| *share > 0.0) {
            *self.cell(cell) += value * share;
        }
    }

    /// Adds a part of the amount of a source to its cells.
    fn add(&mut self, disc: &Disc, part: f64) {
        let amount = disc.amount * part;
        if amount == 0.0 || !disc.is_there {
            return;
        }
        if disc.cells.is_empty() {
            return self.deposit(disc.center, amount);
        }
        let value = amount / (self.grid.cell_m2() * disc.cells.len() as f64);
        disc.cells.iter().for_each(|cell| *self.cell(*cell) += value);
    }

    /// Sets the cells of a source to a value (units/m²).
    fn fix(&mut self, disc: &Disc, value: f64) {
        if !disc.is_there {
            return;
        }
        disc.cells.iter().for_each(|cell| *self.cell(*cell) = value);
        if let Some(center) = self.grid.inside(disc.center).filter(|_| disc.cells.is_empty()) {
            let around = self.grid.around(center);
            *self.cell(self.grid.cells(&around)[around.nearest()]) = value;
        }
    }
}

/// A source in a step.
#[derive(Debug, Default)]
struct Disc {
    /// Its centre (m), and its radius and the cells of the field (m) for which its cells were found.
    center: DVec2,
    of: Option<(DVec2, f64, DVec2)>,
    /// The cells whose centres are in it; none for a point, or between centres.
    cells: Vec<usize>,
    /// The amount that it adds in this step (units).
    amount: f64,
    /// Whether its object exists.
    is_there: bool,
}

impl Disc {
    /// Finds its cells, unless it is where it was.
    fn find(&mut self, grid: &CellGrid, center: DVec2, radius: f64) {
        let of = (center, radius, grid.cell_m);
        if self.of == Some(of) {
            return;
        }
        (self.of, self.center) = (Some(of), center);
        self.cells.clear();
        let squared = |column: usize, row: usize| grid.arena.offset(center, grid.center(column, row)).length_squared();
        for row in (0..grid.rows).filter(|_| radius > 0.0) {
            let columns = (0..grid.columns).filter(|column| squared(*column, row) <= radius * radius);
            self.cells.extend(columns.map(|column| row * grid.columns + column));
        }
    }
}

/// Memory of a field that is used again in each step: no state.
#[derive(Debug)]
struct Memory {
    /// What the kernels are for: diffusion, evaporation, time of a step, cells.
    of: Option<(f64, f64, f64, DVec2)>,
    /// The kernels along x and y.
    kernels: [Kernel; 2],
    /// The spread of a step along x and y, D dt / h².
    spread: DVec2,
    /// The part that is left after a step.
    decay: f64,
    discs: Vec<Disc>,
    /// The values after the first axis.
    mixed: Vec<f64>,
    /// A row with the cells beyond its ends.
    padded: Vec<f64>,
    /// Whether a row is zero before the step.
    is_zero: Vec<bool>,
}

impl Default for Memory {
    fn default() -> Self {
        let kernels = [0.0; 2].map(Kernel::new);
        let (discs, mixed, padded, is_zero) = Default::default();
        Self { of: None, kernels, spread: DVec2::ZERO, decay: 1.0, discs, mixed, padded, is_zero }
    }
}

impl Memory {
    fn prepare(&mut self, settings: &FieldSettings, grid: &CellGrid, dt_s: f64) {
        let of = (settings.diffusion_m2_per_s, settings.evaporation_per_s, dt_s, grid.cell_m);
        if self.of != Some(of) {
            self.of = Some(of);
            self.spread = settings.diffusion_m2_per_s * dt_s / (grid.cell_m * grid.cell_m);
            self.kernels = self.spread.to_array().map(Kernel::new);
            self.decay = math::exp(-settings.evaporation_per_s * dt_s);
        }
    }
}

/// A hash of the values of all fields.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDigest(u64);

/// All scalar fields, in the order of the scene.
#[derive(Debug, Default)]
pub struct ScalarFields {
    all: Vec<ScalarField>,
    /// The hash of the values, calculated when it is asked for.
    digest: OnceLock<FieldDigest>,
    memory: Vec<Memory>,
}

impl Clone for ScalarFields {
    fn clone(&self) -> Self {
        Self { all: self.all.clone(), digest: self.digest.clone(), memory: Vec::new() }
    }
}

impl ScalarFields {
    /// The fields of an arena, with their values at the start.
    pub fn new(settings: &[FieldSettings], arena: Field) -> Self {
        let all = settings.iter().map(|settings| ScalarField::new(settings.clone(), arena)).collect();
        Self { all, ..Self::default() }
    }

    /// The hash of the values, which a function calculates if they have changed.
    pub fn digest_with(&self, hash: impl FnOnce(&[ScalarField]) -> u64) -> &FieldDigest {
        self.digest.get_or_init(|| FieldDigest(hash(&self.all)))
    }

    /// Whether there are no fields.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The fields.
    #[must_use]
    pub fn all(&self) -> &[ScalarField] {
        &self.all
    }

    /// The fields, to change them.
    pub fn all_mut(&mut self) -> &mut [ScalarField] {
        self.digest.take();
        &mut self.all
    }

    /// The place of the field with a name; that of the first field for an empty name.
    #[inline]
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|field| name.is_empty() || field.settings.name == name)
    }

    /// The field with a name; the first field for an empty name.
    #[inline]
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&ScalarField> {
        self.all.get(self.place(name)?)
    }

    /// Advances all fields by a step from `start_s`, `dt_s` long (s). The emissions are in order of the fields.
    pub fn advance(&mut self, time_s: (f64, f64), things: &[Thing], mut added: &[Emission]) {
        self.digest.take();
        self.memory.resize_with(self.all.len(), Memory::default);
        for (place, (field, memory)) in self.all.iter_mut().zip(&mut self.memory).enumerate() {
            let (own, others) = added.split_at(added.partition_point(|emission| emission.field <= place));
            field.advance(memory, time_s, things, own);
            added = others;
        }
    }
}

#[cfg(test)]
mod tests;
