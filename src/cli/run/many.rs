//! Batches: many runs of one scene, one per seed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use swarmarium_base::files::{self, cannot_write, partial, shown, write_whole};
use swarmarium_formats::run_folder::FolderKind;

use super::super::messages::{counted, part_of, tell_error, tell_failure, tell_warning};
use super::super::progress::Progress;
use super::super::typed::TypedCommand;
use super::super::{Exit, environment, hex, interrupt, is_broken_pipe, json, tell};
use super::folder::Folder;
use super::one::{self, End, Outcome, Status};
use super::result::BatchResult;
use super::{Plan, Seeds, batch};

/// Runs the plan for every seed, some at the same time. Runs that fail do not stop the others.
///
/// A resumed batch leaves out the seeds of finished runs.
pub(super) fn run(plan: &Plan, seeds: &Seeds, jobs: usize, resume: bool) -> anyhow::Result<Exit> {
    // A problem of the scene itself concerns every seed.
    let simulation = plan.simulation(&plan.scene)?;
    let columns = simulation.metric_columns();
    plan.warn_of_size(&simulation, seeds.count());
    drop(simulation);
    let _hold = interrupt::Hold::new();
    let name = format!("{}-{}", plan.stem, seeds.name());
    let before = match &plan.output {
        Some(path) => Some(path.clone()),
        None => Folder::latest(&environment::runs(), &name),
    };
    let mut is_new = false;
    let folder = match before.filter(|path| resume && path.exists()) {
        Some(path) => Folder::open(&path, FolderKind::Batch, true)?,
        None => {
            is_new = true;
            match &plan.output {
                Some(path) => Folder::open(path, FolderKind::Batch, plan.overwrite)?,
                None => Folder::numbered(&environment::runs(), &name)?,
            }
        }
    };
    if resume && is_new && !plan.quiet {
        tell(format_args!("{}: has no batch to resume: a new one begins", shown(folder.path())));
    }
    let done = match is_new {
        true => Vec::new(),
        false => batch::resume(plan, seeds, &folder, |seed| run_name(plan, seed))?,
    };
    let started = if is_new { batch::start(plan, seeds, &folder) } else { Ok(()) };
    if !done.is_empty() && !plan.quiet {
        tell(format_args!("skipped {}, which the folder has", part_of(done.len() as u64, seeds.count(), "run")));
    }
    let results = started.and_then(|()| Results::start(&folder, &columns, done))?;
    let batch = Runs { plan, seeds, resume, folder: &folder, results: &results };
    batch.work(jobs);
    Ok(batch.finish())
}

/// The name of the folder of one run.
fn run_name(plan: &Plan, seed: u64) -> String {
    format!("{}-{seed}", plan.stem)
}

/// The hold of a run, which another thread releases if a step of the run does not end.
type SharedHold = Mutex<Option<interrupt::Hold>>;

/// Takes the outcome of a run that is abandoned within a step; `None` before its first file.
type Abandon<'a> = &'a (dyn Fn(Option<anyhow::Result<Outcome>>) + Sync);

fn lock(hold: &SharedHold) -> MutexGuard<'_, Option<interrupt::Hold>> {
    hold.lock().unwrap_or_else(PoisonError::into_inner)
}

fn release(hold: &SharedHold) {
    drop(lock(hold).take());
}

fn is_held(hold: &SharedHold) -> bool {
    lock(hold).is_some()
}

/// The runs of a batch, with the folder and the table that they share.
#[derive(Clone, Copy)]
struct Runs<'a> {
    plan: &'a Plan<'a>,
    seeds: &'a Seeds,
    resume: bool,
    folder: &'a Folder,
    results: &'a Results,
}

impl Runs<'_> {
    /// Does all runs that are not finished, `jobs` at a time.
    fn work(self, jobs: usize) {
        let Self { plan, seeds, results, .. } = self;
        let progress = Progress::new("runs", seeds.count(), plan.hides_progress);
        let done: BTreeSet<u64> = results.rows().iter().map(|(seed, _)| *seed).collect();
        let ended = AtomicU64::new(done.len() as u64);
        let waiting = Mutex::new(seeds.iter().filter(|seed| !done.contains(seed)));
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !interrupt::requested());
        let caller = thread::current();
        let note = |seed: u64, outcome: anyhow::Result<Outcome>| {
            let outcome = outcome.unwrap_or_else(|error| Outcome::failed(format!("{error:#}")));
            if !plan.quiet {
                plan.warn_of_simulation(&outcome.warnings);
            }
            if let Some(error) = outcome.status.error() {
                tell_error(format_args!("seed {seed}: {error}"));
            }
            // The table is written again at the end; a row that is missing until then is not a failure of its run.
            if let Err(error) = results.add(seed, &outcome) {
                tell_error(format_args!("seed {seed}: {error:#}"));
            }
            results.rows().push((seed, outcome));
            progress.at(ended.fetch_add(1, Ordering::Relaxed) + 1);
        };
        let work = || {
            while let Some(seed) = next() {
                // The hold lasts until the row of the run is written.
                let hold = Mutex::new(None);
                let abandon = |outcome: Option<anyhow::Result<Outcome>>| {
                    let Some(outcome) = outcome else { return };
                    note(seed, outcome);
                    release(&hold);
                    caller.unpark();
                };
                let outcome = self.caught(seed, &hold, &abandon);
                if interrupt::requested() && !is_held(&hold) {
                    break;
                }
                note(seed, outcome);
            }
            caller.unpark();
        };
        thread::scope(|scope| {
            let jobs = jobs.min(usize::try_from(seeds.count()).unwrap_or(usize::MAX));
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                thread::park_timeout(Duration::from_millis(20));
                // The only hold is that of the batch: all runs are still being set up and have written nothing.
                if interrupt::requested() && interrupt::holds() <= 1 {
                    progress.finish();
                    std::process::exit(self.finish() as i32);
                }
            }
        });
        progress.finish();
    }

    /// Runs one seed. An error or a panic is the outcome of this run alone. The run takes a hold before its first file.
    fn caught(self, seed: u64, hold: &SharedHold, abandon: Abandon) -> anyhow::Result<Outcome> {
        catch_unwind(AssertUnwindSafe(|| self.run(seed, hold, abandon)))
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the run panicked")))
    }

    fn run(self, seed: u64, hold: &SharedHold, abandon: Abandon) -> anyhow::Result<Outcome> {
        let scene = self.plan.scene_of(seed)?;
        let simulation = self.plan.simulation(&scene)?;
        *lock(hold) = Some(interrupt::Hold::new());
        if interrupt::requested() {
            release(hold);
            anyhow::bail!("interrupted");
        }
        // An unfinished run of an earlier batch is done again.
        let path = self.folder.path().join(run_name(self.plan, seed));
        let folder = Folder::open(&path, FolderKind::Run, self.plan.overwrite || self.resume)?;
        one::into_folder(self.plan, &scene, simulation, &folder, (&Progress::Quiet, abandon))
    }

    /// Completes the table, reports the batch and gives the exit status of the program.
    fn finish(self) -> Exit {
        let written = self.results.sort();
        let mut exit = self.conclude(&self.results.rows());
        if self.plan.json
            && let Err(error) = self.print_json(exit)
            && !is_broken_pipe(&error)
        {
            tell_failure(&error.context("stdout: cannot be written"));
            exit = Exit::BadInput;
        }
        if let Err(error) = &written {
            tell_failure(error);
        }
        if exit == Exit::Fine && written.is_err() { Exit::RunFailed } else { exit }
    }

    /// Prints the results as JSON.
    fn print_json(self, exit: Exit) -> anyhow::Result<()> {
        let rows = self.results.rows();
        let folder = |seed: u64| self.folder.path().join(run_name(self.plan, seed));
        let runs = rows.iter().map(|(seed, run)| self.plan.result_of(*seed, &folder(*seed), run)).collect();
        json::print(&BatchResult {
            folder: shown(self.folder.path()),
            status: match exit {
                Exit::Fine => "done",
                Exit::Interrupted => "interrupted",
                _ => "failed",
            },
            results: shown(self.folder.path().join("results.csv")),
            seeds: self.seeds.count(),
            failed: rows.iter().filter(|(_, outcome)| outcome.status.error().is_some()).count(),
            runs,
        })
    }

    fn conclude(self, rows: &[(u64, Outcome)]) -> Exit {
        let failed = rows.iter().filter(|(_, outcome)| outcome.status.error().is_some()).count();
        if interrupt::requested() {
            if !self.plan.quiet {
                let done = rows.iter().filter(|(_, outcome)| outcome.status != Status::Interrupted).count();
                let done = part_of(done as u64, self.seeds.count(), "run");
                let command = TypedCommand::new(self.plan.recipe.program_name(), self.plan.command);
                let (command, folder) = (command.with_flag("--resume"), shown(self.folder.path()));
                tell(format_args!("interrupted: {folder} has {done}; `{command}` does the others"));
            }
            return Exit::Interrupted;
        }
        if !self.plan.quiet {
            let path = self.folder.path().join("results.csv");
            let unmet = rows.iter().filter(|(_, outcome)| outcome.end == Some(End::LastStep)).count();
            if self.plan.has_until && unmet > 0 {
                let until = &self.plan.scene.stop.when;
                let runs = part_of(unmet as u64, rows.len() as u64, "run");
                tell_warning(format_args!("--until: `{until}` was not true in {runs}"));
            }
            tell(format_args!("{}: {}, {failed} failed", shown(path), counted(rows.len() as u64, "run")));
        }
        // A run that failed outweighs a bad log of edits.
        let is_any = |exit| rows.iter().any(|(_, outcome)| outcome.status.exit() == exit);
        [Exit::RunFailed, Exit::BadInput].into_iter().find(|exit| is_any(*exit)).unwrap_or(Exit::Fine)
    }
}

/// `results.csv`: each run adds a row when it ends; at the end of the batch, the rows are sorted by seed.
struct Results {
    path: PathBuf,
    columns: Vec<String>,
    rows: Mutex<Vec<(u64, Outcome)>>,
}

impl Results {
    /// Starts the table with the finished runs.
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
        // The lock separates the rows of different runs.
        let _rows = self.rows();
        let added = || {
            let mut file = files::open_with(&self.path, File::options().append(true))?;
            let before = file.metadata()?.len();
            // An incomplete row is removed.
            file.write_all(&bytes).inspect_err(|_| _ = file.set_len(before))
        };
        added().with_context(|| cannot_write(&self.path))
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
        let mut row = vec![seed.to_string(), status.name().into(), steps.to_string(), wall_s.to_string()];
        row.push(hash.map(hex).unwrap_or_default());
        let value = |column| metrics.get(column).map(f64::to_string).unwrap_or_default();
        row.extend((0..self.columns.len()).map(value));
        row
    }

    /// Writes the rows, sorted by seed. A table that may lack rows becomes `results.csv.partial`.
    fn sort(&self) -> anyhow::Result<()> {
        self.rows().sort_by_key(|(seed, _)| *seed);
        self.write().inspect_err(|_| {
            // If the table cannot be renamed, either, the error still says that it could not be written.
            let _ = fs::rename(&self.path, partial(&self.path));
        })
    }
}

impl Outcome {
    /// The outcome of a run that could not start, or panicked.
    fn failed(error: String) -> Self {
        Self { status: Status::Failed(error), ..Self::default() }
    }
}
