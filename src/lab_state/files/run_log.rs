//! The run as an MCAP file of ROS 2 messages, for Foxglove, Rerun and ROS 2.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use swarmarium_core::step::Workers;
use swarmarium_formats::export::mcap::{LogOptions, RunLog};
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline;

use crate::files::recording::RecordingError;
use crate::files::recording::rerecording::{JobKind, Rerecording, Signals};
use crate::run::RunState;

/// Starts a thread that simulates the run so far again and writes its messages.
///
/// # Errors
/// Returns an error if the run has no steps, or cannot be simulated again.
pub fn start(run: &RunState, path: PathBuf) -> anyhow::Result<Rerecording> {
    let (host, now) = (&run.host, run.host.moment());
    let last = host.simulation().steps();
    anyhow::ensure!(last > 0, "There is nothing to export as MCAP: the run has no step yet");
    let plan = host.plan_twin(timeline::Moment { step: 0, ..now })?;
    let (file, threads) = (path.clone(), run.threads);
    let work = move |signals: Signals| write(plan, threads, last, &file, &signals).map_err(RecordingError::Failed);
    Ok(Rerecording::spawn(JobKind::Log, last, path, work)?)
}

/// Writes the messages of the steps up to the last one. After an error, the log removes its file.
fn write(plan: TwinPlan, threads: usize, last: u64, path: &Path, signals: &Signals) -> anyhow::Result<String> {
    let mut twin = plan.make(Workers::new(threads)).context("the run cannot be simulated again")?;
    let mut log = RunLog::begin(path, &LogOptions::default(), twin.simulation())?;
    while twin.simulation().steps() < last {
        if signals.is_cancelled.load(Ordering::Relaxed) {
            log.discard();
            return Ok(format!("Cancelled the MCAP file {}", path.display()));
        }
        twin.step();
        log.after_step(twin.simulation())?;
        signals.done.store(twin.simulation().steps(), Ordering::Relaxed);
    }
    Ok(format!("Saved {}: {}", path.display(), log.finish()?.summary()))
}
