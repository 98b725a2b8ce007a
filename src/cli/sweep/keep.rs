//! Folders of single runs.

use std::fs;
use std::path::{Path, PathBuf};

use swarmarium_base::files::shown;
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_sweep::address::{self, RunOfSweep, holds};
use swarmarium_sweep::log::Index;
use swarmarium_sweep::plan::{Folders, Keep};
use swarmarium_sweep::results::Results;
use swarmarium_sweep::{Controllers, Folder, Run, Sweep};

use super::super::messages::tell_warning;
use super::super::progress::Progress;
use super::super::{Common, Exit, interrupt, load, run};

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
    // The overrides of the command line are in the plan.
    let quiet = Common { quiet: true, seed: None, overrides: Vec::new(), ..common.clone() };
    // Only the program whose controllers drove the runs can repeat them.
    let mut refusal = Controllers::check_none(folder.path()).err();
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
                tell_warning(format_args!(
                    "not kept: {} has branches or bookmarks of another run: move it elsewhere",
                    shown(&address)
                ));
                continue;
            }
            if !can_repeat {
                refusal.take().into_iter().for_each(|refusal| tell_warning(format_args!("not kept: {refusal}")));
                continue;
            }
            let args = run::Args::of_file(address.display().to_string())
                .with_output(Some(address.clone()), true)
                .with_tables(trace, hash);
            // A failed run fails again, and its folder shows the failure, unless the run could not start.
            let repeated = RunOfSweep::new(folder.path(), sweep, *run)
                .map_err(anyhow::Error::from)
                .and_then(|run| Ok(load::run_of_sweep(run, &quiet, &sweep.recipe)?))
                .and_then(|loaded| args.resolve_loaded(loaded, None, &quiet, &sweep.recipe))
                .and_then(|plan| run::once(&plan));
            match repeated {
                Ok(Exit::Interrupted) => break,
                Ok(_) => {}
                Err(error) => {
                    tell_warning(format_args!("not kept: {error:#}"));
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
    run::Folder::open(path, true)?.clear()?;
    // A folder with other files stays.
    let _ = fs::remove_dir(path);
    Ok(())
}
