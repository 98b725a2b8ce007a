//! The lanes of a run from before they were shown, from a second simulation of the run on a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use swarmarium_core::step::Workers;
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline::Moment;
use swarmarium_simulation::edit::LoggedEdit;

use crate::common::lane_source::LaneSource;
use crate::plots::backfill::edits_until;
use crate::plots::lanes::StateLanes;
use crate::run::RunState;

/// A second simulation of a run for its lanes.
pub struct LaneBackfill {
    /// The number of the run in the plots.
    pub run: u64,
    /// The edits of the run so far. The lanes are valid only while the run still has them.
    pub edits: Vec<LoggedEdit>,
    /// The number of steps to simulate.
    pub steps: u64,
    is_cancelled: Arc<AtomicBool>,
    /// `None` if the run cannot be simulated again, or the thread was cancelled.
    pub thread: Option<JoinHandle<Option<StateLanes>>>,
}

impl Drop for LaneBackfill {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl LaneBackfill {
    /// Starts to simulate the present branch again, up to its live end.
    ///
    /// # Errors
    /// If the run cannot be simulated again, or the system has no thread.
    pub fn start(of: &RunState, run: u64, source: LaneSource) -> anyhow::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let plan = of.host.plan_twin(Moment { step: 0, ..of.host.moment() })?;
        let (steps, threads, cancelled) = (of.host.live_end(), of.threads, is_cancelled.clone());
        let work = move || lanes(plan, (steps, threads), source, &cancelled);
        let thread = thread::Builder::new().name("earlier lanes".into()).spawn(work)?;
        Ok(Self { run, edits: edits_until(&of.host, steps), steps, is_cancelled, thread: Some(thread) })
    }
}

/// Returns the lanes of all steps; `None` if cancelled.
fn lanes(
    plan: TwinPlan,
    (steps, threads): (u64, usize),
    source: LaneSource,
    is_cancelled: &AtomicBool,
) -> Option<StateLanes> {
    let mut twin = plan.make(Workers::new(threads)).ok()?;
    let mut lanes = StateLanes::new(source);
    lanes.observe(twin.simulation());
    for _ in 0..steps {
        if is_cancelled.load(Ordering::Relaxed) {
            return None;
        }
        twin.step();
        lanes.observe(twin.simulation());
    }
    Some(lanes)
}
