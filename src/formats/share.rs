//! Scenes shared as one file: an archive with the scene, its changes, its original files, a picture and a text.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, FileError};
use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log;
use thiserror::Error;

use super::archive::{Archive, ArchiveError, member_name};
use super::referenced_files;

/// The extension of shared scenes.
pub const EXTENSION: &str = "swarm";
/// The version of the format that this program writes, and the newest one that it reads.
pub const FORMAT: u32 = 1;

/// The members of a shared scene.
const SCENE: &str = "scene.ron";
const EDITS: &str = "edits.ron";
const MANIFEST: &str = "manifest.json";
const PICTURE: &str = "picture.png";
const README: &str = "README.txt";
/// The folder of the original files.
const SOURCE: &str = "source/";
/// The folder there of files outside the folder of the scene.
const OUTSIDE: &str = "outside";

/// Whether a file has the extension of shared scenes.
pub fn is_shared(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(EXTENSION))
}

/// A scene to share, or one that was shared.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// The manifest.
    pub manifest: Manifest,
    /// The scene at its start as text, with every field: it needs no other file.
    pub scene: String,
    /// The changes of its run.
    pub edits: Vec<LoggedEdit>,
    /// A picture of its view, as PNG.
    pub picture: Option<Vec<u8>>,
    /// The original files, by name.
    pub source: Vec<(String, Vec<u8>)>,
}

/// The manifest of a shared scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// The version of the program that wrote it.
    pub version: String,
    /// The title of the scene.
    pub title: String,
    /// The number of steps after which it was shared.
    #[serde(default)]
    pub steps: u64,
    /// The hash of the state after these steps.
    #[serde(default)]
    pub final_state_hash: String,
}

/// The reason why a scene cannot be shared, or a shared one not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShareError {
    /// The archive cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The manifest has an error.
    #[error("its member `{MANIFEST}` is damaged: {0}")]
    Manifest(String),
    /// A newer program wrote the file.
    #[error("is of format {0}, and this program reads up to {FORMAT}")]
    Format(u32),
    /// The log of changes has an error.
    #[error("{0}")]
    Edits(Problems),
    /// An original file cannot be read.
    #[error("`{name}` {error}")]
    Source {
        /// The name of the file.
        name: String,
        /// The reason.
        error: FileError,
    },
}

impl Shared {
    /// A scene at its start, with the changes of its run.
    pub fn new(kinds: &Kinds, title: &str, start: &Scene, edits: Vec<LoggedEdit>) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let manifest = Manifest { format: FORMAT, version, title: title.to_owned(), ..Manifest::default() };
        Self {
            manifest,
            scene: write(kinds, &start.clone().without_placed(), Style::Full) + "\n",
            edits,
            ..Self::default()
        }
    }

    /// Adds the file that the scene was read from, the files beside it that the scene names, and those that an imported file
    /// includes, as they are.
    ///
    /// # Errors
    /// When the file of the scene cannot be read.
    pub fn add_source(&mut self, path: &Path, scene: &Scene, included: &[PathBuf]) -> Result<(), ShareError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = files::read_at_most(path, super::archive::MAX_BYTES)
            .map_err(|error| ShareError::Source { name: name.clone(), error })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let folder = path.parent().unwrap_or(path);
        for named in referenced_files::names(scene).chain(presets(folder, &text)) {
            // The scene has their content already: one that is gone is not a loss.
            let read = files::within(folder, &named)
                .ok()
                .and_then(|path| files::read_at_most(&path, super::archive::MAX_BYTES).ok());
            self.source.extend(read.map(|bytes| (named, bytes)));
        }
        let images = referenced_files::images_of_maps(scene, folder);
        let included: Vec<&PathBuf> = included.iter().chain(&images).collect();
        let root = folder_of(path).canonicalize().unwrap_or_default();
        for file in included {
            let inside = file.strip_prefix(&root).ok().map(|inside| inside.to_string_lossy().into_owned());
            let outside = || format!("{OUTSIDE}/{}", file.file_name().unwrap_or_default().to_string_lossy());
            let read = files::read_at_most(file, super::archive::MAX_BYTES).ok();
            self.source.extend(read.map(|bytes| (inside.unwrap_or_else(outside), bytes)));
        }
        self.source.push((name, bytes));
        Ok(())
    }

    /// The original files by their names in the archive, each with its own name. Two files never share a name.
    fn members(&self) -> BTreeMap<String, (&str, &[u8])> {
        let mut members: BTreeMap<String, (&str, &[u8])> = BTreeMap::new();
        for (name, bytes) in &self.source {
            let member = member_name(SOURCE, name);
            let is_free = |member: &String| match members.get(member) {
                None => true,
                Some((known, own)) => *known == name.as_str() && *own == bytes.as_slice(),
            };
            let numbered = (2_u64..).map(|number| numbered(&member, number));
            if let Some(member) = std::iter::once(member.clone()).chain(numbered).find(is_free) {
                members.insert(member, (name, bytes));
            }
        }
        members
    }

    /// The original files that have another name in the archive, which not every name can be: the name of each, and that in
    /// the archive.
    pub fn renamed(&self) -> Vec<(String, String)> {
        let is_same = |member: &str, name: &str| member.strip_prefix(SOURCE) == Some(name.trim_start_matches("./"));
        let renamed = self.members().into_iter().filter(|(member, (name, _))| !is_same(member, name));
        renamed.map(|(member, (name, _))| (name.to_owned(), member)).collect()
    }

    /// A sentence about the original files that have another name in the archive; `None` without such files.
    pub fn renaming_note(&self) -> Option<String> {
        let renamed = self.renamed();
        let (name, member) = renamed.first()?;
        let more = if renamed.len() > 1 { format!(", and {} more", renamed.len() - 1) } else { String::new() };
        Some(format!("{name:?} is called {member} in it{more}, as `:` and `\\` are not allowed there"))
    }

    /// The bytes of the file. Equal scenes give equal bytes.
    ///
    /// # Errors
    /// When the members are too large or too many.
    pub fn write(&self) -> Result<Vec<u8>, ShareError> {
        let mut archive = Archive::default();
        let mut add = |name: &str, bytes: Vec<u8>| drop(archive.0.insert(name.to_owned(), bytes));
        let manifest = serde_json::to_string_pretty(&self.manifest);
        let manifest = manifest.map_err(|error| ShareError::Manifest(error.to_string()))? + "\n";
        for (member, (_, bytes)) in self.members() {
            add(&member, bytes.to_vec());
        }
        add(SCENE, self.scene.clone().into_bytes());
        add(MANIFEST, manifest.into_bytes());
        add(README, self.readme().into_bytes());
        if !self.edits.is_empty() {
            add(EDITS, log::write(&self.edits).into_bytes());
        }
        if let Some(picture) = &self.picture {
            add(PICTURE, picture.clone());
        }
        Ok(archive.write()?)
    }

    /// Reads a shared scene.
    ///
    /// # Errors
    /// When the archive is damaged, lacks its scene or its manifest, or is of a newer format.
    pub fn read(bytes: &[u8]) -> Result<Self, ShareError> {
        Self::from_archive(Archive::read(bytes)?)
    }

    /// Reads the shared scene in a file.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, ShareError> {
        Self::from_archive(Archive::open(path)?)
    }

    fn from_archive(archive: Archive) -> Result<Self, ShareError> {
        let manifest: Manifest =
            serde_json::from_str(archive.text(MANIFEST)?).map_err(|error| ShareError::Manifest(error.to_string()))?;
        if manifest.format > FORMAT {
            return Err(ShareError::Format(manifest.format));
        }
        let scene = archive.text(SCENE)?.to_owned();
        let edits = match archive.0.contains_key(EDITS) {
            true => log::read(EDITS, archive.text(EDITS)?).map_err(ShareError::Edits)?,
            false => Vec::new(),
        };
        if edits.iter().any(|logged| logged.step == 0) {
            let message = "there is no step 0: steps are counted from 1";
            return Err(ShareError::Edits(Problems::of_file(EDITS, message)));
        }
        let picture = archive.0.get(PICTURE).cloned();
        let members = archive.0.into_iter();
        let source = members.filter_map(|(name, bytes)| Some((name.strip_prefix(SOURCE)?.to_owned(), bytes)));
        Ok(Self { manifest, scene, edits, picture, source: source.collect() })
    }

    fn readme(&self) -> String {
        let Manifest { version, title, steps, final_state_hash, .. } = &self.manifest;
        let run = match final_state_hash.as_str() {
            "" => String::new(),
            hash => format!("After {steps} steps its state has the hash {hash}.\n"),
        };
        let members = [
            (SCENE, "the scene at its start, with every field", true),
            (EDITS, "its changes, with the steps at which they were made", !self.edits.is_empty()),
            (PICTURE, "what the view showed", self.picture.is_some()),
            (SOURCE, "the original files", !self.source.is_empty()),
        ];
        let line = |(name, content, _): (&str, &str, bool)| format!("{name:<13} {content}\n");
        let members: String = members.into_iter().filter(|(.., is_there)| *is_there).map(line).collect();
        let renamed = self.renamed().into_iter().map(|(name, member)| format!("{member} is the file {name:?}\n"));
        let members = members + &renamed.collect::<String>();
        format!(
            "{title}\n\nA scene of Swarmarium {version}, as one file.\n\nOpen it: drop it into the window of \
             Swarmarium, or `swarmarium open FILE.swarm`.\nRun it without a window: `swarmarium run FILE.swarm`.\n\
             {run}\n{members}"
        )
    }
}

/// A file that opens a run elsewhere, by its name and its bytes: the scene at its start, or with changes a shared scene.
///
/// # Errors
/// When the shared scene is too large.
pub fn file_of_run(
    kinds: &Kinds,
    title: &str,
    start: &Scene,
    edits: Vec<LoggedEdit>,
) -> Result<(String, Vec<u8>), ShareError> {
    let lower = title.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let stem = words.take(8).collect::<Vec<_>>().join("-");
    let stem = if stem.is_empty() { "scene".to_owned() } else { stem.chars().take(60).collect() };
    let shared = Shared::new(kinds, title, start, edits);
    match shared.edits.is_empty() {
        true => Ok((format!("{stem}.ron"), shared.scene.into_bytes())),
        false => Ok((format!("{stem}.{EXTENSION}"), shared.write()?)),
    }
}

/// A name with a number before its extension.
fn numbered(member: &str, number: u64) -> String {
    match member.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => format!("{stem}_{number}.{extension}"),
        _ => format!("{member}_{number}"),
    }
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files of robots and supervisors in a folder that a text names.
fn presets(folder: &Path, text: &str) -> impl Iterator<Item = String> {
    let named = ["robots", "supervisors"].into_iter().flat_map(|place| {
        let files = fs::read_dir(folder.join(place)).into_iter().flatten().flatten();
        files.filter_map(move |file| {
            let path = file.path();
            let stem = path.file_stem().and_then(OsStr::to_str)?;
            let is_named = path.extension() == Some(OsStr::new("ron")) && text.contains(&format!("\"{stem}\""));
            is_named.then(|| format!("{place}/{stem}.ron"))
        })
    });
    named.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use crate::standard::Standard as _;
    use swarmarium_simulation::edit::Edit;
    use swarmarium_simulation::simulation::{Recipe, Simulation};

    use super::*;
    use crate::load::load;

    fn edit(step: u64) -> LoggedEdit {
        let path = "groups.millers.controller.detected.turn_rad_per_s".into();
        LoggedEdit::new(step, Edit::Set { path, value: "0.9".into() })
    }

    fn hash(scene: &Scene, edits: &[LoggedEdit]) -> u64 {
        let mut simulation = Simulation::with(scene, &Recipe::standard(), 1).unwrap();
        let mut log = log::Replay::new(edits.to_vec());
        for step in 1..=40 {
            log.due(step).for_each(|logged| simulation.replay(logged).unwrap());
            simulation.step(1);
        }
        simulation.hash().0
    }

    #[test]
    fn a_shared_scene_runs_to_the_same_hash() {
        let recipe = Recipe::standard();
        let folder = tempfile::tempdir().unwrap();
        for name in ["milling", "simiam-week3", "morse-reference"] {
            let scene = load(recipe.kinds(), name, &[]).unwrap().scene;
            let edits = if name == "milling" { vec![edit(20)] } else { Vec::new() };
            let shared = Shared::new(recipe.kinds(), name, &scene, edits.clone());
            let bytes = shared.write().unwrap();
            assert_eq!(bytes, shared.write().unwrap());
            let path = folder.path().join(format!("{name}.swarm"));
            fs::write(&path, bytes).unwrap();
            let loaded = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
            assert_eq!(loaded.edits, edits);
            assert_eq!(hash(&loaded.scene, &loaded.edits), hash(&scene, &edits), "{name}");
        }
    }

    #[test]
    fn the_file_of_a_run_opens_the_same_run() {
        let recipe = Recipe::standard();
        let folder = tempfile::tempdir().unwrap();
        let mut scene = load(recipe.kinds(), "milling", &[]).unwrap().scene;
        scene.seed = 11;
        for (edits, expected) in [(Vec::new(), "my-milling-2.ron"), (vec![edit(20)], "my-milling-2.swarm")] {
            let (name, bytes) = file_of_run(recipe.kinds(), "My <Milling>/2", &scene, edits.clone()).unwrap();
            assert_eq!(name, expected);
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            let loaded = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
            assert_eq!(loaded.edits, edits);
            assert_eq!(hash(&loaded.scene, &loaded.edits), hash(&scene, &edits));
        }
        assert_eq!(file_of_run(recipe.kinds(), "//", &scene, Vec::new()).unwrap().0, "scene.ron");
    }

    #[test]
    fn shared_scenes_include_their_original_files() {
        let recipe = Recipe::standard();
        let folder = tempfile::tempdir().unwrap();
        let scene = r#"(groups: [(name: "a", spawn: Table(file: "poses.csv"))])"#;
        fs::write(folder.path().join("s.ron"), scene).unwrap();
        fs::write(folder.path().join("poses.csv"), "x_m,y_m\n1,2\n3,4\n").unwrap();
        let path = folder.path().join("s.ron");
        let loaded = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
        let mut shared = Shared::new(recipe.kinds(), "s", &loaded.scene, Vec::new());
        shared.add_source(&path, &loaded.scene, &loaded.included).unwrap();
        let names: Vec<_> = shared.source.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["poses.csv", "s.ron"]);
        // Elsewhere, without the table.
        let elsewhere = tempfile::tempdir().unwrap();
        let path = elsewhere.path().join("s.swarm");
        fs::write(&path, shared.write().unwrap()).unwrap();
        let again = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
        assert_eq!(hash(&again.scene, &[]), hash(&loaded.scene, &[]));
    }

    #[test]
    #[cfg(feature = "robotswarmsimulator")]
    fn shared_scenes_include_the_files_of_an_imported_world() {
        let recipe = Recipe::standard();
        let folder = tempfile::tempdir().unwrap();
        let world = "spawners: []\nworld_radius: 5\nagents: !include parts/agents.yaml\n";
        fs::create_dir(folder.path().join("parts")).unwrap();
        fs::write(folder.path().join("parts/agents.yaml"), "[]\n").unwrap();
        let path = folder.path().join("12:30.yaml");
        fs::write(&path, world).unwrap();
        let loaded = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
        let mut shared = Shared::new(recipe.kinds(), "w", &loaded.scene, Vec::new());
        shared.add_source(&path, &loaded.scene, &loaded.included).unwrap();
        assert_eq!(shared.renamed(), [("12:30.yaml".to_owned(), "source/12_30.yaml".to_owned())]);
        let again = Shared::read(&shared.write().unwrap()).unwrap();
        let names: Vec<_> = again.source.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["12_30.yaml", "parts/agents.yaml"]);
        assert!(shared.readme().contains("source/12_30.yaml is the file \"12:30.yaml\""));
    }

    #[test]
    fn shared_scenes_include_the_images_of_worlds_and_maps() {
        let recipe = Recipe::standard();
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("maps")).unwrap();
        write("maps/room.pgm", "P2 3 1 255 0 254 0");
        write("maps/room.yaml", "image: room.pgm\nresolution: 1\norigin: [0, 0, 0]\n");
        write("walls.inc", "define walls model ( size [3 1 1] )");
        write("room.world", "include \"walls.inc\"\nwalls( bitmap \"maps/room.pgm\" )");
        write("scene.ron", "(objects: [Drawing(file: \"maps/room.yaml\")])");
        for (file, expected) in [
            ("room.world", ["maps/room.pgm", "room.world", "walls.inc"].as_slice()),
            ("maps/room.yaml", ["room.pgm", "room.yaml"].as_slice()),
            ("scene.ron", ["maps/room.pgm", "maps/room.yaml", "scene.ron"].as_slice()),
        ] {
            let path = folder.path().join(file);
            let loaded = load(recipe.kinds(), &path.display().to_string(), &[]).unwrap();
            let mut shared = Shared::new(recipe.kinds(), file, &loaded.scene, Vec::new());
            shared.add_source(&path, &loaded.scene, &loaded.included).unwrap();
            let shared = Shared::read(&shared.write().unwrap()).unwrap();
            let names: Vec<&str> = shared.source.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, expected, "{file}");
            // Elsewhere, without the image.
            let elsewhere = tempfile::tempdir().unwrap();
            let alone = elsewhere.path().join("s.ron");
            fs::write(&alone, &shared.scene).unwrap();
            let again = load(recipe.kinds(), &alone.display().to_string(), &[]).unwrap();
            assert_eq!(hash(&again.scene, &[]), hash(&loaded.scene, &[]), "{file}");
        }
    }

    #[test]
    fn files_whose_archive_names_collide_are_all_kept() {
        let source = [("a:b.csv", "1"), ("a_b.csv", "2"), ("a\\b.csv", "3")];
        let source = source.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into();
        let shared = Shared { scene: "()".into(), source, ..Shared::default() };
        let again = Shared::read(&shared.write().unwrap()).unwrap();
        let names: Vec<_> = again.source.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a_b.csv", "a_b_2.csv", "a_b_3.csv"]);
    }

    #[test]
    fn damaged_files_are_errors_that_name_the_member() {
        let message = |archive: &Archive| Shared::read(&archive.write().unwrap()).unwrap_err().to_string();
        let manifest = |text: &str| (MANIFEST.to_owned(), text.as_bytes().to_vec());
        let scene = |text: &str| (SCENE.to_owned(), text.as_bytes().to_vec());
        let good = r#"{"format": 1, "version": "0", "title": "t"}"#;
        assert_eq!(message(&Archive::default()), "its member `manifest.json` is missing");
        assert_eq!(message(&Archive([manifest(good)].into())), "its member `scene.ron` is missing");
        let newer = good.replace('1', "2");
        assert_eq!(message(&Archive([manifest(&newer)].into())), "is of format 2, and this program reads up to 1");
        assert!(message(&Archive([manifest("{")].into())).starts_with("its member `manifest.json` is damaged"));
        let edits = (EDITS.to_owned(), b"[(".to_vec());
        assert!(message(&Archive([manifest(good), scene("()"), edits].into())).starts_with("edits.ron:1"));
        let text = Archive([manifest(good), (SCENE.to_owned(), vec![0xff])].into());
        assert_eq!(message(&text), "its member `scene.ron` is not text in UTF-8");
        assert!(Shared::read(b"PK no archive").unwrap_err().to_string().starts_with("is not an archive"));
    }
}
