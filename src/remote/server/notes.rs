//! Notes on clients for the user.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of notes that wait to be read.
const MAX_NOTES: usize = 100;

/// Notes on clients for the user. Their number is bounded, as clients may misbehave without end.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<(VecDeque<String>, u64)>>);

impl Notes {
    /// Adds a note; beyond [`MAX_NOTES`], counts it.
    pub fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.0.len() < MAX_NOTES { notes.0.push_back(note) } else { notes.1 += 1 }
    }

    /// Takes all notes.
    pub fn take(&self) -> Vec<String> {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = std::mem::take(&mut notes.1);
        let more = (more > 0).then(|| format!("… and {more} more notes on clients"));
        notes.0.drain(..).chain(more).collect()
    }
}
