//! Presets: saved parameters of a scene, in files of the user.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use ron::ser::PrettyConfig;
use swarmarium_base::files::{read_at_most, write_whole};

/// The largest accepted file, in bytes.
const LARGEST: u64 = 16 << 20;

/// The longest name, in characters.
const LONGEST: usize = 60;

/// The presets of the open scene: files `SCENE/NAME.ron` in a folder, each a list of paths and values.
#[derive(Debug, Default)]
pub struct Presets {
    /// The folder of all scenes; `None` if nothing is saved.
    folder: Option<PathBuf>,
    /// The name of the folder of the scene.
    pub scene: String,
    names: Vec<String>,
}

impl Presets {
    /// Creates the presets of a folder.
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Returns the names of the scene's presets, in alphabetical order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Switches to the presets of a scene.
    pub fn follow(&mut self, scene: &str) {
        self.scene = scene.chars().map(|c| if is_plain(c) { c } else { '_' }).take(LONGEST).collect();
        self.scene = self.scene.trim().to_owned();
        if self.scene.is_empty() {
            self.scene = "scene".into();
        }
        self.look();
    }

    /// Lists the presets of the folder.
    fn look(&mut self) {
        let files = self.scene_folder().ok().and_then(|folder| fs::read_dir(folder).ok());
        let names = files.into_iter().flatten().flatten().filter_map(|file| {
            let path = file.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            (path.extension()? == "ron" && checked(&name).is_ok()).then_some(name)
        });
        self.names = names.collect();
        self.names.sort_unstable();
    }

    fn scene_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder.as_ref().context("Presets cannot be saved: there is no settings folder")?;
        Ok(folder.join(&self.scene))
    }

    /// Returns the file of a preset.
    ///
    /// # Errors
    /// Returns an error if the name is not a file name, or there is no settings folder.
    pub fn path(&self, name: &str) -> anyhow::Result<PathBuf> {
        checked(name)?;
        Ok(self.scene_folder()?.join(format!("{name}.ron")))
    }

    /// Saves values as a preset.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&mut self, name: &str, values: &[(String, String)]) -> anyhow::Result<()> {
        let path = self.path(name)?;
        fs::create_dir_all(self.scene_folder()?).with_context(|| format!("{}: cannot be written", path.display()))?;
        write_whole(&path, &(ron::ser::to_string_pretty(values, PrettyConfig::default())? + "\n"))?;
        self.look();
        Ok(())
    }

    /// Reads the values of a preset.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn read(&self, name: &str) -> anyhow::Result<Vec<(String, String)>> {
        let path = self.path(name)?;
        let bytes = read_at_most(&path, LARGEST).map_err(anyhow::Error::msg);
        let read = bytes.and_then(|bytes| Ok(ron::from_str(std::str::from_utf8(&bytes)?)?));
        read.with_context(|| path.display().to_string())
    }

    /// Deletes a preset.
    ///
    /// # Errors
    /// Returns an error if the file cannot be deleted.
    pub fn delete(&mut self, name: &str) -> anyhow::Result<()> {
        let path = self.path(name)?;
        let deleted = fs::remove_file(&path).with_context(|| format!("{}: cannot be deleted", path.display()));
        self.look();
        deleted
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || " -_".contains(c)
}

/// An invalid name of a preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid name of a preset: use at most {most} letters, digits, spaces, - and _", most = LONGEST)]
struct InvalidPresetName(String);

/// Checks that a name is a valid file name on every system.
fn checked(name: &str) -> Result<(), InvalidPresetName> {
    let fits = !name.is_empty() && name.trim() == name && name.chars().all(is_plain) && name.chars().count() <= LONGEST;
    match fits {
        true => Ok(()),
        false => Err(InvalidPresetName(name.into())),
    }
}
