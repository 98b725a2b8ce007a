//! Variables of the environment in place of options.

use std::env;
use std::path::PathBuf;

use anyhow::anyhow;

use super::common::workers;

/// The number of concurrent runs.
const JOBS: &str = "SWARMARIUM_JOBS";
/// The folder for runs without `--output`.
const RUNS: &str = "SWARMARIUM_RUNS";
/// The folder for sweeps without `--output`.
const SWEEPS: &str = "SWARMARIUM_SWEEPS";
/// Whether progress is hidden.
const NO_PROGRESS: &str = "SWARMARIUM_NO_PROGRESS";

/// The verbs that a variable acts on; `None` for all.
pub(super) fn verbs_of(variable: &str) -> Option<&'static [&'static str]> {
    match variable {
        JOBS => Some(&["run", "sweep", "record"]),
        RUNS => Some(&["run"]),
        SWEEPS => Some(&["sweep", "submit"]),
        "DISPLAY" => Some(&["open"]),
        _ => None,
    }
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The number of concurrent runs, if it is set.
///
/// # Errors
/// If it is not a valid number.
pub(super) fn jobs() -> anyhow::Result<Option<usize>> {
    let Some(text) = variable(JOBS) else { return Ok(None) };
    workers(&text).map(Some).map_err(|error| anyhow!("{JOBS}: {error}, found `{text}`"))
}

/// A folder that a variable names, also one whose name is not Unicode, or the usual one.
fn folder(name: &str, usual: &str) -> PathBuf {
    env::var_os(name).filter(|value| !value.is_empty()).map_or_else(|| usual.into(), PathBuf::from)
}

/// The folder for runs that have no folder of their own.
pub(super) fn runs() -> PathBuf {
    folder(RUNS, "runs")
}

/// The folder for sweeps that have no folder of their own.
pub(super) fn sweeps() -> PathBuf {
    folder(SWEEPS, "sweeps")
}

/// Whether progress is hidden.
pub(super) fn hides_progress() -> bool {
    variable(NO_PROGRESS).is_some()
}
