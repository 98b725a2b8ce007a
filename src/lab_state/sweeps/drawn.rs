//! Figures as pixels, drawn by a thread in the size of the panel.

use bevy::math::DVec2;
use swarmarium_figure::{Chart, Curves, Figure, OnScreen, Plane, Point};
use swarmarium_picture::GroupColors;
use swarmarium_picture::palette::Theme;
use swarmarium_video::painter::{Painter, Style};

use crate::plots::axis::Bounds;

/// The end of the names of figures over time.
pub const OVER_TIME: &str = "-over-time";

/// Points with fewer runs than this have their intervals cut.
const FEW: usize = 5;

/// The part of the range of values beyond which they are cut.
const MARGIN: f64 = 0.15;

/// A figure that the window wants.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRequest {
    /// The name of the figure, such as `circliness-curve`.
    pub name: String,
    /// Width and height, in points of the interface.
    pub size_px: [u16; 2],
    /// Pixels per point.
    pub scale: f32,
    /// The theme.
    pub theme: Theme,
    /// Whether the cells of a heat map show pictures, and not their values.
    pub has_pictures: bool,
    /// The values that the measure can have: no interval goes beyond them.
    pub bounds: Bounds,
}

impl FigureRequest {
    /// Whether the figure shows a metric over time.
    pub fn is_over_time(&self) -> bool {
        self.name.ends_with(OVER_TIME)
    }
}

/// Keeps intervals within the values that the measure can have: a bootstrap of few runs can go beyond them.
fn keep_within(curves: &mut Curves, bounds: Bounds) {
    for point in curves.series.iter_mut().flat_map(|series| &mut series.points) {
        // A value that is out of bounds stays within its interval.
        point.low = if point.low.is_finite() { point.low.max(bounds.low.min(point.value)) } else { point.low };
        point.high = if point.high.is_finite() { point.high.min(bounds.high.max(point.value)) } else { point.high };
    }
}

/// A drawn figure.
#[derive(Debug)]
pub struct Drawn {
    /// The figure, for its caption and for export.
    pub figure: Figure,
    /// The name of the figure.
    pub name: String,
    /// Width and height in pixels.
    pub size: [u16; 2],
    /// The pixels, row by row from the top.
    pub rgba: Vec<u8>,
    /// The places of the data; `None` without data.
    pub plane: Option<Plane>,
}

/// Cuts the intervals of points with few runs near the values: those of two runs are so wide that the first curve would be
/// a flat line. Exported figures have them whole.
fn cut_bands(curves: &mut Curves) {
    let values = || curves.series.iter().flat_map(|series| &series.points).map(|point| point.value);
    let finite = || values().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let margin = (high - low) * MARGIN;
    if margin.is_nan() || margin <= 0.0 {
        return;
    }
    let few = |point: &&mut Point| point.n < FEW && point.low.is_finite() && point.high.is_finite();
    for point in curves.series.iter_mut().flat_map(|series| &mut series.points).filter(few) {
        // The value itself stays within its interval.
        point.low = point.low.max((low - margin).min(point.value));
        point.high = point.high.min((high + margin).max(point.value));
    }
}

/// Draws a figure.
pub fn draw(mut figure: Figure, request: &FigureRequest) -> Drawn {
    if let Chart::Curves(curves) = &mut figure.chart {
        keep_within(curves, request.bounds);
    }
    let size_px = DVec2::from(request.size_px.map(f64::from)).max(DVec2::ONE);
    let mut shown = figure.clone();
    match &mut shown.chart {
        Chart::HeatMap(map) => map.show_values &= !request.has_pictures,
        Chart::Curves(curves) => cut_bands(curves),
        Chart::BoxPlots(_) | Chart::Bars(_) | Chart::Scatter(_) => {}
    }
    let OnScreen { picture, camera, plane } = shown.on_screen(size_px);
    let scale = f64::from(request.scale);
    let size = (size_px * scale).to_array().map(|side| side.round().clamp(16.0, 4096.0) as u16);
    let style = Style { theme: request.theme, groups: GroupColors::OkabeIto, transparent: false, scale };
    let rgba = Painter::new(size[0], size[1], style).paint(&picture, &camera).rgba.to_vec();
    Drawn { figure, name: request.name.clone(), size, rgba, plane }
}

#[cfg(test)]
mod tests {
    use swarmarium_figure::{Axis, Series};

    use super::*;

    #[test]
    fn intervals_stay_within_the_bounds_of_the_measure() {
        let points = [(0.9, 0.7, 1.3), (0.1, -0.2, 0.3), (0.5, f64::NAN, f64::NAN)];
        let points = points.map(|(value, low, high)| Point { x: value, value, low, high, n: 2 }).to_vec();
        let series = vec![Series { points, ..Series::default() }];
        let curves = Curves { x: Axis::linear("x"), y: Axis::linear("y"), series, ..Curves::default() };
        let figure = Figure { title: String::new(), caption: String::new(), chart: Chart::Curves(curves) };
        let request = FigureRequest {
            name: "share-curve".into(),
            size_px: [200, 100],
            scale: 1.0,
            theme: Theme::Dark,
            has_pictures: false,
            bounds: Bounds { low: 0.0, high: 1.0 },
        };
        let Chart::Curves(drawn) = draw(figure, &request).figure.chart else { panic!("another chart") };
        let ends: Vec<[f64; 2]> = drawn.series[0].points.iter().map(|point| [point.low, point.high]).collect();
        assert_eq!(ends[..2], [[0.7, 1.0], [0.0, 0.3]]);
        assert!(ends[2].iter().all(|end| end.is_nan()));
    }
}
