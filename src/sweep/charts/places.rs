//! The places of points on figures, for pointers in a window.

use super::{FactorAxis, is_full_grid, measure_names, sides};
use crate::resolved::Sweep;
use crate::results::Results;
use crate::summary::Summary;

/// The place of a point on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// The numbers on both axes; the second one is NaN without a value.
    At(f64, f64),
    /// The column and the row of a heat map, from its lower left corner.
    Cell([usize; 2]),
}

/// The measure that a figure shows, by the name of the figure; `None` for figures over time.
pub fn measure_of(sweep: &Sweep, name: &str) -> Option<usize> {
    let (stem, kind) = name.split_once('-')?;
    let place = measure_names(sweep).iter().position(|measure| measure == stem)?;
    (kind != "over-time").then_some(place)
}

/// The places of all points on a figure of a measure, by its name, and the factor on its x axis; `None` for other figures.
pub fn places(sweep: &Sweep, results: &Results, name: &str) -> Option<(Option<usize>, Vec<Place>)> {
    let measure = measure_of(sweep, name)?;
    let (_, kind) = name.split_once('-')?;
    let axes = FactorAxis::all(sweep);
    let points = 0..sweep.points.len();
    let center = |point: usize| {
        let summary = results.summaries.get(point).and_then(|of_point| of_point.get(measure));
        summary.map_or(f64::NAN, Summary::center)
    };
    let over = |axis: &FactorAxis| {
        let places = points.clone().map(|point| Place::At(axis.x_of_point(point), center(point))).collect();
        Some((Some(axis.factor), places))
    };
    match (kind, &axes[..]) {
        ("map" | "curves", [one, other]) if is_full_grid(&axes, sweep.points.len()) => {
            let [x, y] = sides(one, other);
            match kind {
                "map" => {
                    let cell = |point: usize| Place::Cell([x.level_of_point[point], y.level_of_point[point]]);
                    Some((Some(x.factor), points.map(cell).collect()))
                }
                _ => over(x),
            }
        }
        ("curve" | "boxes", [axis]) => over(axis),
        ("curve" | "boxes", []) => Some((None, points.map(|point| Place::At(point as f64, center(point))).collect())),
        _ => over(axes.iter().find(|axis| kind.strip_prefix("by-") == Some(axis.file_name.as_str()))?),
    }
}
