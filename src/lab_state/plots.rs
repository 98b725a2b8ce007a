//! The plots: numbers over time, and the condition that pauses the run.

pub mod axis;
pub mod backfill;
pub mod band;
pub mod bounds;
pub mod curve;
pub mod drawn;
pub mod edits;
pub mod error;
pub mod extremes;
pub mod formula;
pub mod history;
pub mod lanes;
pub mod layout;
pub mod metrics;
pub mod nearest;
pub mod pin;
pub mod printed;
pub mod robots;
pub mod span;
pub mod table;
pub mod topic;
pub mod trigger;
pub mod turning;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_figure::{Axis, Bars, Chart, Curves, Figure, Point, Scatter, Series, axis_text};
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::BranchId;
use swarmarium_simulation::simulation::Simulation;

use crate::common::lane_source::LaneSource;
use crate::common::settings::RobotPlot;
use crate::notice::Notices;
use crate::plots::axis::{Scale, plain};
use crate::plots::backfill::{Backfill, Backfills, Ended, Job, MOST_S, MOST_STEPS, Resimulated};
use crate::plots::curve::runs;
use crate::plots::history::History;
use crate::plots::lanes::StateLanes;
use crate::plots::layout::{Card, CardLine};
use crate::plots::printed::{Arrangement, COLUMNS};
use crate::plots::robots::{Histogram, RobotValues};
use crate::plots::trigger::Trigger;
use crate::plots::turning::Turning;
use crate::run::RunState;

/// Numbers over time and their views.
pub struct PlotState {
    /// Metrics and pinned numbers of the run.
    pub history: History,
    /// The turn rates of robots, which need two steps.
    pub turning: Turning,
    /// The condition that pauses the run. It is not an edit, because it changes no result.
    pub pause_when: Option<Trigger>,
    /// The arrangement of the plots in the panel, for figures.
    pub arrangement: Arrangement,
    /// Pinned numbers whose earlier values are simulated again.
    pub backfills: Backfills,
    /// The quantity of the state lanes; `None` without lanes.
    pub lane_source: Option<LaneSource>,
    /// Whether the lanes of a group are folded into one.
    pub lanes_by_group: bool,
    /// The lanes from before they were shown, which are simulated again.
    lane_backfill: Option<Backfill<StateLanes>>,
    /// The run, the quantity and the first step for which lanes were last simulated again.
    lanes_filled: Option<(u64, LaneSource, u64)>,
    /// The number of the run of the history.
    pub run: u64,
    /// The histories of runs before and after resets, by run number.
    pub other_runs: Vec<(u64, History)>,
}

impl PlotState {
    /// Creates the state for a simulation at its start.
    pub fn of(simulation: &Simulation) -> Self {
        let history = History::of(simulation);
        let arrangement = Arrangement::default();
        Self {
            history,
            turning: Turning::of(simulation, None),
            pause_when: None,
            arrangement,
            backfills: Backfills::default(),
            lane_source: None,
            lanes_by_group: false,
            lane_backfill: None,
            lanes_filled: None,
            run: 0,
            other_runs: Vec::new(),
        }
    }

    /// Whether there is nothing to plot: no metrics and no pinned numbers.
    pub fn is_empty(&self) -> bool {
        self.history.names().next().is_none()
    }
}

impl PlotState {
    /// Sets the condition of "Pause when"; an empty one removes it.
    pub fn set_pause_when(&mut self, host: &Host, notices: &mut Notices, text: &str) {
        let watched = self.history.watched(host.simulation());
        match Trigger::new(text, watched) {
            Ok(trigger) => {
                let holds = trigger.as_ref().filter(|trigger| trigger.holds()).map(|trigger| trigger.text().to_owned());
                self.pause_when = trigger;
                if let Some(text) = holds {
                    notices.say(&format!("{text} is true now: the run pauses the next time it becomes true"));
                }
            }
            Err(error) => notices.tell_error(error),
        }
    }
}

/// The largest number of kept histories of other branches.
const MOST_HISTORIES: usize = 32;

impl PlotState {
    /// Replaces the plots by those of the present run, and keeps the previous ones.
    pub fn exchange_history(&mut self, host: &Host, before: u64) {
        let number = host.run_number();
        self.run = before;
        let has_parent = host.timeline().present().parent().is_some();
        let is_known = has_parent || self.other_runs.iter().any(|(known, _)| *known == number);
        let history = is_known.then(|| self.history_of(host, BranchId(number)));
        self.keep_history();
        self.other_runs.retain(|(known, _)| *known != number);
        match history {
            Some(history) => self.history = history,
            None => self.history.restart(host.simulation()),
        }
    }

    /// Keeps the plots of the present run, in case a reset is undone.
    pub(super) fn keep_history(&mut self) {
        let run = self.run;
        self.other_runs.retain(|(known, _)| *known != run);
        // Lanes of many robots take much memory: only the run before has them at once.
        self.other_runs.iter_mut().for_each(|(_, history)| history.drop_lanes());
        self.other_runs.push((run, self.history.clone()));
        if self.other_runs.len() > MOST_HISTORIES {
            self.other_runs.remove(0);
        }
    }
}

/// Whether a run is short enough to be simulated again for its plots.
fn can_resimulate(run: &RunState) -> bool {
    let steps = run.host.live_end();
    (1..=MOST_STEPS).contains(&steps) && run.step_s().unwrap_or_default() * steps as f64 <= MOST_S
}

impl PlotState {
    /// Simulates the run again for the values of a number before it was pinned. For numbers of the selected robot and
    /// for long runs it does nothing: their plots begin at the step at which they were pinned.
    pub(crate) fn backfill(&mut self, run: &RunState, path: &str) {
        if can_resimulate(run) && !path.contains("selected.") {
            self.backfills.waiting.push(path.into());
            self.finish_backfills(run);
        }
    }

    /// Simulates a run, which was opened at a moment, again up to the end of its timeline, for the values after that
    /// moment. For long runs it does nothing.
    pub(crate) fn complete(&mut self, run: &RunState) {
        self.backfills.waits_for_rest = can_resimulate(run);
    }

    /// Adds the values of a finished thread to the plots, and starts the next thread.
    pub fn finish_backfills(&mut self, run: &RunState) {
        if let Some(Ended { found, is_same_run }) =
            Backfill::take_ended(&mut self.backfills.running, &run.host, self.history.run())
        {
            match found {
                Some(Resimulated::Numbers(values)) if is_same_run => {
                    values.iter().for_each(|(path, values)| self.history.fill(path, values));
                }
                Some(Resimulated::Whole(whole)) if is_same_run => {
                    if whole.last_step() > self.history.last_step() {
                        self.history.replace_values(*whole);
                    }
                }
                // Another branch is shown since then.
                Some(Resimulated::Whole(_)) => self.complete(run),
                Some(Resimulated::Numbers(_)) | None => {}
            }
        }
        let is_free = self.backfills.running.is_none() && run.host.resimulate().is_none();
        if is_free && std::mem::take(&mut self.backfills.waits_for_rest) {
            if self.history.last_step() < run.host.live_end() {
                // Without a thread, the plots end at the moment at which the run was opened.
                self.backfills.running = Backfill::start_whole(run, &self.history).ok();
            }
        } else if is_free && !self.backfills.waiting.is_empty() {
            let paths = std::mem::take(&mut self.backfills.waiting);
            // Without a thread, the plots begin when the numbers are pinned.
            self.backfills.running = Backfill::start_numbers(run, self.history.run(), paths).ok();
        }
    }
}

impl PlotState {
    /// Shows the lanes of a quantity, or none.
    pub fn show_lanes(&mut self, source: Option<LaneSource>) {
        self.lane_source = source;
        self.lanes_filled = None;
    }

    /// Lets the history of the present run have the chosen lanes, and fills in their earlier steps.
    pub(crate) fn follow_lanes(&mut self, run: &RunState) {
        if self.history.lanes().map(StateLanes::source) != self.lane_source {
            self.history.set_lanes(self.lane_source, run.host.simulation());
            self.lane_backfill = None;
        }
        if let Some(Ended { found: Some(earlier), is_same_run: true }) =
            Backfill::take_ended(&mut self.lane_backfill, &run.host, self.history.run())
        {
            self.history.prepend_lanes(earlier);
        }
        let Some([first, last]) = self.history.lanes().and_then(StateLanes::steps) else { return };
        let Some(source) = self.lane_source else { return };
        let is_partial = first > 0 || last < self.history.last_step();
        let wanted = Some((self.history.run(), source, first));
        let steps = run.host.live_end();
        let takes_s = run.step_s().unwrap_or_default() * steps as f64;
        let may = is_partial && steps <= MOST_STEPS && takes_s <= MOST_S && self.lanes_filled != wanted;
        if may && self.lane_backfill.is_none() && run.host.resimulate().is_none() {
            self.lanes_filled = wanted;
            // Without a thread, the lanes begin when they are switched on.
            let begin = move |simulation: &Simulation| {
                let mut lanes = StateLanes::new(source);
                lanes.observe(simulation);
                lanes
            };
            let work = move |job: Job| job.observe(begin, |lanes, simulation| lanes.observe(simulation));
            self.lane_backfill = Backfill::start(run, self.history.run(), "earlier lanes", work).ok();
        }
    }

    /// Whether earlier steps of the lanes are being simulated.
    pub fn is_filling_lanes(&self) -> bool {
        self.lane_backfill.is_some()
    }
}

impl PlotState {
    /// Returns the number of plots.
    pub fn count(&self) -> usize {
        let layout = &self.arrangement.layout;
        layout.cards(self.history.topics()).len() + layout.of_robots.len()
    }

    /// Returns the keys and titles of the plots, in order.
    pub fn titles(&self, simulation: &Simulation) -> Vec<(String, String)> {
        let layout = &self.arrangement.layout;
        let cards = layout.cards(self.history.topics());
        let of_time = cards.iter().map(|card| (card.key().to_owned(), card.title()));
        let of_robots = layout.of_robots.iter();
        let of_robots =
            of_robots.map(|plot| (robots::key(plot), robots::title(plot, &robots::choices_of(simulation, plot))));
        of_time.chain(of_robots).collect()
    }

    /// Returns the plots of a time span as charts, without those whose keys are in `left_out`: one for each value axis, then
    /// those over robots at the present moment.
    pub fn figures(&self, simulation: &Simulation, range_s: [f64; 2], left_out: &[String]) -> Vec<Figure> {
        let (now_s, latest) = (simulation.time().now_s(), self.history.latest(simulation));
        let cards = self.arrangement.layout.cards(self.history.topics());
        let is_shown = |key: &str| left_out.iter().all(|known| known != key);
        let shown = cards.iter().filter(|card| is_shown(card.key()));
        let axes = shown.flat_map(|card| [(card, false), (card, true)]);
        let axes = axes.filter(|(card, is_right)| !is_right || card.right_unit().is_some());
        let over_time = axes.map(|(card, is_right)| self.figure(card, is_right, range_s, (now_s, &latest)));
        let of_robots = self.arrangement.layout.of_robots.iter().filter(|plot| is_shown(&robots::key(plot)));
        over_time.chain(of_robots.map(|plot| robots_figure(simulation, plot))).collect()
    }

    /// Returns the lines of one value axis of a plot, since a chart has one.
    fn figure(&self, card: &Card, is_right: bool, range_s: [f64; 2], (now_s, latest): (f64, &[f64])) -> Figure {
        let points = |series: usize| {
            let now = (now_s, latest.get(series).copied().unwrap_or(f64::NAN));
            // Values are not transformed: the chart applies the logarithmic axis.
            let runs = runs(&self.history, series, range_s, COLUMNS, now, Scale::Linear);
            let mut points: Vec<Point> = Vec::new();
            for run in runs {
                // A point without a value makes a gap.
                points.extend(points.last().map(|last| Point::bare(last.x, f64::NAN)));
                let inside = run.iter().filter(|at| at.x >= range_s[0] && at.x <= range_s[1]);
                points.extend(inside.map(|at| Point::bare(at.x, at.y)));
            }
            points
        };
        let names: Vec<&str> = self.history.names().collect();
        let is_of_axis =
            |line: &CardLine| line.is_right == is_right && card.shows(&self.arrangement.layout, names[line.series]);
        let lines = card.lines().filter(is_of_axis);
        let series = lines.map(|line| Series { label: line.name.into(), points: points(line.series) }).collect();
        let unit = if is_right { card.right_unit().unwrap_or_default() } else { card.unit() };
        let title = card.topics.iter().filter(|topic| topic.unit == unit).map(|topic| topic.name.as_str());
        let title = title.collect::<Vec<_>>().join(" + ");
        let label = axis_text(&title, unit);
        let y = if card.scale == Scale::Logarithmic { Axis::log(label) } else { Axis::linear(label) };
        let chart = Chart::Curves(Curves::over_time(y, range_s, series));
        Figure { title: String::new(), caption: String::new(), chart }
    }
}

/// Returns a plot over robots at the present moment as a chart.
fn robots_figure(simulation: &Simulation, plot: &RobotPlot) -> Figure {
    let (numbers, values) = (robots::choices_of(simulation, plot), RobotValues::of(simulation, plot));
    let axis = |side: usize| {
        numbers.get(side).map_or_else(Axis::default, |number| Axis::linear(axis_text(&number.name, number.unit)))
    };
    let chart = match plot {
        RobotPlot::Distribution(_) => {
            let histogram = Histogram::of(&values);
            let [start, width] = histogram.as_ref().map_or([0.0, 1.0], |bars| [bars.start, bars.width]);
            let counts = histogram.iter().flat_map(|bars| bars.bars.iter().map(Vec::len)).collect();
            Chart::Bars(Bars { x: axis(0), y: Axis::whole("Robots"), start, width, counts })
        }
        RobotPlot::Scatter(..) => {
            let points = values.robots.iter().map(|(_, values)| DVec2::from(*values)).collect();
            Chart::Scatter(Scatter { x: axis(0), y: axis(1), points })
        }
    };
    let caption = format!("{} at {} s", values.count_text(), plain(simulation.time().now_s()));
    Figure { title: String::new(), caption, chart }
}

impl PlotState {
    /// Returns the plots of a branch, as far as they are known.
    pub(crate) fn history_of(&self, host: &Host, branch: BranchId) -> History {
        if branch.0 == self.run {
            return self.history.clone();
        }
        let known = self.other_runs.iter().find(|(known, _)| *known == branch.0);
        if let Some((_, history)) = known {
            return history.clone();
        }
        match host.timeline().branch(branch).and_then(|branch| branch.parent()) {
            Some(parent) => {
                let mut history = self.history_of(host, parent.branch);
                history.go_back(parent.step);
                history
            }
            None => History::of(host.simulation()),
        }
    }
}

impl PlotState {
    /// Returns the turn rate of the selected robot in the last step; NaN if that step was not observed, as after a jump to a
    /// keyframe of a run whose steps take long.
    pub fn turn_rad_per_s(&self, host: &Host) -> f64 {
        let selected = self.history.watched(host.simulation()).selected;
        selected.map_or(f64::NAN, |agent| self.turning.rad_per_s(host.simulation(), agent))
    }

    /// Plots a number, or removes it from the plots.
    pub fn pin(&mut self, run: &RunState, notices: &mut Notices, path: &str) {
        let before = self.history.pins().count();
        let done = self.history.pin_or_unpin(run.host.simulation(), path);
        notices.tell(done);
        if self.history.pins().count() > before
            && let Some(path) = self.history.pins().last().map(str::to_owned)
        {
            self.backfill(run, &path);
        }
    }
}
