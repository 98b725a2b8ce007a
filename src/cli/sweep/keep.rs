//! Folders of single runs.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use swarmarium_base::files::shown;
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_sweep::address::{self, RunOfSweep, holds};
use swarmarium_sweep::driver::Driver;
use swarmarium_sweep::log::Index;
use swarmarium_sweep::plan::{Folders, Keep};
use swarmarium_sweep::results::Results;
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::{Controllers, Folder, Outcome, Run, Sweep};

use super::super::messages::tell_warning;
use super::super::progress::Progress;
use super::super::{Common, Exit, embed, interrupt, load, run};

/// Repeats the runs that the plan keeps, each into a folder of its own, and deletes those of an earlier plan. A repeated
/// run is the same run. Gives a remark on them for the user.
///
/// # Errors
/// When a file of an earlier run cannot be deleted.
pub(super) fn runs(
    sweep: &Sweep,
    (folder, index): (&Folder, &Index),
    results: &Results,
    common: &Common,
) -> anyhow::Result<String> {
    let Keep { folders, trace, hash, .. } = sweep.plan.keep;
    let is_current = |path: &Path, run: Run| {
        let has_run = run.point < sweep.points.len() && run.repetition < sweep.repetitions;
        has_run && index.get(sweep.key(run)).is_some_and(|outcome| holds(path, &outcome))
    };
    for (path, run) in kept(folder.path()) {
        if !is_current(&path, run) && !is_of_user(&path) {
            delete(&path)?;
        }
    }
    if folders == Folders::None {
        return Ok(String::new());
    }
    let wanted = results.kept(sweep);
    let progress = Progress::new("kept runs", wanted.len() as u64, common.hides_progress());
    let keeper = Keeper::new(sweep, folder, common);
    let driver = embed::driver();
    // Only a program with the controllers that drove the runs can repeat them.
    let controllers = driver.as_ref().map_or_else(Controllers::default, |driver| driver.controllers());
    let mut refusal =
        Controllers::read(folder.path()).and_then(|drove| drove.check_repeat(folder.path(), &controllers)).err();
    let can_repeat = refusal.is_none();
    let mut done = 0;
    for run in &wanted {
        if interrupt::requested() {
            break;
        }
        let address = address::of(folder.path(), *run);
        let has = |is_wanted: bool, name: &str| !is_wanted || address.join(name).is_file();
        if !(is_current(&address, *run) && has(trace, "trace.csv") && has(hash, "hash.csv")) {
            if is_of_user(&address) {
                let address = shown(&address);
                tell_not_kept(&format_args!("{address} has branches or bookmarks of another run: move it elsewhere"));
                continue;
            }
            if !can_repeat {
                refusal.take().into_iter().for_each(|refusal| tell_not_kept(&refusal));
                continue;
            }
            let kept = match (&driver, index.get(sweep.key(*run))) {
                (Some(driver), Some(outcome)) => keeper.drive(*run, &outcome, &**driver),
                _ => keeper.repeat(*run),
            };
            match kept {
                Ok(Exit::Interrupted) => break,
                // An error has told the difference.
                Ok(Exit::Differs) => continue,
                Ok(_) => {}
                Err(error) => {
                    tell_not_kept(&format_args!("{error:#}"));
                    continue;
                }
            }
        }
        done += 1;
        progress.at(done);
    }
    progress.finish();
    Ok(format!(", {done} of {} kept in runs/", wanted.len()))
}

/// Writes folders of single runs of a sweep.
pub(super) struct Keeper<'a> {
    sweep: &'a Sweep,
    folder: &'a Folder,
    /// The settings without overrides, which are in the plan.
    common: Common,
}

impl<'a> Keeper<'a> {
    /// A keeper of the runs of a sweep in a folder.
    pub(super) fn new(sweep: &'a Sweep, folder: &'a Folder, common: &Common) -> Self {
        let common = Common { quiet: true, seed: None, overrides: Vec::new(), ..common.clone() };
        Self { sweep, folder, common }
    }

    /// Keeps a run that a program drove with some edits, unless its folder belongs to the user.
    pub(super) fn keep(&self, run: Run, outcome: &Outcome, edits: Vec<LoggedEdit>) {
        let address = address::of(self.folder.path(), run);
        // The end of the sweep tells which folders are in the way.
        if holds(&address, outcome) || is_of_user(&address) {
            return;
        }
        if let Err(error) = self.write_driven(run, outcome, edits) {
            tell_not_kept(&format_args!("{error:#}"));
        }
    }

    /// Lets a program drive a run again, and writes its folder.
    ///
    /// # Errors
    /// When it is not the run of its row, or a file cannot be written.
    fn drive(&self, run: Run, outcome: &Outcome, driver: &dyn Driver) -> anyhow::Result<Exit> {
        let mut runner = Runner::new(self.sweep, self.common.threads, &interrupt::requested).driven_by(Some(driver));
        let Some(found) = runner.run(run) else { return Ok(Exit::Interrupted) };
        let edits = runner.take_driven_edits();
        let is_same = (found.steps, found.hash) == (outcome.steps, outcome.hash);
        let Some(edits) = edits.filter(|_| is_same) else {
            let address = shown(address::of(self.folder.path(), run));
            match found.error.filter(|error| outcome.error.as_ref() != Some(error)) {
                Some(error) => bail!("{address}: {error}"),
                None if is_same => bail!("{address}: the run could not start"),
                None => bail!("{address}: the controllers made another run than the one in runs.csv"),
            }
        };
        self.write_driven(run, outcome, edits)
    }

    /// Repeats a run with the edits of the program that drove it, and writes its folder.
    fn write_driven(&self, run: Run, outcome: &Outcome, edits: Vec<LoggedEdit>) -> anyhow::Result<Exit> {
        let end = run::Ending { steps: outcome.steps, error: outcome.error.clone() };
        self.write(run, |run| RunOfSweep { edits, row: Some(outcome.clone()), ..run }, Some(end))
    }

    /// Repeats a run, and writes its folder.
    fn repeat(&self, run: Run) -> anyhow::Result<Exit> {
        self.write(run, |run| run, None)
    }

    /// Writes the folder of a run. A failed run fails again, and its folder shows the failure, unless the run could not start.
    fn write(
        &self,
        run: Run,
        complete: impl FnOnce(RunOfSweep) -> RunOfSweep,
        end: Option<run::Ending>,
    ) -> anyhow::Result<Exit> {
        let Self { sweep, folder, common } = self;
        let Keep { trace, hash, .. } = sweep.plan.keep;
        let address = address::of(folder.path(), run);
        let args = run::Args::of_file(address.display().to_string())
            .with_output(Some(address), true)
            .with_tables(trace, hash)
            .with_ending(end);
        let of_sweep = complete(RunOfSweep::new(folder.path(), sweep, run)?);
        let loaded = load::run_of_sweep(of_sweep, common, &sweep.recipe)?;
        run::once(&args.resolve_loaded(loaded, None, common, &sweep.recipe)?)
    }
}

/// Warns that a run is not kept.
fn tell_not_kept(reason: &dyn Display) {
    tell_warning(format_args!("not kept: {reason}"));
}

/// Deletes the files of kept runs from the folder of a sweep. Other files stay.
///
/// # Errors
/// When a file cannot be deleted, or a process writes a run.
pub(super) fn clear(folder: &Path) -> anyhow::Result<()> {
    kept(folder).iter().try_for_each(|(path, _)| delete(path))?;
    let _ = fs::remove_dir(folder.join(address::RUNS));
    Ok(())
}

/// The folders of kept runs in the folder of a sweep.
fn kept(folder: &Path) -> Vec<(PathBuf, Run)> {
    let entries = fs::read_dir(folder.join(address::RUNS)).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
    paths.filter_map(|path| address::named(&path).map(|run| (path, run))).collect()
}

/// Whether the window saved branches or bookmarks in a folder, which belong to the user.
fn is_of_user(path: &Path) -> bool {
    path.join(TIMELINE).exists()
}

/// Deletes the files of a run.
fn delete(path: &Path) -> anyhow::Result<()> {
    run::Folder::open(path, FolderKind::Run, true)?.clear()?;
    // A folder with other files stays.
    let _ = fs::remove_dir(path);
    Ok(())
}
