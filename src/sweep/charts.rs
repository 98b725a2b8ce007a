//! The figures of a sweep: which charts suit its factors, and what their captions say.
//!
//! | varying factors | figures of each measure |
//! |---|---|
//! | none | box plot |
//! | one | curve with band, box plot |
//! | two in a grid | heat map, curves with bands |
//! | more in a grid | for each factor, the mean over the others; of times, all points |
//! | other points | for each factor, all points |
//!
//! Kept series add a figure over time for each metric. Conditions, whose runs are true, false or censored, have no box plots.

use crate::log::Index;
use crate::plan::{Formula, Measure, Sampling, Statistic};
use crate::resolved::Sweep;
use crate::results::Results;
use crate::stats;
use crate::summary::Summary;
use bevy::math::DVec2;
use swarmarium_figure::{
    Axis, Beyond, BoxPlots, Chart, Curves, Figure, Group, HeatMap, Label, Legend, Line, Point, Sample, Series,
};

mod factor_axis;
mod over_time;
mod places;
pub mod text;

pub use factor_axis::FactorAxis;
pub use over_time::figures as over_time;
pub use places::{Place, measure_of, places};

use factor_axis::is_full_grid;
use text::Shown;

/// The most box plots of a figure.
const MOST_BOXES: usize = 60;
/// The most curves of a figure.
const MOST_CURVES: usize = 7;
/// The most cells of a heat map.
const MOST_CELLS: usize = 10_000;
/// The series of the runs, beside that of expected values.
const FOUND: &str = "found";
/// The series of expected values without a source.
const EXPECTED: &str = "expected";
/// The most dots of a figure.
const MOST_DOTS: usize = 2_000;

/// The figures of a sweep, each with the name of its file without the ending.
///
/// The bytes of the figures depend on the plan and the runs alone. The names are those that [`is_name`] knows.
pub fn charts(sweep: &Sweep, results: &Results, index: &Index) -> Vec<(String, Figure)> {
    let mut figures = of_measures(sweep, results);
    figures.extend(over_time::figures(sweep, results, index));
    figures
}

/// The figures of the measures, as in [`charts`].
pub fn of_measures(sweep: &Sweep, results: &Results) -> Vec<(String, Figure)> {
    let axes = FactorAxis::all(sweep);
    let mut figures = Vec::new();
    for ((place, measure), file_name) in sweep.plan.measures.iter().enumerate().zip(measure_names(sweep)) {
        let of_measure = OfMeasure { sweep, results, axes: &axes, place, measure };
        figures.extend(of_measure.figures().into_iter().map(|(kind, figure)| (format!("{file_name}-{kind}"), figure)));
    }
    figures
}

fn measure_names(sweep: &Sweep) -> Vec<String> {
    text::file_names(sweep.plan.measures.iter().map(|measure| measure.name.as_str()))
}

/// The names of the figures over time, one for each column of the metrics.
pub fn over_time_names(sweep: &Sweep) -> Vec<String> {
    over_time::names(sweep).into_iter().map(|column| format!("{column}-over-time")).collect()
}

/// Whether a figure of this sweep, or of an earlier one with other points in the same folder, can have this name.
pub fn is_name(sweep: &Sweep, name: &str) -> bool {
    let Some((stem, kind)) = name.split_once('-') else { return false };
    let is_of_measure = || measure_names(sweep).iter().any(|measure| measure == stem);
    let is_of_factor = || {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        kind.strip_prefix("by-").is_some_and(|factor| !factor.is_empty() && factor.chars().all(is_letter))
    };
    match kind {
        "over-time" => over_time::names(sweep).iter().any(|column| column == stem),
        "curve" | "curves" | "boxes" | "map" => is_of_measure(),
        _ => is_of_factor() && is_of_measure(),
    }
}

/// The figures of a measure.
struct OfMeasure<'a> {
    sweep: &'a Sweep,
    results: &'a Results,
    axes: &'a [FactorAxis],
    place: usize,
    measure: &'a Measure,
}

impl OfMeasure<'_> {
    /// The figures with the ends of their names.
    fn figures(&self) -> Vec<(String, Figure)> {
        let points = self.sweep.points.len();
        let is_grid = is_full_grid(self.axes, points);
        let is_chain = matches!(self.sweep.plan.sampling, Sampling::Zip);
        match self.axes {
            [] => self.without_factor(),
            [axis] => {
                let boxes = self.boxes(axis).map(|figure| ("boxes".to_owned(), figure));
                std::iter::once(("curve".to_owned(), self.curve(axis))).chain(boxes).collect()
            }
            [one, other] if is_grid && points <= MOST_CELLS => self.of_two(one, other),
            axes => {
                // Medians that are missing are those of slow points: a mean over the others would be too small.
                let has_means = is_grid && !self.measure.take.is_time();
                let of_axis = |axis: &FactorAxis| {
                    if has_means {
                        self.marginal(axis)
                    } else if is_chain && axis.names.len() == points {
                        self.curve(axis)
                    } else {
                        self.dots(axis)
                    }
                };
                axes.iter().map(|axis| (format!("by-{}", axis.file_name), of_axis(axis))).collect()
            }
        }
    }

    fn summary(&self, point: usize) -> Option<&Summary> {
        self.results.summaries.get(point)?.get(self.place)
    }

    fn center(&self, point: usize) -> f64 {
        self.summary(point).map_or(f64::NAN, Summary::center)
    }

    /// The values of the runs of a point.
    fn values(&self, point: usize) -> Vec<f64> {
        let runs = self.summary(point).map(|summary| summary.runs.as_slice()).unwrap_or_default();
        runs.iter().map(|(_, taken)| taken.value).collect()
    }

    /// A point of a curve at a place.
    fn point(&self, x: f64, point: usize) -> Point {
        let summary = self.summary(point);
        let ends = summary
            .and_then(|summary| summary.interval)
            .map_or([f64::NAN; 2], |interval| [interval.low, interval.high]);
        Point { x, value: self.center(point), low: ends[0], high: ends[1], n: summary.map_or(0, Summary::n) }
    }

    /// The axis of the measure.
    fn axis(&self, shown: Shown) -> Axis {
        let axis = Axis::linear(text::axis_title(self.sweep, self.place, shown));
        if self.measure.take.is_share() { axis.at_least([0.0, 1.0]) } else { axis }
    }

    /// The axis of the measure as the y axis. Times begin at 0; without a median, the axis has the length of the runs.
    fn y_axis(&self, shown: Shown) -> Axis {
        let axis = self.axis(shown);
        if !self.measure.take.is_time() {
            return axis;
        }
        let points = || 0..self.sweep.points.len();
        let has_median = points().any(|point| self.center(point).is_finite());
        let longest_s = || points().flat_map(|point| self.values(point)).fold(0.0, f64::max);
        axis.at_least([0.0, if has_median { 0.0 } else { longest_s() }])
    }

    /// Of a point without a median time, the number of runs that reached the event, and that of all runs.
    fn without_median(&self, point: usize) -> Option<[usize; 2]> {
        let summary = self.summary(point).filter(|summary| summary.n() > 0)?;
        let reached = summary.reached.filter(|_| summary.median_time.is_none())?;
        Some([reached, summary.n()])
    }

    /// A mark for the median time of a point that too few runs reach.
    fn beyond(&self, series: usize, x: f64, point: usize) -> Option<Beyond> {
        let [reached, of] = self.without_median(point)?;
        Some(Beyond { series, x, label: format!("{reached}/{of}") })
    }

    /// The meaning of the marks at the upper edge, in a sentence.
    fn beyond_words(&self) -> String {
        let mut points = 0..self.sweep.points.len();
        let Some([reached, of]) = points.find_map(|point| self.without_median(point)) else { return String::new() };
        format!(" Open triangle: no median, as too few runs reached the event; {reached}/{of}: {reached} of {of} runs.")
    }

    fn figure(&self, by: &str, caption: &str, shown: Shown, chart: Chart) -> Figure {
        let state = state_of_runs(self.sweep, self.results);
        self.with_title(by, &format!("{caption} {state}"), shown, chart)
    }

    /// A figure of curves, whose legend goes on with more sentences.
    fn figure_of_curves(&self, by: &str, legend: Legend, mut curves: Curves) -> Figure {
        let more = format!("{} {}", legend.more, state_of_runs(self.sweep, self.results));
        curves.legend = Legend { more, ..legend };
        self.with_title(by, "", Shown::Center, Chart::Curves(curves))
    }

    fn with_title(&self, by: &str, caption: &str, shown: Shown, chart: Chart) -> Figure {
        let (mut words, _) = text::title_words(self.sweep, self.place, shown);
        // The axis has the unit of a name such as `time until mill (s)`.
        if let Some((name, _)) = words.rsplit_once(" (").filter(|_| words.ends_with(')')) {
            words = name.to_owned();
        }
        let comma = if words.contains(',') { "," } else { "" };
        let title = if by.is_empty() { words } else { format!("{words}{comma} by {by}") };
        let what = text::measure_statement(self.sweep, self.place);
        let caption = format!("{what}. {} {caption}", self.n()).trim().to_owned();
        Figure { title, caption, chart }
    }

    /// The number of runs at the points, in a sentence.
    fn n(&self) -> String {
        let points = self.sweep.points.len();
        let counts = || (0..points).map(|point| self.summary(point).map_or(0, Summary::n));
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let each = if points > 1 { " at each point" } else { "" };
        let n = if least == most {
            format!("n = {}{each}", text::count(least as u64, "run"))
        } else {
            format!("n = {least} to {most} runs{each}")
        };
        let reached: Option<usize> =
            (0..points).filter_map(|point| self.summary(point)).map(|summary| summary.reached).sum();
        match reached {
            Some(reached) => format!("{n}; the event occurred in {reached} of {} runs.", counts().sum::<usize>()),
            None => format!("{n}."),
        }
    }

    /// The central value, in words.
    fn center_words(&self) -> &'static str {
        let take = self.measure.take;
        if take.is_time() {
            "median by Kaplan–Meier"
        } else if take.is_share() {
            "share of runs"
        } else {
            "mean"
        }
    }

    /// The meaning of lines, intervals and marks.
    fn legend(&self, curves: &Curves) -> Legend {
        let has_interval =
            (0..self.sweep.points.len()).any(|point| self.summary(point).is_some_and(|s| s.interval.is_some()));
        let take = self.measure.take;
        let interval = if !has_interval {
            ""
        } else if take.is_time() {
            "its 95 % interval; runs that ended before count as censored"
        } else if take.is_share() {
            "95 % Wilson interval of the share"
        } else {
            "95 % bootstrap interval of the mean"
        };
        let mut more = if has_interval { String::new() } else { "The runs are too few for an interval.".to_owned() };
        more.push_str(&self.beyond_words());
        if !curves.expected.is_empty() {
            more.push_str(" Hollow marks without a line: expected values with their tolerances, by source.");
        }
        Legend { value: self.center_words().into(), interval: interval.into(), more }
    }

    /// Figures where all points are alike.
    fn without_factor(&self) -> Vec<(String, Figure)> {
        let points = self.sweep.points.len().min(MOST_BOXES);
        let names = match points {
            1 => vec!["All runs".to_owned()],
            _ => (1..=points).map(|point| format!("Point {point}")).collect(),
        };
        let x = Axis::categories("", names);
        if self.measure.take.is_condition() {
            let beyond = (0..points).filter_map(|point| self.beyond(0, point as f64, point)).collect();
            let points = (0..points).map(|point| self.point(point as f64, point)).collect();
            let series = vec![Series { points, ..Series::default() }];
            let curves = Curves { x, y: self.y_axis(Shown::Center), series, beyond, ..Curves::default() };
            return vec![("curve".into(), self.figure_of_curves("", self.legend(&curves), curves))];
        }
        let samples = (0..points).map(|point| Sample { x: point as f64, values: self.values(point) }).collect();
        vec![("boxes".into(), self.box_figure("", x, samples))]
    }

    fn box_figure(&self, by: &str, x: Axis, samples: Vec<Sample>) -> Figure {
        let caption =
            format!("{} Dots: runs; of more than 30 at a point, only those beyond the whiskers.", BoxPlots::NOTE);
        let groups = vec![Group { samples, ..Group::default() }];
        let chart = BoxPlots { x, y: self.y_axis(Shown::Runs), groups, ..BoxPlots::default() };
        self.figure(by, &caption, Shown::Runs, Chart::BoxPlots(chart))
    }

    /// A curve over a factor; marks if its values are names.
    fn curve(&self, axis: &FactorAxis) -> Figure {
        let points: Vec<usize> = (0..self.sweep.points.len()).collect();
        let mut curves = Curves { x: axis.axis(), y: self.y_axis(Shown::Center), ..Curves::default() };
        self.add_series(&mut curves, Label::default(), axis, &points);
        self.figure_of_curves(&text::in_sentence(&axis.label), self.legend(&curves), curves)
    }

    fn boxes(&self, axis: &FactorAxis) -> Option<Figure> {
        if self.measure.take.is_condition() || axis.names.len() > MOST_BOXES {
            return None;
        }
        let sample = |(level, points): (usize, Vec<usize>)| {
            let values = points.into_iter().flat_map(|point| self.values(point)).collect();
            Sample { x: axis.x(level), values }
        };
        let samples = axis.points_of_levels().into_iter().enumerate().map(sample).collect();
        Some(self.box_figure(&text::in_sentence(&axis.label), axis.axis(), samples))
    }

    /// A heat map, and curves if one of the factors has few levels.
    fn of_two(&self, one: &FactorAxis, other: &FactorAxis) -> Vec<(String, Figure)> {
        let [x, y] = sides(one, other);
        let columns = x.names.len();
        let mut cells = vec![f64::NAN; columns * y.names.len()];
        for point in 0..self.sweep.points.len() {
            cells[y.level_of_point[point] * columns + x.level_of_point[point]] = self.center(point);
        }
        let lines = self.sweep.plan.formulas.iter().filter_map(|formula| formula_line(formula, x, y)).collect();
        let value = self.axis(Shown::Center);
        let map = HeatMap { x: x.levels(), y: y.levels(), value, cells, show_values: true, lines };
        let by = format!("{} and {}", text::in_sentence(&x.label), text::in_sentence(&y.label));
        let colour = format!("Colour: {}.", self.center_words());
        let map = ("map".to_owned(), self.figure(&by, &colour, Shown::Center, Chart::HeatMap(map)));
        if !has_few_levels(y) {
            return vec![map];
        }
        let mut curves = Curves { x: x.axis(), y: self.y_axis(Shown::Center), ..Curves::default() };
        for (level, points) in y.points_of_levels().into_iter().enumerate() {
            let values = vec![text::with_value(&y.label, &y.names[level], y.numbers.is_some())];
            self.add_series(&mut curves, Label { values, name: String::new() }, x, &points);
        }
        vec![map, ("curves".to_owned(), self.figure_of_curves(&by, self.legend(&curves), curves))]
    }

    /// Adds the series of some points over a factor, and one for each source of expected values.
    fn add_series(&self, curves: &mut Curves, label: Label, axis: &FactorAxis, points: &[usize]) {
        let named = |name: &str| Label { name: name.into(), ..label.clone() };
        let mut all = vec![Series::default()];
        all[0].points = points.iter().map(|point| self.point(axis.x_of_point(*point), *point)).collect();
        let mut sources: Vec<&str> = Vec::new();
        for point in points {
            for (source, expected) in self.expected(axis.x_of_point(*point), *point) {
                let place = sources.iter().position(|known| *known == source).unwrap_or_else(|| {
                    sources.push(source);
                    all.push(Series {
                        label: named(if source.is_empty() { EXPECTED } else { source }),
                        points: Vec::new(),
                    });
                    sources.len() - 1
                });
                all[1 + place].points.push(expected);
            }
        }
        all[0].label = if sources.is_empty() { label.clone() } else { named(FOUND) };
        let first = curves.series.len();
        curves.beyond.extend(points.iter().filter_map(|point| self.beyond(first, axis.x_of_point(*point), *point)));
        curves.expected.extend(first + 1..first + all.len());
        curves.series.extend(all);
    }

    /// The expected values of the number that figures show, with their sources, and with their tolerances as intervals.
    fn expected(&self, x: f64, point: usize) -> impl Iterator<Item = (&str, Point)> {
        let take = self.measure.take;
        let shown = if take.is_time() {
            Statistic::Median
        } else if take.is_share() {
            Statistic::Share
        } else {
            Statistic::Mean
        };
        let (values, n) = (&self.sweep.points[point], self.summary(point).map_or(0, Summary::n));
        self.sweep.plan.expect.iter().filter_map(move |expected| {
            let is_here = expected.at.is_empty() || crate::resolved::is_at(values, &expected.at);
            let is_shown = is_here && expected.measure == self.measure.name && expected.statistic == shown;
            let (low, high) = (expected.value - expected.tolerance, expected.value + expected.tolerance);
            is_shown.then_some((expected.source.as_str(), Point { x, value: expected.value, low, high, n }))
        })
    }

    /// The mean over all other factors of a grid.
    fn marginal(&self, axis: &FactorAxis) -> Figure {
        let levels = axis.points_of_levels();
        let each = levels.first().map_or(0, Vec::len) as u64;
        let of_level = |(level, points): (usize, Vec<usize>)| {
            let centers: Vec<f64> =
                points.iter().map(|point| self.center(*point)).filter(|center| center.is_finite()).collect();
            let end = |pick: fn(f64, f64) -> f64| centers.iter().copied().reduce(pick).unwrap_or(f64::NAN);
            let n = points.iter().filter_map(|point| self.summary(*point)).map(Summary::n).sum();
            Point { x: axis.x(level), value: stats::mean(&centers), low: end(f64::min), high: end(f64::max), n }
        };
        let points = levels.into_iter().enumerate().map(of_level).collect();
        let series = vec![Series { points, ..Series::default() }];
        let curves = Curves { x: axis.axis(), y: self.axis(Shown::Center), series, ..Curves::default() };
        let (center, each) = (self.center_words(), text::count(each, "point"));
        let missing = (0..self.sweep.points.len()).filter(|point| !self.center(*point).is_finite()).count();
        let legend = Legend {
            value: format!("at each level, the mean over its {each} ({center} of each)"),
            interval: "from the least to the greatest of these points, no confidence interval".into(),
            more: if missing > 0 { without_value(missing, self.sweep.points.len()) } else { String::new() },
        };
        self.figure_of_curves(&text::in_sentence(&axis.label), legend, curves)
    }

    /// All points over one of several factors.
    fn dots(&self, axis: &FactorAxis) -> Figure {
        let all = self.sweep.points.len();
        let mut samples: Vec<Sample> =
            (0..axis.names.len()).map(|level| Sample { x: axis.x(level), values: Vec::new() }).collect();
        let shown = evenly(all, MOST_DOTS);
        for point in &shown {
            let center = self.center(*point);
            samples[axis.level_of_point[*point]].values.extend(center.is_finite().then_some(center));
        }
        samples.retain(|sample| !sample.values.is_empty());
        let missing = shown.len() - samples.iter().map(|sample| sample.values.len()).sum::<usize>();
        let most = samples.iter().map(|sample| sample.values.len()).max().unwrap_or(0);
        let mut caption = format!("Dot: the {} of a point.", self.center_words());
        if most > 1 {
            caption.push_str(" Box: quartiles and median of the points with the same value.");
        }
        if most > 30 {
            caption.push_str(" Of more than 30 points with the same value, only those beyond the whiskers have dots.");
        }
        let without_median = shown.iter().filter(|point| self.without_median(**point).is_some()).count();
        if missing > without_median {
            caption.push_str(&without_value(missing - without_median, shown.len()));
        }
        if all > MOST_DOTS {
            caption.push_str(&format!(" {MOST_DOTS} of {all} points are shown."));
        }
        let beyond = self.beyond_of_levels(axis, &shown);
        if !beyond.is_empty() {
            caption.push_str(
                " Open triangle: points without a median, with their number, as too few runs reached the event.",
            );
        }
        let groups = vec![Group { samples, ..Group::default() }];
        let chart = BoxPlots { x: axis.axis(), y: self.y_axis(Shown::Center), groups, beyond, are_points: true };
        self.figure(&text::in_sentence(&axis.label), &caption, Shown::Center, Chart::BoxPlots(chart))
    }

    /// A mark for each level with points that have no median time, with their number.
    fn beyond_of_levels(&self, axis: &FactorAxis, points: &[usize]) -> Vec<Beyond> {
        let mut counts = vec![0_u64; axis.names.len()];
        for point in points.iter().filter(|point| self.without_median(**point).is_some()) {
            counts[axis.level_of_point[*point]] += 1;
        }
        let marks = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let mark = |(level, count)| Beyond { series: 0, x: axis.x(level), label: text::count(count, "point") };
        marks.map(mark).collect()
    }
}

/// The number of steps of the line of a formula from one level to the next.
const STEPS_OF_LINES: usize = 20;

/// The line of a formula over a heat map, if both factors are numbers.
fn formula_line(formula: &Formula, x: &FactorAxis, y: &FactorAxis) -> Option<Line> {
    let (columns, rows) = (x.numbers.as_ref()?, y.numbers.as_ref()?);
    let steps = 0..=STEPS_OF_LINES * (columns.len() - 1);
    let point = |step: usize| {
        let column = step as f64 / STEPS_OF_LINES as f64;
        let (before, part) = (column.floor() as usize, column.fract());
        let after = (before + 1).min(columns.len() - 1);
        let value = columns[before] + part * (columns[after] - columns[before]);
        DVec2::new(column, level_at(rows, formula.at(value)))
    };
    Some(Line { label: formula.label.clone(), points: steps.map(point).collect() })
}

/// The place of a number among ascending levels, with fractions between them; NaN outside.
fn level_at(levels: &[f64], number: f64) -> f64 {
    let after = levels.partition_point(|level| *level < number);
    match (after.checked_sub(1).map(|before| levels[before]), levels.get(after)) {
        (Some(low), Some(high)) => after as f64 - (high - number) / (high - low),
        (None, Some(first)) if *first == number => 0.0,
        _ => f64::NAN,
    }
}

/// Whether each level of a factor can be a curve.
fn has_few_levels(axis: &FactorAxis) -> bool {
    axis.names.len() <= MOST_CURVES
}

/// Two factors as the x axis and the other one: lines go over numbers; of two factors of one kind, over the one with more
/// levels.
pub fn sides<'a>(one: &'a FactorAxis, other: &'a FactorAxis) -> [&'a FactorAxis; 2] {
    let is_swapped = match (one.numbers.is_some(), other.numbers.is_some()) {
        (true, false) if has_few_levels(other) => false,
        (false, true) if has_few_levels(one) => true,
        _ => other.names.len() > one.names.len(),
    };
    if is_swapped { [other, one] } else { [one, other] }
}

fn without_value(missing: usize, all: usize) -> String {
    format!(" Of {}, {missing} without a value are left out.", text::count(all as u64, "point"))
}

/// Up to `most` of `count` places at even distances, the first and the last included.
fn evenly(count: usize, most: usize) -> Vec<usize> {
    if count <= most || most < 2 {
        (0..count.min(most)).collect()
    } else {
        (0..most).map(|place| place * (count - 1) / (most - 1)).collect()
    }
}

/// The number of failed and of missing runs, in sentences.
fn state_of_runs(sweep: &Sweep, results: &Results) -> String {
    let failed = match results.failed.len() {
        0 => "No run failed.".to_owned(),
        failed => format!("{} failed.", text::count(failed as u64, "run")),
    };
    match results.done < sweep.run_count() {
        true => format!("{failed} The sweep is incomplete: {} of {} runs.", results.done, sweep.run_count()),
        false => failed,
    }
}

#[cfg(test)]
pub(crate) mod tests;
