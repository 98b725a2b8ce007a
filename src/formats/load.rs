//! From what the user named to a scene: files, files of other programs, shipped scenes, and overrides.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swarmarium_base::problem::{Problem, Problems, did_you_mean};
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::origins::{Origin, Origins, is_short};
use swarmarium_core::scene::path::{self, place_of};
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::scene::{base, constants, reader, shipped};

use super::import::{self, Imported, Options};
use super::{beside, templates};

/// Where a scene comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// It was made by a program.
    #[default]
    Code,
    /// It is shipped, under this name.
    Shipped(String),
    /// A file.
    File(PathBuf),
    /// It has no file yet: what it began as, such as `new scene`.
    Unsaved(&'static str),
}

impl Source {
    /// What [`load`] takes to find it again; `None` for a scene that has no name yet.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Code | Self::Unsaved(_) => None,
            Self::Shipped(name) => Some(name.clone()),
            Self::File(path) => Some(path.display().to_string()),
        }
    }
}

/// Another value for a parameter, as `--set` asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The path of the parameter.
    pub path: String,
    /// The value as a scene file would write it.
    pub value: String,
}

impl FromStr for Override {
    type Err = String;

    /// Splits at the first `=`: paths have none, values may.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((path, value)) if !path.trim().is_empty() => {
                Ok(Self { path: path.trim().into(), value: value.trim().into() })
            }
            _ => Err("expected path=value, such as groups.millers.count=50".into()),
        }
    }
}

/// A scene that was read.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The scene, with its overrides.
    pub scene: Scene,
    /// Where it comes from.
    pub source: Source,
    /// The overrides, to be applied again when it is read again.
    pub overrides: Vec<Override>,
    /// What the importer was told, to be told again.
    pub options: Options,
    /// What an importer could not carry over.
    pub warnings: Vec<Problem>,
    /// Where its values come from.
    pub origins: Origins,
    /// The [`fingerprint`] of the text that it was read from.
    pub fingerprint: u64,
}

/// A number that tells one text from another, within one run of the program.
pub fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl From<Scene> for Loaded {
    fn from(scene: Scene) -> Self {
        Self { scene, ..Self::default() }
    }
}

/// Begins a scene with a template.
///
/// # Errors
/// When there is no such template, or the kinds that it wants are not there.
pub fn template(kinds: &Kinds, name: &str) -> Result<Loaded, Problems> {
    let unknown = || Problems::of_file(name, "there is no such template");
    let loaded = ron(kinds, name, templates::get(name).ok_or_else(unknown)?)?;
    Ok(Loaded { source: Source::Unsaved("new scene"), ..loaded })
}

/// As [`load_with`], without options.
///
/// # Errors
/// As there.
pub fn load(kinds: &Kinds, name: &str, overrides: &[Override]) -> Result<Loaded, Problems> {
    load_with(kinds, name, overrides, &Options::default())
}

/// Reads a scene: a file, or a shipped scene when there is no such file (a folder is none); then applies the overrides.
///
/// # Errors
/// Says all that is wrong with the file, or with the overrides.
pub fn load_with(kinds: &Kinds, name: &str, overrides: &[Override], options: &Options) -> Result<Loaded, Problems> {
    let path = Path::new(name);
    let (mut loaded, text) = match shipped::get(name) {
        Some(text) if !path.is_file() => {
            (Loaded { source: Source::Shipped(name.into()), ..ron(kinds, name, text)? }, text.to_string())
        }
        _ => {
            let (loaded, text) = file(kinds, name, path, options)?;
            (Loaded { source: Source::File(path.into()), options: options.clone(), ..loaded }, text)
        }
    };
    overrides.clone_into(&mut loaded.overrides);
    let Loaded { scene, origins, .. } = &mut loaded;
    each_override(overrides, |wanted| {
        let path = constants::resolve(kinds, scene, &wanted.path)?;
        let before = path::get(kinds, scene, &path).ok().map(|value| write(kinds, value, Style::Short));
        // Before it is set: the override may be of the very name in its path.
        let trail = path::trail(kinds, scene, &path);
        let constants = trail.as_ref().map(|trail| constants::at(kinds, scene, trail)).unwrap_or_default();
        let constants = constants.into_iter().filter_map(|place| {
            let constant = scene.constants.get(place)?;
            Some((place, constant.name.clone(), constants::value(kinds, scene, constant)))
        });
        let constants: Vec<_> = constants.collect();
        constants::set(kinds, scene, &wanted.path, &wanted.value)?;
        if path == wanted.path {
            origins.override_at(&trail?, &wanted.value, before.filter(|before| is_short(before)));
        }
        for (place, name, before) in constants {
            let value = constants::named(scene, &name).and_then(|constant| constants::value(kinds, scene, constant));
            let steps = [(Some("constants"), 0), (None, place), (Some(constants::VALUE), 0)];
            origins.override_at(&steps, &value.unwrap_or_default(), before.filter(|before| is_short(before)));
        }
        Ok(())
    })?;
    base::resolve(kinds, scene);
    match beside::read_all(scene, path.parent().unwrap_or(path)) {
        problems if problems.is_empty() => Ok(loaded),
        problems => Err(Problems { source_name: name.into(), problems: placed(problems, &text) }),
    }
}

/// Problems with the places of their paths in the text of a scene.
fn placed(problems: Vec<Problem>, text: &str) -> Vec<Problem> {
    let place =
        |Problem { place, path, .. }: &Problem| place.or_else(|| place_of(text, path).filter(|_| !path.is_empty()));
    problems.into_iter().map(|problem| Problem { place: place(&problem), ..problem }).collect()
}

/// Says of problems with a scene that [`load`] read under a name where they stand in its file.
#[must_use]
pub fn located(name: &str, mut problems: Problems) -> Problems {
    problems.source_name = name.into();
    let path = Path::new(name);
    let text = match shipped::get(name) {
        Some(text) if !path.is_file() => Some(text.to_owned()),
        _ if import::can_import(path) => None,
        _ => reader::read_text(path).ok(),
    };
    if let Some(text) = text {
        problems.problems = placed(problems.problems, &text);
    }
    problems
}

/// Gives parameters of a scene other values.
///
/// # Errors
/// Says all that is wrong with the overrides.
pub fn override_all(kinds: &Kinds, scene: &mut Scene, overrides: &[Override]) -> Result<(), Problems> {
    each_override(overrides, |wanted| constants::set(kinds, scene, &wanted.path, &wanted.value).map(drop))
}

fn each_override(
    overrides: &[Override],
    mut set: impl FnMut(&Override) -> Result<(), Problem>,
) -> Result<(), Problems> {
    let problems: Vec<Problem> = overrides.iter().filter_map(|wanted| set(wanted).err()).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Problems { source_name: "--set".into(), problems }),
    }
}

/// Reads a file; gives its text, too.
fn file(kinds: &Kinds, name: &str, path: &Path, options: &Options) -> Result<(Loaded, String), Problems> {
    if !path.exists() && path.extension().is_none() {
        let hint = did_you_mean(name, shipped::all().map(|(name, _)| name));
        return Err(Problems::of_file(name, format!("there is no such file, and no shipped scene of this name{hint}")));
    }
    let text = reader::read_text(path)?;
    if import::can_import(path) {
        let Imported { scene, warnings } = import::import_with(kinds, name, &text, options)?;
        let (origins, fingerprint) = (Origins::all(Origin::Imported), fingerprint(&text));
        return Ok((Loaded { warnings, origins, fingerprint, ..scene.into() }, text));
    }
    match path.extension() {
        Some(extension) if !extension.eq_ignore_ascii_case("ron") => {
            Err(Problems::of_file(name, format!("cannot be read: expected a scene `.ron`, {}", import::expected())))
        }
        _ => Ok((ron(kinds, name, &text)?, text)),
    }
}

fn ron(kinds: &Kinds, name: &str, text: &str) -> Result<Loaded, Problems> {
    let scene = reader::read::<Scene>(kinds, name, text)?;
    Ok(Loaded { origins: Origins::of_text(text), fingerprint: fingerprint(text), ..scene.into() })
}

#[cfg(test)]
mod tests;
