//! A field as a grid of coloured cells. Painters merge cells into rectangles.

use bevy::math::DVec2;

use super::Role;
use super::palette::viridis;

/// A grid of equal rectangles, line by line from its lower left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// The lower left corner, in metres.
    pub corner: DVec2,
    /// Width and height of a cell, in metres.
    pub cell_m: DVec2,
    /// The number of cells in a line.
    pub columns: usize,
    /// The level of each cell from 1 to 255; 0 is not painted.
    pub levels: Vec<u8>,
}

impl Cells {
    /// Cells for the values of a field. The value `max` has the last colour; values below 0.5 % of it are not painted.
    pub fn new(corner: DVec2, cell_m: DVec2, columns: usize, values: &[f64], max: f64) -> Self {
        let level = |value: &f64| if value / max > 0.005 { Self::level(value / max) } else { 0 };
        Self { corner, cell_m, columns, levels: values.iter().map(level).collect() }
    }

    /// The level of a part of the highest value, from 0 to 1. A value that is not a number has the first level.
    pub fn level(part: f64) -> u8 {
        1 + (254.0 * part.clamp(0.0, 1.0)).round() as u8
    }

    /// The colour of a level.
    pub fn role(level: u8) -> Role {
        viridis((f64::from(level) - 1.0) / 254.0)
    }

    /// Rectangles of adjacent cells with the same level: the level and the corners, anticlockwise from the lower left one.
    pub fn runs(&self) -> impl Iterator<Item = (u8, [DVec2; 4])> {
        let at = |column: usize, line: usize| self.corner + self.cell_m * DVec2::new(column as f64, line as f64);
        self.levels.chunks(self.columns.max(1)).enumerate().flat_map(move |(line, levels)| {
            let mut column = 0;
            levels.chunk_by(|a, b| a == b).filter_map(move |run| {
                let (first, last) = (column, column + run.len());
                column = last;
                let corners = [at(first, line), at(last, line), at(last, line + 1), at(first, line + 1)];
                (run[0] > 0).then_some((run[0], corners))
            })
        })
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten, for the end of a scale that rarely changes.
/// From a billionth to billions; 1 for other values.
pub fn round_up(value: f64) -> f64 {
    const POWERS: [f64; 19] =
        [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    let mut ends = POWERS.iter().flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * power));
    ends.find(|end| value > 0.0 && *end >= value).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_cells_of_one_colour_are_one_rectangle() {
        let values = [0.0, 1.0, 1.0, 1.0, 2.0, f64::NAN];
        let cells = Cells::new(DVec2::new(10.0, 20.0), DVec2::splat(0.5), 3, &values, 2.0);
        assert_eq!(cells.levels, [0, 128, 128, 128, 255, 0]);
        let runs: Vec<_> = cells.runs().map(|(level, corners)| (level, corners[0], corners[2])).collect();
        let at = DVec2::new;
        assert_eq!(
            runs,
            [
                (128, at(10.5, 20.0), at(11.5, 20.5)),
                (128, at(10.0, 20.5), at(10.5, 21.0)),
                (255, at(10.5, 20.5), at(11.0, 21.0)),
            ]
        );
        assert_eq!(Cells::role(255), viridis(1.0));
        assert_eq!(Cells::default().runs().count(), 0);
    }

    #[test]
    fn ends_of_scales_are_round() {
        let near = |value: f64, expected: f64| (round_up(value) - expected).abs() < 1e-9 * expected;
        assert!(near(0.013, 0.02) && near(3.0, 5.0) && near(51.0, 100.0));
        assert_eq!([1.0, 2.0, 5.0, 100.0].map(round_up), [1.0, 2.0, 5.0, 100.0]);
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(round_up), [1.0; 4]);
    }
}
