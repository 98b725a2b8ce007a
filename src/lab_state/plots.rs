//! The plots: numbers over time, and the condition that pauses the run.

pub mod axis;
pub mod backfill;
pub mod curve;
pub mod edits;
pub mod error;
pub mod formula;
pub mod history;
pub mod layout;
pub mod nearest;
pub mod pin;
pub mod printed;
pub mod span;
pub mod topic;
pub mod trigger;
pub mod turning;

use std::thread::JoinHandle;

use bevy::prelude::*;
use swarmarium_figure::{Axis, Chart, Curves, Figure, Point, Series};
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::BranchId;
use swarmarium_simulation::simulation::Simulation;

use crate::notice::Notices;
use crate::plots::axis::Scale;
use crate::plots::backfill::{Backfill, Backfills, MOST_S, MOST_STEPS, edits_until};
use crate::plots::curve::runs;
use crate::plots::history::History;
use crate::plots::layout::Card;
use crate::plots::printed::{Arrangement, COLUMNS, point};
use crate::plots::trigger::Trigger;
use crate::plots::turning::Turning;
use crate::run::RunState;

/// Numbers over time and their views.
pub struct PlotState {
    /// Metrics and pinned numbers of the run.
    pub history: History,
    /// The turn rates of robots, which need two steps.
    pub turning: Turning,
    /// The condition that pauses the run. It is no edit, because it changes no result.
    pub pause_when: Option<Trigger>,
    /// The arrangement of the plots in the panel, for figures.
    pub arrangement: Arrangement,
    /// Pinned numbers whose earlier values are simulated again.
    pub backfills: Backfills,
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
        self.other_runs.push((run, self.history.clone()));
        if self.other_runs.len() > MOST_HISTORIES {
            self.other_runs.remove(0);
        }
    }
}

impl PlotState {
    /// Simulates the run again for the values of a number before it was pinned. For numbers of the selected robot and
    /// for long runs it does nothing: their plots begin at the step at which they were pinned.
    pub(crate) fn backfill(&mut self, run: &RunState, path: &str) {
        let steps = run.host.live_end();
        let takes_s = run.step_s().unwrap_or_default() * steps as f64;
        if steps == 0 || steps > MOST_STEPS || takes_s > MOST_S || path.contains("selected.") {
            return;
        }
        self.backfills.waiting.push(path.into());
        self.finish_backfills(run);
    }

    /// Adds the values of a finished thread to the plots, and starts the next thread.
    pub fn finish_backfills(&mut self, run: &RunState) {
        if let Some(mut done) =
            self.backfills.running.take_if(|backfill| backfill.thread.as_ref().is_none_or(JoinHandle::is_finished))
        {
            let is_same_run = done.run == self.history.run()
                && run.host.live_end() >= done.steps
                && edits_until(&run.host, done.steps) == done.edits;
            let values = done.thread.take().and_then(|thread| thread.join().ok()).flatten();
            if let Some(values) = values.filter(|_| is_same_run) {
                values.iter().for_each(|(path, values)| self.history.fill(path, values));
            }
        }
        let waits = self.backfills.running.is_none() && !self.backfills.waiting.is_empty();
        if waits && run.host.resimulate().is_none() {
            let paths = std::mem::take(&mut self.backfills.waiting);
            // Without a thread, the plots begin when the numbers are pinned.
            self.backfills.running = Backfill::start(run, self.history.run(), paths).ok();
        }
    }
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
    /// Returns the turn rate of the selected robot in the last step; NaN if that step was not observed, as after a jump in
    /// time.
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
