//! The curves of a plot and its axes of values, as the panel and videos draw them.

use std::collections::BTreeMap;

use egui_plot::{LineStyle, PlotPoint};
use swarmarium_picture::palette::{Paint, Role};

use crate::common::settings::PlotLayout;
use crate::plots::axis::{Bounds, ValueAxis};
use crate::plots::curve::runs;
use crate::plots::history::History;
use crate::plots::layout::{Card, CardLine};

/// The numbers that plots show.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The arrangement of the plots.
    pub layout: &'a PlotLayout,
    /// The numbers of world A.
    pub history: &'a History,
    /// The numbers of the compared world.
    pub of_b: Option<&'a History>,
    /// The bounds of the metrics.
    pub bounds: &'a BTreeMap<String, Bounds>,
    /// The present time in seconds, and the present values by the places of their series. A series without a present
    /// value ends at its last step.
    pub now: (f64, &'a [f64]),
}

/// A curve of a plot.
pub struct Curve {
    /// The colour.
    pub paint: Paint,
    /// The style of the line.
    pub style: LineStyle,
    /// The connected parts.
    pub runs: Vec<Vec<PlotPoint>>,
    /// Whether its values are on the right axis.
    pub is_right: bool,
}

impl Sources<'_> {
    fn name(&self, series: usize) -> &str {
        self.history.names().nth(series).unwrap_or_default()
    }

    /// Whether a plot shows the line of a series.
    pub fn shows(&self, card: &Card, series: usize) -> bool {
        card.shows(self.layout, self.name(series))
    }

    /// Returns the curves of a plot of a width in points: those of hidden lines are left out, and those of the compared
    /// world are dashed.
    pub fn curves(&self, card: &Card, range_s: [f64; 2], width_px: f32) -> Vec<Curve> {
        let in_b = |series: usize| {
            let of_b = self.of_b?;
            let series = of_b.names().position(|known| known == self.name(series))?;
            Some(runs(of_b, series, range_s, width_px, (f64::INFINITY, f64::NAN), card.scale))
        };
        let lines = card.lines().enumerate().filter(|(_, line)| self.shows(card, line.series));
        let curves = lines.flat_map(|(place, CardLine { series, is_right, .. })| {
            let (now_s, latest) = self.now;
            let now = (now_s, latest.get(series).copied().unwrap_or(f64::NAN));
            let in_a = runs(self.history, series, range_s, width_px, now, card.scale);
            let of_both = [(line_style(place), Some(in_a)), (LineStyle::dashed_dense(), in_b(series))];
            let paint = line_paint(place);
            of_both.into_iter().filter_map(move |(style, runs)| Some(Curve { paint, style, runs: runs?, is_right }))
        });
        curves.collect()
    }

    /// Returns the value axis of one side of a plot with some curves.
    pub fn value_axis(&self, card: &Card, curves: &[Curve], is_right: bool) -> ValueAxis {
        let own = curves.iter().filter(|curve| curve.is_right == is_right);
        let values = own.flat_map(|curve| &curve.runs).flatten().map(|point| point.y);
        let lines = card.lines().filter(|line| line.is_right == is_right && self.shows(card, line.series));
        let bounds = lines.map(|line| self.bounds.get(self.name(line.series)).copied().unwrap_or(Bounds::NONE));
        let bounds = bounds.reduce(Bounds::with).unwrap_or(Bounds::NONE);
        ValueAxis::on(card.scale, values, bounds, card.is_fitted)
    }
}

/// Colours of lines, before they repeat with another style.
const COLORS: usize = 7;

/// Returns the colour of a line by its place in the plot. A line of the compared world has the same colour, and dashes.
pub fn line_paint(place: usize) -> Paint {
    let color = place % COLORS;
    if color == 0 { Role::Accent } else { Role::Group(color as u32) }.faint(1.0).legible()
}

/// Returns the style of a line by its place in the plot.
pub fn line_style(place: usize) -> LineStyle {
    match place / COLORS {
        0 => LineStyle::Solid,
        turn if turn % 2 == 1 => LineStyle::dotted_dense(),
        _ => LineStyle::dashed_loose(),
    }
}
