//! From what the user named to a scene: files, foreign files, shipped scenes, `--seed` and `--set`.

use std::path::Path;

use super::{Common, tell};
use crate::edit::{LoggedEdit, log};
use crate::kind::Kinds;
use crate::scene::description::Scene;
use crate::scene::import::{self, Imported};
use crate::scene::problem::{Problem, Problems, did_you_mean};
use crate::scene::{path, reader, shipped};

/// Reads a scene: a file, or a shipped scene when there is no such file; then applies `--seed` and `--set`.
///
/// # Errors
/// Says all that is wrong with the file, or with the overrides.
pub fn scene(file: &str, common: &Common, kinds: &Kinds) -> Result<Scene, Problems> {
    match shipped::get(file) {
        Some(text) if !Path::new(file).exists() => self::text(file, text, common, kinds),
        _ => overridden(read_file(file, common, kinds)?, common, kinds),
    }
}

/// Reads the text of a scene; then applies `--seed` and `--set`.
///
/// # Errors
/// Says all that is wrong with the text, or with the overrides.
pub fn text(name: &str, text: &str, common: &Common, kinds: &Kinds) -> Result<Scene, Problems> {
    overridden(reader::read(kinds, name, text)?, common, kinds)
}

fn overridden(mut scene: Scene, common: &Common, kinds: &Kinds) -> Result<Scene, Problems> {
    if let Some(seed) = common.seed {
        scene.seed = seed;
    }
    let overrides = common.overrides.iter();
    let problems: Vec<Problem> =
        overrides.filter_map(|wanted| path::set(kinds, &mut scene, &wanted.path, &wanted.value).err()).collect();
    match problems.is_empty() {
        true => Ok(scene),
        false => Err(Problems { source_name: "--set".into(), problems }),
    }
}

fn read_file(file: &str, common: &Common, kinds: &Kinds) -> Result<Scene, Problems> {
    let path = Path::new(file);
    if !path.exists() && path.extension().is_none() {
        let hint = did_you_mean(file, shipped::all().map(|(name, _)| name));
        return Err(Problems::of_file(file, format!("there is no such file, and no shipped scene of this name{hint}")));
    }
    let text = reader::read_text(path)?;
    if import::can_import(path) {
        let Imported { scene, warnings } = import::import(kinds, file, &text)?;
        if !common.quiet {
            warn(file, warnings);
        }
        return Ok(scene);
    }
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("ron") => reader::read(kinds, file, &text),
        None => reader::read(kinds, file, &text),
        Some(_) => Err(Problems::of_file(file, "cannot be read: expected a scene `.ron`, or a world `.yaml`, `.yml`")),
    }
}

fn warn(file: &str, warnings: Vec<Problem>) {
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
/// Says where the file is no log.
pub fn edits(file: &Path) -> Result<Vec<LoggedEdit>, Problems> {
    let name = file.display().to_string();
    let log = log::read(&name, &reader::read_text(file)?)?;
    match log.first() {
        Some(LoggedEdit { step: 0, .. }) => {
            Err(Problems::of_file(name, "there is no step 0: steps are counted from 1"))
        }
        _ => Ok(log),
    }
}

/// What is wrong with an edit of a log that makes no sense at its step.
pub fn senseless(file: &Path, step: u64, problem: Problem) -> Problems {
    // A place within the text of a value is no place in the file.
    let problems = vec![Problem { place: None, ..problem }];
    Problems { source_name: format!("{}: edit of step {step}", file.display()), problems }
}
