//! Values from before a number was pinned, and whatever else the plots lack, from a second simulation of the run on a
//! thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use swarmarium_core::step::Workers;
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline::Moment;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Simulation;

use crate::plots::history::{History, Observed};
use crate::plots::pin::{Pin, Watched};
use crate::run::RunState;

/// Maximum estimated duration of a run that is simulated again, in seconds.
pub const MOST_S: f64 = 30.0;

/// Maximum number of steps of a run that is simulated again.
pub const MOST_STEPS: u64 = 1_000_000;

/// The values of one number after each step, with its path.
pub type Values = (String, Vec<Observed>);

/// Numbers that wait for their earlier values, and the thread that simulates the run again.
#[derive(Default)]
pub struct Backfills {
    /// Paths that were pinned while the thread works.
    pub waiting: Vec<String>,
    /// Whether all values up to the live end wait, because the run was opened at an earlier moment.
    pub waits_for_rest: bool,
    /// The thread.
    pub running: Option<Backfill<Resimulated>>,
}

/// The result of a second simulation of a run.
#[derive(Debug)]
pub enum Resimulated {
    /// The earlier values of some numbers.
    Numbers(Vec<Values>),
    /// All plots of the run.
    Whole(Box<History>),
}

/// A second simulation of a run on a thread, for values that the plots lack. Dropping it cancels the thread.
pub struct Backfill<T> {
    /// The number of the run in the plots.
    run: u64,
    /// The edits of the run so far. The values are valid only while the run still has them.
    edits: Vec<LoggedEdit>,
    /// The number of steps to simulate.
    steps: u64,
    is_cancelled: Arc<AtomicBool>,
    /// Its result is `None` if the run cannot be simulated again, or the thread was cancelled.
    thread: Option<JoinHandle<Option<T>>>,
}

impl<T> Drop for Backfill<T> {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// The work of the thread of a [`Backfill`]: a plan of the run, and the number of steps to simulate.
pub struct Job {
    /// The plan of the simulation at the start of the run.
    pub plan: TwinPlan,
    /// The number of steps.
    pub steps: u64,
    /// The number of threads of the simulation.
    pub threads: usize,
    is_cancelled: Arc<AtomicBool>,
}

impl Job {
    /// Simulates the steps, and calls a closure with the state after each. Returns the result of another one for the
    /// start, changed by these calls; `None` if the run cannot be simulated again, or the work was cancelled.
    pub fn observe<T>(
        self,
        begin: impl FnOnce(&Simulation) -> T,
        mut observe: impl FnMut(&mut T, &Simulation),
    ) -> Option<T> {
        let mut twin = self.plan.make(Workers::new(self.threads)).ok()?;
        let mut observed = begin(twin.simulation());
        for _ in 0..self.steps {
            if self.is_cancelled.load(Ordering::Relaxed) {
                return None;
            }
            twin.step();
            observe(&mut observed, twin.simulation());
        }
        Some(observed)
    }
}

impl<T: Send + 'static> Backfill<T> {
    /// Starts a thread to simulate the present branch again, up to its live end. `run` is its number in the plots.
    ///
    /// # Errors
    /// If the run cannot be simulated again, or the system has no thread.
    pub fn start(
        of: &RunState,
        run: u64,
        name: &str,
        work: impl FnOnce(Job) -> Option<T> + Send + 'static,
    ) -> anyhow::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let plan = of.host.plan_twin(Moment { step: 0, ..of.host.moment() })?;
        let steps = of.host.live_end();
        let job = Job { plan, steps, threads: of.threads, is_cancelled: is_cancelled.clone() };
        let thread = Some(thread::Builder::new().name(name.into()).spawn(move || work(job))?);
        Ok(Self { run, edits: edits_until(&of.host, steps), steps, is_cancelled, thread })
    }

    /// Takes one that has ended, with its result; the result is `None` if the thread found none. `run` is the number of
    /// the present run in the plots.
    pub fn take_ended(running: &mut Option<Self>, host: &Host, run: u64) -> Option<Ended<T>> {
        let mut ended = running.take_if(|it| it.thread.as_ref().is_none_or(JoinHandle::is_finished))?;
        let is_same_run =
            ended.run == run && host.live_end() >= ended.steps && edits_until(host, ended.steps) == ended.edits;
        let found = ended.thread.take().and_then(|thread| thread.join().ok()).flatten();
        Some(Ended { found, is_same_run })
    }
}

/// The end of a [`Backfill`].
pub struct Ended<T> {
    /// The result, if there is one.
    pub found: Option<T>,
    /// Whether the run still has the same steps and edits.
    pub is_same_run: bool,
}

impl Backfill<Resimulated> {
    /// Starts to simulate the present branch again for some numbers.
    ///
    /// # Errors
    /// See [`start`](Self::start).
    pub fn start_numbers(of: &RunState, run: u64, paths: Vec<String>) -> anyhow::Result<Self> {
        Self::start(of, run, "earlier values", move |job| values(job, paths).map(Resimulated::Numbers))
    }

    /// Starts to simulate the present branch again for all plots of a history.
    ///
    /// # Errors
    /// See [`start`](Self::start).
    pub fn start_whole(of: &RunState, history: &History) -> anyhow::Result<Self> {
        let paths: Vec<String> = history.pins().map(Into::into).collect();
        Self::start(of, history.run(), "plots of the run", move |job| whole(job, &paths).map(Resimulated::Whole))
    }
}

/// Returns the plots of a run; `None` if cancelled.
fn whole(job: Job, paths: &[String]) -> Option<Box<History>> {
    let begin = |simulation: &Simulation| {
        let mut history = Box::new(History::of(simulation));
        history.keep_pins(simulation, paths);
        history
    };
    job.observe(begin, |history, simulation| history.observe(simulation))
}

/// Returns the edits of the present branch up to the end of a step.
pub fn edits_until(host: &Host, step: u64) -> Vec<LoggedEdit> {
    host.timeline().present().applied().take_while(|logged| logged.step <= step).cloned().collect()
}

/// Returns the values of some numbers after each step; `None` if cancelled.
fn values(job: Job, paths: Vec<String>) -> Option<Vec<Values>> {
    let begin = |simulation: &Simulation| {
        let watched = Watched { simulation, selected: None };
        // A turn rate in the first step needs the heading before it.
        let pin = |path: String| (Pin::new(watched, &path).ok(), (path, Vec::new()));
        paths.into_iter().map(pin).collect::<Vec<(Option<Pin>, Values)>>()
    };
    let mut edits = 0;
    let observe = |pins: &mut Vec<(Option<Pin>, Values)>, simulation: &Simulation| {
        let edited = std::mem::replace(&mut edits, simulation.edits().len()) != simulation.edits().len();
        let watched = Watched { simulation, selected: None };
        for (pin, (path, values)) in pins {
            match pin {
                Some(pin) => pin.observe(watched, edited),
                // A path can lead to a robot that does not exist yet.
                None => *pin = Pin::new(watched, path).ok(),
            }
            let value = pin.as_ref().map_or(f64::NAN, |pin| pin.value(watched));
            values.push(Observed { step: simulation.steps(), value });
        }
    };
    let pins = job.observe(begin, observe)?;
    Some(pins.into_iter().map(|(_, values)| values).collect())
}
