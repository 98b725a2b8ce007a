//! A grid of the outlines of static solids, for rays in maps.
//!
//! A ray visits the cells along its way, and tests only the edges and discs in them (Amanatides and Woo: "A Fast Voxel
//! Traversal Algorithm for Ray Tracing", 1987). Each empty cell knows its distance from the nearest cell that is not
//! empty: a ray crosses open space in few long steps. The tests of edges and discs are those of
//! [`Surroundings`](super::Surroundings), so that distances are the same to the bit with and without the grid.

use bevy::math::DVec2;

use super::hit::Target;
use super::polygon::{self, segments_meet};
use super::ray_shapes::{Disc, Edge, Nearest};

/// Number of edges and discs from which a grid pays.
pub(super) const MANY: usize = 256;
/// The number of edges and discs near a point up to which it is faster to list them once for all rays from there.
pub(super) const FEW: usize = 24;
/// The number of cells for each edge or disc.
const CELLS_PER_SHAPE: f64 = 4.0;
/// The mean number of cells that an edge may cross.
const MOST_CROSSED: f64 = 8.0;
/// The largest number of cells along a side.
const MOST_ALONG: f64 = 4096.0;
/// The width of the empty rim around all shapes, in cells.
const RIM: f64 = 0.5;
/// Shapes this near to a cell, in cells, are in its list: it exceeds all errors of rounding.
const SLACK: f64 = 1e-6;

/// An edge of a static polygon, in metres.
#[derive(Clone, Copy, Debug)]
struct StaticEdge {
    start: DVec2,
    end: DVec2,
    solid: u32,
}

/// A static disc, in metres.
#[derive(Clone, Copy, Debug)]
struct StaticDisc {
    center: DVec2,
    radius: f64,
    solid: u32,
}

/// The outlines of static solids, sorted by the cells that they cross. It depends only on the outlines and their numbers.
#[derive(Clone, Debug)]
pub(super) struct RayGrid {
    low: DVec2,
    cells_per_m: f64,
    columns: i32,
    lines: i32,
    /// First item of each cell, and the end.
    starts: Vec<u32>,
    /// Places of edges, and of discs after them, in ascending order for each cell.
    items: Vec<u32>,
    /// The distance in cells, along rows, columns or diagonals, from the nearest cell with items; 0 for such a cell.
    gaps: Vec<u8>,
    edges: Vec<StaticEdge>,
    discs: Vec<StaticDisc>,
}

impl RayGrid {
    /// Sorts numbered polygons, by their corners, and numbered discs, by centre and radius, into a grid; `None` for so few
    /// that it does not pay.
    pub fn new<'a>(
        polygons: impl Iterator<Item = (u32, &'a [DVec2])>,
        discs: impl Iterator<Item = (u32, DVec2, f64)>,
    ) -> Option<Self> {
        let edges_of = |(solid, corners): (u32, &'a [DVec2])| {
            polygon::edges(corners).map(move |(start, end)| StaticEdge { start, end, solid })
        };
        let edges: Vec<StaticEdge> = polygons.flat_map(edges_of).collect();
        let discs: Vec<StaticDisc> =
            discs.map(|(solid, center, radius)| StaticDisc { center, radius, solid }).collect();
        let count = edges.len() + discs.len();
        if count < MANY || u32::try_from(count).is_err() {
            return None;
        }
        let boxes = edges.iter().map(StaticEdge::bounds).chain(discs.iter().map(StaticDisc::bounds));
        let (low, high) = boxes.clone().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), (below, above)| {
            (low.min(below), high.max(above))
        });
        let size = high - low;
        let lengths: f64 = boxes.map(|(low, high)| (high - low).element_sum()).sum();
        let count = count as f64;
        let side = (size.x * size.y / (CELLS_PER_SHAPE * count)).sqrt();
        let side = side.max(lengths / (MOST_CROSSED * count)).max(size.max_element() / MOST_ALONG).max(1e-9);
        let along = |length: f64| (length / side + 2.0 * RIM).ceil() as i32;
        let (columns, lines) = (along(size.x), along(size.y));
        let cells = columns as usize * lines as usize;
        let mut grid = Self {
            low: low - RIM * side,
            cells_per_m: 1.0 / side,
            columns,
            lines,
            starts: vec![0; cells + 1],
            items: Vec::new(),
            gaps: Vec::new(),
            edges,
            discs,
        };
        grid.sort()?;
        grid.measure_gaps();
        Some(grid)
    }

    /// Fills the lists of all cells: counts, then places.
    fn sort(&mut self) -> Option<()> {
        let mut starts = std::mem::take(&mut self.starts);
        self.visit_all(|cell, _| starts[cell] += 1);
        let mut sum = 0_u32;
        for start in &mut starts {
            // Each start is the end of its cell first; filling the lists from their ends moves it to the start.
            sum = sum.checked_add(*start)?;
            *start = sum;
        }
        let mut items = vec![0; sum as usize];
        self.visit_all_back(|cell, item| {
            starts[cell] -= 1;
            items[starts[cell] as usize] = item;
        });
        (self.starts, self.items) = (starts, items);
        Some(())
    }

    /// Visits each cell of each shape.
    fn visit_all(&self, mut visit: impl FnMut(usize, u32)) {
        for item in 0..(self.edges.len() + self.discs.len()) as u32 {
            self.visit_cells(item, |cell| visit(cell, item));
        }
    }

    /// As [`visit_all`](Self::visit_all), from the last shape to the first.
    fn visit_all_back(&self, mut visit: impl FnMut(usize, u32)) {
        for item in (0..(self.edges.len() + self.discs.len()) as u32).rev() {
            self.visit_cells(item, |cell| visit(cell, item));
        }
    }

    /// Visits each cell that a shape crosses or nearly touches.
    fn visit_cells(&self, item: u32, mut visit: impl FnMut(usize)) {
        let place = |point: DVec2| (point - self.low) * self.cells_per_m;
        let column = |x: f64| (x as i32).clamp(0, self.columns - 1);
        let line = |y: f64| (y as i32).clamp(0, self.lines - 1);
        let mut visit_line = |line: i32, left: f64, right: f64| {
            for column in column(left - SLACK)..=column(right + SLACK) {
                visit(self.cell(column, line));
            }
        };
        match self.edges.get(item as usize) {
            Some(StaticEdge { start, end, .. }) => {
                // From below to above.
                let (a, b) = (place(*start), place(*end));
                let (a, b) = if a.y <= b.y { (a, b) } else { (b, a) };
                let slope = (b.x - a.x) / (b.y - a.y);
                let (first, last) = (line(a.y - SLACK), line(b.y + SLACK));
                for line in first..=last {
                    // The part of the edge in this row.
                    let at = |y: f64| if slope.is_finite() { a.x + slope * (y - a.y) } else { a.x };
                    let bottom = (f64::from(line) - SLACK).max(a.y);
                    let top = (f64::from(line + 1) + SLACK).min(b.y);
                    let (left, right) = if b.y - a.y < SLACK { (a.x, b.x) } else { (at(bottom), at(top)) };
                    visit_line(line, left.min(right).max(a.x.min(b.x)), left.max(right).min(a.x.max(b.x)));
                }
            }
            None => {
                let (low, high) = self.discs[item as usize - self.edges.len()].bounds();
                let (low, high) = (place(low), place(high));
                for line in line(low.y - SLACK)..=line(high.y + SLACK) {
                    visit_line(line, low.x, high.x);
                }
            }
        }
    }

    #[inline]
    fn cell(&self, column: i32, line: i32) -> usize {
        line as usize * self.columns as usize + column as usize
    }

    /// Finds the distances from cells with items, in two passes over the grid.
    fn measure_gaps(&mut self) {
        let (columns, lines) = (self.columns as usize, self.lines as usize);
        let mut gaps: Vec<u8> =
            self.starts.windows(2).map(|ends| if ends[0] < ends[1] { 0 } else { u8::MAX }).collect();
        let nearer = |gaps: &[u8], cell: usize, column: usize, beyond: Option<usize>, beside: Option<usize>| {
            let (left, right) = (usize::from(column > 0), usize::from(column + 1 < columns));
            let beyond = beyond.map(|beyond| beyond - left..=beyond + right);
            let least = beyond.into_iter().flatten().chain(beside).map(|other| gaps[other]).min().unwrap_or(u8::MAX);
            gaps[cell].min(least.saturating_add(1))
        };
        for cell in 0..columns * lines {
            let column = cell % columns;
            gaps[cell] = nearer(&gaps, cell, column, cell.checked_sub(columns), (column > 0).then(|| cell - 1));
        }
        for cell in (0..columns * lines).rev() {
            let column = cell % columns;
            let above = Some(cell + columns).filter(|above| *above < gaps.len());
            gaps[cell] = nearer(&gaps, cell, column, above, (column + 1 < columns).then(|| cell + 1));
        }
        self.gaps = gaps;
    }

    /// Whether more than [`FEW`] edges and discs are in the cells that a box meets.
    pub fn is_crowded(&self, low: DVec2, high: DVec2) -> bool {
        let place = |point: DVec2| (point - self.low) * self.cells_per_m;
        let (low, high) = (place(low), place(high));
        let size = DVec2::new(f64::from(self.columns), f64::from(self.lines));
        let meets = low.cmple(size).all() && high.cmpge(DVec2::ZERO).all();
        if !meets {
            return false;
        }
        let last = size - 1.0;
        let [low, high] = [low, high].map(|corner| corner.clamp(DVec2::ZERO, last));
        let mut found = 0;
        (low.y as i32..=high.y as i32).any(|line| {
            let (first, end) = (self.cell(low.x as i32, line), self.cell(high.x as i32, line) + 1);
            found += (self.starts[end] - self.starts[first]) as usize;
            found > FEW
        })
    }

    /// Offers the nearest hit of the ray from `origin` along the unit vector `direction`.
    #[inline]
    pub fn cast(&self, origin: DVec2, direction: DVec2, nearest: &mut Nearest) {
        let shift = -origin;
        let (mut distance, mut solid) = (nearest.distance(), u32::MAX);
        self.walk(origin, direction, distance, |items| {
            for &item in items {
                let (at, number) = self.hit(item, shift, direction);
                // The order of cells differs from that of numbers.
                if at < distance || (at == distance && number < solid && solid < u32::MAX) {
                    (distance, solid) = (at, number);
                }
            }
            distance
        });
        if solid < u32::MAX {
            nearest.offer(distance, Target::Solid(solid as usize));
        }
    }

    /// Distance (m) to an item along a ray from the origin, and its solid.
    #[inline]
    fn hit(&self, item: u32, shift: DVec2, direction: DVec2) -> (f64, u32) {
        if let Some(&StaticEdge { start, end, solid }) = self.edges.get(item as usize) {
            return (Edge::between(start + shift, end + shift, Target::Wall).distance(direction), solid);
        }
        let StaticDisc { center, radius, solid } = self.discs[item as usize - self.edges.len()];
        (Disc::new(center + shift, radius, Target::Wall).distance(direction), solid)
    }

    /// Whether no outline for whose solid `hides` holds has a point on the line from `origin` to `origin + offset` (m).
    #[inline]
    pub fn is_clear(&self, origin: DVec2, offset: DVec2, hides: impl Fn(Target) -> bool) -> bool {
        let shift = -origin;
        let mut is_clear = true;
        self.walk(origin, offset, 1.0, |items| {
            is_clear = is_clear && !items.iter().any(|item| self.blocks(*item, shift, offset, &hides));
            if is_clear { 1.0 } else { 0.0 }
        });
        is_clear
    }

    #[inline]
    fn blocks(&self, item: u32, shift: DVec2, offset: DVec2, hides: &impl Fn(Target) -> bool) -> bool {
        let counts = |solid: u32| hides(Target::Solid(solid as usize));
        if let Some(&StaticEdge { start, end, solid }) = self.edges.get(item as usize) {
            let (start, end) = (start + shift, end + shift);
            return segments_meet((DVec2::ZERO, offset), (start, start + (end - start))) && counts(solid);
        }
        let StaticDisc { center, radius, solid } = self.discs[item as usize - self.edges.len()];
        Disc::new(center + shift, radius, Target::Wall).blocks(offset) && counts(solid)
    }

    /// Visits the items of the cells along a ray, cell by cell, up to `limit` times `way`. The visitor returns the limit
    /// from then on.
    #[inline(always)]
    fn walk(&self, origin: DVec2, way: DVec2, mut limit: f64, mut visit: impl FnMut(&[u32]) -> f64) {
        // In cells.
        let (from, way) = ((origin - self.low) * self.cells_per_m, way * self.cells_per_m);
        let (is_up, inverse) = (way.cmpgt(DVec2::ZERO), way.recip());
        let size = DVec2::new(f64::from(self.columns), f64::from(self.lines));
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..2 {
            if way[axis] == 0.0 {
                if !(0.0..=size[axis]).contains(&from[axis]) {
                    return;
                }
            } else {
                let (one, other) = (-from[axis] * inverse[axis], (size[axis] - from[axis]) * inverse[axis]);
                (enter, leave) = (enter.max(one.min(other)), leave.min(one.max(other)));
            }
        }
        let is_met = enter <= leave.min(limit);
        if !is_met {
            return;
        }
        let (last_column, last_line) = (self.columns - 1, self.lines - 1);
        let at = from + way * enter;
        let (mut column, mut line) = ((at.x as i32).clamp(0, last_column), (at.y as i32).clamp(0, last_line));
        let (goes_right, goes_up) = (is_up.x, is_up.y);
        loop {
            let cell = self.cell(column, line);
            let gap = i32::from(self.gaps[cell]);
            if gap == 0 {
                limit = visit(&self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize]);
            }
            // All cells nearer than the gap are empty: the ray goes to the end of this square.
            let reach = gap.max(1);
            let border = |place: i32, goes_on: bool| if goes_on { place + reach } else { place + 1 - reach };
            let to = |place: i32, goes_on: bool, axis: usize| match way[axis] == 0.0 {
                true => f64::INFINITY,
                false => (f64::from(border(place, goes_on)) - from[axis]) * inverse[axis],
            };
            let (to_column, to_line) = (to(column, goes_right, 0), to(line, goes_up, 1));
            let next = to_column.min(to_line);
            // NaN ends the way, too.
            let goes_on = next < limit;
            if !goes_on {
                return;
            }
            let beside = |place: i32, axis: usize, goes_on: bool| {
                let end = if goes_on { place + reach - 1 } else { place + 1 - reach };
                let now = (from[axis] + way[axis] * next) as i32;
                now.clamp(place.min(end), place.max(end))
            };
            if to_column < to_line {
                column = if goes_right { column + reach } else { column - reach };
                if reach > 1 {
                    line = beside(line, 1, goes_up).clamp(0, last_line);
                }
            } else {
                line = if goes_up { line + reach } else { line - reach };
                if reach > 1 {
                    column = beside(column, 0, goes_right).clamp(0, last_column);
                }
            }
            if !(0..=last_column).contains(&column) || !(0..=last_line).contains(&line) {
                return;
            }
        }
    }
}

impl StaticEdge {
    fn bounds(&self) -> (DVec2, DVec2) {
        (self.start.min(self.end), self.start.max(self.end))
    }
}

impl StaticDisc {
    fn bounds(&self) -> (DVec2, DVec2) {
        (self.center - self.radius, self.center + self.radius)
    }
}

#[cfg(test)]
mod tests;
