//! Folders of single runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use swarmarium_base::files;
use swarmarium_sweep::folder::hex;
use swarmarium_sweep::plan::{Folders, Keep};
use swarmarium_sweep::results::Results;
use swarmarium_sweep::{Folder, Run, Sweep};

use super::super::progress::Progress;
use super::super::{Common, interrupt, load, run, tell};

/// Repeats the runs that the plan keeps, each into a folder of its own. A repeated run is the same run. Gives a remark on
/// them for the user.
///
/// # Errors
/// When the logs cannot be read.
pub(super) fn runs(sweep: &Sweep, folder: &Folder, results: &Results, common: &Common) -> anyhow::Result<String> {
    let Keep { folders, trace, hash, .. } = sweep.plan.keep;
    let kept: Vec<Run> = match folders {
        Folders::None => return Ok(String::new()),
        Folders::Failed => results.failed.iter().map(|(run, _)| *run).collect(),
        Folders::First => sweep.runs().filter(|run| run.repetition == 0).collect(),
        Folders::All => sweep.runs().collect(),
    };
    let index = folder.index()?;
    let progress = Progress::new("kept runs", kept.len() as u64, common.quiet);
    // The overrides of the command line are in the plan.
    let quiet = Common { quiet: true, seed: None, overrides: Vec::new(), ..common.clone() };
    let mut done = 0;
    for run in &kept {
        if interrupt::requested() {
            break;
        }
        let address = load::address_of(folder.path(), *run);
        if !is_kept(&address, index.get(sweep.key(*run)).map(|outcome| outcome.hash), &sweep.plan.keep) {
            let args = run::Args::of_file(address.display().to_string())
                .with_output(Some(address.clone()), true)
                .with_tables(trace, hash);
            // A failed run fails again, and its folder shows the failure, unless the run could not start.
            let repeated = args.resolve(&quiet, &sweep.recipe).and_then(|plan| run::once(&plan));
            if let Err(error) = repeated {
                tell(format_args!("not kept: {error:#}"));
                continue;
            }
        }
        done += 1;
        progress.at(done);
    }
    progress.finish();
    Ok(format!(", {done} of {} kept in runs/", kept.len()))
}

/// Deletes the files of kept runs from the folder of a sweep. Other files stay.
///
/// # Errors
/// When a file cannot be deleted, or a process writes a run.
pub(super) fn clear(folder: &Path) -> anyhow::Result<()> {
    let runs = folder.join(load::RUNS);
    let is_run = |path: &PathBuf| load::is_name_of_run(path) && path.is_dir();
    let entries = fs::read_dir(&runs).into_iter().flatten();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_run) {
        run::Folder::open(&path, true)?.clear()?;
        // A folder with other files stays.
        let _ = fs::remove_dir(path);
    }
    let _ = fs::remove_dir(runs);
    Ok(())
}

/// Whether a folder has all files of a run with this final state. A run of an earlier plan can have the same name.
fn is_kept(folder: &Path, hash: Option<u64>, keep: &Keep) -> bool {
    #[derive(Deserialize)]
    struct Manifest {
        final_state_hash: String,
        interrupted: bool,
    }
    let text = files::read_at_most(&folder.join("manifest.json"), 1 << 20).unwrap_or_default();
    let manifest: Option<Manifest> = serde_json::from_slice(&text).ok();
    let has = |is_kept: bool, name: &str| !is_kept || folder.join(name).is_file();
    let is_same = |manifest: Manifest| !manifest.interrupted && Some(manifest.final_state_hash) == hash.map(hex);
    manifest.is_some_and(is_same) && has(keep.trace, "trace.csv") && has(keep.hash, "hash.csv")
}
