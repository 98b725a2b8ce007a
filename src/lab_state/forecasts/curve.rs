//! The curve under a slider: a metric over the range of a parameter, from short runs on a core that is idle.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use swarmarium_base::problem::Problems;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_sweep::plan::Value;
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::work::cores;
use swarmarium_sweep::{Plan, PlanText, Sweep};

use crate::action::SliderSpan;
use crate::common::sweep_setup::{Levels, PLAN_NAME, RangeSetup, Setup, TAKES};
use crate::run::RunState;
use crate::sweeps::worker::priority;

/// The real time that the pointer rests on a slider before its curve begins.
const REST: Duration = Duration::from_millis(700);

/// The number of values of a curve.
const POINTS: u64 = 9;

/// The number of runs of each value, with seeds of their own.
const REPETITIONS: u64 = 4;

/// The longest duration of a run, in simulated seconds.
const MOST_S: f64 = 60.0;

/// The longest real time of the runs of a curve. A curve that takes longer ends with fewer runs.
const BUDGET: Duration = Duration::from_secs(20);

/// The number of robots from which on there are no curves.
const TOO_MANY_ROBOTS: usize = 500;

/// The curves under sliders.
#[derive(Default)]
pub struct CurveState {
    /// The slider under the pointer in this frame.
    pub pointed: Option<SliderSpan>,
    /// The slider on which the pointer rests, and since when.
    rests: Option<(SliderSpan, Instant)>,
    /// The curves of the present scene, by path.
    kept: BTreeMap<String, Kept>,
    work: Option<Work>,
    /// The run, and the number of its changes, for which the kept curves were checked.
    checked: Option<(u64, u64, u64)>,
}

/// A curve with the scene that it is of.
struct Kept {
    curve: Curve,
    span: SliderSpan,
    /// The text of the scene with the first value of the range.
    scene: String,
}

/// A metric over the range of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The points, by value.
    pub points: Vec<CurvePoint>,
    /// The measured quantity, in words.
    pub measure: String,
    /// The reason why there is no curve.
    pub refusal: Option<String>,
}

/// The results at a value of the parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePoint {
    /// The value of the parameter.
    pub at: f64,
    /// The metric in each run.
    pub results: Vec<f64>,
}

impl CurvePoint {
    /// The mean of the runs; `None` before the first one.
    pub fn mean(&self) -> Option<f64> {
        let count = self.results.len();
        (count > 0).then(|| self.results.iter().sum::<f64>() / count as f64)
    }

    /// The smallest and the largest result.
    pub fn ends(&self) -> Option<[f64; 2]> {
        let low = self.results.iter().copied().min_by(f64::total_cmp)?;
        let high = self.results.iter().copied().max_by(f64::total_cmp)?;
        Some([low, high])
    }
}

impl Curve {
    /// The smallest and the largest result of all runs.
    pub fn ends(&self) -> Option<[f64; 2]> {
        let ends = self.points.iter().filter_map(CurvePoint::ends);
        ends.reduce(|[low, high], [other_low, other_high]| [low.min(other_low), high.max(other_high)])
    }

    /// The smallest number of runs of a value.
    pub fn runs(&self) -> usize {
        self.points.iter().map(|point| point.results.len()).min().unwrap_or_default()
    }
}

/// The runs of a curve in progress. Dropping them abandons them.
struct Work {
    path: String,
    results: Receiver<(usize, f64)>,
    is_stopped: Arc<AtomicBool>,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl CurveState {
    /// The curve of a slider, if it is known.
    pub fn of(&self, span: &SliderSpan) -> Option<&Curve> {
        self.kept.get(&span.path).filter(|kept| kept.span == *span).map(|kept| &kept.curve)
    }

    /// The curve of a parameter, if it is known.
    pub fn known(&self, path: &str) -> Option<&Curve> {
        self.kept.get(path).map(|kept| &kept.curve)
    }

    /// Whether runs are made, or will be when the pointer has rested.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || self.rests.as_ref().is_some_and(|(span, _)| self.of(span).is_none())
    }

    /// Takes the results of the runs since the last frame.
    fn take_results(&mut self) {
        let Some(work) = &self.work else { return };
        let Some(Kept { curve, .. }) = self.kept.get_mut(&work.path) else {
            self.work = None;
            return;
        };
        loop {
            match work.results.try_recv() {
                Ok((point, result)) => {
                    if let Some(point) = curve.points.get_mut(point).filter(|_| result.is_finite()) {
                        point.results.push(result);
                    }
                }
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => break,
            }
        }
        if curve.ends().is_none() {
            curve.refusal = Some("no run has a result".into());
        }
        self.work = None;
    }

    /// Forgets the curves of a scene that has changed other than by their own sliders.
    fn check(&mut self, run: &RunState) {
        let simulation = run.host.simulation();
        let changes = simulation.sets() + simulation.waiting_edits().len() as u64;
        let now = Some((run.openings, run.host.run_number(), changes));
        if self.checked == now || self.kept.is_empty() {
            return;
        }
        self.checked = now;
        let scene = simulation.scene_ahead();
        self.kept.retain(|_, kept| at_first_value(run, scene, &kept.span).is_some_and(|scene| scene == kept.scene));
    }

    /// The slider whose curve is due: the pointer has rested on it, and it is not known.
    fn due(&mut self) -> Option<SliderSpan> {
        let span = self.pointed.take();
        let Some(span) = span else {
            self.rests = None;
            return None;
        };
        if self.rests.as_ref().is_none_or(|(known, _)| *known != span) {
            self.rests = Some((span, Instant::now()));
            return None;
        }
        let (span, since) = self.rests.as_ref()?;
        (since.elapsed() >= REST && self.of(span).is_none()).then(|| span.clone())
    }

    /// Continues the curves, and begins that of the slider on which the pointer rests if a core is idle. `setup` gives the
    /// measure.
    pub fn follow(&mut self, run: &RunState, setup: &Setup, is_idle: bool) {
        self.take_results();
        self.check(run);
        let due = self.due();
        let may_begin =
            is_idle && cores() > 1 && self.work.is_none() && run.host.simulation().count() < TOO_MANY_ROBOTS;
        if let Some(span) = due.filter(|_| may_begin) {
            self.begin(run, setup, span);
        }
    }

    fn begin(&mut self, run: &RunState, setup: &Setup, span: SliderSpan) {
        let Some(scene) = at_first_value(run, run.host.simulation().scene_ahead(), &span) else { return };
        let (path, mut curve) = (span.path.clone(), Curve::default());
        match plan(run, setup, &span) {
            Ok((sweep, measure)) => {
                let at = |values: &Vec<Value>| values.first().and_then(|value| value.text().parse().ok());
                let point = |values| CurvePoint { at: at(values).unwrap_or_default(), results: Vec::new() };
                (curve.points, curve.measure) = (sweep.points.iter().map(point).collect(), measure);
                let (sender, results) = channel();
                let is_stopped = Arc::new(AtomicBool::new(false));
                let stopped = is_stopped.clone();
                let thread = thread::Builder::new().name("curve".into());
                match thread.spawn(move || make(&sweep, &sender, &stopped)) {
                    Ok(_) => self.work = Some(Work { path: path.clone(), results, is_stopped }),
                    Err(error) => curve.refusal = Some(error.to_string()),
                }
            }
            Err(refusal) => curve.refusal = Some(refusal),
        }
        self.kept.insert(path, Kept { curve, span, scene });
    }
}

/// The text of a scene with the first value of a range: scenes that differ only in this parameter have the same.
fn at_first_value(run: &RunState, scene: &Scene, span: &SliderSpan) -> Option<String> {
    let mut scene = scene.clone();
    let first = if span.is_whole { format!("{:.0}", span.low) } else { format!("{:?}", span.low) };
    constants::set(run.recipe.kinds(), &mut scene, &span.path, &first).ok()?;
    Some(write(run.recipe.kinds(), &scene, Style::Short))
}

/// The sweep of a curve, and its measure in words.
fn plan(run: &RunState, setup: &Setup, span: &SliderSpan) -> Result<(Sweep, String), String> {
    let simulation = run.host.simulation();
    let base = if setup.suits(simulation) { setup.clone() } else { setup.for_scene(simulation) };
    let mut setup = base.with_factor(simulation, &span.path, false);
    let Some(factor) = setup.factors.first_mut().filter(|factor| factor.path == span.path) else {
        return Err("the parameter cannot vary".into());
    };
    if let Levels::Range(range) = &mut factor.levels {
        let points = if span.is_whole { POINTS.min((span.high - span.low) as u64 + 1) } else { POINTS };
        *range = RangeSetup { from: span.low, to: span.high, points, is_log: span.is_logarithmic, ..range.clone() };
    }
    setup.repetitions = REPETITIONS;
    setup.from_moment = false;
    if setup.duration_s > MOST_S {
        (setup.duration_s, setup.last_s) = (MOST_S, MOST_S / 2.0);
    }
    if let Some(refusal) = setup.refusal() {
        return Err(refusal);
    }
    let plan = Plan { keep: Default::default(), ..setup.plan(simulation, 0) };
    let source = PlanText { name: PLAN_NAME, text: "" };
    let run_in_memory = (simulation.scene_ahead().clone(), Vec::new());
    let sweep = Sweep::of_run(&run.recipe, plan, run_in_memory, source).map_err(|problems| in_one_line(&problems))?;
    let take = TAKES.iter().find(|(take, ..)| *take == setup.take).map_or("", |(_, words, _)| words);
    let over = match setup.take.has_window() && setup.last_s > 0.0 && setup.last_s < setup.duration_s {
        true => format!("the last {} of {} s", setup.last_s, setup.duration_s),
        false => format!("{} s", setup.duration_s),
    };
    Ok((sweep, format!("{take} {}, {over}", setup.of.trim())))
}

fn in_one_line(problems: &Problems) -> String {
    problems.problems.first().map_or_else(|| problems.to_string(), |problem| problem.message.clone())
}

/// Makes the runs: the first repetition of all values, then the second one.
fn make(sweep: &Sweep, results: &Sender<(usize, f64)>, stopped: &AtomicBool) {
    priority::lower();
    let began = Instant::now();
    let is_stopped = || stopped.load(Ordering::Relaxed) || began.elapsed() > BUDGET;
    let mut runner = Runner::new(sweep, 1, &is_stopped);
    for place in 0..sweep.run_count() {
        let run = sweep.run(place);
        let Some(outcome) = runner.run(run) else { return };
        let value = outcome.measures.first().map_or(f64::NAN, |measure| measure.value);
        if results.send((run.point, value)).is_err() {
            return;
        }
    }
}
