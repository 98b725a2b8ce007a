//! The values of a pinned number from before it was pinned, from a second simulation of the run on a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use swarmarium_core::step::Workers;
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline::{Moment, TimelineError};
use swarmarium_simulation::edit::LoggedEdit;

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
    pub running: Option<Backfill>,
}

/// The result of a second simulation of a run.
#[derive(Debug)]
pub enum Resimulated {
    /// The earlier values of some numbers.
    Numbers(Vec<Values>),
    /// All plots of the run.
    Whole(Box<History>),
}

/// A second simulation of a run for values that the plots lack.
pub struct Backfill {
    /// The number of the run in the plots.
    pub run: u64,
    /// The edits of the run so far. The values are valid only while the run still has them.
    pub edits: Vec<LoggedEdit>,
    /// The number of steps to simulate.
    pub steps: u64,
    is_cancelled: Arc<AtomicBool>,
    /// `None` if the run cannot be simulated again, or the thread was cancelled.
    pub thread: Option<JoinHandle<Option<Resimulated>>>,
}

impl Drop for Backfill {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Backfill {
    /// Starts to simulate the present branch again, up to its live end.
    pub fn start(of: &RunState, run: u64, paths: Vec<String>) -> anyhow::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let plan = of.host.plan_twin(Moment { step: 0, ..of.host.moment() })?;
        let (steps, threads, cancelled) = (of.host.live_end(), of.threads, is_cancelled.clone());
        let work = move || values(plan, (steps, threads), paths, &cancelled).ok().flatten().map(Resimulated::Numbers);
        let thread = Some(thread::Builder::new().name("earlier values".into()).spawn(work)?);
        Ok(Self { run, edits: edits_until(&of.host, steps), steps, is_cancelled, thread })
    }

    /// Starts to simulate the present branch again for all plots of a history, up to its live end.
    pub fn start_whole(of: &RunState, history: &History) -> anyhow::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let plan = of.host.plan_twin(Moment { step: 0, ..of.host.moment() })?;
        let (steps, threads, cancelled) = (of.host.live_end(), of.threads, is_cancelled.clone());
        let paths: Vec<String> = history.pins().map(Into::into).collect();
        let work = move || whole(plan, (steps, threads), &paths, &cancelled).ok().flatten().map(Resimulated::Whole);
        let thread = Some(thread::Builder::new().name("plots of the run".into()).spawn(work)?);
        Ok(Self { run: history.run(), edits: edits_until(&of.host, steps), steps, is_cancelled, thread })
    }
}

/// Returns the plots of a run; `None` if cancelled.
fn whole(
    plan: TwinPlan,
    (steps, threads): (u64, usize),
    paths: &[String],
    is_cancelled: &AtomicBool,
) -> Result<Option<Box<History>>, TimelineError> {
    let mut twin = plan.make(Workers::new(threads))?;
    let mut history = History::of(twin.simulation());
    history.keep_pins(twin.simulation(), paths);
    for _ in 0..steps {
        if is_cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        twin.step();
        history.observe(twin.simulation());
    }
    Ok(Some(Box::new(history)))
}

/// Returns the edits of the present branch up to the end of a step.
pub fn edits_until(host: &Host, step: u64) -> Vec<LoggedEdit> {
    host.timeline().present().applied().take_while(|logged| logged.step <= step).cloned().collect()
}

/// Returns the values of some numbers after each step; `None` if cancelled.
pub fn values(
    plan: TwinPlan,
    (steps, threads): (u64, usize),
    paths: Vec<String>,
    is_cancelled: &AtomicBool,
) -> Result<Option<Vec<Values>>, TimelineError> {
    let mut twin = plan.make(Workers::new(threads))?;
    let watched = Watched { simulation: twin.simulation(), selected: None };
    // A turn rate in the first step needs the heading before it.
    let pin = |path: String| (Pin::new(watched, &path).ok(), (path, Vec::new()));
    let mut pins: Vec<(Option<Pin>, Values)> = paths.into_iter().map(pin).collect();
    let mut edits = 0;
    for step in 1..=steps {
        if is_cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        twin.step();
        let simulation = twin.simulation();
        let edited = std::mem::replace(&mut edits, simulation.edits().len()) != simulation.edits().len();
        let watched = Watched { simulation, selected: None };
        for (pin, (path, values)) in &mut pins {
            match pin {
                Some(pin) => pin.observe(watched, edited),
                // A path can lead to a robot that does not exist yet.
                None => *pin = Pin::new(watched, path).ok(),
            }
            let value = pin.as_ref().map_or(f64::NAN, |pin| pin.value(watched));
            values.push(Observed { step, value });
        }
    }
    Ok(Some(pins.into_iter().map(|(_, values)| values).collect()))
}
