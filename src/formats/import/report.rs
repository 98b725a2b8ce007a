//! What there is to say about a file, by where in it.

use swarmarium_base::problem::{Place, Problem};

/// The most problems, and the most warnings, that are told one by one.
const MAX_TOLD: usize = 50;

/// Problems and warnings. They are kept by the byte that they are about; lines are counted once, at the end.
#[derive(Debug, Default)]
pub struct Report {
    problems: Notes,
    warnings: Notes,
}

#[derive(Debug, Default)]
struct Notes {
    told: Vec<Note>,
    more: usize,
}

#[derive(Debug)]
struct Note {
    at: usize,
    path: String,
    message: String,
}

impl Report {
    /// Notes what keeps the file from being read.
    pub fn problem(&mut self, at: usize, path: &str, message: impl Into<String>) {
        self.problems.push(at, path, message.into());
    }

    /// Notes what the user should know.
    pub fn warning(&mut self, at: usize, path: &str, message: impl Into<String>) {
        self.warnings.push(at, path, message.into());
    }

    /// Whether nothing keeps the file from being read.
    pub fn is_fine(&self) -> bool {
        self.problems.told.is_empty()
    }

    /// The warnings, or else the problems, in the order of the text.
    ///
    /// # Errors
    /// The problems, when there are any.
    pub fn finish(self, text: &str) -> Result<Vec<Problem>, Vec<Problem>> {
        if self.is_fine() { Ok(self.warnings.placed(text)) } else { Err(self.problems.placed(text)) }
    }
}

impl Notes {
    fn push(&mut self, at: usize, path: &str, message: String) {
        if self.told.len() < MAX_TOLD {
            self.told.push(Note { at, path: path.into(), message });
        } else {
            self.more += 1;
        }
    }

    fn placed(mut self, text: &str) -> Vec<Problem> {
        self.told.sort_by_key(|note| note.at);
        let placed = |Note { at, path, message }| Problem { place: Some(Place::of(text, at)), path, message };
        let mut all: Vec<_> = self.told.into_iter().map(placed).collect();
        if self.more > 0 {
            all.push(Problem::of_file(format!("and {} more", self.more)));
        }
        all
    }
}
