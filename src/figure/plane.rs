//! The plane of a chart: the places of its data on the page, for pointers.

use bevy::math::DVec2;

use super::frame::Frame;
use super::page::Area;

/// The places of the data of a chart on the page, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug)]
pub enum Plane {
    /// Two axes.
    Axes(Frame),
    /// The cells of a heat map.
    Cells {
        /// The area of all cells.
        area: Area,
        /// The number of cells to the right and upwards.
        counts: [usize; 2],
    },
}

impl Plane {
    /// The area of the data.
    pub fn area(&self) -> Area {
        match self {
            Self::Axes(frame) => frame.plot,
            Self::Cells { area, .. } => *area,
        }
    }

    /// The place of a pair of numbers; `None` on a heat map.
    pub fn place(&self, x: f64, y: f64) -> Option<DVec2> {
        match self {
            Self::Axes(frame) => Some(frame.place(x, y)),
            Self::Cells { .. } => None,
        }
    }

    /// The number of the x axis at a place; on a heat map, the number of columns to its left.
    pub fn x_at(&self, x_px: f64) -> f64 {
        let area = self.area();
        let part = ((x_px - area.left) / area.width()).clamp(0.0, 1.0);
        match self {
            Self::Axes(frame) => frame.x_at(part),
            Self::Cells { counts, .. } => part * counts[0] as f64,
        }
    }

    /// The area of a cell of a heat map.
    pub fn cell(&self, [column, row]: [usize; 2]) -> Option<Area> {
        let Self::Cells { area, counts: [columns, rows] } = self else { return None };
        let (width, height) = (area.width() / *columns as f64, area.height() / *rows as f64);
        let (left, bottom) = (area.left + width * column as f64, area.bottom - height * row as f64);
        (column < *columns && row < *rows).then_some(Area { left, top: bottom - height, right: left + width, bottom })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Chart, Curves, Figure, HeatMap, Levels, Point, Series};

    use super::*;

    fn figure(chart: Chart) -> Figure {
        Figure { title: "t".into(), caption: "c".into(), chart }
    }

    #[test]
    fn positions_and_values_of_axes_convert_both_ways() {
        for x in [Axis::linear("x"), Axis::log("x")] {
            let point = |x: f64| Point { x, value: x * 2.0, low: x, high: x * 3.0, n: 2 };
            let series = vec![Series { points: [1.0, 10.0, 100.0].map(point).into(), ..Series::default() }];
            let chart = Chart::Curves(Curves { x, y: Axis::linear("y"), series, ..Curves::default() });
            let screen = figure(chart).on_screen(DVec2::new(400.0, 200.0));
            let plane = screen.plane.unwrap();
            let at = plane.place(10.0, 20.0).unwrap();
            assert!((plane.x_at(at.x) - 10.0).abs() < 1e-9);
            let area = plane.area();
            assert!(area.left < at.x && at.x < area.right && area.top < at.y && at.y < area.bottom);
            assert!(plane.cell([0, 0]).is_none());
        }
    }

    #[test]
    fn heat_map_cells_are_found_from_the_lower_left_corner() {
        let levels = |count: u32| Levels::numbers("n", &(0..count).map(f64::from).collect::<Vec<_>>());
        let cells = (0..6).map(f64::from).collect();
        let map = HeatMap {
            x: levels(3),
            y: levels(2),
            value: Axis::linear("v"),
            cells,
            show_values: false,
            lines: Vec::new(),
        };
        let plane = figure(Chart::HeatMap(map)).on_screen(DVec2::new(400.0, 300.0)).plane.unwrap();
        for cell in [[0, 0], [2, 1], [1, 0]] {
            let area = plane.cell(cell).unwrap();
            let column = plane.x_at((area.left + area.right) / 2.0);
            assert!((column - cell[0] as f64 - 0.5).abs() < 1e-9 && area.height() > 0.0);
            let is_below = area.bottom > plane.area().bottom - area.height() / 2.0;
            assert_eq!(is_below, cell[1] == 0);
        }
        assert!(plane.cell([3, 0]).is_none() && plane.place(1.0, 1.0).is_none());
    }

    #[test]
    fn a_figure_without_data_has_no_plane() {
        assert!(figure(Chart::Curves(Curves::default())).on_screen(DVec2::new(300.0, 200.0)).plane.is_none());
    }
}
