//! The results of a sweep as JSON, for `--json`.

use serde::Serialize;
use swarmarium_base::files::shown;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::tables::{self, Cell};
use swarmarium_sweep::{Folder, Run, Sweep};

use super::super::json::{Message, Row, ScriptPlace};

/// The results of a sweep.
#[derive(Serialize)]
pub struct SweepResult {
    /// The folder.
    folder: String,
    /// `done`, `failed` if some runs failed, `differs` from what the plan expects, `incomplete`, or `interrupted`.
    pub status: &'static str,
    points: usize,
    repetitions: u64,
    /// The number of runs, and how many of them are done and failed.
    runs: u64,
    pub done: u64,
    pub failed: usize,
    /// The failed runs, at most [`MOST_ERRORS`].
    errors: Vec<RunError>,
    /// The expectations of the plan, if they were compared.
    pub expectations: Option<Expectations>,
    /// The rows of summary.csv; none before all runs are done.
    summary: Vec<Row>,
    /// The report.
    report: Option<String>,
    /// The warnings about the scene, the plan, and points without enough room.
    pub warnings: Vec<Message>,
}

/// The largest number of failed runs with their errors.
const MOST_ERRORS: usize = 100;

/// A failed run. Numbers count from 1.
#[derive(Serialize)]
struct RunError {
    point: usize,
    repetition: u64,
    message: String,
    /// The place in a script that the message names; otherwise `null`.
    script: Option<ScriptPlace>,
}

impl RunError {
    fn new((run, message): &(Run, String)) -> Self {
        let script = ScriptPlace::of(message);
        Self { point: run.point + 1, repetition: run.repetition + 1, message: message.clone(), script }
    }
}

/// The numbers of expectations of a plan.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Expectations {
    pub checked: usize,
    pub met: usize,
    pub missed: usize,
}

impl SweepResult {
    /// The results of a sweep that is not complete.
    pub fn new(sweep: &Sweep, folder: &Folder, status: &'static str, done: u64) -> Self {
        Self {
            folder: shown(folder.path()),
            status,
            points: sweep.points.len(),
            repetitions: sweep.repetitions,
            runs: sweep.run_count(),
            done,
            failed: 0,
            errors: Vec::new(),
            expectations: None,
            summary: Vec::new(),
            report: None,
            warnings: Vec::new(),
        }
    }

    /// The results with the failed runs and the rows of the summary, and with the report if the folder has one.
    pub fn with_tables(self, sweep: &Sweep, folder: &Folder, results: &Results) -> Self {
        let names = tables::summary_columns(sweep);
        let row = |row: Vec<Cell>| Row(names.iter().cloned().zip(row).collect());
        let summary = tables::summary_rows(sweep, results).map(row).collect();
        let report = Some(folder.path().join("report.html")).filter(|report| report.is_file());
        let errors = results.failed.iter().take(MOST_ERRORS).map(RunError::new).collect();
        let failed = results.failed.len();
        Self { failed, errors, summary, report: report.map(shown), ..self }
    }
}

/// The points and runs of a plan, with `--dry-run`.
#[derive(Serialize)]
pub struct DryRun {
    pub points: usize,
    pub repetitions: u64,
    pub runs: u64,
    /// The names of the measures.
    pub measures: Vec<String>,
    /// The values of the factors at each point.
    pub values: Vec<Row>,
    /// The estimated time in seconds; `null` without an estimate.
    pub estimated_s: Option<f64>,
    /// The number of concurrent runs.
    pub jobs: usize,
}
