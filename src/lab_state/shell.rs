//! The window around the world: settings, keys, panels and popups.

pub mod docked;
pub mod keymap;
pub mod tour;

use std::fs;
use std::path::Path;

use bevy::prelude::*;
use swarmarium_base::files::write_whole;
use swarmarium_scene::scene::reader::read_text;

use crate::action::{Action, WindowAction};
use crate::common::layout::Pane;
use crate::common::places::Places;
use crate::common::popups::Popups;
use crate::common::settings::Settings;
use crate::notice::{Notice, Notices};
use crate::shell::docked::Docked;
use crate::shell::keymap::Keymap;
use crate::shell::tour::Tour;

impl ShellState {
    /// Reads the keymap file; without one, all keys are the default keys.
    pub fn read_keys(&mut self, places: &Places, notices: &mut Notices) {
        let Some(path) = &places.keys else { return };
        let is_missing = path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let (keymap, wrong) = match read_text(path) {
            Ok(text) => Keymap::read(&text),
            Err(_) if is_missing => Default::default(),
            Err(problems) => {
                let messages = problems.problems.into_iter().map(|problem| problem.to_string());
                (self.keymap.clone(), messages.collect())
            }
        };
        let name = path.display().to_string();
        self.keymap = keymap;
        notices.clear_keymap_errors();
        if !wrong.is_empty() {
            let lines: String = wrong.iter().map(|line| format!("\n{}", placed(&name, line))).collect();
            notices.add(Notice::of_keys(&format!("{name} has keys that are not valid{lines}")));
        }
    }

    /// Creates the keymap file if there is none, and shows its path.
    pub fn edit_keys(&self, places: &Places, notices: &mut Notices) {
        let Some(path) = places.keys.clone() else {
            return notices.tell_error("The system has no settings folder for the keymap file");
        };
        match write_if_missing(&path, &self.keymap.text()) {
            Ok(()) => {
                let text = format!("The keymap file is {}; the window reloads it after each change", path.display());
                let copy = Action::Window(WindowAction::Copy(path.display().to_string()));
                notices.add(Notice::good(&text).with_button("Copy path", "Copies the path of the file", copy));
            }
            Err(error) => notices.tell_error(error),
        }
    }
}

/// Returns a message about the file; most messages start with a line and column.
fn placed(name: &str, line: &str) -> String {
    let between = if line.starts_with(|c: char| c.is_ascii_digit()) { ":" } else { ": " };
    format!("{name}{between}{line}")
}

fn write_if_missing(path: &Path, text: &str) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    write_whole(path, text)
}

/// The settings and the state of the window around the world.
#[derive(Default)]
pub struct ShellState {
    /// The settings of the user.
    pub settings: Settings,
    /// The keymap.
    pub keymap: Keymap,
    /// The tour.
    pub tour: Tour,
    /// The number of requests to focus the field that finds parameters.
    pub finds: u64,
    /// The panels that fit into the window.
    pub docked: Docked,
    /// The open windows over the world.
    pub popups: Popups,
    /// Whether the window fills the screen.
    pub full_screen: bool,
    /// Whether the window is to be closed.
    pub quit: bool,
}

impl ShellState {
    /// Whether a panel is visible.
    pub fn shows_panel(&self, pane: Pane) -> bool {
        self.settings.panels && self.settings.layout.is_shown(pane) && !self.docked.hides(pane)
    }
}
