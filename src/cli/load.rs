//! Loading of scenes by name: files, foreign files, shipped scenes, with `--seed` and `--set`.

use std::path::Path;

use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::edit::{LoggedEdit, log};
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::reader;
use swarmarium_formats::load::{Loaded, load_with, override_all};

use super::{Common, tell};

/// Reads a scene: a file, or a shipped scene when there is no such file; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the file, or of the overrides.
pub fn scene(file: &str, common: &Common, kinds: &Kinds) -> Result<Loaded, Problems> {
    let loaded = load_with(kinds, file, &common.overrides(), &common.import_options())?;
    if !common.quiet {
        warn(file, loaded.warnings.clone());
    }
    Ok(loaded)
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

/// Reads a log of edits.
///
/// # Errors
/// All problems of the file.
pub fn edits(file: &Path) -> Result<Vec<LoggedEdit>, Problems> {
    let name = shown(file);
    let text = reader::read_text(file)?;
    let log = log::read(&name, &text)?;
    match log.first().filter(|first| first.step == 0) {
        Some(first) => {
            let message = "there is no step 0: steps are counted from 1".into();
            let problem = Problem { place: log::place_of(&text, first), path: String::new(), message };
            Err(Problems { source_name: name, problems: vec![problem] })
        }
        None => Ok(log),
    }
}

/// The problem of a log with an edit that is invalid at its step, with the place of the edit in the file.
pub fn invalid_edit(file: &Path, logged: &LoggedEdit, problem: Problem) -> Problems {
    let place = reader::read_text(file).ok().and_then(|text| log::place_of(&text, logged));
    // The place of the problem is within the text of a value, not within the file.
    let message = Problem { place: None, ..problem }.to_string();
    let problem = Problem { place, path: format!("edit of step {}", logged.step), message };
    Problems { source_name: shown(file), problems: vec![problem] }
}
