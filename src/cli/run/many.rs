//! Many runs of one scene, one per seed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Context as _;

use super::super::progress::Progress;
use super::super::{Exit, hex, interrupt, tell};
use super::folder::Folder;
use super::manifest::safe_stem;
use super::one::{self, Outcome, Status};
use super::{Plan, Seeds};
use crate::files::{cannot_write, write_whole};

/// Runs the plan for every seed, some at the same time. Runs that fail do not stop the others.
pub(super) fn run(plan: &Plan, seeds: Seeds, jobs: usize) -> anyhow::Result<Exit> {
    // What is wrong with the scene itself is wrong for every seed.
    plan.simulation(&plan.scene)?;
    let folder = match &plan.output {
        Some(path) => Folder::asked_for(path, plan.overwrite)?,
        None => Folder::numbered(Path::new("runs"), &format!("{}-{seeds}", safe_stem(&plan.file)))?,
    };
    let results = all(plan, seeds, jobs, &folder);
    let path = folder.path().join("results.csv");
    write_whole(&path, &table(&results).with_context(|| cannot_write(&path))?)?;
    Ok(conclude(plan, &results, &folder))
}

fn all(plan: &Plan, seeds: Seeds, jobs: usize, folder: &Folder) -> Vec<(u64, Outcome)> {
    let progress = Progress::new("runs", seeds.count(), plan.quiet);
    let (waiting, ended, done) = (Mutex::new(seeds.iter()), Mutex::new(Vec::new()), AtomicU64::new(0));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !interrupt::asked());
    let work = || {
        while let Some(seed) = next() {
            let outcome = caught(plan, seed, folder);
            if let Status::Failed(error) = &outcome.status {
                tell(format_args!("seed {seed}: {error}"));
            }
            ended.lock().unwrap_or_else(PoisonError::into_inner).push((seed, outcome));
            progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(usize::try_from(seeds.count()).unwrap_or(usize::MAX)) {
            scope.spawn(work);
        }
    });
    progress.finish();
    let mut results = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(seed, _)| *seed);
    results
}

/// Runs one seed. Whatever happens is the outcome of this run alone.
fn caught(plan: &Plan, seed: u64, folder: &Folder) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| one_seed(plan, seed, folder)))
        .unwrap_or_else(|_| Err(anyhow::anyhow!("the run panicked")))
        .unwrap_or_else(|error| Outcome::unborn(format!("{error:#}")))
}

fn one_seed(plan: &Plan, seed: u64, folder: &Folder) -> anyhow::Result<Outcome> {
    let mut scene = plan.scene.clone();
    scene.seed = seed;
    let simulation = plan.simulation(&scene)?;
    let name = format!("{}-{seed}", safe_stem(&plan.file));
    let folder = Folder::asked_for(&folder.path().join(name), plan.overwrite)?;
    one::into_folder(plan, &scene, simulation, &folder, &Progress::Quiet)
}

impl Outcome {
    /// The outcome of a run that never began, or never ended.
    fn unborn(error: String) -> Self {
        let status = Status::Failed(error);
        Self { status, steps: 0, wall_s: 0.0, hash: 0, metric_columns: Vec::new(), metrics: Vec::new() }
    }
}

/// One row per run.
fn table(results: &[(u64, Outcome)]) -> anyhow::Result<String> {
    let columns = results.iter().map(|(_, outcome)| &outcome.metric_columns).find(|columns| !columns.is_empty());
    let columns = columns.cloned().unwrap_or_default();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["seed", "status", "steps", "wall_s", "final_state_hash"];
    writer.write_record(head.into_iter().chain(columns.iter().map(String::as_str)))?;
    for (seed, outcome) in results {
        let Outcome { status, steps, wall_s, hash, metrics, .. } = outcome;
        let values = (0..columns.len()).map(|column| metrics.get(column).map(f64::to_string).unwrap_or_default());
        let row = [seed.to_string(), status.name().into(), steps.to_string(), wall_s.to_string(), hex(*hash)];
        writer.write_record(row.into_iter().chain(values))?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8(bytes)?)
}

fn conclude(plan: &Plan, results: &[(u64, Outcome)], folder: &Folder) -> Exit {
    let failed = results.iter().filter(|(_, outcome)| outcome.status.error().is_some()).count();
    if !plan.quiet {
        let path = folder.path().join("results.csv");
        tell(format_args!("{}: {} runs, {failed} failed", path.display(), results.len()));
    }
    if interrupt::asked() {
        Exit::Interrupted
    } else if failed > 0 {
        Exit::RunFailed
    } else {
        Exit::Fine
    }
}
