//! Forecasts: the next seconds for a value that is not chosen yet, simulated on another core.

pub mod curve;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use swarmarium_base::problem::Problems;
use swarmarium_draw::Forecast;
use swarmarium_host::clock::host::ahead::{ForecastPlan, ForecastRun};
use swarmarium_host::clock::host::apart::Apart;
use swarmarium_scene::scene::constants;
use swarmarium_simulation::edit::{Edit, TakesEffect};

use crate::action::Foreseen;
use crate::common::text::grouped;
use crate::forecasts::curve::CurveState;
use crate::run::RunState;

/// The number of robots from which on there are no forecasts: each copies the state of all robots while the window waits.
const TOO_MANY_ROBOTS: usize = 2000;

/// The longest real time of a forecast. A forecast that takes longer ends earlier.
const BUDGET: Duration = Duration::from_millis(120);

/// A forecast that is shorter than this part of its duration is not shown.
const LEAST_PART: f64 = 0.05;

/// A forecast is made again when this part of it has passed.
const STALE_PART: f64 = 0.25;

/// Forecasts of values under the pointer.
pub struct ForecastState {
    /// The real time that a forecast may take. Tests allow more, so that none of them depends on the machine.
    pub budget: Duration,
    /// The value that the panels ask for in this frame.
    pub asked: Option<Foreseen>,
    /// The curve under a slider.
    pub curve: CurveState,
    work: Option<Work>,
    shown: Option<Shown>,
    /// The simulation of the last forecast, for the next one.
    spare: Option<ForecastRun>,
    /// The time before which no forecast begins: they take half of a core at most.
    rests_until: Option<Instant>,
}

impl Default for ForecastState {
    fn default() -> Self {
        let (asked, curve) = (None, CurveState::default());
        Self { budget: BUDGET, asked, curve, work: None, shown: None, spare: None, rests_until: None }
    }
}

/// A forecast that is being made.
struct Work {
    of: Subject,
    work: Apart<Result<Made, Problems>>,
}

/// The subject of a forecast: forecasts with the same one differ at most in their beginning.
#[derive(Clone, PartialEq)]
struct Subject {
    opening: u64,
    run: u64,
    swaps: u64,
    name: String,
    path: String,
    value: String,
    duration_s: f64,
}

/// The result of a thread.
struct Made {
    run: ForecastRun,
    forecast: Forecast,
    took: Duration,
}

/// The forecast of the last frames.
struct Shown {
    of: Subject,
    /// `None` if the robots take too long.
    forecast: Option<Forecast>,
    is_from_start: bool,
    /// The text over the world.
    text: String,
}

impl ForecastState {
    /// The forecast to draw.
    pub fn shown(&self) -> Option<&Forecast> {
        self.shown.as_ref()?.forecast.as_ref()
    }

    /// The meaning of the drawn paths, or the reason why there are none; `None` if nobody asked for a forecast.
    pub fn text(&self) -> Option<&str> {
        Some(self.shown.as_ref()?.text.as_str())
    }

    /// Whether a forecast is being made.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || self.rests_until.is_some() || self.curve.is_busy()
    }

    /// Takes a forecast that is ready. It counts only if its subject is still wanted, but its simulation can be used again.
    fn take_made(&mut self, wanted: Option<&Subject>, run: &RunState) {
        let Some(done) = self.work.as_ref().and_then(|work| work.work.poll()) else { return };
        let Some(Work { of, .. }) = self.work.take() else { return };
        match done {
            Ok(Made { run: ahead, forecast, took }) => {
                self.spare = Some(ahead);
                self.rests_until = Some(Instant::now() + took);
                // A value that has changed since is better than an older one.
                if wanted.is_some() {
                    self.shown = Some(Shown::of(of, forecast, run, self.budget));
                }
            }
            Err(problems) => self.shown = Some(Shown::refusal(of, format!("No forecast: {problems}"))),
        }
    }

    /// Whether the shown forecast is of a subject and not outdated.
    fn has_fresh(&self, of: &Subject, step: u64) -> bool {
        let Some(shown) = self.shown.as_ref().filter(|shown| shown.of == *of) else { return false };
        shown.is_from_start
            || shown.forecast.as_ref().is_none_or(|forecast| {
                let passed = step.saturating_sub(forecast.from_step());
                passed as f64 <= STALE_PART * forecast.steps() as f64
            })
    }

    /// Shows the forecast of the value that the panels ask for, and begins the next one when it is due. `restarts` tells
    /// whether a change of the parameter restarts the run.
    pub fn follow(&mut self, run: &mut RunState, asked: Option<&Foreseen>, duration_s: f64, restarts: bool) {
        let of = asked.map(|asked| Subject::of(asked, run, duration_s));
        self.take_made(of.as_ref(), run);
        self.rests_until.take_if(|until| *until <= Instant::now());
        // The paths of another parameter tell nothing about this one.
        self.shown.take_if(|shown| of.as_ref().is_none_or(|of| of.path != shown.of.path));
        let (Some(asked), Some(of)) = (asked, of) else { return };
        let simulation = run.host.simulation();
        if self.work.is_some() || self.rests_until.is_some() || self.has_fresh(&of, simulation.steps()) {
            return;
        }
        let edits: Vec<Edit> = asked.edit().into_iter().collect();
        if let Some(refusal) = refusal(run, asked, &edits, restarts) {
            self.shown = Some(Shown::refusal(of, format!("No forecast: {refusal}")));
            return;
        }
        // The present value has restarted the run already.
        if let Some(plan) = run.host.plan_forecast(&edits, restarts && !edits.is_empty()) {
            let steps = (duration_s / run.host.simulation().time().dt_s).round().max(1.0) as u64;
            self.begin(plan, of, steps);
        }
    }

    fn begin(&mut self, plan: ForecastPlan, of: Subject, steps: u64) {
        let before = self.spare.take();
        let (duration_s, budget) = (of.duration_s, self.budget);
        // A kind that panics ends the forecast, and not the window.
        let make = AssertUnwindSafe(move || make(plan, before, (duration_s, steps), budget));
        let failed = |_| Err(Problems::of_file("forecast", "a step failed".to_owned()));
        let work = Apart::begin(move || catch_unwind(make).unwrap_or_else(failed));
        self.work = Some(Work { of, work });
    }
}

impl Shown {
    fn of(of: Subject, forecast: Forecast, run: &RunState, budget: Duration) -> Self {
        let simulation = run.host.simulation();
        let dt_s = simulation.time().dt_s;
        let (reached_s, is_from_start) = (forecast.steps() as f64 * dt_s, forecast.from_step() == 0);
        let is_whole = reached_s >= of.duration_s - 0.5 * dt_s;
        if !is_whole && reached_s < LEAST_PART * of.duration_s {
            let robots = grouped(simulation.count() as u64);
            let text = format!(
                "No forecast: {robots} robots take too long ({reached_s:.2} simulated seconds in {} ms)",
                budget.as_millis()
            );
            return Self::refusal(of, text);
        }
        let which = if is_from_start { "First" } else { "Next" };
        let reached = if is_whole { format!("{} s", of.duration_s) } else { format!("{reached_s:.1} s") };
        let text = format!("{which} {reached} with {}", of.name);
        Self { of, forecast: Some(forecast), is_from_start, text }
    }

    fn refusal(of: Subject, text: String) -> Self {
        Self { of, forecast: None, is_from_start: false, text }
    }
}

/// Runs ahead for a number of steps, as far as the budget allows.
fn make(
    plan: ForecastPlan,
    before: Option<ForecastRun>,
    (duration_s, steps): (f64, u64),
    budget: Duration,
) -> Result<Made, Problems> {
    let began = Instant::now();
    let mut run = plan.make(before)?;
    let mut forecast = Forecast::begin(run.simulation().world(), duration_s);
    for _ in 0..steps {
        run.step();
        forecast.observe(run.simulation().world());
        if began.elapsed() > budget {
            break;
        }
    }
    forecast.conclude(run.simulation().world());
    Ok(Made { run, forecast, took: began.elapsed() })
}

/// The reason why a value has no forecast; `None` if it has one.
fn refusal(run: &RunState, asked: &Foreseen, edits: &[Edit], restarts: bool) -> Option<String> {
    let simulation = run.host.simulation();
    if simulation.count() >= TOO_MANY_ROBOTS {
        return Some(format!("{} robots are too many", grouped(simulation.count() as u64)));
    }
    if !restarts && TakesEffect::of_path(&asked.path) == TakesEffect::AtReset {
        return Some("the value takes effect at the next restart".into());
    }
    edits.iter().find_map(|edit| simulation.check(edit).err()).map(|problem| problem.message)
}

impl Foreseen {
    /// The edit that the forecast makes; `None` for the present value.
    fn edit(&self) -> Option<Edit> {
        let value = self.value.clone()?;
        Some(Edit::Set { path: self.path.clone(), value })
    }
}

impl Subject {
    fn of(asked: &Foreseen, run: &RunState, duration_s: f64) -> Self {
        let simulation = run.host.simulation();
        let present = || constants::text_at(simulation.kinds(), simulation.scene_ahead(), &asked.path);
        Self {
            opening: run.openings,
            run: run.host.run_number(),
            swaps: run.host.swaps(),
            name: asked.name.clone(),
            path: asked.path.clone(),
            value: asked.value.clone().or_else(present).unwrap_or_default(),
            duration_s,
        }
    }
}
