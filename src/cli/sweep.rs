//! `sweep`: many runs of a plan, with statistics, figures and a report.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{bail, ensure};
use swarmarium_base::files::shown;
use swarmarium_core::text::wording::count;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::driver::check_driver;
use swarmarium_sweep::log::{Index, Log};
use swarmarium_sweep::report::{self, Conclusion};
use swarmarium_sweep::work::{Host, work};
use swarmarium_sweep::{Controllers, Folder, Outcome, Run, Shard, Sweep, identical, summary};

use super::common::workers;
use super::error::ArgumentError;
use super::messages::{counted, part_of, tell_error, tell_failure, tell_problems, tell_warning};
use super::progress::{Progress, duration};
use super::run::{Folder as RunFolder, check_is_folder_name};
use super::typed::{TypedCommand, quoted};
use super::{Common, Exit, embed, environment, interrupt, json, load, tell};

use result::{Expectations, SweepResult};
use room_warnings::RoomWarnings;

mod cluster;
mod keep;
pub(super) mod plan;
mod result;
mod room_warnings;
mod show;

/// Run a scene with many parameters and seeds, and write tables, figures and a report
///
/// A plan names a scene, the factors that vary, repetitions and measures. The flags --vary, --repeat and --measure replace
/// or extend a plan.
/// The folder contains runs.csv, summary.csv, comparisons.csv, figures and report.html. Results are identical, byte for
/// byte, for any number of jobs, shards and interruptions.
#[derive(clap::Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_long_help = "\
Examples:
  swarmarium sweep milling.sweep
  swarmarium sweep milling --vary groups.millers.count=4,6,8,10 --repeat 30 \\
      --measure 'time until circliness > 0.9'
  swarmarium sweep formation --vary PACKET_LOSS=0..0.9/10 --repeat 20 \\
      --duration 2m --measure 'mean formation_error'
  # Points, runs and an estimate of time
  swarmarium sweep milling.sweep --dry-run
  # Continue an interrupted sweep
  swarmarium sweep milling.sweep -o out --resume
  # A quarter of the runs; merge puts them together
  swarmarium sweep milling.sweep -o out --shard 1/4
  swarmarium sweep submit milling.sweep -o out --slurm \\
      --partition main --time 00:30:00"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<cluster::Verb>,
    #[command(flatten)]
    plan: plan::Args,
    /// Folder to write to [default: sweeps/NAME, with a number if that exists]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace the files of an earlier sweep in DIR; other files stay
    #[arg(long, conflicts_with_all = ["resume", "shard"], requires = "output")]
    overwrite: bool,
    /// Resume a sweep: do only the runs that are not finished
    #[arg(long)]
    resume: bool,
    /// Number of concurrent runs [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = workers)]
    jobs: Option<usize>,
    /// Do only every N-th run, starting with the K-th, to share the work between machines; they may share the folder DIR
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "check")]
    shard: Option<Shard>,
    /// Print the points, the number of runs and the estimated time, without running the sweep
    #[arg(long)]
    dry_run: bool,
    /// Compare the results with those that the plan expects; exit with status 4 if they differ
    #[arg(long)]
    check: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

fn shard(text: &str) -> Result<Shard, ArgumentError> {
    let (index, count) = text.split_once('/').ok_or(ArgumentError::Shard)?;
    let number = |text: &str| text.parse().map_err(|_| ArgumentError::Shard);
    let shard = Shard { index: number(index)?, count: number(count)? };
    if (1..=shard.count).contains(&shard.index) { Ok(shard) } else { Err(ArgumentError::Shard) }
}

/// Runs a sweep, or one of the verbs for folders of sweeps.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if let Some(verb) = &args.verb {
        return cluster::run(verb, common, recipe);
    }
    let sweep = args.plan.resolve(common, recipe)?;
    common.check_files([sweep.plan.scene.as_str()])?;
    if !common.quiet {
        load::warn(&sweep.plan.scene, sweep.warnings.clone());
        load::warn(plan::source_of(&sweep), sweep.plan_warnings.clone());
    }
    if let Some(plan) = args.plan.plan_of_short_name(&sweep).filter(|_| !common.quiet && !args.dry_run) {
        let (points, repetitions) = (sweep.points.len() as u64, sweep.repetitions);
        let [points, repetitions] = [(points, "point"), (repetitions, "repetition")].map(|(n, noun)| counted(n, noun));
        tell(format_args!("{plan}: the shipped plan of this name, {points} × {repetitions}"));
    }
    check_expected(&sweep, args.check)?;
    let driver = embed::driver();
    check_driver(&sweep, driver.as_deref())?;
    if args.dry_run {
        return plan::describe(&sweep, common.jobs(args.jobs)?, common.threads, args.json);
    }
    interrupt::watch();
    let path = args.folder(&sweep)?;
    let begins_anew = args.resume && !Folder::is_at(&path);
    let _hold = interrupt::Hold::new();
    let controllers = driver.map_or_else(Controllers::default, |driver| driver.controllers());
    let folder = match args.replaces(&path) {
        true => keep::clear(&path).and_then(|()| Ok(Folder::overwrite_driven(&path, &sweep, &controllers)?))?,
        false => Folder::join_driven(&path, &sweep, &controllers)?,
    };
    if begins_anew && !common.quiet {
        tell(format_args!("{}: has no sweep to resume: a new one begins", shown(&path)));
    }
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let log = folder.log(shard)?;
    let index = folder.index()?;
    let room_warnings = RoomWarnings::default();
    let done = match args.work(&sweep, (&folder, index), (shard, &log), (&room_warnings, common)) {
        Ok(done) => done,
        Err(error) => {
            tell_failure(&error);
            return Ok(Exit::RunFailed);
        }
    };
    // Another shard may merge all logs.
    drop(log);
    let of_scene = [sweep.warnings.clone(), room_warnings.problems()].concat();
    let of_plan = json::messages(plan::source_of(&sweep), &sweep.plan_warnings);
    let warnings = [json::messages(&sweep.plan.scene, &of_scene), of_plan].concat();
    if interrupt::requested() {
        tell_interrupted(&sweep, &folder, shard, common);
        let mut result = SweepResult::new(&sweep, &folder, "interrupted", done);
        (result.failed, result.warnings) = (args.failed_runs(&sweep, &folder)?, warnings);
        args.print(&result)?;
        return Ok(Exit::Interrupted);
    }
    if done < sweep.run_count() {
        let failed = args.failed_runs(&sweep, &folder)?;
        if !common.quiet {
            let path = shown(&path);
            tell(format_args!(
                "{path} has {}; the other shards do the rest, or `{} sweep merge {path}` makes tables of these",
                part_of(done, sweep.run_count(), "run"),
                common.program
            ));
        }
        let mut result = SweepResult::new(&sweep, &folder, "incomplete", done);
        (result.failed, result.warnings) = (failed, warnings);
        args.print(&result)?;
        return Ok(if failed > 0 { Exit::RunFailed } else { Exit::Fine });
    }
    let (exit, result) = conclude(&sweep, &folder, args.check, common)?;
    let Some(mut result) = result else { return Ok(exit) };
    let done = result.done;
    result.warnings = warnings;
    args.print(&result)?;
    if done < sweep.run_count() && exit == Exit::Fine {
        // The runs of a log that was deleted after its last line are lost.
        let path = shown(&path);
        tell_error(format_args!(
            "{path}: the logs have {}: --resume repeats the others",
            part_of(done, sweep.run_count(), "run")
        ));
        return Ok(Exit::RunFailed);
    }
    Ok(exit)
}

impl Args {
    /// Whether the sweep in a folder is replaced.
    fn replaces(&self, path: &Path) -> bool {
        self.overwrite && Folder::is_at(path)
    }

    /// The folder of the sweep.
    fn folder(&self, sweep: &Sweep) -> anyhow::Result<PathBuf> {
        let name = plan::folder_name(sweep);
        let joins = self.resume || self.shard.is_some();
        let Some(path) = self.output.clone().or_else(|| self.plan.folder()) else {
            ensure!(self.shard.is_none(), "--shard needs --output, the folder that all shards share");
            let parent = environment::sweeps();
            return match RunFolder::latest(&parent, &name).filter(|_| joins) {
                Some(path) => Ok(path),
                None => Ok(RunFolder::numbered(&parent, &name)?.path().into()),
            };
        };
        check_is_folder_name(&path)?;
        if !self.replaces(&path)
            && path.exists()
            && !joins
            && fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some())
        {
            match Folder::is_at(&path) {
                true => bail!(
                    "{}: exists already; --resume continues it, --overwrite replaces the sweep in it",
                    shown(&path)
                ),
                false => {
                    bail!("{}: this folder contains other files, not a sweep: choose another folder", shown(&path))
                }
            }
        }
        Ok(path)
    }

    /// Prints the results with `--json`.
    fn print(&self, result: &SweepResult) -> anyhow::Result<()> {
        if self.json { json::print(result) } else { Ok(()) }
    }

    /// Whether a run of the shard failed.
    fn failed_runs(&self, sweep: &Sweep, folder: &Folder) -> anyhow::Result<usize> {
        let (index, shard) = (folder.index()?, self.shard.unwrap_or(Shard::WHOLE));
        let of_shard = (0..sweep.run_count()).filter(|place| shard.has(*place));
        Ok(of_shard.filter(|place| index.has_failed(sweep.key(sweep.run(*place)))).count())
    }

    /// Does the runs; gives the number of runs that are done in the folder.
    fn work(
        &self,
        sweep: &Sweep,
        (folder, index): (&Folder, Index),
        (shard, log): (Shard, &Log),
        (room_warnings, common): (&RoomWarnings, &Common),
    ) -> anyhow::Result<u64> {
        let total = (0..sweep.run_count()).filter(|place| shard.has(*place)).count() as u64;
        let progress = Progress::new("runs", total, common.hides_progress());
        let finished = |run: Run, outcome: &Outcome, done: u64| {
            room_warnings.note(run, outcome);
            if let Some(error) = &outcome.error {
                tell_error(format_args!("point {}, repetition {}: {error}", run.point + 1, run.repetition + 1));
            }
            progress.at(done);
        };
        let driver = embed::driver();
        let keeper = keep::Keeper::new(sweep, folder, common);
        let driven = |run: Run, outcome: &Outcome, edits| keeper.keep(run, outcome, edits);
        let host = Host {
            threads: common.threads,
            is_stopped: &interrupt::requested,
            finished: &finished,
            driver: driver.as_deref(),
            driven: &driven,
            ..Host::default()
        };
        let jobs = common.jobs(self.jobs)?;
        // The logs have the rows of the finished runs.
        let abandon = || {
            progress.finish();
            tell_interrupted(sweep, folder, shard, common);
            std::process::exit(Exit::Interrupted as i32);
        };
        let done = interrupt::guarded(|| work(sweep, (index, log), shard, jobs, &host), abandon);
        progress.finish();
        if !common.quiet {
            room_warnings.tell();
        }
        let done = done?;
        if done.before > 0 && !common.quiet {
            tell(format_args!("skipped {}, which the logs have", part_of(done.before, done.all, "run")));
        }
        if shard == Shard::WHOLE {
            return Ok(done.now);
        }
        let index = folder.index()?;
        Ok(sweep.runs().filter(|run| index.has(sweep.key(*run))).count() as u64)
    }
}

/// Refuses to compare results with a plan that expects none.
fn check_expected(sweep: &Sweep, is_checked: bool) -> anyhow::Result<()> {
    if is_checked && sweep.plan.expect.is_empty() {
        bail!("--check: the plan has no `expect`, so there is nothing to compare with");
    }
    Ok(())
}

/// Tells the user how many runs of an interrupted sweep are done, and the command that does the others.
fn tell_interrupted(sweep: &Sweep, folder: &Folder, shard: Shard, common: &Common) {
    let index = folder.index().unwrap_or_default();
    let done = sweep.runs().filter(|run| index.has(sweep.key(*run))).count();
    let done = part_of(done as u64, sweep.run_count(), "run");
    let path = shown(folder.path());
    if embed::driver().is_some() {
        return tell(format_args!("interrupted: {path} has {done}"));
    }
    let command = TypedCommand::new(&common.program, &[]).with(["sweep", path.as_str(), "--resume"]);
    let command = match shard {
        Shard::WHOLE => command,
        Shard { index, count } => command.with(["--shard".to_owned(), format!("{index}/{count}")]),
    };
    tell(format_args!("interrupted: {path} has {done}; `{command}` does the others"));
}

/// The largest number of lines of the table of results that follows a sweep.
const MOST_LINES: usize = 25;

/// Writes tables, figures and the report, keeps runs, and compares with what is expected. Gives the results, too, unless
/// they cannot be written.
fn conclude(
    sweep: &Sweep,
    folder: &Folder,
    is_checked: bool,
    common: &Common,
) -> anyhow::Result<(Exit, Option<SweepResult>)> {
    let started = Instant::now();
    // Two shards can end at the same time.
    let _lock = folder.lock_tables(&interrupt::requested)?;
    let index = folder.index()?;
    let Conclusion { results, checked, damaged, unplanned, .. } = match report::conclude(sweep, folder, &index) {
        Ok(conclusion) => conclusion,
        Err(error) => {
            tell_problems(&error);
            return Ok((Exit::RunFailed, None));
        }
    };
    if unplanned > 0 && !common.quiet {
        let runs = counted(unplanned, "run");
        tell(format_args!("ignored {runs} in the logs: the plan does not have their points"));
    }
    if damaged > 0 {
        let lines = counted(damaged, "damaged line");
        tell_warning(format_args!("ignored {lines} of the logs: --resume repeats their runs"));
    }
    if let Some(note) = identical::note(sweep, &results.identical).filter(|_| !common.quiet) {
        tell_warning(note);
    }
    let kept = keep::runs(sweep, (folder, &index), &results, common)?;
    folder.compact(sweep)?;
    if !common.quiet {
        let table = show::table(sweep, &results);
        let lines = table.lines().count();
        let has_results = results.done > results.failed.len() as u64;
        if has_results && lines <= MOST_LINES {
            tell(table);
        } else if has_results {
            let (program, path) = (&common.program, quoted(&shown(folder.path())));
            tell(format_args!("{}: `{program} sweep show {path}` prints them", count(lines - 1, "result")));
        }
        tell(format_args!(
            "{}: {}, {}, {} failed{kept}; tables and figures in {}",
            shown(folder.path()),
            count(sweep.points.len(), "point"),
            part_of(results.done, sweep.run_count(), "run"),
            results.failed.len(),
            duration(started.elapsed().as_secs_f64())
        ));
    }
    let mut result = SweepResult::new(sweep, folder, "interrupted", results.done).with_tables(sweep, folder, &results);
    if interrupt::requested() {
        return Ok((Exit::Interrupted, Some(result)));
    }
    let missed = report_expectations(sweep, &checked, common);
    let met = checked.iter().filter(|checked| checked.is_met).count();
    result.expectations = (!checked.is_empty()).then_some(Expectations { checked: checked.len(), met, missed });
    let (exit, status) = match () {
        () if !results.failed.is_empty() => (Exit::RunFailed, "failed"),
        () if is_checked && missed > 0 => (Exit::Differs, "differs"),
        () if results.done < sweep.run_count() => (Exit::Fine, "incomplete"),
        () => (Exit::Fine, "done"),
    };
    result.status = status;
    Ok((exit, Some(result)))
}

/// Says which results are not as expected; gives their number, without those that are disputed.
fn report_expectations(sweep: &Sweep, checked: &[summary::Checked], common: &Common) -> usize {
    let differing: Vec<_> = checked.iter().filter(|checked| !checked.is_met).collect();
    for one in &differing {
        let expected = &sweep.plan.expect[one.expectation];
        let found = one.found.map_or_else(|| "no value".into(), |found| found.to_string());
        let expects = if one.is_missed(sweep) { "expected" } else { "disputed: a source expects" };
        let told = format!(
            "point {}: {expects} {:?} of {} to be {} ± {}, found {found}",
            one.point + 1,
            expected.statistic,
            expected.measure,
            expected.value,
            expected.tolerance
        );
        if one.is_missed(sweep) { tell_error(told) } else { tell(told) }
    }
    let missed = differing.iter().filter(|one| one.is_missed(sweep)).count();
    if !checked.is_empty() && !common.quiet {
        let disputed = match differing.len() - missed {
            0 => String::new(),
            disputed => format!("; {} not met", count(disputed, "disputed claim")),
        };
        let met = checked.len() - differing.len();
        let are_met = if checked.len() == 1 { "is met" } else { "are met" };
        tell(format_args!("{met} of {} {are_met}{disputed}", count(checked.len(), "expectation")));
    }
    missed
}
