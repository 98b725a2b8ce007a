//! Metrics, pinned values and moments of a branch over time, in bounded memory. When the memory is full, pairs of
//! neighbouring buckets of steps are merged; a bucket keeps the minimum and the maximum of each series.
//!
//! A history covers all steps that were ever done on its branch, even while an earlier step is shown.

use std::sync::OnceLock;

use swarmarium_core::metric::{self, Quantity};
use swarmarium_simulation::simulation::Simulation;

use crate::common::lane_source::LaneSource;
use crate::common::moments::{Moments, Occurrence};
use crate::plots::error::PinError;
use crate::plots::lanes::StateLanes;
use crate::plots::pin::{self, Pin, Watched};

/// The number of buckets that are kept; at twice as many, pairs are merged.
pub const BUCKETS: usize = 2048;

/// Maximum number of pinned values.
pub const MOST_PINS: usize = 32;

/// A value with the step after which it was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The step.
    pub step: u64,
    /// The value; not finite if there is none.
    pub value: f64,
}

/// The minimum and the maximum of the finite values of a bucket; neither has a value if there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// The minimum.
    pub least: Observed,
    /// The maximum.
    pub largest: Observed,
}

impl Extremes {
    const NONE: Self = Self { least: Observed::NONE, largest: Observed::NONE };

    /// Returns the extremes of some values.
    fn of(observed: impl Iterator<Item = Observed> + Clone) -> Self {
        let finite = observed.filter(|observed| observed.value.is_finite());
        let least = finite.clone().min_by(|a, b| a.value.total_cmp(&b.value));
        let largest = finite.max_by(|a, b| a.value.total_cmp(&b.value));
        Self { least: least.unwrap_or(Observed::NONE), largest: largest.unwrap_or(Observed::NONE) }
    }

    /// Returns the minimum and the maximum.
    pub fn both(&self) -> [Observed; 2] {
        [self.least, self.largest]
    }
}

impl Observed {
    const NONE: Self = Self { step: 0, value: f64::NAN };
}

/// The values of one metric or pinned value, one per bucket.
#[derive(Clone, Debug, Default)]
struct Series {
    /// The values after the last step of each bucket.
    last: Vec<f64>,
    extremes: Vec<Extremes>,
    /// Whether the series began after others.
    is_late: bool,
}

impl Series {
    /// Creates a series without values in the first buckets.
    fn after(buckets: usize) -> Self {
        let (last, extremes) = (vec![f64::NAN; buckets], vec![Extremes::NONE; buckets]);
        Self { last, extremes, is_late: buckets > 0 }
    }

    fn truncate(&mut self, buckets: usize) {
        self.last.truncate(buckets);
        self.extremes.truncate(buckets);
    }

    /// Begins a bucket.
    pub fn push(&mut self, new: Observed) {
        self.last.push(new.value);
        self.extremes.push(Extremes::of(std::iter::once(new)));
    }

    /// Continues the last bucket; its values from later steps are discarded.
    fn go_on(&mut self, new: Observed) {
        if let Some((last, extremes)) = self.last.last_mut().zip(self.extremes.last_mut()) {
            let before = extremes.both().into_iter().filter(|known| known.step < new.step);
            *extremes = Extremes::of(before.chain([new]));
            *last = new.value;
        }
    }
}

/// Metrics and pinned values over time.
///
/// All series share the buckets of steps, each of [`stride`](Self::stride) steps. A missing value is NaN.
#[derive(Clone, Debug)]
pub struct History {
    /// The columns of the metrics.
    pub(super) columns: Vec<String>,
    /// The quantities in these columns.
    pub(super) quantities: Vec<Quantity>,
    pub(super) pins: Vec<Pin>,
    /// The last step of each bucket.
    steps: Vec<u64>,
    /// The columns of the metrics, then the pins.
    series: Vec<Series>,
    /// The number of steps per bucket.
    stride: u64,
    dt_s: f64,
    /// The number of edits at the last step.
    edits: usize,
    /// The last observed step.
    last: u64,
    /// The moments: contacts, arrivals and so on.
    moments: Moments,
    /// The moments of the plotted numbers, once they were asked for after the last change.
    plot_moments: OnceLock<Vec<Occurrence>>,
    /// The state lanes, if they are shown.
    lanes: Option<StateLanes>,
    /// A counter of simulations, by which others detect a new one.
    run: u64,
    /// The number of the selected robot.
    selected: Option<u32>,
}

/// Merges consecutive runs of items, with these lengths, into one item each.
fn merged<T: Copy>(items: &mut Vec<T>, lengths: &[usize], merge: impl Fn(&[T]) -> Option<T>) {
    let mut rest = items.as_slice();
    let merged = lengths.iter().filter_map(|length| {
        let (these, others) = rest.split_at(*length);
        rest = others;
        merge(these)
    });
    *items = merged.collect();
}

impl History {
    /// Creates an empty history for a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        let quantities = metric::quantities(simulation.world());
        Self { quantities, ..Self::new(simulation.metric_columns(), simulation.time().dt_s) }
    }

    /// Creates an empty history with columns of metrics, whose quantities have the words of their names.
    pub fn new(columns: Vec<String>, dt_s: f64) -> Self {
        let quantities = columns.iter().map(|column| Quantity::of_words(column)).collect();
        let series = vec![Series::default(); columns.len()];
        Self {
            columns,
            quantities,
            pins: Vec::new(),
            steps: Vec::new(),
            series,
            stride: 1,
            dt_s,
            edits: 0,
            last: 0,
            moments: Moments::default(),
            plot_moments: OnceLock::new(),
            lanes: None,
            run: 0,
            selected: None,
        }
    }

    /// Restarts with a new simulation. Pins are kept if they still lead to a number.
    pub fn restart(&mut self, simulation: &Simulation) {
        let paths: Vec<String> = self.pins().map(Into::into).collect();
        *self = Self { run: self.run + 1, selected: self.selected, ..Self::of(simulation) };
        let watched = self.watched(simulation);
        self.pins = paths.iter().filter_map(|path| Pin::new(watched, path).ok()).collect();
        self.series.resize(self.columns.len() + self.pins.len(), Series::default());
        self.observe(simulation);
    }

    /// Continues the history of another simulation; pins begin at the present step.
    pub fn go_on_as(&mut self, other: Self, simulation: &Simulation) {
        let paths: Vec<String> = self.pins().map(Into::into).collect();
        *self = Self { run: self.run + 1, selected: self.selected, ..other };
        for path in paths {
            // Pins that lead to no number there are dropped.
            let _ = self.pin_or_unpin(simulation, &path);
        }
    }

    /// Replaces the values by those of a longer history of the same run. Numbers that it does not have begin later.
    pub fn replace_values(&mut self, whole: Self) {
        let Self { columns, pins, steps, series, stride, last, moments, .. } = whole;
        let known: Vec<String> = columns.into_iter().chain(pins.into_iter().map(|pin| pin.path().to_owned())).collect();
        let own = self.names().map(|name| {
            let place = known.iter().position(|known| known == name);
            place.map_or_else(|| Series::after(steps.len()), |place| series[place].clone())
        });
        self.series = own.collect();
        (self.steps, self.stride, self.last, self.moments) = (steps, stride, last, moments);
        self.plot_moments.take();
    }

    /// Pins the value at a path, or unpins it.
    ///
    /// # Errors
    /// When there is no such value, or the maximum number is pinned.
    pub fn pin_or_unpin(&mut self, simulation: &Simulation, path: &str) -> Result<(), PinError> {
        match self.place(path) {
            Some(place) => self.unpin(place),
            None => {
                self.pins.push(self.pin(simulation, path)?);
                self.series.push(Series::after(self.steps.len()));
                self.plot_moments.take();
                self.observe(simulation);
            }
        }
        Ok(())
    }

    /// Returns the pin for a path.
    ///
    /// # Errors
    /// When the path leads to no number, the value is already pinned, or the maximum number is pinned.
    pub fn pin(&self, simulation: &Simulation, path: &str) -> Result<Pin, PinError> {
        if self.columns.iter().any(|column| column == path.trim()) {
            return Err(PinError::Metric(path.trim().into()));
        }
        if self.place(path).is_some() {
            return Err(PinError::AlreadyPinned(path.trim().into()));
        }
        let pin = Pin::new(self.watched(simulation), path)?;
        match self.pins.len() {
            MOST_PINS.. => Err(PinError::TooMany(MOST_PINS)),
            _ => Ok(pin),
        }
    }

    fn place(&self, path: &str) -> Option<usize> {
        let normal = pin::normal(path);
        let is_it = |pin: &Pin| pin.path() == path.trim() || Some(pin.path()) == normal.as_deref();
        self.pins.iter().position(is_it)
    }

    fn unpin(&mut self, place: usize) {
        self.plot_moments.take();
        self.pins.remove(place);
        self.series.remove(self.columns.len() + place);
        if self.series.is_empty() {
            (self.steps, self.stride) = (Vec::new(), 1);
        }
    }

    /// Sets the robot that pins of the selected robot observe.
    pub fn select(&mut self, agent: Option<u32>) {
        self.selected = agent;
    }

    /// Returns the number of the selected robot.
    pub fn selected(&self) -> Option<u32> {
        self.selected
    }

    /// Returns the context in which pins are evaluated.
    pub fn watched<'a>(&self, simulation: &'a Simulation) -> Watched<'a> {
        Watched { simulation, selected: self.selected }
    }

    /// Pins the values at some paths and no others, after the plots went back in time.
    pub fn keep_pins(&mut self, simulation: &Simulation, paths: &[String]) {
        let gone: Vec<String> =
            self.pins().filter(|pin| !paths.iter().any(|path| path == pin)).map(Into::into).collect();
        let known: Vec<String> = self.pins().map(Into::into).collect();
        let news = paths.iter().filter(|path| !known.contains(path));
        for path in gone.iter().chain(news) {
            // Paths that lead nowhere are dropped.
            _ = self.pin_or_unpin(simulation, path);
        }
    }

    /// Unpins all values.
    pub fn unpin_all(&mut self) {
        (0..self.pins.len()).rev().for_each(|place| self.unpin(place));
    }

    /// Returns the paths of the pinned values, with dots and without brackets.
    pub fn pins(&self) -> impl Iterator<Item = &str> {
        self.pins.iter().map(Pin::path)
    }

    /// Records the last step; steps that are shown again are skipped.
    pub fn observe(&mut self, simulation: &Simulation) {
        let (time, edits) = (simulation.time(), simulation.edits().len());
        let edited = edits != self.edits;
        self.edits = edits;
        let watched = self.watched(simulation);
        self.pins.iter_mut().for_each(|pin| pin.observe(watched, edited));
        self.lanes.iter_mut().for_each(|lanes| lanes.observe(simulation));
        if time.step < self.last {
            return;
        }
        if time.step > self.last {
            self.moments.observe(simulation, &self.columns);
        }
        self.last = time.step;
        if !self.series.is_empty() {
            self.push(time.step, self.latest(simulation));
        }
    }

    /// Notes a jump: the next state does not follow the last observed one.
    pub fn jump(&mut self) {
        self.edits = usize::MAX;
    }

    /// Discards everything after a step, where a new branch begins.
    pub fn go_back(&mut self, step: u64) {
        self.jump();
        self.lanes.iter_mut().for_each(|lanes| lanes.go_back(step));
        if step >= self.last {
            return;
        }
        self.last = step;
        self.plot_moments.take();
        self.moments.go_back(step);
        let kept = self.steps.partition_point(|known| *known <= step);
        let bucket = self.bucket(step);
        // A partly filled bucket is cut to the steps up to there.
        let goes_on = self.steps.get(kept).is_some_and(|known| self.bucket(*known) == bucket && step > 0);
        self.steps.truncate(kept);
        self.steps.extend(goes_on.then_some(step));
        for series in &mut self.series {
            series.truncate(self.steps.len());
            if let Some((last, extremes)) = series.last.last_mut().zip(series.extremes.last_mut()).filter(|_| goes_on) {
                *last = f64::NAN;
                *extremes = Extremes::of(extremes.both().into_iter().filter(|known| known.step <= step));
            }
        }
    }

    /// Returns the last observed step.
    pub fn last_step(&self) -> u64 {
        self.last
    }

    /// Shows the lanes of a quantity from the present step on, or none.
    pub fn set_lanes(&mut self, source: Option<LaneSource>, simulation: &Simulation) {
        self.lanes = source.map(StateLanes::new);
        self.lanes.iter_mut().for_each(|lanes| lanes.observe(simulation));
    }

    /// Drops the lanes, which can be simulated again.
    pub fn drop_lanes(&mut self) {
        self.lanes = None;
    }

    /// Adds the earlier steps of the lanes.
    pub fn prepend_lanes(&mut self, earlier: StateLanes) {
        if let Some(lanes) = &mut self.lanes {
            lanes.prepend(earlier);
        }
    }

    /// Returns the state lanes, if they are shown.
    pub fn lanes(&self) -> Option<&StateLanes> {
        self.lanes.as_ref()
    }

    /// Returns the moments of the plotted numbers: the known ones, or those that a search finds.
    pub(super) fn plot_moments(&self, find: impl FnOnce(&Self) -> Vec<Occurrence>) -> &[Occurrence] {
        self.plot_moments.get_or_init(|| find(self))
    }

    /// Returns the moments of the branch, up to the last observed step.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns the present values of all series.
    pub fn latest(&self, simulation: &Simulation) -> Vec<f64> {
        let mut values = simulation.metrics();
        values.resize(self.columns.len(), f64::NAN);
        values.extend(self.pins.iter().map(|pin| pin.value(self.watched(simulation))));
        values
    }

    /// Adds the values after a step.
    pub fn push(&mut self, step: u64, values: Vec<f64>) {
        self.plot_moments.take();
        // A step that is observed again, for example after pinning, replaces the values from it on.
        let bucket = self.bucket(step);
        let before = self.steps.partition_point(|known| self.bucket(*known) < bucket);
        // Metrics observe nothing before the first step.
        let is_blank = step == 0 && values.iter().all(|value| value.is_nan());
        let goes_on = self.steps.get(before).is_some_and(|known| self.bucket(*known) == bucket) && !is_blank;
        self.steps.truncate(before);
        self.steps.extend((!is_blank).then_some(step));
        for (series, value) in self.series.iter_mut().zip(values) {
            let new = Observed { step, value };
            series.truncate(before + usize::from(goes_on));
            match (is_blank, goes_on) {
                (true, _) => {}
                (false, true) => series.go_on(new),
                (false, false) => series.push(new),
            }
        }
        if self.steps.len() >= 2 * BUCKETS {
            self.merge();
        }
    }

    /// Returns the number of the bucket that contains a step.
    fn bucket(&self, step: u64) -> u64 {
        step.div_ceil(self.stride)
    }

    /// Merges pairs of buckets.
    fn merge(&mut self) {
        self.stride *= 2;
        let lengths: Vec<usize> =
            self.steps.chunk_by(|a, b| self.bucket(*a) == self.bucket(*b)).map(<[u64]>::len).collect();
        merged(&mut self.steps, &lengths, |steps| steps.last().copied());
        for series in &mut self.series {
            merged(&mut series.last, &lengths, |values| values.last().copied());
            merged(&mut series.extremes, &lengths, |all| Some(Extremes::of(all.iter().flat_map(Extremes::both))));
        }
    }

    /// Adds values from before a value was pinned, in the order of their steps.
    pub fn fill(&mut self, path: &str, values: &[Observed]) {
        let Some(place) = self.pins.iter().position(|pin| pin.path() == path) else { return };
        let place = self.columns.len() + place;
        self.plot_moments.take();
        self.prepend(values);
        let stride = self.stride;
        let bucket = |step: u64| step.div_ceil(stride);
        for values in values.chunk_by(|a, b| bucket(a.step) == bucket(b.step)) {
            let Some(newest) = values.last() else { continue };
            let at = self.steps.partition_point(|step| bucket(*step) < bucket(newest.step));
            let Some(step) = self.steps.get(at).copied().filter(|step| bucket(*step) == bucket(newest.step)) else {
                continue;
            };
            let series = &mut self.series[place];
            let own = series.extremes[at].both();
            series.extremes[at] = Extremes::of(values.iter().copied().chain(own));
            if newest.step == step && series.last[at].is_nan() {
                series.last[at] = newest.value;
            }
        }
        self.series[place].is_late = false;
        while self.steps.len() >= 2 * BUCKETS {
            self.merge();
        }
    }

    /// Inserts the buckets of earlier values at the front, still empty.
    fn prepend(&mut self, values: &[Observed]) {
        let first = self.steps.first().map(|step| self.bucket(*step));
        let is_earlier = |step: u64| first.is_none_or(|first| self.bucket(step) < first);
        let earlier = values.chunk_by(|a, b| self.bucket(a.step) == self.bucket(b.step));
        let earlier = earlier.filter_map(<[_]>::last).map(|newest| newest.step).filter(|step| is_earlier(*step));
        let steps: Vec<u64> = earlier.collect();
        let count = steps.len();
        self.steps.splice(..0, steps);
        for series in &mut self.series {
            series.last.splice(..0, std::iter::repeat_n(f64::NAN, count));
            series.extremes.splice(..0, std::iter::repeat_n(Extremes::NONE, count));
            series.is_late |= count > 0;
        }
    }

    /// Returns the time of the first value of a series that began after others, in seconds.
    pub fn begins_late(&self, series: usize) -> Option<f64> {
        let series = self.series.get(series).filter(|series| series.is_late)?;
        let first = series.last.iter().position(|value| value.is_finite())?;
        self.steps.get(first).filter(|_| first > 0).map(|step| self.time_s(*step))
    }

    /// Returns the last step of each bucket.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Returns the values of a series after each of the [`steps`](Self::steps).
    pub fn series(&self, series: usize) -> &[f64] {
        &self.series[series].last
    }

    /// Returns the extremes of a series in each bucket.
    pub fn extremes(&self, series: usize) -> &[Extremes] {
        &self.series[series].extremes
    }

    /// Whether the history has the values of all series after each step from 1 to this one.
    pub fn is_complete(&self, step: u64) -> bool {
        let steps = self.steps.iter().filter(|step| **step > 0).count() as u64;
        self.stride == 1 && steps == step && !self.series.iter().any(|series| series.is_late)
    }

    /// Returns the name of each series: a column of the metrics, or the path of a pin.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str).chain(self.pins())
    }

    /// Returns the number of steps in a bucket.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Returns the simulated time of a step, in seconds.
    pub fn time_s(&self, step: u64) -> f64 {
        step as f64 * self.dt_s
    }

    /// Returns a number that changes when a new simulation begins.
    pub fn run(&self) -> u64 {
        self.run
    }

    /// Describes the sampling of the values.
    pub fn sampling(&self) -> String {
        match self.stride {
            1 => "every step".into(),
            stride => format!("min and max of every {stride} steps"),
        }
    }

    /// Returns the index of the bucket whose last step is nearest to a time.
    pub fn nearest(&self, time_s: f64) -> Option<usize> {
        let after = self.steps.partition_point(|step| self.time_s(*step) < time_s);
        let off_s = |index: usize| (self.time_s(self.steps[index]) - time_s).abs();
        let near = [after.checked_sub(1), Some(after).filter(|index| *index < self.steps.len())];
        near.into_iter().flatten().min_by(|a, b| off_s(*a).total_cmp(&off_s(*b)))
    }
}

#[cfg(test)]
mod tests;
