//! Figures of metrics over time, from the series that a plan keeps.

use std::collections::BTreeMap;

use super::{evenly, state_of_runs, text};
use crate::log::Index;
use crate::resolved::Sweep;
use crate::results::Results;
use crate::run::Outcome;
use crate::stats;
use crate::summary::{CONFIDENCE, PointRuns};
use swarmarium_figure::{Axis, Chart, Curves, Figure, Point, Series};

/// The most points of a figure.
const MOST_POINTS: usize = 7;

/// The values of all runs at a time: by column, then by run.
#[derive(Default)]
struct Moment {
    t_s: f64,
    columns: Vec<Vec<f64>>,
}

/// The parts of file names that tell the metrics.
pub fn names(sweep: &Sweep) -> Vec<String> {
    text::file_names(sweep.metric_columns.iter().map(String::as_str))
}

/// A figure for each metric; none if the plan keeps no series.
pub fn figures(sweep: &Sweep, results: &Results, index: &Index) -> Vec<(String, Figure)> {
    if sweep.plan.keep.series_every_steps == 0 {
        return Vec::new();
    }
    let shown = evenly(sweep.points.len(), MOST_POINTS);
    let mut series = vec![Vec::new(); sweep.metric_columns.len()];
    let mut counts: Vec<usize> = Vec::new();
    for point in &shown {
        let moments = moments(sweep, &PointRuns::read(sweep, index, *point));
        for (column, series) in series.iter_mut().enumerate() {
            let points: Vec<Point> = moments.iter().filter_map(|moment| at(moment, column)).collect();
            counts.extend(points.iter().map(|point| point.n));
            series.push(Series { label: label(sweep, *point), points });
        }
    }
    let figures = names(sweep).into_iter().zip(&sweep.quantities).zip(series).map(|((name, quantity), series)| {
        let title = format!("{} over time", quantity.name);
        let (x, y) = (Axis::linear("Time (s)"), Axis::linear(quantity.label()));
        let curves = Curves { x, y, series, ..Curves::default() };
        let caption = caption(sweep, results, &shown, (&counts, curves.interval_words()));
        (format!("{name}-over-time"), Figure { title, caption, chart: Chart::Curves(curves) })
    });
    figures.collect()
}

/// The times at which runs have values. A row at the end of a run that is at no even step is left out: it would be the mean
/// of this run alone.
fn moments(sweep: &Sweep, runs: &PointRuns) -> Vec<Moment> {
    let every = sweep.plan.keep.series_every_steps;
    let mut moments: BTreeMap<u64, Moment> = BTreeMap::new();
    let outcomes = runs.outcomes.iter().flatten().filter(|outcome| outcome.error.is_none());
    for row in outcomes.flat_map(|outcome: &Outcome| &outcome.series) {
        let mut cells = row.split(',');
        let step = cells.next().and_then(|cell| cell.parse().ok()).filter(|step: &u64| step.is_multiple_of(every));
        let (Some(step), Some(t_s)) = (step, cells.next().and_then(|cell| cell.parse().ok())) else { continue };
        let moment = moments.entry(step).or_default();
        moment.t_s = t_s;
        moment.columns.resize(sweep.metric_columns.len(), Vec::new());
        for (column, cell) in moment.columns.iter_mut().zip(cells) {
            column.extend(cell.parse().ok().filter(|value: &f64| value.is_finite()));
        }
    }
    moments.into_values().collect()
}

fn at(moment: &Moment, column: usize) -> Option<Point> {
    let values = moment.columns.get(column).filter(|values| !values.is_empty())?;
    let interval = stats::mean_interval(values, CONFIDENCE);
    let [low, high] = interval.map_or([f64::NAN; 2], |interval| [interval.low, interval.high]);
    Some(Point { x: moment.t_s, value: stats::mean(values), low, high, n: values.len() })
}

/// The values of the factors at a point.
fn label(sweep: &Sweep, point: usize) -> String {
    let values = sweep.points[point].iter().enumerate();
    let factors = values.map(|(factor, value)| {
        text::assignment(&text::factor_label(sweep, factor), &text::value(value), value.number().is_some())
    });
    factors.collect::<Vec<_>>().join(", ")
}

fn caption(sweep: &Sweep, results: &Results, shown: &[usize], (counts, interval): (&[usize], &str)) -> String {
    let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
    let each = if shown.len() > 1 { " at each point" } else { "" };
    let n = match least == most {
        true => format!("n = {}{each}", text::count(least as u64, "run")),
        false => format!("n = {least} to {most} runs{each}: a run that ended counts no longer"),
    };
    let band = match most > 1 {
        true => format!("{interval}95 % t interval of the mean at each time, not of the whole curve"),
        false => "; no intervals, as there is one run".to_owned(),
    };
    let points = match shown.len() < sweep.points.len() {
        true => {
            let numbers: Vec<String> = shown.iter().map(|point| (point + 1).to_string()).collect();
            format!(" {} of {} points are shown: {}.", shown.len(), sweep.points.len(), numbers.join(", "))
        }
        false => String::new(),
    };
    format!("{n}. Line: mean{band}.{points} {}", state_of_runs(sweep, results))
}
