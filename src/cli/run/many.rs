//! Many runs of one scene, one per seed.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context as _;

use super::super::progress::Progress;
use super::super::{Exit, hex, interrupt, tell};
use super::folder::Folder;
use super::manifest::safe_stem;
use super::one::{self, Outcome, Status};
use super::{Plan, Seeds, batch};
use crate::files::{cannot_write, write_whole};

/// Runs the plan for every seed, some at the same time. Runs that fail do not stop the others.
///
/// A batch that goes on leaves out the seeds whose runs came to their end before.
pub(super) fn run(plan: &Plan, seeds: Seeds, jobs: usize, resume: bool) -> anyhow::Result<Exit> {
    // What is wrong with the scene itself is wrong for every seed.
    let columns = plan.simulation(&plan.scene)?.metric_columns();
    let name = format!("{}-{seeds}", safe_stem(&plan.file));
    let before = match &plan.output {
        Some(path) => Some(path.clone()),
        None => Folder::latest(Path::new("runs"), &name),
    };
    let folder = match before.filter(|path| resume && path.exists()) {
        Some(path) => Folder::asked_for(&path, true)?,
        None => {
            let folder = match &plan.output {
                Some(path) => Folder::asked_for(path, plan.overwrite)?,
                None => Folder::numbered(Path::new("runs"), &name)?,
            };
            batch::begin(plan, seeds, &folder)?;
            folder
        }
    };
    let done = match resume {
        true => batch::go_on(plan, seeds, &folder, |seed| run_name(plan, seed))?,
        false => Vec::new(),
    };
    if !done.is_empty() && !plan.quiet {
        tell(format_args!("{} of {} runs were done before", done.len(), seeds.count()));
    }
    let results = Results::start(&folder, &columns, done)?;
    all(plan, seeds, jobs, resume, &folder, &results);
    let results = results.finish()?;
    Ok(conclude(plan, &results, &folder))
}

/// The name of the folder of one run.
fn run_name(plan: &Plan, seed: u64) -> String {
    format!("{}-{seed}", safe_stem(&plan.file))
}

fn all(plan: &Plan, seeds: Seeds, jobs: usize, resume: bool, folder: &Folder, results: &Results) {
    let progress = Progress::new("runs", seeds.count(), plan.quiet);
    let done: BTreeSet<u64> = results.rows().iter().map(|(seed, _)| *seed).collect();
    let ended = AtomicU64::new(done.len() as u64);
    let waiting = Mutex::new(seeds.iter().filter(|seed| !done.contains(seed)));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !interrupt::asked());
    let work = || {
        while let Some(seed) = next() {
            let mut outcome = caught(plan, seed, resume, folder);
            let added = results.add(seed, &outcome);
            outcome.status.note(added);
            if let Status::Failed(error) = &outcome.status {
                tell(format_args!("seed {seed}: {error}"));
            }
            results.rows().push((seed, outcome));
            progress.at(ended.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(usize::try_from(seeds.count()).unwrap_or(usize::MAX)) {
            scope.spawn(work);
        }
    });
    progress.finish();
}

/// `results.csv`: a row is added as each run ends; when all have, the rows are put in the order of the seeds.
struct Results {
    path: PathBuf,
    columns: Vec<String>,
    rows: Mutex<Vec<(u64, Outcome)>>,
}

impl Results {
    /// Starts the table with the runs that are done.
    fn start(folder: &Folder, columns: &[String], done: Vec<(u64, Outcome)>) -> anyhow::Result<Self> {
        let path = folder.path().join("results.csv");
        let results = Self { path, columns: columns.into(), rows: Mutex::new(done) };
        results.write()?;
        Ok(results)
    }

    fn rows(&self) -> MutexGuard<'_, Vec<(u64, Outcome)>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the row of a run to the file.
    fn add(&self, seed: u64, outcome: &Outcome) -> anyhow::Result<()> {
        let mut text = csv::Writer::from_writer(Vec::new());
        text.write_record(self.row(seed, outcome))?;
        let bytes = text.into_inner().map_err(csv::IntoInnerError::into_error)?;
        // One row is one write, so that rows of different runs never mix; the lock keeps them apart for certain.
        let _rows = self.rows();
        let file = OpenOptions::new().append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(&bytes)).with_context(|| cannot_write(&self.path))
    }

    /// Writes the whole table.
    fn write(&self) -> anyhow::Result<()> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let head = ["seed", "status", "steps", "wall_s", "final_state_hash"];
        table.write_record(head.into_iter().chain(self.columns.iter().map(String::as_str)))?;
        for (seed, outcome) in &*self.rows() {
            table.write_record(self.row(*seed, outcome))?;
        }
        let bytes = table.into_inner().map_err(csv::IntoInnerError::into_error)?;
        write_whole(&self.path, bytes)
    }

    fn row(&self, seed: u64, outcome: &Outcome) -> Vec<String> {
        let Outcome { status, steps, wall_s, hash, metrics, .. } = outcome;
        let mut row = vec![seed.to_string(), status.name().into(), steps.to_string(), wall_s.to_string(), hex(*hash)];
        let value = |column| metrics.get(column).map(f64::to_string).unwrap_or_default();
        row.extend((0..self.columns.len()).map(value));
        row
    }

    /// Puts the rows in order.
    fn finish(self) -> anyhow::Result<Vec<(u64, Outcome)>> {
        self.rows().sort_by_key(|(seed, _)| *seed);
        self.write()?;
        Ok(self.rows.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs one seed. Whatever happens is the outcome of this run alone.
fn caught(plan: &Plan, seed: u64, resume: bool, folder: &Folder) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| one_seed(plan, seed, resume, folder)))
        .unwrap_or_else(|_| Err(anyhow::anyhow!("the run panicked")))
        .unwrap_or_else(|error| Outcome::unborn(format!("{error:#}")))
}

fn one_seed(plan: &Plan, seed: u64, resume: bool, folder: &Folder) -> anyhow::Result<Outcome> {
    let scene = plan.scene_of(seed)?;
    let simulation = plan.simulation(&scene)?;
    // What a batch left unfinished is done again.
    let folder = Folder::asked_for(&folder.path().join(run_name(plan, seed)), plan.overwrite || resume)?;
    one::into_folder(plan, &scene, simulation, &folder, &Progress::Quiet)
}

impl Outcome {
    /// The outcome of a run that never began, or never ended.
    fn unborn(error: String) -> Self {
        let status = Status::Failed(error);
        Self { status, steps: 0, wall_s: 0.0, hash: 0, metric_columns: Vec::new(), metrics: Vec::new(), crash: None }
    }
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
