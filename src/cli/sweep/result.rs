//! The results of a sweep as JSON, for `--json`.

use serde::Serialize;
use swarmarium_base::files::{self, shown};
use swarmarium_sweep::{Folder, Sweep};

use super::super::json::Row;

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
    /// The expectations of the plan, if they were compared.
    pub expectations: Option<Expectations>,
    /// The rows of summary.csv; none before all runs are done.
    summary: Vec<Row>,
    /// The report.
    report: Option<String>,
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
            expectations: None,
            summary: Vec::new(),
            report: None,
        }
    }

    /// The results with the tables and the report in the folder.
    ///
    /// # Errors
    /// When the table of the summary cannot be read.
    pub fn with_tables(self, folder: &Folder) -> anyhow::Result<Self> {
        let mut reader = csv::Reader::from_reader(files::open(&folder.path().join("summary.csv"))?);
        let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        let row = |row: csv::Result<csv::StringRecord>| {
            Ok(Row(names.iter().cloned().zip(row?.iter().map(str::to_owned)).collect()))
        };
        let summary = reader.records().map(row).collect::<csv::Result<_>>()?;
        Ok(Self { summary, report: Some(shown(folder.path().join("report.html"))), ..self })
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
