//! Where the files of the user are that the lab reads and writes by itself.

use std::path::PathBuf;

use directories::ProjectDirs;

/// The places. Where there is none, as in tests, that part of the lab does nothing.
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
