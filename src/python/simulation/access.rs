//! Access to the state of a simulation, which another thread may use, and long work that lets signals through.

use std::sync::{Mutex, TryLockError};
use std::time::Instant;

use pyo3::prelude::*;

use super::Simulation;
use crate::error::error;
use crate::run::{InUse, Run, SIGNAL_TIME, State};

impl Simulation {
    /// The simulation of a run.
    pub fn of_run(run: Run, threads: usize) -> Self {
        Self { state: Mutex::new(State::Ready(Box::new(run))), process: std::process::id(), threads }
    }

    /// The state, unless another thread uses it.
    pub fn in_use(&self) -> PyResult<InUse<'_>> {
        if self.threads > 1 && self.process != std::process::id() {
            return Err(error(
                "the simulation was made before a fork, and the child process lacks its threads: make it in the child, or \
                 with threads=1",
            ));
        }
        match self.state.try_lock() {
            Ok(guard) => Ok(InUse(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Ok(InUse(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => Err(error(
                "the simulation is in use: by another thread, or by the step in which this controller or sensor acts",
            )),
        }
    }

    /// Advances until a step, or until the run ends, and lets signals through.
    pub fn advance_to(&self, py: Python, steps: impl FnOnce(&Run) -> u64, stops: bool) -> PyResult<u64> {
        let mut used = self.in_use()?;
        used.inner()?.send_written(py)?;
        let before = used.inner()?.simulation().steps();
        let until = steps(used.inner()?);
        let mut goes_on = until > before;
        while goes_on {
            goes_on = used.detached(py, |inner| inner.advance(until, stops))?;
            if goes_on && let Err(interruption) = py.check_signals() {
                used.refresh(py)?;
                return Err(interruption);
            }
        }
        used.refresh(py)?;
        used.inner()?.tables.raise_log_error()?;
        Ok(used.inner()?.simulation().steps() - before)
    }

    /// Changes the simulation after the commands that the user wrote, and shows the change.
    pub fn change<T>(&self, py: Python, act: impl FnOnce(&mut Run) -> PyResult<T>) -> PyResult<T> {
        self.in_use()?.inner()?.send_written(py)?;
        self.replace(py, act)
    }

    /// Gives the simulation another state, for which nothing was written, and shows it.
    pub fn replace<T>(&self, py: Python, act: impl FnOnce(&mut Run) -> PyResult<T>) -> PyResult<T> {
        let mut used = self.in_use()?;
        let done = used.attached(act)??;
        used.refresh(py)?;
        Ok(done)
    }

    /// Reads the simulation.
    pub fn read<T>(&self, act: impl FnOnce(&Run) -> T) -> PyResult<T> {
        self.in_use()?.attached(|inner| act(inner))
    }

    /// Jumps to a moment, and lets signals through.
    pub fn jump(&self, py: Python, begin: impl FnOnce(&mut Run) -> PyResult<()>) -> PyResult<()> {
        let mut used = self.in_use()?;
        used.attached(begin)??;
        while used.inner()?.host.resimulate().is_some() {
            used.detached(py, |inner| {
                let began = Instant::now();
                inner.host.continue_resimulation(|| began.elapsed() < SIGNAL_TIME, |_| {});
            })?;
            if let Err(interruption) = py.check_signals() {
                used.inner()?.host.cancel_resimulation();
                return Err(interruption);
            }
        }
        used.inner()?.tables.clear();
        used.refresh(py)
    }
}
