//! Makes the runs of a sweep, several at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use swarmarium_base::problem::Problems;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Simulation;

use crate::driver::{Driver, check_driver};
use crate::folder::Shard;
use crate::log::{Index, Log};
use crate::resolved::{Run, Sweep};
use crate::run::{Outcome, Runner};

/// The settings of the host of a sweep. Several threads call its functions.
pub struct Host<'a> {
    /// The number of threads of one simulation; they change the speed and nothing else.
    pub threads: usize,
    /// Whether to stop: unfinished runs are abandoned.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Whether to begin no more runs; those in progress go on to their end.
    pub is_ending: &'a (dyn Fn() -> bool + Sync),
    /// A run reached its end: the simulation is in its last state. Called before the run is in the log.
    pub ended: &'a (dyn Fn(Run, &Outcome, &Simulation) + Sync),
    /// A run was finished and is in the log; the number of runs of the shard that are done.
    pub finished: &'a (dyn Fn(Run, &Outcome, u64) + Sync),
    /// A program that drives the simulations; [`ended`](Self::ended) is not called for its runs.
    pub driver: Option<&'a dyn Driver>,
    /// The program has driven a run that the plan keeps, with these edits. Called when the run is in the log.
    pub driven: &'a (dyn Fn(Run, &Outcome, Vec<LoggedEdit>) + Sync),
}

impl Default for Host<'_> {
    /// A host that stops nothing, receives no calls, and gives each simulation one thread.
    fn default() -> Self {
        Self {
            threads: 1,
            is_stopped: &|| false,
            is_ending: &|| false,
            ended: &|_, _, _| {},
            finished: &|_, _, _| {},
            driver: None,
            driven: &|_, _, _| {},
        }
    }
}

/// The number of runs of a shard, and how many of them are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The number of runs of the shard.
    pub all: u64,
    /// The number of runs that were done before.
    pub before: u64,
    /// The number of runs that are done now.
    pub now: u64,
}

/// Makes the runs of a shard that `index` does not have, `jobs` at a time. Their outcomes go to the log at once.
///
/// # Errors
/// When the log cannot be written, or the host has no driver for a sweep that needs one. Runs that fail do not stop the
/// others.
pub fn work(
    sweep: &Sweep,
    (index, log): (Index, &Log),
    shard: Shard,
    jobs: usize,
    host: &Host,
) -> Result<Done, Problems> {
    check_driver(sweep, host.driver)?;
    let of_shard = || (0..sweep.run_count()).filter(move |place| shard.has(*place));
    let waiting: Vec<u64> = of_shard().filter(|place| !index.has(sweep.key(sweep.run(*place)))).collect();
    let all = of_shard().count() as u64;
    let before = all - waiting.len() as u64;
    drop(index);
    let done = AtomicU64::new(before);
    if waiting.is_empty() {
        return Ok(Done { all, before, now: before });
    }
    let next = AtomicU64::new(0);
    let problem = Mutex::new(None);
    let has_problem = || problem.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    let work = || {
        let mut runner = Runner::new(sweep, host.threads, host.is_stopped).driven_by(host.driver);
        while let Some(place) = waiting.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
            let run = sweep.run(*place);
            if (host.is_stopped)() || (host.is_ending)() || has_problem() {
                break;
            }
            let Some(outcome) = runner.run(run) else { break };
            let driven_edits = runner.take_driven_edits();
            if let Some(simulation) = runner.simulation().filter(|_| outcome.error.is_none()) {
                (host.ended)(run, &outcome, simulation);
            }
            if let Err(error) = log.append(sweep.key(run), &outcome) {
                // A full disk stops the sweep: what was written stays, and the rest can be resumed.
                problem.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                break;
            }
            if let Some(edits) = driven_edits {
                (host.driven)(run, &outcome, edits);
            }
            (host.finished)(run, &outcome, done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        let jobs = jobs.clamp(1, waiting.len());
        (0..jobs).for_each(|_| drop(scope.spawn(work)));
    });
    match problem.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error.into()),
        None => Ok(Done { all, before, now: done.into_inner() }),
    }
}

/// The number of cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
