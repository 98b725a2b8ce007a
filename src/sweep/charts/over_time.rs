//! Figures of metrics over time, from the series that a plan keeps.

use std::collections::BTreeMap;

use super::{evenly, state_of_runs, text};
use crate::log::Index;
use crate::resolved::Sweep;
use crate::results::Results;
use crate::run::Outcome;
use crate::stats;
use crate::summary::{CONFIDENCE, PointRuns};
use swarmarium_figure::{Axis, Chart, Curves, Figure, Label, Legend, Point, Series};

/// The most points of a figure.
const MOST_POINTS: usize = 7;

/// The values of all runs at a time: by column, then by run.
#[derive(Default)]
struct Moment {
    t_s: f64,
    /// The number of runs that have not ended.
    runs: usize,
    columns: Vec<Vec<f64>>,
}

/// The series of a metric, and the numbers of runs behind its points.
#[derive(Default)]
struct OfMetric {
    series: Vec<Series>,
    /// The least and the greatest number of runs of a point of a series.
    counts: Option<[usize; 2]>,
    /// Whether a run of a point ended before another one.
    has_ended: bool,
    /// Whether a run has no value at a time.
    has_gaps: bool,
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
    let mut metrics: Vec<OfMetric> = sweep.metric_columns.iter().map(|_| OfMetric::default()).collect();
    for point in &shown {
        let moments = moments(sweep, &PointRuns::read(sweep, index, *point));
        let label = Label { values: values(sweep, *point), name: String::new() };
        metrics.iter_mut().enumerate().for_each(|(column, metric)| metric.add(label.clone(), &moments, column));
    }
    let figures = names(sweep).into_iter().zip(&sweep.quantities).zip(metrics).map(|((name, quantity), metric)| {
        let title = format!("{} over time", quantity.name);
        let (x, y) = (Axis::linear("Time (s)"), Axis::linear(quantity.label()));
        let [_, most] = metric.counts.unwrap_or_default();
        let (interval, alone) = match most > 1 {
            true => ("95 % t interval of the mean at each time, not of the whole curve", ""),
            false => ("", "There are no intervals, as there is one run. "),
        };
        let more = format!("{alone}{}{}", points_words(sweep, &shown), state_of_runs(sweep, results));
        let legend = Legend { value: "mean".into(), interval: interval.into(), more };
        let caption = format!("{}.", metric.counts_words(shown.len() > 1));
        let curves = Curves { x, y, series: metric.series, legend, ..Curves::default() };
        (format!("{name}-over-time"), Figure { title, caption, chart: Chart::Curves(curves) })
    });
    figures.collect()
}

impl OfMetric {
    /// Adds the series of a point.
    fn add(&mut self, label: Label, moments: &[Moment], column: usize) {
        let points: Vec<Point> = moments.iter().filter_map(|moment| at(moment, column)).collect();
        let most_runs = moments.iter().map(|moment| moment.runs).max().unwrap_or(0);
        let values = |moment: &Moment| moment.columns.get(column).map_or(0, Vec::len);
        self.has_ended |= moments.iter().any(|moment| moment.runs < most_runs);
        self.has_gaps |= moments.iter().any(|moment| values(moment) < moment.runs);
        for point in &points {
            let [least, most] = self.counts.unwrap_or([point.n; 2]);
            self.counts = Some([least.min(point.n), most.max(point.n)]);
        }
        self.series.push(Series { label, points });
    }

    /// The number of runs, in words.
    fn counts_words(&self, has_several: bool) -> String {
        let [least, most] = self.counts.unwrap_or_default();
        let each = if has_several { " at each point" } else { "" };
        if least == most {
            return format!("n = {}{each}", text::count(least as u64, "run"));
        }
        let n = format!("n = {least} to {most} runs");
        match (self.has_ended, self.has_gaps) {
            (false, false) => format!("{n}{each}"),
            (false, true) => format!("{n} with a value{each}"),
            (true, false) => format!("{n}{each}: runs that have ended are not counted"),
            (true, true) => format!("{n}{each}: runs that have ended or have no value are not counted"),
        }
    }
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
        moment.runs += 1;
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

/// The factors with their values at a point.
fn values(sweep: &Sweep, point: usize) -> Vec<(String, String)> {
    let values = sweep.points[point].iter().enumerate();
    let factors = values.map(|(factor, value)| {
        text::with_value(&text::factor_label(sweep, factor), &text::value(value), value.number().is_some())
    });
    factors.collect()
}

/// The points that a figure shows, unless it shows all, in a sentence.
fn points_words(sweep: &Sweep, shown: &[usize]) -> String {
    if shown.len() == sweep.points.len() {
        return String::new();
    }
    let numbers: Vec<String> = shown.iter().map(|point| (point + 1).to_string()).collect();
    format!("{} of {} points are shown: {}. ", shown.len(), sweep.points.len(), numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(moments: &[Moment], column: usize) -> String {
        let mut metric = OfMetric::default();
        metric.add(Label::default(), moments, column);
        metric.counts_words(true)
    }

    #[test]
    fn captions_count_the_runs_of_their_own_metric() {
        let moment = |runs: usize, counts: [usize; 2]| Moment {
            t_s: 1.0,
            runs,
            columns: counts.map(|count| vec![0.5; count]).to_vec(),
        };
        // All runs go on; the second metric has a value later.
        let whole = [moment(6, [6, 0]), moment(6, [6, 5]), moment(6, [6, 6])];
        let found = [0, 1].map(|column| words(&whole, column));
        assert_eq!(found, ["n = 6 runs at each point", "n = 5 to 6 runs with a value at each point"]);
        let ended = [moment(6, [6, 5]), moment(4, [4, 4])];
        let found = [0, 1].map(|column| words(&ended, column));
        assert_eq!(
            found,
            [
                "n = 4 to 6 runs at each point: runs that have ended are not counted",
                "n = 4 to 5 runs at each point: runs that have ended or have no value are not counted"
            ]
        );
        assert_eq!(words(&[], 0), "n = 0 runs at each point");
    }
}
