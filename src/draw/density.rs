//! Density: the number of robots per square metre, smoothed over a bandwidth.
//!
//! Each robot has a weight of one, which is spread by diffusion: on open ground this is a Gaussian kernel, and nothing
//! spreads through walls and obstacles or out of the arena (Botev, Grotowski, Kroese: "Kernel density estimation via
//! diffusion", 2010).

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_picture::cells::{Cells, round_up};
use swarmarium_picture::palette::{Role, viridis};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{Boundary, CellGrid, Field, Space};

use super::legend::Legend;
use super::{Moment, View};

/// The smallest side of a cell on the screen, in logical pixels.
const CELL_PX: f64 = 4.0;
/// Width of the strip of cells under a wall, in logical pixels; walls are at least twice as thick.
const UNDER_WALL_PX: f64 = 1.0;
/// Cells per bandwidth, and the most cells along a side: a smooth density needs no finer ones.
const FINENESS: f64 = 4.0;
const MOST: f64 = 250.0;
/// The smallest and the largest bandwidth, as a part of the shorter side of the arena.
const BANDWIDTH: [f64; 2] = [0.02, 0.12];
/// The largest part of a difference between two cells that one iteration evens out: more would oscillate.
const EVENED: f64 = 1.0 / 3.0;

/// A density on a grid over the arena.
struct Density {
    grid: CellGrid,
    /// Robots per square metre, row by row.
    values: Vec<f64>,
    /// The number of robots outside the arena, which have no density.
    outside: usize,
}

/// Draws the density in the visible part of the arena; returns its legend.
pub(super) fn draw(Moment { space, .. }: &Moment, view: &View, picture: &mut Picture) -> Legend {
    let density = Density::from_space(space);
    let most = round_up(density.values.iter().copied().fold(0.0, f64::max));
    // Opaque, and everywhere: the colours are those of the legend.
    picture.add(Layer::Field, Role::Text, Shape::Cells(density.cells(space, view, most)));
    let title = match density.outside {
        0 => "Density, robots/m²".into(),
        outside => format!("Density, robots/m² ({outside} outside the arena not counted)"),
    };
    Legend::bar(title, [0.0, most], viridis)
}

impl Density {
    /// The density of the robots in an arena.
    fn from_space(space: &Space) -> Self {
        let arena = space.arena;
        let positions = space.bodies.positions().iter().take(space.bodies.len()).copied();
        // Robots outside the arena, or without a position, have no density; the legend gives the number outside.
        let is_inside = |position: &DVec2| position.cmpge(arena.low).all() && position.cmple(arena.high()).all();
        let positions: Vec<DVec2> = positions.filter(is_inside).collect();
        let placed = space.bodies.positions().iter().take(space.bodies.len()).filter(|position| position.is_finite());
        let outside = placed.count().saturating_sub(positions.len());
        let bandwidth_m = bandwidth_m(&positions, &arena);
        let finest_m = (bandwidth_m / FINENESS).max(arena.size.max_element() / MOST);
        let mut grid = CellGrid::new(arena, DVec2::splat(finest_m));
        grid.divide(&space.solids, |_| true);
        let mut density = Self { values: vec![0.0; grid.len()], grid, outside };
        positions.iter().for_each(|position| density.deposit(*position));
        density.spread(bandwidth_m);
        let per_m2 = 1.0 / density.grid.cell_m2();
        density.values.iter_mut().for_each(|value| *value *= per_m2);
        density
    }

    /// Adds a robot at a position in the arena (m).
    fn deposit(&mut self, position: DVec2) {
        self.grid.shares(position).into_iter().for_each(|(cell, share)| self.values[cell] += share);
    }

    /// Evens out neighbouring cells until each robot is spread over a bandwidth (m).
    fn spread(&mut self, bandwidth_m: f64) {
        // Each iteration adds twice the part that it evens out to the variance, in cells.
        let bandwidth = bandwidth_m / self.grid.cell_m;
        let variance = bandwidth * bandwidth;
        let turns = (variance.max_element() / (2.0 * EVENED)).ceil().max(1.0);
        let part = variance / (2.0 * turns);
        let (columns, lines) = (self.grid.columns, self.grid.rows);
        for _ in 0..turns as usize {
            for line in 0..lines {
                self.even_out(0, line * columns, 1, part.x);
            }
            for column in 0..columns {
                self.even_out(1, column, columns, part.y);
            }
        }
    }

    /// Evens out a row or column of cells: moves a part of each difference to the lower side.
    fn even_out(&mut self, axis: usize, first: usize, stride: usize, part: f64) {
        let Self { grid, values, .. } = self;
        let count = if axis == 0 { grid.columns } else { grid.rows };
        let wraps = grid.arena.boundary == Boundary::Periodic && count > 1;
        let (start, mut before) = (values[first], 0.0);
        for place in 0..count {
            let cell = first + place * stride;
            let next = match place + 1 < count {
                true => Some(values[cell + stride]),
                false => wraps.then_some(start),
            };
            let flow = next.filter(|_| !grid.is_parted(axis, cell)).map_or(0.0, |next| part * (next - values[cell]));
            values[cell] += flow - before;
            before = flow;
        }
        values[first] -= if wraps { before } else { 0.0 };
    }

    /// The density at a point of the arena (m), in robots per square metre.
    fn at(&self, point: DVec2) -> f64 {
        self.grid.shares(point).into_iter().map(|(cell, share)| share * self.values[cell]).sum()
    }

    /// Fine cells of the visible part of the arena, in the colours of a scale up to `most`. They end at the boundary of
    /// the arena and leave out obstacles.
    fn cells(&self, space: &Space, view: &View, most: f64) -> Cells {
        // Under the inner edge of a wall: between two adjacent smooth edges, the floor would show through.
        let arena = &self.grid.arena;
        let under_m = match arena.boundary {
            Boundary::Walls => UNDER_WALL_PX / view.camera.pixels_per_m,
            Boundary::Open | Boundary::Periodic => 0.0,
        };
        let (origin, size) = (arena.low - under_m, arena.size + 2.0 * under_m);
        let count = (size * view.camera.pixels_per_m / CELL_PX).ceil().max(DVec2::ONE);
        let cell_m = size / count;
        let [low, high] = view.camera.visible_m().map(|corner| (corner - origin) / cell_m);
        let (first, end) = (low.floor().clamp(DVec2::ZERO, count), high.ceil().clamp(DVec2::ZERO, count));
        let corner = origin + first * cell_m;
        let [columns, lines] = (end - first).max(DVec2::ZERO).to_array().map(|cells| cells as usize);
        let middle = |column: usize, line: usize| corner + cell_m * (DVec2::new(column as f64, line as f64) + 0.5);
        let is_free = |at: DVec2| {
            let blocks = |solid: usize| space.solids.properties(solid).blocks;
            space.solids.is_empty() || space.solids.at(arena, at, blocks).is_none()
        };
        let level = |at: DVec2| if is_free(at) { Cells::level(self.at(at) / most) } else { 0 };
        let levels = (0..lines)
            .flat_map(|line| (0..columns).map(move |column| (column, line)))
            .map(|(column, line)| level(middle(column, line)));
        Cells { corner, cell_m, columns, levels: levels.collect() }
    }
}

/// Scott's rule for two dimensions, σ n^(−1/6) (Scott: "Multivariate density estimation", 1992), limited by
/// [`BANDWIDTH`].
fn bandwidth_m(positions: &[DVec2], arena: &Field) -> f64 {
    let count = positions.len().max(1) as f64;
    let center = positions.iter().sum::<DVec2>() / count;
    let variance = positions.iter().map(|position| position.distance_squared(center)).sum::<f64>() / (2.0 * count);
    let side_m = arena.size.min_element();
    let [least, most] = BANDWIDTH.map(|part| part * side_m);
    let scott = variance.sqrt() * math::exp(-math::ln(count) / 6.0);
    if scott.is_finite() { scott.clamp(least, most) } else { most }
}

#[cfg(test)]
mod tests {
    use swarmarium_scene::scene::Scene;

    use super::*;

    fn arena(boundary: Boundary) -> Field {
        Field::new(DVec2::new(10.0, 6.0), boundary)
    }

    fn space(arena: Field, positions: &[DVec2]) -> Space {
        let mut space = Space::new(arena);
        space.bodies.resize(positions.len());
        positions.iter().enumerate().for_each(|(row, position)| space.bodies.place(row, *position));
        space
    }

    fn count(density: &Density) -> f64 {
        density.values.iter().sum::<f64>() * density.grid.cell_m2()
    }

    #[test]
    fn a_density_adds_up_to_the_number_of_robots() {
        let many: Vec<DVec2> =
            (0..500).map(|place| DVec2::new(f64::from(place % 25), f64::from(place / 25)) * 0.2 + 0.5).collect();
        for boundary in [Boundary::Walls, Boundary::Open, Boundary::Periodic] {
            for positions in [&many[..], &many[..1], &[DVec2::splat(5.0); 7][..], &[]] {
                let density = Density::from_space(&space(arena(boundary), positions));
                assert!((count(&density) - positions.len() as f64).abs() < 1e-9, "{}", count(&density));
                assert!(density.values.iter().all(|value| *value >= 0.0));
            }
        }
    }

    #[test]
    fn robots_with_poses_that_are_not_finite_are_not_in_the_density() {
        let lost = [DVec2::NAN, DVec2::splat(f64::INFINITY), DVec2::splat(1e300), DVec2::splat(5.0)];
        let density = Density::from_space(&space(arena(Boundary::Periodic), &lost));
        assert!((count(&density) - 1.0).abs() < 1e-9 && density.values.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn the_density_kernel_is_gaussian_far_from_walls() {
        let density = Density::from_space(&space(arena(Boundary::Walls), &[DVec2::new(5.0, 3.0)]));
        let bandwidth_m = BANDWIDTH[0] * 6.0;
        let gauss = |off: f64| {
            let part = off / bandwidth_m;
            math::exp(-0.5 * part * part) / (std::f64::consts::TAU * bandwidth_m * bandwidth_m)
        };
        for off in [DVec2::ZERO, DVec2::X * 0.1, DVec2::splat(0.1), DVec2::NEG_Y * 0.2] {
            let (found, expected) = (density.at(DVec2::new(5.0, 3.0) + off), gauss(off.length()));
            assert!((found - expected).abs() < 0.08 * gauss(0.0), "{off}: {found} for {expected}");
        }
    }

    #[test]
    fn density_spreads_across_periodic_borders_and_not_through_walls() {
        let at_border =
            |boundary| Density::from_space(&space(arena(boundary), &[DVec2::new(9.98, 3.0)])).at(DVec2::new(0.05, 3.0));
        assert!(at_border(Boundary::Periodic) > 1.0 && at_border(Boundary::Walls) == 0.0);
        let mut walled = space(arena(Boundary::Walls), &[DVec2::new(4.9, 3.0)]);
        let open = Density::from_space(&walled).at(DVec2::new(5.1, 3.0));
        let wall = [(4.98, 0.0), (5.02, 0.0), (5.02, 6.0), (4.98, 6.0)].map(DVec2::from);
        walled.solids.add_polygon(&wall).unwrap();
        let density = Density::from_space(&walled);
        assert!(open > 1.0 && density.at(DVec2::new(5.1, 3.0)) < 1e-9);
        assert!(density.at(DVec2::new(4.9, 3.0)) > 1.5 * open, "it stays on its side");
        assert!((count(&density) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn density_cells_fill_the_arena_except_obstacles() {
        let walled = space(arena(Boundary::Walls), &[DVec2::new(2.0, 3.0)]);
        let mut space = space(arena(Boundary::Open), &[DVec2::new(2.0, 3.0), DVec2::new(20.0, 3.0)]);
        space.solids.add_disc(DVec2::new(7.0, 3.0), 1.0).unwrap();
        let density = Density::from_space(&space);
        let mut view = View::fit(&Scene::default(), DVec2::splat(600.0));
        view.camera.center_m = DVec2::new(5.0, 3.0);
        view.camera.pixels_per_m = 20.0;
        let cells = density.cells(&space, &view, 1.0);
        let lines = cells.levels.len() / cells.columns;
        let size = cells.cell_m * DVec2::new(cells.columns as f64, lines as f64);
        assert!(cells.corner.abs_diff_eq(DVec2::ZERO, 1e-9) && size.abs_diff_eq(DVec2::new(10.0, 6.0), 1e-9));
        let level = |at: DVec2| {
            let [column, line] = (at / cells.cell_m).to_array().map(|place| place as usize);
            cells.levels[line * cells.columns + column]
        };
        assert_eq!([DVec2::new(7.0, 3.0), DVec2::new(9.9, 0.1)].map(level), [0, 1]);
        assert!(level(DVec2::new(2.0, 3.0)) > 200);
        assert_eq!(density.outside, 1, "the legend says so");
        let cells = Density::from_space(&walled).cells(&walled, &view, 1.0);
        assert!(cells.corner.abs_diff_eq(DVec2::splat(-0.05), 1e-9), "under the wall: {}", cells.corner);
        // Far away there is nothing to paint.
        view.camera.center_m = DVec2::splat(1e4);
        assert!(density.cells(&space, &view, 1.0).levels.is_empty());
    }
}
