//! Where the files of the user are, and what they are called.

use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Context as _;
use directories::ProjectDirs;
use swarmarium_formats::load::Source;

use super::Lab;

/// Where the files are that the lab reads and writes by itself.
///
/// Where there is none, as in tests, that part of the lab does nothing.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The file of keys.
    pub keys: Option<PathBuf>,
    /// The folder of scenes that were not saved.
    pub unsaved: Option<PathBuf>,
    /// The folder of small pictures of scenes.
    pub pictures: Option<PathBuf>,
}

impl Places {
    /// Where the system wants such files.
    pub fn of_user() -> Self {
        let Some(folders) = ProjectDirs::from("", "", "swarmarium") else { return Self::default() };
        Self {
            keys: Some(folders.config_dir().join("keys.ron")),
            unsaved: Some(folders.data_local_dir().join("autosave")),
            pictures: Some(folders.cache_dir().join("pictures")),
        }
    }
}

/// The path of a file that holds from wherever the program is started the next time.
pub fn absolute(path: &Path) -> String {
    path::absolute(path).unwrap_or_else(|_| path.into()).display().to_string()
}

/// What files made from this scene are called: after its file, or else after its name.
pub fn stem(lab: &Lab) -> String {
    let of_file = lab.opened.source.name().and_then(|name| Some(Path::new(&name).file_stem()?.display().to_string()));
    file_stem(&of_file.unwrap_or_else(|| lab.title()))
}

/// A name without what a file name must not hold.
pub fn file_stem(name: &str) -> String {
    let stem: String =
        name.chars().map(|c| if c.is_control() || r#"/\:*?"<>|"#.contains(c) { '-' } else { c }).collect();
    if stem.trim_matches(['.', ' ']).is_empty() { "scene".into() } else { stem }
}

/// The folder of the open file, or else that in which the program was started.
pub fn folder(lab: &Lab) -> PathBuf {
    let of_file = match &lab.opened.source {
        Source::File(path) => Path::new(&absolute(path)).parent().map(Path::to_path_buf),
        _ => None,
    };
    of_file.filter(|folder| folder.is_dir()).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// Where recordings and pictures go.
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
/// When the program that opens folders cannot be started.
pub fn open_folder(folder: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(FILE_MANAGER);
    command.arg(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn().with_context(|| format!("{FILE_MANAGER} cannot open {}", folder.display()));
    let mut program = started?;
    // The system keeps a program that has ended until somebody waits for it.
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
