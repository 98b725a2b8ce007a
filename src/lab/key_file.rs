//! The keymap file of the user: the lab creates it, reads it and follows its changes.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use swarmarium_base::files::write_whole;
use swarmarium_core::scene::reader::read_text;

use super::action::WindowAction;
use super::keymap::Keymap;
use super::notice::Notice;
use super::{Action, Lab};

/// Time between two checks of the file, in seconds.
const LOOK_S: f64 = 1.0;

/// Follows the keymap file.
#[derive(Default)]
pub struct Follower {
    /// The time of the last check, in egui's seconds.
    looked_s: Option<f64>,
    /// The modification time and the length of the file.
    seen: Option<(Option<SystemTime>, u64)>,
}

impl Follower {
    /// Reads the file again after a change. Called once per frame; checks the file from time to time.
    pub fn follow(&mut self, lab: &mut Lab, now_s: f64) {
        let Some(path) = &lab.places.keys else { return };
        if self.looked_s.is_some_and(|looked_s| now_s - looked_s < LOOK_S) {
            return;
        }
        self.looked_s = Some(now_s);
        let seen = fs::metadata(path).ok().map(|file| (file.modified().ok(), file.len()));
        if std::mem::replace(&mut self.seen, seen) != seen {
            lab.read_keys();
        }
    }
}

impl Lab {
    /// Reads the keymap file; without one, all keys are the default keys.
    pub(crate) fn read_keys(&mut self) {
        let Some(path) = &self.places.keys else { return };
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
        self.notices.keys_mended();
        if !wrong.is_empty() {
            let lines: String = wrong.iter().map(|line| format!("\n{}", placed(&name, line))).collect();
            self.notices.add(Notice::of_keys(&format!("{name} has keys that are not valid{lines}")));
        }
    }

    /// Creates the keymap file if there is none, and shows its path.
    pub(crate) fn edit_keys(&mut self) {
        let Some(path) = self.places.keys.clone() else {
            return self.tell_error("The system has no settings folder for the keymap file");
        };
        match write_if_missing(&path, &self.keymap.text()) {
            Ok(()) => {
                let text = format!("The keymap file is {}; the window reloads it after each change", path.display());
                let copy = Action::Window(WindowAction::Copy(path.display().to_string()));
                self.notices.add(Notice::good(&text).with_button("Copy path", "Copies the path of the file", copy));
            }
            Err(error) => self.tell_error(error),
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

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Key;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{lab_on, window};

    #[test]
    fn the_window_follows_the_file() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new/keys.ron");
        let mut lab = lab_on("milling");
        lab.places.keys = Some(path.clone());
        let (mut window, lab) = window(lab);
        lab.borrow_mut().edit_keys();
        assert!(path.exists());
        fs::write(&path, "[(\"Hide or show panels\", [\"F5\"]), (\"No such\", [])]").unwrap();
        lab.borrow_mut().read_keys();
        window.run_steps(2);
        window.get_by_label_contains("has keys that are not valid");
        window.key_press(Key::F5);
        window.run_steps(2);
        assert!(!lab.borrow().settings.panels);
        window.key_press(Key::F10);
        window.run_steps(2);
        assert!(!lab.borrow().settings.panels, "the usual key does nothing now");
        fs::remove_file(&path).unwrap();
        lab.borrow_mut().read_keys();
        window.key_press(Key::F10);
        window.run_steps(2);
        assert!(lab.borrow().settings.panels);
        assert!(lab.borrow().notices.iter().all(|notice| !notice.is_error));
    }
}
