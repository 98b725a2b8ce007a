//! Problems and warnings about a file.

use swarmarium_base::problem::{Place, Problem};

/// The most problems, and the most warnings, that are reported one by one.
const MAX_NOTES: usize = 50;

/// Problems and warnings. They are kept with byte offsets; lines are counted once, at the end.
#[derive(Debug, Default)]
pub struct Report {
    problems: Notes,
    warnings: Notes,
}

#[derive(Debug, Default)]
struct Notes {
    notes: Vec<Note>,
    /// The number of notes beyond those.
    more: usize,
}

#[derive(Debug)]
struct Note {
    at: usize,
    path: String,
    message: String,
}

impl Report {
    /// Notes a problem, with which the file cannot be read.
    pub fn problem(&mut self, at: usize, path: &str, message: impl Into<String>) {
        self.problems.push(at, path, message.into());
    }

    /// Notes a warning.
    pub fn warning(&mut self, at: usize, path: &str, message: impl Into<String>) {
        self.warnings.push(at, path, message.into());
    }

    /// Whether the file has no problem.
    pub fn has_no_problem(&self) -> bool {
        self.problems.notes.is_empty()
    }

    /// The warnings in the order of the text.
    ///
    /// # Errors
    /// Lists the problems in the order of the text, if the file has any.
    pub fn finish(self, text: &str) -> Result<Vec<Problem>, Vec<Problem>> {
        if self.has_no_problem() { Ok(self.warnings.with_places(text)) } else { Err(self.problems.with_places(text)) }
    }
}

impl Notes {
    fn push(&mut self, at: usize, path: &str, message: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(Note { at, path: path.into(), message });
        } else {
            self.more += 1;
        }
    }

    fn with_places(mut self, text: &str) -> Vec<Problem> {
        self.notes.sort_by_key(|note| note.at);
        let placed = |Note { at, path, message }| Problem { place: Some(Place::of(text, at)), path, message };
        let mut all: Vec<_> = self.notes.into_iter().map(placed).collect();
        if self.more > 0 {
            all.push(Problem::of_file(format!("and {} more", self.more)));
        }
        all
    }
}
