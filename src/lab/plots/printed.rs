//! Plots for export: the lines of the panel as charts of a figure.

use swarmarium_figure::{Axis, Chart, Curves, Figure, Point, Series};

use super::PlotState;
use super::axis::Scale;
use super::curve::runs;
use super::layout::{Card, Layout};
use super::span::Span;

/// Number of sample columns of a line, more than a printer resolves on a page.
const COLUMNS: f32 = 2000.0;

/// The arrangement of the plots in the panel.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// Shared plots and scales.
    pub(super) layout: Layout,
    /// The visible time span.
    pub(super) span: Span,
}

impl PlotState {
    /// Returns the keys and titles of the plots, in order.
    pub fn titles(&self) -> Vec<(String, String)> {
        let cards = self.arrangement.layout.cards(self.history.topics());
        cards.iter().map(|card| (card.key().to_owned(), card.title())).collect()
    }

    /// Returns the plots as charts, without those whose keys are in `left_out`; `latest` has the present values.
    pub fn figures(&self, now_s: f64, latest: &[f64], left_out: &[String]) -> Vec<Figure> {
        let cards = self.arrangement.layout.cards(self.history.topics());
        let shown = cards.iter().filter(|card| left_out.iter().all(|key| key != card.key()));
        shown.map(|card| self.figure(card, now_s, latest)).collect()
    }

    fn figure(&self, card: &Card, now_s: f64, latest: &[f64]) -> Figure {
        let range_s = self.arrangement.span.range_s(now_s);
        let points = |series: usize| {
            let now = (now_s, latest.get(series).copied().unwrap_or(f64::NAN));
            // Values are not transformed: the chart applies the logarithmic axis.
            let runs = runs(&self.history, series, range_s, COLUMNS, now, Scale::Linear);
            let mut points: Vec<Point> = Vec::new();
            for run in runs {
                // A point without a value makes a gap.
                points.extend(points.last().map(|last| point(last.x, f64::NAN)));
                let inside = run.iter().filter(|at| at.x >= range_s[0] && at.x <= range_s[1]);
                points.extend(inside.map(|at| point(at.x, at.y)));
            }
            points
        };
        let series = card.lines().map(|(label, series)| Series { label, points: points(series) }).collect();
        let label = match card.unit() {
            "" => card.title(),
            unit => format!("{} ({unit})", card.title()),
        };
        let y = if card.scale == Scale::Logarithmic { Axis::log(label) } else { Axis::linear(label) };
        let x = Axis::linear("Time (s)").at_least(range_s);
        let chart = Chart::Curves(Curves { x, y, series, are_samples: true });
        Figure { title: String::new(), caption: String::new(), chart }
    }
}

fn point(x: f64, value: f64) -> Point {
    Point { x, value, low: f64::NAN, high: f64::NAN, n: 1 }
}
