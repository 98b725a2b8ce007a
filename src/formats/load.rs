//! Loading a scene by name: files, files of other programs, shipped scenes, and overrides.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swarmarium_base::files;
use swarmarium_base::problem::{Problem, Problems, did_you_mean};
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::origins::{Origin, Origins, is_short};
use swarmarium_scene::scene::path::{self, nearest_place_of};
use swarmarium_scene::scene::scripts::{ScriptOf, read_changed, scripts};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{base, constants, controls, reader, shipped};
use swarmarium_simulation::edit::LoggedEdit;

use super::import::{self, FileFormat, Imported, Options};
use super::share::{self, Shared};
use super::{referenced_files, templates};

/// The source of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A program.
    #[default]
    Code,
    /// A shipped scene with this name.
    Shipped(String),
    /// A file.
    File(PathBuf),
    /// No file yet: the beginning of the scene, such as `new scene`.
    Unsaved(&'static str),
}

impl Source {
    /// The name with which [`load`] finds the scene again; `None` for a scene without a name.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Code | Self::Unsaved(_) => None,
            Self::Shipped(name) => Some(name.clone()),
            Self::File(path) => Some(path.display().to_string()),
        }
    }
}

/// A new value for a parameter, as `--set` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The path of the parameter.
    pub path: String,
    /// The value as a scene file writes it.
    pub value: String,
}

/// A text is not an override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected path=value, such as groups.millers.count=50")]
pub struct OverrideError;

impl FromStr for Override {
    type Err = OverrideError;

    /// Splits the text at the first `=`, as paths have none and values can have some.
    fn from_str(text: &str) -> Result<Self, OverrideError> {
        match text.split_once('=') {
            Some((path, value)) if !path.trim().is_empty() => {
                Ok(Self { path: path.trim().into(), value: value.trim().into() })
            }
            _ => Err(OverrideError),
        }
    }
}

/// A loaded scene.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The scene, with its overrides.
    pub scene: Scene,
    /// Its source.
    pub source: Source,
    /// The overrides, for loading the scene again.
    pub overrides: Vec<Override>,
    /// The options of the importer, for loading the scene again.
    pub options: Options,
    /// The warnings of an importer.
    pub warnings: Vec<Problem>,
    /// The files that an imported file includes.
    pub included: Vec<PathBuf>,
    /// The format of an imported file.
    pub format: Option<&'static FileFormat>,
    /// The origins of its values.
    pub origins: Origins,
    /// The [`fingerprint`] of its text.
    pub fingerprint: u64,
    /// The changes of its run, where it was shared with some.
    pub edits: Vec<LoggedEdit>,
    /// The step before which no condition ends its run, as that at which the runs of a sweep begin.
    pub begin: u64,
    /// The last step of its run and the hash of the state after it, if the run is known, as that of a sweep.
    pub known_end: Option<KnownEnd>,
}

/// The end of a run that was made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownEnd {
    /// The number of steps.
    pub steps: u64,
    /// The hash of the last state.
    pub hash: u64,
}

/// A hash of a text, which is stable within one run of the program.
pub fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The [`fingerprint`] of a file that [`load`] reads; `None` if it cannot be read.
pub fn fingerprint_of_file(path: &Path) -> Option<u64> {
    let text = match import::can_import(path) {
        true => import::text_of(&files::read_at_most(path, reader::MAX_BYTES).ok()?),
        false => reader::read_text(path).ok()?,
    };
    Some(fingerprint(&text))
}

impl From<Scene> for Loaded {
    fn from(scene: Scene) -> Self {
        Self { scene, ..Self::default() }
    }
}

/// Begins a scene with a template.
///
/// # Errors
/// When the template does not exist, or the program lacks one of its kinds.
pub fn template(kinds: &Kinds, name: &str) -> Result<Loaded, Problems> {
    let unknown = || Problems::of_file(name, "there is no such template");
    let loaded = read_ron(kinds, name, templates::get(name).ok_or_else(unknown)?)?;
    Ok(Loaded { source: Source::Unsaved("new scene"), ..loaded })
}

/// As [`load_with`], without options.
///
/// ```
/// use swarmarium_simulation::prelude::*;
/// use swarmarium_formats::load::{Override, load};
/// use swarmarium_formats::standard::Standard as _;
///
/// let more = "groups.millers.count=12".parse::<Override>().unwrap();
/// let loaded = load(Recipe::standard().kinds(), "milling", &[more])?;
/// assert_eq!(loaded.scene.groups[0].count, 12);
/// # Ok::<(), swarmarium_base::problem::Problems>(())
/// ```
///
/// # Errors
/// As for [`load_with`].
pub fn load(kinds: &Kinds, name: &str, overrides: &[Override]) -> Result<Loaded, Problems> {
    load_with(kinds, name, overrides, &Options::default())
}

/// Loads a scene: a file, or a shipped scene if no file has the name (folders do not count). Then applies the overrides.
///
/// # Errors
/// Lists all problems of the file, or of the overrides.
pub fn load_with(kinds: &Kinds, name: &str, overrides: &[Override], options: &Options) -> Result<Loaded, Problems> {
    let path = Path::new(name);
    let (loaded, text) = match shipped::get(name) {
        Some(text) if !path.is_file() => {
            (Loaded { source: Source::Shipped(name.into()), ..read_ron(kinds, name, text)? }, text.to_string())
        }
        _ => {
            let (loaded, text) = read_file(kinds, name, path, options)?;
            (Loaded { source: Source::File(path.into()), options: options.clone(), ..loaded }, text)
        }
    };
    complete(kinds, (name, &text), path.parent().unwrap_or(path), overrides, loaded)
}

/// Loads a scene from a text, with its name in messages. Files that it names are in the current folder.
///
/// # Errors
/// Lists all problems of the text, or of the overrides.
pub fn load_text(kinds: &Kinds, (name, text): (&str, &str), overrides: &[Override]) -> Result<Loaded, Problems> {
    let loaded = Loaded { source: Source::Unsaved("text"), ..read_ron(kinds, name, text)? };
    complete(kinds, (name, text), Path::new(""), overrides, loaded)
}

/// Applies overrides to a scene that is read from a text, and reads the files that it names in a folder.
fn complete(
    kinds: &Kinds,
    (name, text): (&str, &str),
    folder: &Path,
    overrides: &[Override],
    mut loaded: Loaded,
) -> Result<Loaded, Problems> {
    overrides.clone_into(&mut loaded.overrides);
    let Loaded { scene, source, origins, .. } = &mut loaded;
    let folder_of_scripts = Some(folder).filter(|_| !matches!(source, Source::Shipped(_)));
    apply_each(overrides, |one| {
        let path = constants::resolve(kinds, scene, &one.path)?;
        let before = path::get(kinds, scene, &path).ok().map(|value| write(kinds, value, Style::Short));
        // Taken before the value is set, as the override can change a name in its own path.
        let trail = path::trail(kinds, scene, &path);
        let constants = trail.as_ref().map(|trail| constants::at(kinds, scene, trail)).unwrap_or_default();
        let constants = constants.into_iter().filter_map(|place| {
            let constant = scene.constants.get(place)?;
            Some((place, constant.name.clone(), constants::value(kinds, scene, constant)))
        });
        let constants: Vec<_> = constants.collect();
        let scripts_before: Vec<ScriptOf> = scripts(scene).collect();
        constants::set(kinds, scene, &one.path, &one.value)?;
        // Another script declares other parameters, which later overrides may set.
        read_changed(kinds, scene, &scripts_before, folder_of_scripts)?;
        if path == one.path {
            origins.override_at(&trail?, &one.value, before.filter(|before| is_short(before)));
        }
        for (place, name, before) in constants {
            let value = constants::named(scene, &name).and_then(|constant| constants::value(kinds, scene, constant));
            let steps = [(Some("constants"), 0), (None, place), (Some(constants::VALUE), 0)];
            origins.override_at(&steps, &value.unwrap_or_default(), before.filter(|before| is_short(before)));
        }
        Ok(())
    })?;
    base::resolve(kinds, scene);
    let mut problems = controls::problems(kinds, scene);
    problems.extend(referenced_files::read_all(scene, folder));
    match problems {
        problems if problems.is_empty() => Ok(loaded),
        problems => Err(Problems { source_name: name.into(), problems: with_places(problems, text) }),
    }
}

/// Adds the places of their paths in the text of a scene to problems, or those of the nearest fields around them.
fn with_places(problems: Vec<Problem>, text: &str) -> Vec<Problem> {
    let place = |Problem { place, path, .. }: &Problem| place.or_else(|| nearest_place_of(text, path));
    problems.into_iter().map(|problem| Problem { place: place(&problem), ..problem }).collect()
}

/// Adds the places in a text to problems with the scene that [`load_text`] loaded from it.
#[must_use]
pub fn locate_problems_in((name, text): (&str, &str), problems: Problems) -> Problems {
    Problems { source_name: name.into(), problems: with_places(problems.problems, text) }
}

/// Adds the places in its file to problems with a scene that [`load`] loaded by name.
#[must_use]
pub fn locate_problems(name: &str, mut problems: Problems) -> Problems {
    problems.source_name = name.into();
    let path = Path::new(name);
    let text = match shipped::get(name) {
        Some(text) if !path.is_file() => Some(text.to_owned()),
        _ if import::can_import(path) || share::is_shared(path) => None,
        _ => reader::read_text(path).ok(),
    };
    if let Some(text) = text {
        problems.problems = with_places(problems.problems, &text);
    }
    problems
}

/// Applies overrides to a scene.
///
/// # Errors
/// Lists all problems of the overrides.
pub fn override_all(kinds: &Kinds, scene: &mut Scene, overrides: &[Override]) -> Result<(), Problems> {
    apply_each(overrides, |one| constants::set(kinds, scene, &one.path, &one.value).map(drop))
}

/// Applies each override, and collects the problems of all.
fn apply_each(overrides: &[Override], mut set: impl FnMut(&Override) -> Result<(), Problem>) -> Result<(), Problems> {
    let problems: Vec<Problem> = overrides.iter().filter_map(|one| set(one).err()).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Problems { source_name: "--set".into(), problems }),
    }
}

/// The problem of a name that is neither that of a file or folder nor that of a shipped scene; `None` for other names.
pub fn missing(name: &str) -> Option<Problems> {
    let path = Path::new(name);
    if path.exists() || shipped::get(name).is_some() {
        return None;
    }
    let near = near(name);
    let scenes = match (path.extension(), near.is_empty()) {
        (Some(_), _) => "",
        (None, false) => ", and no shipped scene of this name",
        (None, true) => ", and no shipped scene of this name; `list scenes` has their names",
    };
    Some(Problems::of_file(name, format!("there is no such file{scenes}{near}")))
}

/// The largest number of files of a folder among which a similar name is searched.
const MAX_NEAR: usize = 1000;

/// The file of a name without its ending: `study.sweep.ron` for `study.sweep`; `None` if there is none.
pub fn with_ending(name: &str) -> Option<String> {
    let file = format!("{name}.ron");
    Path::new(&file).is_file().then_some(file)
}

/// The file or shipped scene that a name may stand for, as an addition to a message.
pub fn near(name: &str) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let is_alone = path.parent().is_none_or(|parent| parent.as_os_str().is_empty());
    let is_readable = |path: &Path| {
        path.extension().is_some_and(|ending| ending == "ron") || share::is_shared(path) || import::can_import(path)
    };
    let parent = path.parent().filter(|_| !is_alone).unwrap_or_else(|| Path::new("."));
    let entries = std::fs::read_dir(parent).into_iter().flatten().take(MAX_NEAR);
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_readable(path) && path.is_file());
    let mut files: Vec<String> =
        files.map(|file| file.strip_prefix(".").unwrap_or(&file).display().to_string()).collect();
    files.sort();
    let same = files.iter().find(|file| Path::new(file).file_stem().is_some_and(|known| known == stem));
    match same.or(with_ending(name).as_ref()) {
        Some(file) => format!("; did you mean `{file}`?"),
        None if is_alone && shipped::get(stem).is_some() => format!(": the shipped scene is called `{stem}`"),
        None => {
            let scenes = shipped::all().map(|(name, _)| name).filter(|_| is_alone);
            match did_you_mean(name, files.iter().map(String::as_str)) {
                hint if hint.is_empty() => did_you_mean(stem, scenes),
                hint => hint,
            }
        }
    }
}

/// Reads a file. Gives its text as well.
fn read_file(kinds: &Kinds, name: &str, path: &Path, options: &Options) -> Result<(Loaded, String), Problems> {
    if let Some(missing) = missing(name) {
        return Err(missing);
    }
    if share::is_shared(path) {
        let shared = Shared::open(path).map_err(|error| Problems::of_file(name, error.to_string()))?;
        let loaded = read_ron(kinds, &format!("{name}/scene.ron"), &shared.scene)?;
        return Ok((Loaded { edits: shared.edits, ..loaded }, shared.scene));
    }
    if import::can_import(path) {
        let content = files::read_at_most(path, reader::MAX_BYTES);
        let content = content.map_err(|error| Problems::of_file(files::shown(path), error.to_string()))?;
        let Imported { scene, warnings, included } = import::import_with(kinds, name, &content, options)?;
        let text = import::text_of(&content);
        let (origins, fingerprint) = (Origins::all(Origin::Imported), fingerprint(&text));
        let format = import::format_of(path, &content);
        return Ok((Loaded { warnings, included, format, origins, fingerprint, ..scene.into() }, text));
    }
    let text = reader::read_text(path)?;
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("luau") || extension.eq_ignore_ascii_case("lua") => {
            Err(Problems::of_file(name, script_in_scene(name)))
        }
        Some(extension) if !extension.eq_ignore_ascii_case("ron") => {
            let extension = extension.to_string_lossy().to_lowercase();
            let foreign = FOREIGN.iter().find(|(foreign, _)| *foreign == extension);
            let message = match foreign {
                Some((_, program)) => format!(
                    "is a file of {program}, which this program does not read; `list importers` names the files that it reads"
                ),
                None => {
                    format!("cannot be read: expected a scene `.ron`, a shared scene `.swarm`, {}", import::expected())
                }
            };
            Err(Problems::of_file(name, message))
        }
        _ => Ok((read_ron(kinds, name, &text)?, text)),
    }
}

/// Extensions of files of other simulators that cannot be read, with their programs.
const FOREIGN: [(&str, &str); 9] = [
    ("sdf", "Gazebo (SDF)"),
    ("urdf", "ROS (URDF)"),
    ("xacro", "ROS (xacro)"),
    ("launch", "ROS (launch)"),
    ("wbt", "Webots"),
    ("proto", "Webots"),
    ("nlogo", "NetLogo"),
    ("nlogox", "NetLogo"),
    ("ttt", "CoppeliaSim"),
];

/// The message about a script in the place of a scene.
fn script_in_scene(name: &str) -> String {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    format!("is a script, which a scene names as the controller of a group: `controller: Script(file: \"{file}\")`")
}

/// Reads a scene in RON.
fn read_ron(kinds: &Kinds, name: &str, text: &str) -> Result<Loaded, Problems> {
    let scene = reader::read::<Scene>(kinds, name, text)?;
    Ok(Loaded { origins: Origins::of_text(text), fingerprint: fingerprint(text), ..scene.into() })
}

#[cfg(test)]
mod tests;
