//! Problems and warnings about a file.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_base::problem::{Place, Problem};

/// The most problems, and the most warnings, that are reported one by one.
const MAX_NOTES: usize = 50;
/// The most different problems, and warnings, that are remembered to fold equal ones.
const MAX_REMEMBERED: usize = 10_000;

/// Problems and warnings. They are kept with byte offsets; lines are counted once, at the end. Notes with the same message and
/// paths that differ only in digits are one note with a count: files have hundreds of equal ones.
#[derive(Debug, Default)]
pub struct Report {
    problems: Notes,
    warnings: Notes,
}

#[derive(Debug, Default)]
struct Notes {
    notes: Vec<Note>,
    /// The numbers of notes by path without digits and message, also beyond those that are kept.
    numbers: BTreeMap<(String, String), usize>,
    /// The number of notes beyond those that are kept.
    more: usize,
}

#[derive(Debug)]
struct Note {
    at: usize,
    path: String,
    message: String,
    /// The byte offsets of equal notes. A place that is read several times, such as a macro, counts once.
    others: BTreeSet<usize>,
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
        let key = (path.chars().filter(|letter| !letter.is_ascii_digit()).collect(), message);
        if let Some(number) = self.numbers.get(&key) {
            if let Some(same) = self.notes.get_mut(*number).filter(|same| same.at != at) {
                same.others.insert(at);
            }
            return;
        }
        if self.notes.len() < MAX_NOTES {
            let (path, message) = (path.to_owned(), key.1.clone());
            self.notes.push(Note { at, path, message, others: BTreeSet::new() });
        } else {
            self.more += 1;
        }
        if self.numbers.len() < MAX_REMEMBERED {
            self.numbers.insert(key, self.notes.len() + self.more - 1);
        }
    }

    fn with_places(mut self, text: &str) -> Vec<Problem> {
        self.notes.sort_by_key(|note| note.at);
        let placed = |Note { at, path, mut message, others }| {
            if !others.is_empty() {
                message += &format!(" (and {} more like this)", others.len());
            }
            Problem { place: Some(Place::of(text, at)), ..Problem::of_field(path, message) }
        };
        let mut all: Vec<_> = self.notes.into_iter().map(placed).collect();
        if self.more > 0 {
            all.push(Problem::of_file(format!("and {} more", self.more)));
        }
        all
    }
}
