//! Folders of sweeps on several machines: merge, and jobs of Slurm.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use swarmarium_base::files::shown;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::address::sweep_at;
use swarmarium_sweep::driver::check_driver;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::slurm::{self, Job, Slurm, Submission};
use swarmarium_sweep::{Folder, Sweep};

use super::super::common::{count, whole};
use super::super::error::ArgumentError;
use super::super::messages::{counted, part_of};
use super::super::{Common, Exit, environment, interrupt, json, tell};
use super::result::SweepResult;
use super::{check_expected, conclude, plan};

/// The verbs for folders of sweeps.
#[derive(clap::Subcommand, Clone, Debug)]
pub enum Verb {
    /// Merge the runs of folders, and write tables, figures and the report; the sweep may be incomplete
    #[command(after_long_help = "\
Examples:
  # Two machines did half of the runs each, in folders of their own
  swarmarium sweep milling-view.sweep -o half1 --shard 1/2
  swarmarium sweep milling-view.sweep -o half2 --shard 2/2
  swarmarium sweep merge half1 half2 -o whole")]
    Merge {
        /// Folders of the same plan, one for each machine
        #[arg(value_name = "DIR", required = true)]
        folders: Vec<PathBuf>,
        /// Folder for the merged runs [default: the first folder]
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
        /// Compare the results with those that the plan expects; exit with status 4 if they differ
        #[arg(long)]
        check: bool,
        /// Print the results as JSON
        #[arg(long)]
        json: bool,
    },
    /// Submit the runs of a plan to Slurm, as job arrays
    ///
    /// Each task does some of the runs. `collect` submits the job that writes tables, figures and the report. Tasks skip runs
    /// that are done, so that the same command continues a sweep when its jobs have ended.
    #[command(after_long_help = "\
Examples:
  # The scripts and the commands, without submitting them
  swarmarium sweep submit milling-view.sweep --slurm --dry-run -o study
  swarmarium sweep submit milling-view.sweep --slurm --time 00:30:00 -o study")]
    Submit(Box<Submit>),
    /// Show the number of finished runs of a sweep, and the state of its jobs
    #[command(after_long_help = "\
Examples:
  swarmarium sweep milling-view.sweep -o study
  swarmarium sweep status study
  swarmarium sweep status study --json")]
    Status {
        /// Folder of the sweep
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Print the numbers as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the results of a sweep as a short table: means, or medians of times, with 95 % intervals
    ///
    /// It has the runs that are finished. `summary.csv` in the folder has more columns, and all digits.
    #[command(after_long_help = "\
Examples:
  swarmarium sweep milling --vary groups.millers.count=4,8 --repeat 5 -o study
  swarmarium sweep show study")]
    Show {
        /// Folder of the sweep
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Print the results as JSON
        #[arg(long)]
        json: bool,
    },
    /// Cancel the jobs of a sweep; finished runs stay
    ///
    /// The jobs are those that `submit` noted in the folder. `submit` with the same plan and folder does the other runs.
    #[command(after_long_help = "\
Examples:
  swarmarium sweep cancel study")]
    Cancel {
        /// Folder of the sweep
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Submit a job that merges the logs when all other jobs have ended
    ///
    /// The job writes tables, figures and the report, also when some tasks failed. `submit` comes first.
    #[command(after_long_help = "\
Examples:
  # The script, without submitting it
  swarmarium sweep collect study --dry-run
  swarmarium sweep collect study")]
    Collect {
        /// Folder of the sweep
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Print the script without submitting it
        #[arg(long)]
        dry_run: bool,
    },
}

/// The jobs of a sweep.
#[derive(clap::Args, Clone, Debug)]
pub struct Submit {
    #[command(flatten)]
    plan: plan::Args,
    /// Folder to write to; all nodes must have access to it
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Submit to Slurm, with sbatch
    #[arg(long, required = true)]
    slurm: bool,
    /// Name of the jobs
    #[arg(long, value_name = "NAME", value_parser = slurm::name)]
    name: Option<String>,
    /// Partition of the cluster
    #[arg(long, value_name = "NAME", value_parser = slurm::name)]
    partition: Option<String>,
    /// Account that is charged for the jobs
    #[arg(long, value_name = "NAME", value_parser = slurm::name)]
    account: Option<String>,
    /// Time limit of a task, in the notation of Slurm: 00:30:00
    #[arg(long, value_name = "TIME", value_parser = slurm::time_limit)]
    time: Option<String>,
    /// Memory of a task, in the notation of Slurm: 1G
    #[arg(long = "mem", value_name = "SIZE", value_parser = slurm::memory)]
    memory: Option<String>,
    /// Runs per task; choose it so that a task takes a minute or more
    #[arg(long, value_name = "N", default_value = "50", value_parser = count)]
    chunk: u64,
    /// Maximum number of concurrent tasks
    #[arg(long, value_name = "N", value_parser = tasks)]
    max_parallel: Option<u32>,
    /// Cores per task, which is also its number of concurrent runs
    #[arg(long, value_name = "N", default_value = "1", value_parser = cores)]
    cpus: u32,
    /// Print the script and the commands without submitting them
    #[arg(long)]
    dry_run: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The results of a submission as JSON.
#[derive(Serialize)]
struct Submitted {
    folder: String,
    runs: u64,
    tasks: u64,
    /// The numbers of the job arrays; empty after a dry run.
    arrays: Vec<u64>,
    script: String,
    commands: Vec<String>,
}

impl Submitted {
    fn new(folder: &Path, runs: u64, Submission { script, commands, tasks, arrays }: Submission) -> Self {
        let arrays = arrays.into_iter().map(|array| array.id).collect();
        Self { folder: shown(folder), runs, tasks, arrays, script, commands }
    }
}

fn tasks(text: &str) -> Result<u32, ArgumentError> {
    whole(text, 1..=u64::from(u32::MAX)).map(|number| number as u32)
}

fn cores(text: &str) -> Result<u32, ArgumentError> {
    whole(text, 1..=256).map(|number| number as u32)
}

/// Does what is asked for.
pub(super) fn run(verb: &Verb, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if !matches!(verb, Verb::Submit(_)) {
        common.check_no_scene("sweep")?;
    }
    match verb {
        Verb::Merge { folders, output, check, json } => {
            let (exit, result) = merge(folders, output.as_deref(), *check, common, recipe)?;
            if let Some(result) = result.filter(|_| *json) {
                json::print(&result)?;
            }
            Ok(exit)
        }
        Verb::Submit(submit) => submit.run(common, recipe),
        Verb::Status { folder, json } => status(folder, recipe, *json),
        Verb::Show { folder, json } => show(folder, recipe, *json),
        Verb::Cancel { folder } => {
            let ids = Slurm::default().cancel(Folder::open(folder)?.path())?;
            if !common.quiet {
                tell(format_args!("cancelled {}; finished runs stay", counted(ids.len() as u64, "job")));
            }
            Ok(Exit::Fine)
        }
        Verb::Collect { folder, dry_run } => {
            let collection = Slurm::default().collect(Folder::open(folder)?.path(), &program()?, *dry_run)?;
            if *dry_run {
                return print(&[collection.script, collection.command]);
            }
            if let Some(id) = collection.id.filter(|_| !common.quiet) {
                tell(format_args!("job {id} merges the runs when {} jobs have ended", collection.after.len()));
            }
            Ok(Exit::Fine)
        }
    }
}

fn merge(
    folders: &[PathBuf],
    output: Option<&Path>,
    is_checked: bool,
    common: &Common,
    recipe: &Recipe,
) -> anyhow::Result<(Exit, Option<SweepResult>)> {
    let twice = (1..folders.len()).find(|place| folders[..*place].iter().any(|it| is_same(it, &folders[*place])));
    if let Some(place) = twice {
        bail!("{}: is given twice", shown(&folders[place]));
    }
    let folders = folders.iter().map(|path| Folder::open(path)).collect::<Result<Vec<_>, _>>()?;
    let first = folders.first().context("there is no folder")?;
    let sweep = sweep_at(first.path(), recipe)?;
    check_expected(&sweep, is_checked)?;
    interrupt::watch();
    let _hold = interrupt::Hold::new();
    let target = Folder::merge(output.unwrap_or(first.path()), &folders, &sweep)?;
    conclude(&sweep, &target, is_checked, common)
}

/// Whether two paths lead to one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Prints the results of the finished runs.
fn show(path: &Path, recipe: &Recipe, is_json: bool) -> anyhow::Result<Exit> {
    let folder = Folder::open(path)?;
    let sweep = sweep_at(folder.path(), recipe)?;
    let results = Results::read(&sweep, &folder.index()?);
    if is_json {
        let failed = results.failed.len();
        let status = status_of(results.done, sweep.run_count(), failed);
        let result = SweepResult::new(&sweep, &folder, status, results.done).with_tables(&sweep, &folder, &results);
        json::print(&result)?;
        return Ok(Exit::Fine);
    }
    print(&[super::show::table(&sweep, &results)])
}

/// The status of a sweep that is not running.
fn status_of(done: u64, runs: u64, failed: usize) -> &'static str {
    match () {
        () if done < runs => "incomplete",
        () if failed > 0 => "failed",
        () => "done",
    }
}

/// The state of a sweep as JSON.
#[derive(Serialize)]
struct Status {
    folder: String,
    /// `incomplete` while runs are missing, then `failed` if any run failed, otherwise `done`.
    status: &'static str,
    runs: u64,
    done: usize,
    failed: usize,
    /// The state of its jobs, in words; `null` for a sweep without jobs.
    jobs: Option<String>,
}

fn status(path: &Path, recipe: &Recipe, is_json: bool) -> anyhow::Result<Exit> {
    let folder = Folder::open(path)?;
    let sweep = sweep_at(folder.path(), recipe)?;
    let index = folder.index()?;
    let done = sweep.runs().filter(|run| index.has(sweep.key(*run))).count();
    let failed = sweep.runs().filter(|run| index.has_failed(sweep.key(*run))).count();
    let has_jobs = path.join(slurm::FOLDER).is_dir();
    let jobs = if has_jobs { Some(Slurm::default().status(path)?.to_string()) } else { None };
    if is_json {
        let (folder, runs) = (shown(path), sweep.run_count());
        let status = status_of(done as u64, runs, failed);
        json::print(&Status { folder, status, runs, done, failed, jobs })?;
        return Ok(Exit::Fine);
    }
    let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
    let done = format!("{} has {}{failed}", shown(path), part_of(done as u64, sweep.run_count(), "run"));
    print(&std::iter::once(done).chain(jobs).collect::<Vec<_>>())
}

impl Submit {
    fn run(&self, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
        let sweep = self.plan.resolve(common, recipe)?;
        check_driver(&sweep, None)?;
        common.check_files([sweep.plan.scene.as_str()])?;
        let default = || environment::sweeps().join(plan::folder_name(&sweep));
        let path = self.output.clone().or_else(|| self.plan.folder()).unwrap_or_else(default);
        let job = Job {
            name: self.name.clone().unwrap_or_else(|| job_name(&sweep)),
            partition: self.partition.clone(),
            time: self.time.clone(),
            memory: self.memory.clone(),
            account: self.account.clone(),
            chunk: self.chunk,
            max_parallel: self.max_parallel,
            cpus: self.cpus,
        };
        job.check()?;
        if self.dry_run {
            let submission = Slurm::default().submit(&path, &program()?, sweep.run_count(), &job, true)?;
            if self.json {
                json::print_results("planned", &Submitted::new(&path, sweep.run_count(), submission))?;
                return Ok(Exit::Fine);
            }
            let lines: Vec<String> = std::iter::once(submission.script).chain(submission.commands).collect();
            return print(&lines);
        }
        // Without Slurm, there is nothing to write.
        Slurm::default().check()?;
        let folder = Folder::join(&path, &sweep)?;
        let submission = Slurm::default().submit(folder.path(), &program()?, sweep.run_count(), &job, false)?;
        if !common.quiet {
            let runs = counted(sweep.run_count(), "run");
            let (tasks, arrays) = (counted(submission.tasks, "task"), counted(submission.arrays.len() as u64, "array"));
            let (path, program) = (shown(&path), &common.program);
            tell(format_args!(
                "{path}: {runs} in {tasks} of {arrays}; see `{program} sweep status {path}`, and `{program} sweep collect \
                 {path}` for the tables"
            ));
        }
        if self.json {
            json::print_results("submitted", &Submitted::new(&path, sweep.run_count(), submission))?;
        }
        Ok(Exit::Fine)
    }
}

/// A name of jobs that Slurm accepts.
fn job_name(sweep: &Sweep) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    plan::folder_name(sweep).chars().map(|c| if is_fine(c) { c } else { '_' }).collect()
}

/// The file of this program.
fn program() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe().context("the file of this program is unknown")?;
    ensure!(program.is_file(), "{}: the file of this program is gone", shown(&program));
    Ok(program)
}

fn print(lines: &[String]) -> anyhow::Result<Exit> {
    use std::io::Write as _;

    let mut out = super::super::stdout();
    for line in lines {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(Exit::Fine)
}
