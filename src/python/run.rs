//! A run behind a simulation of Python: its host, its arrays and its tables, and their use by one thread at a time.

use std::cell::Cell;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use swarmarium_formats::export::mcap::{FileCounts, RunLog};
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;

use crate::error::{catch, error, poisoned};
use crate::table::Table;
use crate::view::{View, Written};

/// The time between two looks for signals such as Ctrl-C.
pub const SIGNAL_TIME: Duration = Duration::from_millis(50);

/// A run, unless it panicked.
pub enum State {
    /// It can be used.
    Ready(Box<Run>),
    /// It panicked, with this message.
    Poisoned(String),
}

/// A run of a host with its arrays and tables.
pub struct Run {
    pub host: Host,
    pub title: String,
    /// Identifies the scene and the seed of the start.
    pub start: u64,
    /// Identifies the run among all runs of the process.
    pub id: u64,
    pub warnings: Vec<String>,
    pub views: Vec<View>,
    pub tables: Tables,
    /// Whether the run before the present moment is that of the log: not after a snapshot was restored.
    pub tracks: bool,
    /// Whether the past of the run has an end of its own, as that of a run folder has; edits alone have none.
    pub has_end: bool,
    /// The step before which no condition ends the run.
    pub begin: u64,
}

/// The tables of a run.
pub struct Tables {
    pub metrics: Table,
    pub keeps_metrics: bool,
    pub trace: Option<Table>,
    /// The number of steps between two moments of the trace; 0 while nothing is added.
    pub trace_every: u64,
    /// The log that is being written to a file.
    pub log: Option<NumberedLog>,
    /// The number of logs so far.
    pub logs: u64,
    /// The error that ended the last log, until it is raised.
    pub log_error: Option<String>,
    /// The counts of the last log, if a jump back in time completed it.
    pub log_counts: Option<FileCounts>,
}

/// A log with its number among those of its simulation, from 1.
pub struct NumberedLog {
    pub log: RunLog,
    pub number: u64,
}

impl Tables {
    /// Adds the rows of the last step.
    pub fn note_step(&mut self, simulation: &swarmarium_simulation::Simulation) {
        if self.keeps_metrics {
            self.metrics.add_metrics(simulation);
        }
        if let Some(table) = &mut self.trace
            && self.trace_every > 0
            && simulation.steps().is_multiple_of(self.trace_every)
        {
            table.add_trace(simulation);
        }
        self.log_step(simulation);
    }

    /// Adds the last step to the log. An error ends it; if the run has gone back, the log of the steps before is completed.
    fn log_step(&mut self, simulation: &swarmarium_simulation::Simulation) {
        let Some(NumberedLog { log, .. }) = &mut self.log else { return };
        let goes_back = simulation.steps() <= log.last_step();
        let Err(error) = log.after_step(simulation) else { return };
        self.log_error = Some(format!("{error:#}"));
        let Some(NumberedLog { log, .. }) = self.log.take().filter(|_| goes_back) else { return };
        match log.finish() {
            Ok(counts) => self.log_counts = Some(counts),
            Err(error) => self.log_error = Some(format!("{error:#}")),
        }
    }

    /// Raises the error that ended the log.
    pub fn raise_log_error(&mut self) -> PyResult<()> {
        self.log_error.take().map_or(Ok(()), |message| Err(error(message)))
    }

    pub fn clear(&mut self) {
        self.metrics.clear();
        if let Some(table) = &mut self.trace {
            table.clear();
        }
    }
}

/// A simulation that is in use by the present call.
pub struct InUse<'a>(pub MutexGuard<'a, State>);

impl InUse<'_> {
    pub fn inner(&mut self) -> PyResult<&mut Run> {
        match &mut *self.0 {
            State::Ready(inner) => Ok(inner),
            State::Poisoned(message) => Err(poisoned(message)),
        }
    }

    /// Does something without the lock of the interpreter. A panic poisons the simulation.
    pub fn detached<T: Send>(&mut self, py: Python, act: impl FnOnce(&mut Run) -> T + Send) -> PyResult<T> {
        let inner = self.inner()?;
        let done = py.detach(|| catch(|| act(inner)));
        self.unless_panicked(done)
    }

    /// As [`detached`](Self::detached), for work that holds the lock of the interpreter because it is short.
    pub fn attached<T>(&mut self, act: impl FnOnce(&mut Run) -> T) -> PyResult<T> {
        let inner = self.inner()?;
        let done = catch(|| act(inner));
        self.unless_panicked(done)
    }

    fn unless_panicked<T>(&mut self, done: Result<T, String>) -> PyResult<T> {
        done.map_err(|message| {
            let problem = poisoned(&message);
            *self.0 = State::Poisoned(message);
            problem
        })
    }

    /// Shows the present state in all arrays.
    pub fn refresh(&mut self, py: Python) -> PyResult<()> {
        self.attached(|inner| inner.refresh(py))?
    }
}

impl Run {
    /// A run at its start, with the identity of its scene and seed.
    pub fn new(host: Host, start: u64, title: String) -> Self {
        let tables = Tables {
            metrics: Table::of_metrics(host.simulation()),
            keeps_metrics: true,
            trace: None,
            trace_every: 0,
            log: None,
            logs: 0,
            log_error: None,
            log_counts: None,
        };
        let (warnings, views) = (Vec::new(), Vec::new());
        Self { host, title, start, id: next_run(), warnings, views, tables, tracks: false, has_end: false, begin: 0 }
    }

    pub fn simulation(&self) -> &swarmarium_simulation::Simulation {
        self.host.simulation()
    }

    /// Sends the commands that the user wrote into arrays.
    pub fn send_written(&mut self, py: Python) -> PyResult<()> {
        for place in 0..self.views.len() {
            let Some(Written { form, agents, values }) = self.views[place].written(py)? else { continue };
            if let Err(problem) = self.host.apply(Edit::Command { form, agents, values }) {
                self.views[place].take_back(py)?;
                return Err(error(problem.message));
            }
        }
        Ok(())
    }

    /// Shows the present state in all arrays, and drops the unused ones.
    pub fn refresh(&mut self, py: Python) -> PyResult<()> {
        self.views.retain(|view| view.is_used(py));
        let simulation = self.host.simulation();
        self.views.iter_mut().try_for_each(|view| view.refresh(py, simulation))
    }

    /// Advances towards a step for a short time. Returns whether the run goes on.
    pub fn advance(&mut self, until: u64, stops: bool) -> bool {
        let (began, has_ended) = (Instant::now(), Cell::new(false));
        let Self { host, tables, begin, .. } = self;
        let budget = || !has_ended.get() && began.elapsed() < SIGNAL_TIME;
        host.advance_to(until, budget, |simulation| {
            tables.note_step(simulation);
            let is_over = stops && *begin <= simulation.steps() && simulation.condition_holds();
            has_ended.set(is_over || tables.log_error.is_some());
        });
        !has_ended.get() && host.simulation().steps() < until
    }
}

/// A number for a new run.
pub fn next_run() -> u64 {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    RUNS.fetch_add(1, Ordering::Relaxed)
}
