//! The keymap file of the user: the lab creates it, reads it and follows its changes.

use std::fs;
use std::time::SystemTime;

use crate::app::Lab;

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
        let Some(path) = &lab.files.places.keys else { return };
        if self.looked_s.is_some_and(|looked_s| now_s - looked_s < LOOK_S) {
            return;
        }
        self.looked_s = Some(now_s);
        let seen = fs::metadata(path).ok().map(|file| (file.modified().ok(), file.len()));
        if std::mem::replace(&mut self.seen, seen) != seen {
            lab.shell.read_keys(&lab.files.places, &mut lab.notices);
        }
    }
}
