//! Paths and names of the files of the user.

use std::fs::create_dir_all;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Context as _;
use directories::{ProjectDirs, UserDirs};

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
    /// The folder of videos, pictures and runs of scenes that are not in a folder of the user. It is created with the
    /// first file.
    pub output: Option<PathBuf>,
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
            output: UserDirs::new().map(|user| documents(&user).join("Swarmarium")),
        }
    }

    /// Creates the folder of output, if a file is to be written there. Other folders are chosen by the user and exist.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub fn make_output(&self, folder: &Path) -> anyhow::Result<()> {
        match self.output.as_deref() == Some(folder) {
            true => create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display())),
            false => Ok(()),
        }
    }
}

/// The folder of the user's documents. A system that does not name one may have it nevertheless.
fn documents(user: &UserDirs) -> PathBuf {
    let usual = Some(user.home_dir().join("Documents")).filter(|folder| folder.is_dir());
    user.document_dir().map(Path::to_owned).or(usual).unwrap_or_else(|| user.home_dir().to_owned())
}

/// Returns an absolute path, which is valid from any working folder.
pub fn absolute(path: &Path) -> String {
    path::absolute(path).unwrap_or_else(|_| path.into()).display().to_string()
}

/// Replaces the characters that file names must not contain.
pub fn file_stem(name: &str) -> String {
    let stem: String =
        name.chars().map(|c| if c.is_control() || r#"/\:*?"<>|"#.contains(c) { '-' } else { c }).collect();
    if stem.trim_matches(['.', ' ']).is_empty() { "scene".into() } else { stem }
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
