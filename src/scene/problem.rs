//! What is wrong with a file or an override, said so that a person can mend it.

use std::fmt;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Place {
    /// The place of a byte offset in a text.
    pub fn of(text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// One thing that is wrong: where, in which field, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where in the file, when it is known.
    pub place: Option<Place>,
    /// The path of the field, such as `groups[0].sensors[0].range_m`; empty for the file as a whole.
    pub path: String,
    /// What is wrong, what is allowed, and the nearest known name.
    pub message: String,
}

impl Problem {
    /// A problem with a whole file or text.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self { place: None, path: String::new(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    /// Place, path and message, as far as they are known: `12:38: groups[0].body.radius_m: expected …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, path, message } = self;
        if let Some(Place { line, column }) = place {
            write!(f, "{line}:{column}: ")?;
        }
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(message)
    }
}

/// Everything that is wrong with one file, or with one override.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems {
    /// What was read: a file as the user named it, or an option such as `--set`.
    pub source_name: String,
    /// The problems in the order of the text. Never empty.
    pub problems: Vec<Problem>,
}

impl Problems {
    /// A single problem with a whole file.
    pub fn of_file(source_name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { source_name: source_name.into(), problems: vec![Problem::of_file(message)] }
    }
}

impl fmt::Display for Problems {
    /// One line each: `milling.ron:12:38: groups[0].sensors[0].range_m: expected a number > 0, found -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            let gap = if problem.place.is_some() { "" } else { " " };
            write!(f, "{}:{gap}{problem}", self.source_name)?;
        }
        Ok(())
    }
}

/// Adds `, did you mean …?` when one of the known names is near. No name, and one too long to be known, are near none.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if name.is_empty() || name.len() > 64 {
        return String::new();
    }
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count().min(lower.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!(", did you mean `{candidate}`?"))
        .unwrap_or_default()
}
