//! Requested pictures of the window.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use bevy::prelude::*;

/// Frames before the picture is taken: panels find their sizes, and the first frames are blank.
const SETTLE: u32 = 12;

/// Pictures of the window.
#[derive(Debug, Default)]
pub struct Shots {
    /// The requested pictures.
    pub waiting: Vec<Shot>,
    /// The step at which to stop, while the window runs to a screenshot.
    pub target: Option<u64>,
}

/// A requested picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The file.
    pub path: PathBuf,
    /// The step to wait for; the window closes after this picture.
    pub at_step: Option<u64>,
    /// The number of frames to wait.
    pub settle: u32,
}

impl Shot {
    /// Creates a picture after the next frame.
    pub fn new(path: PathBuf) -> Self {
        Self { path, at_step: None, settle: 2 }
    }

    /// Creates the picture of the command line at a step, after which the window closes.
    pub fn of_target(path: PathBuf, step: u64) -> Self {
        Self { path, at_step: Some(step), settle: SETTLE }
    }
}

/// Checks before the run that the folder exists.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "cannot write {}: there is no folder {}", path.display(), folder.display());
    Ok(())
}
