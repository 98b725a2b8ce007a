//! Addresses of runs of sweeps: `DIR/runs/POINT-REPETITION`, such as `sweeps/milling/runs/12-3`.
//!
//! An address stands for the run of a row in the tables of the sweep. The folder of a kept run is at its address, but the
//! plan defines the run: a folder with another run, such as one of an earlier plan or of a process that was killed, is
//! not read.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use swarmarium_base::files;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_formats::import::Options;
use swarmarium_formats::load::Override;
use swarmarium_formats::run_folder::{FORMAT, FolderKind, MANIFEST, RunFolder};
use swarmarium_scene::scene::description::Stop;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Recipe;

use crate::controllers::{ControllerValue, Controllers};
use crate::folder::{self, hex};
use crate::source::Source;
use crate::{Folder, Outcome, Run, Sweep};

/// The folder of runs within the folder of a sweep.
pub const RUNS: &str = "runs";

/// The address of a run. The folder need not exist.
pub fn of(folder: &Path, run: Run) -> PathBuf {
    folder.join(RUNS).join(format!("{}-{}", run.point + 1, run.repetition + 1))
}

/// The run in the name of a path such as `12-3`; `None` for other names.
pub fn named(path: &Path) -> Option<Run> {
    let (point, repetition) = path.file_name()?.to_str()?.split_once('-')?;
    let number = |text: &str| text.parse::<u64>().ok()?.checked_sub(1);
    Some(Run { point: usize::try_from(number(point)?).ok()?, repetition: number(repetition)? })
}

/// The folder of the sweep and the run that an address names; `None` for other paths.
fn parse(path: &Path) -> Option<(PathBuf, Run)> {
    let parts = |path: &Path| {
        let folder = path.parent().filter(|runs| runs.file_name().is_some_and(|name| name == RUNS))?.parent()?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Some((folder.to_path_buf(), named(path)?)).filter(|_| Folder::is_at(folder))
    };
    // A link, or a name relative to the folder of runs.
    let whole = || path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    parts(path).or_else(|| parts(&whole()?))
}

/// Whether a path is the address of a run in the folder of a sweep; the run need not have a folder of its own.
pub fn is_address(path: &Path) -> bool {
    parse(path).is_some()
}

/// A run of a sweep: the file of its scene, and what the run adds to it.
#[derive(Debug, Default)]
pub struct RunOfSweep {
    /// The file of its scene.
    pub file: String,
    /// The values of its seed and its factors.
    pub overrides: Vec<Override>,
    /// Its edits.
    pub edits: Vec<LoggedEdit>,
    /// Its end, if it differs from that of the scene.
    pub stop: Option<Stop>,
    /// The step at which it begins: no condition ends it before.
    pub begin: u64,
    /// Its row in the tables of the sweep; `None` if the sweep has not finished the run, or keeps none.
    pub row: Option<Outcome>,
}

impl RunOfSweep {
    /// A run of the sweep in a folder.
    ///
    /// # Errors
    /// When a linked parameter has no value.
    pub fn new(folder: &Path, sweep: &Sweep, run: Run) -> Result<Self, Problem> {
        let mut overrides = sweep.overrides(run)?;
        let mut stop = None;
        if sweep.begins_later() {
            // The factors get their values by edits.
            overrides.truncate(1);
            stop = Some(sweep.absolute_stop());
        }
        let file = folder.join(folder::SCENE).display().to_string();
        Ok(Self { file, overrides, edits: sweep.edits_of(run)?, stop, begin: sweep.plan.begin.step, row: None })
    }

    /// The run of an address, which a program with these controllers repeats; `None` for other paths.
    ///
    /// # Errors
    /// When the sweep has no such run, its plan cannot be read, or other controllers drove its runs.
    pub fn find(file: &str, recipe: &Recipe, controllers: &Controllers) -> Result<Option<Self>, Problems> {
        let Some((folder, run)) = parse(Path::new(file)) else { return Ok(None) };
        let sweep = sweep_at(&folder, recipe)?;
        check(file, &sweep, run)?;
        Controllers::read(&folder)?.check_repeat(&folder, controllers)?;
        let row = Folder::open(&folder)?.index()?.get(sweep.key(run)).filter(|row| row.error.is_none());
        let run = Self::new(&folder, &sweep, run);
        let run = run.map_err(|problem| Problems { source_name: file.into(), problems: vec![problem] })?;
        Ok(Some(Self { row, ..run }))
    }
}

/// The sweep in a folder.
///
/// # Errors
/// When its plan cannot be read.
pub fn sweep_at(folder: &Path, recipe: &Recipe) -> Result<Sweep, Problems> {
    let plan = folder.join(folder::PLAN);
    let text = swarmarium_scene::scene::reader::read_text(&plan)?;
    Source { name: plan.display().to_string(), text, is_shipped: false }.resolve(recipe, &Options::default())
}

/// The values of the parameters of controllers in the run of an address; none for other paths.
///
/// # Errors
/// When the sweep has no such run, or its plan cannot be read.
pub fn controller_values(file: &str, recipe: &Recipe) -> Result<Vec<ControllerValue>, Problems> {
    let Some((folder, run)) = parse(Path::new(file)) else { return Ok(Vec::new()) };
    let sweep = sweep_at(&folder, recipe)?;
    check(file, &sweep, run)?;
    let values = sweep.controller_values(run);
    values.map_err(|problem| Problems { source_name: file.into(), problems: vec![problem] })
}

/// Refuses a run that the sweep does not have.
fn check(file: &str, sweep: &Sweep, run: Run) -> Result<(), Problems> {
    if run.point < sweep.points.len() && run.repetition < sweep.repetitions {
        return Ok(());
    }
    let message = format!("the sweep has {} points and {} repetitions", sweep.points.len(), sweep.repetitions);
    Err(Problems::of_file(file, message))
}

/// The run folder at a path; `None` where there is none, and at an address whose folder does not hold the run of its row.
///
/// # Errors
/// When a file in it cannot be read, it is the folder of a batch or a sweep, or the sweep has no such run.
pub fn run_folder(path: &Path, recipe: &Recipe) -> anyhow::Result<Option<RunFolder>> {
    let kind = FolderKind::from_path(path);
    // The folder of a sweep or a batch may have the name of a shipped scene: `./milling` is the folder.
    if kind != Some(FolderKind::Run) && path.to_str().is_some_and(|name| shipped::get(name).is_some()) {
        return Ok(None);
    }
    if let Some((folder, run)) = parse(path).filter(|_| kind.is_some()) {
        let sweep = sweep_at(&folder, recipe)?;
        check(&path.display().to_string(), &sweep, run)?;
        let outcome = Folder::open(&folder)?.index()?.get(sweep.key(run));
        if !outcome.is_some_and(|outcome| holds(path, &outcome)) {
            return Ok(None);
        }
    }
    Ok(RunFolder::open(path)?)
}

/// Whether a folder holds a complete run with an outcome.
pub fn holds(path: &Path, outcome: &Outcome) -> bool {
    #[derive(Deserialize)]
    struct Manifest {
        format: u32,
        steps: u64,
        final_state_hash: String,
        /// Run folders that a driver saved lack this field: they are complete.
        #[serde(default)]
        interrupted: bool,
    }
    let text = files::read_at_most(&path.join(MANIFEST), 1 << 20).unwrap_or_default();
    let manifest: Option<Manifest> = serde_json::from_slice(&text).ok();
    manifest.is_some_and(|manifest| {
        manifest.format <= FORMAT
            && !manifest.interrupted
            && (manifest.steps, manifest.final_state_hash) == (outcome.steps, hex(outcome.hash))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_count_from_1() {
        let run = |point, repetition| Some(Run { point, repetition });
        assert_eq!(of(Path::new("a"), Run { point: 11, repetition: 2 }), Path::new("a/runs/12-3"));
        assert_eq!((named(Path::new("a/runs/12-3")), named(Path::new("1-1"))), (run(11, 2), run(0, 0)));
        for other in ["0-1", "1-0", "12", "a-1", "-1-1", "1-1-1", ".."] {
            assert_eq!(named(Path::new(other)), None, "{other}");
        }
    }
}
