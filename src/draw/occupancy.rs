//! Occupancy: the time that robots spent in each cell of the arena.

use bevy::math::DVec2;
use swarmarium_picture::cells::{Cells, round_up};
use swarmarium_picture::palette::{Role, viridis};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::Field;

use super::legend::Legend;

/// The number of cells along the longer side of the arena.
const CELLS: f64 = 64.0;
/// The number of times that the grid may double its sides for robots that leave it; its cells double as well.
const DOUBLINGS: u32 = 3;

/// The time that robots spent in each cell of a grid over the arena.
///
/// If robots leave an arena without walls, the grid doubles its sides and cells, a few times; time beyond the largest
/// grid counts for no cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occupancy {
    corner_m: DVec2,
    cell_m: f64,
    columns: usize,
    doublings: u32,
    /// Robot-seconds in each cell, row by row.
    seconds: Vec<f64>,
    /// Robot-seconds outside the grid.
    outside_s: f64,
    /// The simulated time at which counting began.
    since_s: f64,
}

impl Occupancy {
    /// Creates an empty grid over an arena.
    pub fn new(arena: &Field) -> Self {
        let cell_m = arena.size.max_element() / CELLS;
        // Both counts are multiples of four, so that four cells can be merged twice when the grid grows.
        let [columns, lines] =
            (arena.size / cell_m).to_array().map(|cells| ((cells - 1e-9) / 4.0).ceil().max(1.0) as usize * 4);
        let seconds = vec![0.0; columns * lines];
        Self { corner_m: arena.low, cell_m, columns, doublings: 0, seconds, outside_s: 0.0, since_s: 0.0 }
    }

    /// Restarts the count at a simulated time.
    pub fn begin(&mut self, since_s: f64) {
        self.seconds.fill(0.0);
        (self.outside_s, self.since_s) = (0.0, since_s);
    }

    /// Whether the count began at the start of the run.
    pub fn is_whole(&self) -> bool {
        self.since_s == 0.0
    }

    /// Counts robots that were at these positions (m) for a time.
    pub fn add(&mut self, positions: &[DVec2], for_s: f64) {
        for position in positions {
            match self.cell(*position) {
                Some(cell) => self.seconds[cell] += for_s,
                None => self.outside_s += for_s,
            }
        }
    }

    /// The cell of a position; the grid grows for it if it may.
    fn cell(&mut self, position: DVec2) -> Option<usize> {
        loop {
            let place = ((position - self.corner_m) / self.cell_m).floor();
            let end = DVec2::new(self.columns as f64, self.lines() as f64);
            if place.cmpge(DVec2::ZERO).all() && place.cmplt(end).all() {
                return Some(place.y as usize * self.columns + place.x as usize);
            }
            // The upper boundaries of the arena belong to it.
            let touches = place.cmpge(DVec2::ZERO).all() && place.cmple(end).all();
            if touches && ((position - self.corner_m) / self.cell_m).cmple(end).all() {
                let place = place.min(end - 1.0);
                return Some(place.y as usize * self.columns + place.x as usize);
            }
            if !self.may_hold(position) {
                return None;
            }
            self.grow();
        }
    }

    /// Whether a position is within the largest grid.
    fn may_hold(&self, position: DVec2) -> bool {
        let half_m = self.cell_m / 2.0 * DVec2::new(self.columns as f64, self.lines() as f64);
        let times = f64::from(1 << (DOUBLINGS - self.doublings));
        self.doublings < DOUBLINGS && (position - self.corner_m - half_m).abs().cmplt(half_m * times).all()
    }

    fn lines(&self) -> usize {
        self.seconds.len() / self.columns.max(1)
    }

    /// Doubles the width and height about the same centre, with cells of twice the side.
    fn grow(&mut self) {
        let (columns, lines) = (self.columns, self.lines());
        let mut seconds = vec![0.0; self.seconds.len()];
        for (place, spent_s) in self.seconds.iter().enumerate() {
            let (column, line) = (place % columns, place / columns);
            seconds[(line + lines / 2) / 2 * columns + (column + columns / 2) / 2] += spent_s;
        }
        self.corner_m -= self.cell_m * DVec2::new((columns / 2) as f64, (lines / 2) as f64);
        self.cell_m *= 2.0;
        self.doublings += 1;
        self.seconds = seconds;
    }

    /// The total time of robots in seconds, outside the grid included.
    pub fn total_s(&self) -> f64 {
        self.seconds.iter().sum::<f64>() + self.outside_s
    }
}

/// Draws the occupancy; returns its legend.
pub(super) fn draw(occupancy: &Occupancy, picture: &mut Picture) -> Legend {
    let Occupancy { corner_m, cell_m, columns, seconds, since_s, .. } = occupancy;
    let most = round_up(seconds.iter().copied().fold(0.0, f64::max));
    let cells = Cells::new(*corner_m, DVec2::splat(*cell_m), *columns, seconds, most);
    // Opaque: the colours are those of the legend.
    picture.add(Layer::Field, Role::Text, Shape::Cells(cells));
    // After an undo, the count may not cover the whole run.
    let since = if *since_s > 0.0 { format!(" since {since_s:.1} s") } else { String::new() };
    Legend::bar(format!("Time of robots in a cell of {cell_m:.2} m{since}, s"), [0.0, most], viridis)
}

#[cfg(test)]
mod tests {
    use swarmarium_space::Boundary;

    use super::*;

    #[test]
    fn occupancy_adds_up_to_the_time_of_all_robots() {
        let arena = Field::new(DVec2::new(10.0, 5.0), Boundary::Open);
        let mut occupancy = Occupancy::new(&arena);
        assert_eq!(occupancy.columns, 64);
        assert_eq!(occupancy.lines(), 32);
        let places = [DVec2::ZERO, DVec2::new(9.99, 4.99), DVec2::new(10.0, 5.0), DVec2::ONE, DVec2::ONE];
        for _ in 0..100 {
            occupancy.add(&places, 0.025);
        }
        assert!((occupancy.total_s() - 5.0 * 100.0 * 0.025).abs() < 1e-9);
        assert_eq!(occupancy.doublings, 0);
        assert_eq!(occupancy.outside_s, 0.0);
        let of_one = occupancy.cell(DVec2::ONE).unwrap();
        assert!((occupancy.seconds[of_one] - 5.0).abs() < 1e-9);
    }

    #[test]
    fn the_occupancy_grid_grows_and_keeps_its_times() {
        let arena = Field::new(DVec2::splat(8.0), Boundary::Open);
        let mut occupancy = Occupancy::new(&arena);
        occupancy.add(&[DVec2::splat(1.3)], 2.0);
        occupancy.add(&[DVec2::new(-3.0, 9.0)], 1.0);
        assert_eq!(occupancy.doublings, 1);
        assert_eq!(occupancy.cell_m, 0.25);
        assert_eq!(occupancy.corner_m, DVec2::splat(-4.0));
        let [here, there] = [DVec2::splat(1.3), DVec2::new(-3.0, 9.0)].map(|at| occupancy.cell(at).unwrap());
        assert_eq!([occupancy.seconds[here], occupancy.seconds[there]], [2.0, 1.0]);
        occupancy.add(&[DVec2::splat(1e9), DVec2::NAN, DVec2::splat(f64::INFINITY)], 1.0);
        assert_eq!(occupancy.doublings, 1);
        assert_eq!(occupancy.outside_s, 3.0);
        assert_eq!(occupancy.total_s(), 6.0);
        occupancy.add(&[DVec2::new(30.0, 4.0), DVec2::new(400.0, 4.0)], 1.0);
        assert_eq!(occupancy.doublings, DOUBLINGS);
        assert_eq!(occupancy.outside_s, 4.0);
        assert_eq!(occupancy.total_s(), 8.0);
    }

    #[test]
    fn the_last_colour_of_occupancy_is_the_longest_time() {
        let mut occupancy = Occupancy::new(&Field::new(DVec2::splat(10.0), Boundary::Walls));
        occupancy.add(&[DVec2::splat(5.0)], 2.0);
        let mut picture = Picture::default();
        let legend = draw(&occupancy, &mut picture);
        assert_eq!(legend, Legend::bar("Time of robots in a cell of 0.16 m, s", [0.0, 2.0], viridis));
        occupancy.begin(12.5);
        let legend = draw(&occupancy, &mut Picture::default());
        assert_eq!(legend.title, "Time of robots in a cell of 0.16 m since 12.5 s, s");
        let [item] = &picture.items[..] else { panic!("one shape") };
        let Shape::Cells(cells) = &item.shape else { panic!("a grid") };
        assert_eq!(cells.levels.iter().filter(|level| **level == 255).count(), 1);
        assert_eq!(cells.runs().count(), 1);
    }
}
