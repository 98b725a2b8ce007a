//! The results of runs as JSON, for `--json`.

use std::path::Path;

use serde::Serialize;
use swarmarium_base::files::shown;
use swarmarium_base::math;

use super::super::json::{Columns, Message, ScriptPlace, messages};
use super::super::{hex, load};
use super::Plan;
use super::one::{End, Outcome};

/// The results of a run.
#[derive(Serialize)]
pub struct RunResult<'a> {
    /// The folder with its files.
    folder: String,
    /// `done`, `interrupted` or `failed`.
    status: &'static str,
    seed: u64,
    /// The step that the results begin with: 0, unless the run goes on from another one.
    from_step: u64,
    /// The last step, and the simulated time there.
    steps: u64,
    simulated_s: f64,
    /// The duration of the steps in real seconds.
    wall_s: f64,
    /// The hash of the last state; `null` if the run was stopped within the step after it, or could not start.
    final_state_hash: Option<String>,
    /// The last values of the metrics.
    metrics: Columns,
    /// `last-step`, `condition` or `collision`; `null` for a run that was interrupted, or failed before.
    end: Option<End>,
    /// The collision that ended the run, in words.
    collision: Option<&'a str>,
    /// The first step with another state than in the run that it continues.
    differs_at: Option<u64>,
    error: Option<&'a str>,
    /// The place in a script that the error names; otherwise `null`.
    script: Option<ScriptPlace>,
    /// The files that lack rows.
    incomplete: &'a [&'static str],
    pub(super) warnings: Vec<Message>,
}

/// The results of a batch.
#[derive(Serialize)]
pub struct BatchResult<'a> {
    /// The folder with those of the runs.
    pub folder: String,
    /// `done`, `interrupted` or `failed`.
    pub status: &'static str,
    /// The table of the runs.
    pub results: String,
    /// The number of seeds.
    pub seeds: u64,
    /// The number of runs that failed.
    pub failed: usize,
    /// The runs that ended, by seed.
    pub runs: Vec<RunResult<'a>>,
}

impl Plan<'_> {
    /// The results of the run in a folder.
    pub fn result<'o>(&self, folder: &Path, outcome: &'o Outcome) -> RunResult<'o> {
        self.result_of(self.scene.seed, folder, outcome)
    }

    /// The results of a run with a seed.
    pub fn result_of<'o>(&self, seed: u64, folder: &Path, outcome: &'o Outcome) -> RunResult<'o> {
        let names = outcome.metric_columns.iter().cloned();
        RunResult {
            folder: shown(folder),
            status: outcome.status.name(),
            seed,
            from_step: outcome.from,
            steps: outcome.steps,
            simulated_s: math::decimal_product(outcome.steps as f64 * self.scene.time.dt_s),
            wall_s: outcome.wall_s,
            final_state_hash: outcome.hash.map(hex),
            metrics: Columns(names.zip(outcome.metrics.iter().copied()).collect()),
            end: outcome.end,
            collision: outcome.crash.as_deref(),
            differs_at: outcome.differs_at,
            error: outcome.status.error(),
            script: outcome.status.error().and_then(ScriptPlace::of),
            incomplete: &outcome.incomplete,
            warnings: messages(load::name_of(&self.file), &load::located(&self.file, outcome.warnings.clone())),
        }
    }
}
