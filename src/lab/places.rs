//! Paths and names of the files of the user.

use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Context as _;
use directories::ProjectDirs;
use swarmarium_formats::load::Source;

use super::Lab;

/// The files and folders that the lab reads and writes by itself.
///
/// If a path is `None`, as in tests, that feature of the lab is off.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The keymap file.
    pub keys: Option<PathBuf>,
    /// The folder of the autosave.
    pub unsaved: Option<PathBuf>,
    /// The folder of thumbnails.
    pub pictures: Option<PathBuf>,
    /// The folder of sweeps.
    pub sweeps: Option<PathBuf>,
}

impl Places {
    /// Returns the paths of the user according to the conventions of the system.
    pub fn of_user() -> Self {
        let Some(folders) = ProjectDirs::from("", "", "swarmarium") else { return Self::default() };
        Self {
            keys: Some(folders.config_dir().join("keys.ron")),
            unsaved: Some(folders.data_local_dir().join("autosave")),
            pictures: Some(folders.cache_dir().join("pictures")),
            sweeps: Some(folders.data_local_dir().join("sweeps")),
        }
    }
}

/// Returns an absolute path, which is valid from any working folder.
pub fn absolute(path: &Path) -> String {
    path::absolute(path).unwrap_or_else(|_| path.into()).display().to_string()
}

/// Returns the stem for files made from this scene: that of its file, or else its name.
pub fn stem(lab: &Lab) -> String {
    let of_file = lab.opened.source.name().and_then(|name| Some(Path::new(&name).file_stem()?.display().to_string()));
    file_stem(&of_file.unwrap_or_else(|| lab.title()))
}

/// Replaces the characters that file names must not contain.
pub fn file_stem(name: &str) -> String {
    let stem: String =
        name.chars().map(|c| if c.is_control() || r#"/\:*?"<>|"#.contains(c) { '-' } else { c }).collect();
    if stem.trim_matches(['.', ' ']).is_empty() { "scene".into() } else { stem }
}

/// Returns the folder of the open file, or else the working folder.
pub fn folder(lab: &Lab) -> PathBuf {
    let of_file = match &lab.opened.source {
        Source::File(path) => Path::new(&absolute(path)).parent().map(Path::to_path_buf),
        _ => None,
    };
    of_file.filter(|folder| folder.is_dir()).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// Returns the folder of recordings and pictures.
pub fn recordings_folder(lab: &Lab) -> PathBuf {
    lab.settings.recording.folder.clone().unwrap_or_else(|| folder(lab))
}

/// The program of the system that opens folders.
const FILE_MANAGER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// Opens a folder in the file manager of the system.
///
/// # Errors
/// Returns an error if the file manager cannot be started.
pub fn open_folder(folder: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(FILE_MANAGER);
    command.arg(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn().with_context(|| format!("{FILE_MANAGER} cannot open {}", folder.display()));
    let mut program = started?;
    // Waiting releases the resources of the ended process.
    thread::Builder::new().name("file manager".into()).spawn(move || program.wait())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lab_of, lab_on};

    #[test]
    fn names_come_from_the_file_or_the_scene() {
        assert_eq!(stem(&lab_on("milling")), "milling");
        assert_eq!(stem(&lab_on("scenes/milling.ron")), "milling");
        assert_eq!(stem(&lab_of("Scene(name: \"a/b: c\")")), "a-b- c");
        assert_eq!(stem(&lab_of("Scene(name: \"..\")")), "scene");
        assert_eq!(stem(&lab_of("Scene()")), "Scene");
    }

    #[test]
    fn the_folder_is_that_of_the_file() {
        assert_eq!(folder(&lab_on("scenes/milling.ron")), Path::new(&absolute(Path::new("scenes"))));
        assert_eq!(folder(&lab_on("milling")), std::env::current_dir().unwrap());
    }
}
