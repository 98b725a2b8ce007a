//! Loading of scenes by name: files, foreign files, shipped scenes, with `--seed` and `--set`.

use std::path::{Path, PathBuf};

use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::edit::{LoggedEdit, log};
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::description::{Scene, Stop};
use swarmarium_core::scene::reader;
use swarmarium_core::simulation::Recipe;
use swarmarium_formats::import::Options;
use swarmarium_formats::load::{Loaded, Override, load_with, override_all};
use swarmarium_sweep::source::Source;
use swarmarium_sweep::{Folder, Run, folder};

use super::sweep::plan;
use super::{Common, tell};

/// Reads a scene: a file, or a shipped scene when there is no such file; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the file, or of the overrides.
pub fn scene(file: &str, common: &Common, recipe: &Recipe) -> Result<Loaded, Problems> {
    let of_sweep = run_of_sweep(file, recipe)?;
    let of_file = || RunOfSweep { file: file.into(), ..RunOfSweep::default() };
    let RunOfSweep { file, mut overrides, edits, stop } = of_sweep.unwrap_or_else(of_file);
    overrides.extend(common.overrides());
    let loaded = load_with(recipe.kinds(), &file, &overrides, &common.import_options());
    let mut loaded = loaded.map_err(|problems| no_scene(&file).unwrap_or(problems))?;
    loaded.edits.extend(edits);
    loaded.scene.stop = stop.unwrap_or(loaded.scene.stop);
    if !common.quiet {
        warn(&file, loaded.warnings.clone());
    }
    Ok(loaded)
}

/// The problem of a plan, or of the folder of a sweep, given as a scene.
fn no_scene(file: &str) -> Option<Problems> {
    if Folder::is_at(Path::new(file)) {
        let message =
            format!("is the folder of a sweep: `{}` is its first run", shown(Path::new(file).join(RUNS).join("1-1")));
        return Some(Problems::of_file(file, message));
    }
    let is_plan = plan::is_plan(file).ok()?;
    is_plan.then(|| Problems::of_file(file, format!("is a plan: `swarmarium sweep {}` runs it", shown(file))))
}

/// The folder of runs within the folder of a sweep.
pub const RUNS: &str = "runs";

/// The address of a run of a sweep: a path such as `sweeps/milling/runs/12-3`, for the third repetition of point 12. The
/// folder need not exist.
pub fn address_of(folder: &Path, run: Run) -> PathBuf {
    folder.join(RUNS).join(format!("{}-{}", run.point + 1, run.repetition + 1))
}

/// Point and repetition in the name of the folder of a run of a sweep, counted from 1.
fn numbers_of(path: &Path) -> Option<(usize, u64)> {
    let (point, repetition) = path.file_name()?.to_str()?.split_once('-')?;
    Some((point.parse().ok()?, repetition.parse().ok()?))
}

/// Whether a path has the name of a run of a sweep, such as `12-3`.
pub fn is_name_of_run(path: &Path) -> bool {
    numbers_of(path).is_some()
}

/// A run of a sweep: the file of its scene, and what the run adds to it.
#[derive(Default)]
struct RunOfSweep {
    file: String,
    overrides: Vec<Override>,
    edits: Vec<LoggedEdit>,
    /// Its end, if it differs from that of the scene.
    stop: Option<Stop>,
}

/// A run by its address in the folder of a sweep; `None` for other paths.
///
/// # Errors
/// When the sweep has no such run, or its plan cannot be read.
fn run_of_sweep(file: &str, recipe: &Recipe) -> Result<Option<RunOfSweep>, Problems> {
    let path = Path::new(file);
    let folder = path.parent().filter(|runs| runs.file_name().is_some_and(|name| name == RUNS)).and_then(Path::parent);
    let numbers = numbers_of(path);
    let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let (Some(folder), Some((point, repetition))) = (folder.filter(|folder| Folder::is_at(folder)), numbers) else {
        return Ok(None);
    };
    let plan = folder.join(folder::PLAN);
    let source = Source { name: plan.display().to_string(), text: reader::read_text(&plan)? };
    let sweep = source.resolve(recipe, &Options::default())?;
    let counts = (1..=sweep.points.len()).contains(&point) && (1..=sweep.repetitions).contains(&repetition);
    if !counts {
        let message = format!("the sweep has {} points and {} repetitions", sweep.points.len(), sweep.repetitions);
        return Err(Problems::of_file(file, message));
    }
    let run = Run { point: point - 1, repetition: repetition - 1 };
    let refuse = |problem| Problems { source_name: file.into(), problems: vec![problem] };
    let mut overrides = sweep.overrides(run).map_err(refuse)?;
    let mut stop = None;
    if sweep.begins_later() {
        // The factors get their values by edits.
        overrides.truncate(1);
        stop = Some(sweep.whole_stop());
    }
    let edits = sweep.edits_of(run).map_err(refuse)?;
    Ok(Some(RunOfSweep { file: folder.join(folder::SCENE).display().to_string(), overrides, edits, stop }))
}

/// Reads a scene from a text and adapts it with `fit`; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the text, or of the overrides.
pub fn text(
    (name, text): (&str, &str),
    fit: impl FnOnce(&mut Scene),
    common: &Common,
    kinds: &Kinds,
) -> Result<Scene, Problems> {
    let mut scene = reader::read(kinds, name, text)?;
    fit(&mut scene);
    override_all(kinds, &mut scene, &common.overrides())?;
    Ok(scene)
}

/// Prints the warnings of an importer or exporter.
pub fn warn(file: &str, warnings: Vec<Problem>) {
    if warnings.is_empty() {
        return;
    }
    let problems = warnings
        .into_iter()
        .map(|warning| Problem { message: format!("warning: {}", warning.message), ..warning })
        .collect();
    tell(Problems { source_name: file.into(), problems });
}

/// The problem of a log with an edit that is invalid at its step, with the place of the edit in the file.
pub fn invalid_edit(file: &Path, logged: &LoggedEdit, problem: Problem) -> Problems {
    let place = reader::read_text(file).ok().and_then(|text| log::place_of(&text, logged));
    // The place of the problem is within the text of a value, not within the file.
    let message = Problem { place: None, ..problem }.to_string();
    let problem = Problem { place, path: format!("edit of step {}", logged.step), message };
    Problems { source_name: shown(file), problems: vec![problem] }
}
