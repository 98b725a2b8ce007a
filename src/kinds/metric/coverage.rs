//! Measures the share of the arena that the swarm has visited.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{Boundary, Field};

/// The maximum number of cells.
const MOST_CELLS: f64 = 4e6;

/// Share of the arena that robots cover in this step, and share that they have covered since the start. The arena
/// is divided into cells; a cell is covered while a robot is in it or within a range of its centre. Covered cells
/// are drawn. In a periodic arena, the range extends across the boundary.
///
/// # Formula
/// ```math
/// q_{\text{now}} = \frac{1}{M} \sum_{m=1}^{M} c_m(t)
/// \qquad
/// q_{\text{ever}} = \frac{1}{M} \sum_{m=1}^{M} {\max_{\tau \le t} c_m(\tau)}
/// ```
/// $c_m(t)$ is 1 if a robot is in cell $m$, or at most `range_m` from its centre, at time $t$, and 0 otherwise;
/// $M$ is the number of cells.
///
/// Source: Swarmarium.
///
/// Range: 0 to 1.
#[kind(section = "Spread", words = "explored, visited, cleaned, area, exploration")]
pub struct Coverage {
    /// Side of a cell. Cells are enlarged if there would be more than four million.
    #[reflect(@Limits::up_to(1e6))]
    #[default(0.5)]
    pub cell_m: f64,
    /// Distance from a robot within which the centre of a cell is covered. 0: only cells that contain a robot are
    /// covered.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub range_m: f64,
}

/// The covered cells, row by row.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Covered {
    ever: Vec<bool>,
    /// The last step in which each cell was covered, counted from 1.
    last: Vec<u32>,
    steps: u32,
}

/// The cells of an arena.
#[derive(Clone, Copy)]
struct Cells {
    columns: usize,
    lines: usize,
    size_m: DVec2,
}

impl Cells {
    fn of(metric: &Coverage, arena_m: DVec2) -> Self {
        let least = (arena_m.x * arena_m.y / MOST_CELLS).sqrt().max(arena_m.max_element() / MOST_CELLS);
        let counts = (arena_m / metric.cell_m.max(least)).ceil().max(DVec2::ONE);
        Self { columns: counts.x as usize, lines: counts.y as usize, size_m: arena_m / counts }
    }

    /// The columns or lines whose centres may be within a range of a coordinate, measured from the edge of the first
    /// one; in a periodic arena, also those across the boundary.
    fn span(
        center_m: f64,
        range_m: f64,
        cell_m: f64,
        (count, wraps): (usize, bool),
    ) -> impl Iterator<Item = usize> + Clone {
        let place = |at: f64| (at / cell_m).floor();
        let (first, last) = (place(center_m - range_m), place(center_m + range_m));
        let (first, number) = if wraps {
            (first as i64, ((last - first) as usize).saturating_add(1).min(count))
        } else {
            let [first, last] = [first, last].map(|at| at.clamp(0.0, count as f64) as usize);
            (first as i64, (last + 1).min(count).saturating_sub(first))
        };
        (0..number as i64).map(move |k| (first + k).rem_euclid(count as i64) as usize)
    }

    /// Visits the cells that an agent at `at` (m) covers. In an open arena, the agent can be outside.
    fn covered(self, arena: &Field, at: DVec2, range_m: f64, mut visit: impl FnMut(usize)) {
        let Self { columns, lines, size_m } = self;
        let (wraps, from_low) = (arena.boundary == Boundary::Periodic, at - arena.low);
        let inside = from_low.cmpge(DVec2::ZERO).all()
            && from_low.cmplt(size_m * DVec2::new(columns as f64, lines as f64)).all();
        for line in Self::span(from_low.y, range_m, size_m.y, (lines, wraps)) {
            for column in Self::span(from_low.x, range_m, size_m.x, (columns, wraps)) {
                let center = size_m * DVec2::new(column as f64 + 0.5, line as f64 + 0.5);
                let offset = if wraps { arena.offset(at, arena.low + center) } else { center - from_low };
                let is_in = inside && (offset.abs() * 2.0).cmple(size_m).all();
                if is_in || offset.length_squared() <= range_m * range_m {
                    visit(line * columns + column);
                }
            }
        }
    }
}

impl Metric for Coverage {
    type Memory = Covered;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("now", "Covered share of the arena"),
        MetricLabel::new("ever", "Share of the arena covered so far"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("coverage", "Coverage")
    }

    fn observe(&self, memory: &mut Covered, swarm: &Swarm, values: &mut [f64]) {
        let arena = swarm.space.arena;
        let cells = Cells::of(self, arena.size);
        let count = cells.columns * cells.lines;
        if memory.ever.len() != count {
            *memory = Covered { ever: vec![false; count], last: vec![0; count], steps: 0 };
        }
        let Covered { ever, last, steps } = memory;
        *steps = steps.wrapping_add(1);
        let mut now = 0_u64;
        for at in swarm.positions() {
            // A range as large as the arena makes every agent visit every cell.
            if now == count as u64 {
                break;
            }
            let at = arena.confine(*at, 0.0);
            cells.covered(&arena, at, self.range_m, |cell| {
                now += u64::from(last[cell] != *steps);
                last[cell] = *steps;
                ever[cell] = true;
            });
        }
        values[0] = now as f64 / count as f64;
        values[1] = ever.iter().filter(|ever| **ever).count() as f64 / count as f64;
    }

    fn draw(&self, memory: &Covered, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        let cells = Cells::of(self, swarm.space.arena.size);
        // Cells that are too small to see, or too many, are not drawn.
        let is_fine = cells.size_m.min_element() * picture.pixels_per_m < 2.0;
        if is_fine || memory.ever.len() > 100_000 || memory.ever.len() != cells.columns * cells.lines {
            return;
        }
        for cell in (0..memory.ever.len()).filter(|cell| memory.ever[*cell]) {
            let low = swarm.space.arena.low
                + cells.size_m * DVec2::new((cell % cells.columns) as f64, (cell / cells.columns) as f64);
            let high = low + cells.size_m;
            let corners = vec![low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)];
            picture.add(Layer::Field, Role::Accent.faint(0.15), Shape::Polygon(corners));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe, observe_again, observe_within};

    #[test]
    fn coverage_counts_each_cell_once() {
        // The arena of the tests measures 6 m by 8 m: 48 cells of a metre.
        let metric = Coverage { cell_m: 1.0, ..Default::default() };
        let mut memory = Covered::default();
        let agents = at(&[(0.5, 0.5), (0.7, 0.5), (-1.0, 0.5)]);
        assert_eq!(observe_again(&metric, &mut memory, &agents), [1.0 / 48.0, 1.0 / 48.0]);
        assert_eq!(observe_again(&metric, &mut memory, &at(&[(5.5, 7.5)])), [1.0 / 48.0, 2.0 / 48.0]);
        let around = Coverage { cell_m: 1.0, range_m: 1.0 };
        assert_eq!(observe(&around, &agents[..1]), [3.0 / 48.0; 2]);
        assert_eq!(observe(&around, &[]), [0.0; 2]);
    }

    #[test]
    fn coverage_range_reaches_across_a_wrapping_border_only() {
        let metric = Coverage { cell_m: 1.0, range_m: 1.0 };
        let corner = at(&[(0.5, 0.5)]);
        let covered = |boundary, metric: &Coverage| {
            let [now, ever] = observe_within(boundary, metric, &mut Covered::default(), &corner);
            assert_eq!(now, ever);
            (now * 48.0).round()
        };
        // The cell itself and its four neighbours, of which two lie across the boundary.
        let boundaries = [Boundary::Periodic, Boundary::Walls, Boundary::Open];
        assert_eq!(boundaries.map(|boundary| covered(boundary, &metric)), [5.0, 3.0, 3.0]);
        let own = Coverage { cell_m: 1.0, range_m: 0.0 };
        assert_eq!(boundaries.map(|boundary| covered(boundary, &own)), [1.0; 3]);
        let all = Coverage { cell_m: 1.0, range_m: 1e6 };
        assert_eq!(boundaries.map(|boundary| covered(boundary, &all)), [48.0; 3]);
    }

    #[test]
    fn coverage_enlarges_tiny_cells() {
        let [now, ever] = observe(&Coverage { cell_m: 1e-9, ..Default::default() }, &at(&[(1.0, 1.0)]));
        assert!(now > 0.0 && now == ever && now < 1e-5);
    }
}
