//! Folders of files, and the program that is run in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program in a folder, without a display and without input.
pub fn program(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swarmarium"));
    command.args(arguments.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command
}

/// The files of a folder, by their names from it.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inner)).unwrap() {
            let entry = entry.unwrap();
            let name = inner.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(name),
                false => files.push(name.to_str().unwrap().to_owned()),
            }
        }
    }
    files.sort();
    files
}

/// Copies a folder with all folders in it.
pub fn copy_folder(from: &Path, to: &Path) {
    for file in files_below(from) {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(from.join(&file), target).unwrap();
    }
}
