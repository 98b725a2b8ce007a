//! Problems of a file or an override, worded so that the user can fix them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// A position in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Place {
    /// The position of a byte offset in a text.
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

/// One problem: position, field and message.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// Position in the file, if known.
    pub place: Option<Place>,
    /// The path of the field, such as `groups[0].sensors[0].range_m`; empty for the file as a whole.
    pub path: String,
    /// The problem, the allowed values, and the nearest known name.
    pub message: String,
    /// The kind that the scene lacks, if adding it solves the problem.
    #[doc(hidden)]
    pub lacks: Option<MissingKind>,
}

/// A kind that a scene lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingKind {
    /// The name of its family.
    pub family: &'static str,
    /// Its name.
    pub name: &'static str,
}

impl Problem {
    /// A problem with a whole file or text.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// A problem with a field, whose place in the file is not known.
    pub fn of_field(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::of_file(message) }
    }
}

/// Longest line (characters) of a message.
const LONGEST_LINE: usize = 1000;
/// Number of characters kept at the end of a longer line.
const KEPT_END: usize = 200;
/// Largest number of lines of a message.
const MOST_LINES: usize = 1000;
/// Length of a message in bytes after which it shows no other line.
const LONGEST: usize = 16_000;
/// Largest number of names in a list.
const MOST_NAMES: usize = 20;

/// Shortens a message: long lines lose their middle, and a long text its end.
pub fn cut(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_LINE {
        return message.into();
    }
    let mut shown: Vec<Cow<str>> = Vec::new();
    let (mut bytes, mut more) = (0, 0);
    for line in message.lines() {
        if shown.len() == MOST_LINES || bytes > LONGEST {
            more += 1;
            continue;
        }
        let line = cut_line(line);
        bytes += line.len() + 1;
        shown.push(line);
    }
    if more > 0 {
        shown.push(format!("… and {more} more lines").into());
    }
    shown.join("\n").into()
}

/// Lists names with commas between them; of many, the first ones and the number of the others.
pub fn listed<N: AsRef<str>>(names: &[N]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(AsRef::as_ref).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}

fn cut_line(line: &str) -> Cow<'_, str> {
    let count = line.chars().count();
    if count <= LONGEST_LINE {
        return line.into();
    }
    let start: String = line.chars().take(LONGEST_LINE - KEPT_END).collect();
    let end: String = line.chars().skip(count - KEPT_END).collect();
    format!("{start} … {} characters … {end}", count - LONGEST_LINE).into()
}

impl fmt::Display for Problem {
    /// Position, path and message, as far as they are known: `12:38: groups[0].body.radius_m: expected …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, path, message, .. } = self;
        if let Some(Place { line, column }) = place {
            write!(f, "{line}:{column}: ")?;
        }
        if !path.is_empty() {
            write!(f, "{}: ", cut(path))?;
        }
        f.write_str(&cut(message))
    }
}

/// All problems of one file or one override, or the failure of an operation: the error of all functions for hosts that read
/// or write files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems {
    /// The source: a file as the user named it, or an option such as `--set`; empty if the messages name it themselves.
    pub source_name: String,
    /// The problems in order of position. Never empty.
    pub problems: Vec<Problem>,
}

impl Problems {
    /// A single problem with a whole file.
    pub fn of_file(source_name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { source_name: source_name.into(), problems: vec![Problem::of_file(message)] }
    }
}

impl From<anyhow::Error> for Problems {
    /// The problems themselves, or the message of another error with its causes.
    fn from(error: anyhow::Error) -> Self {
        let message = format!("{error:#}");
        // With a context, the problems alone would be half of the message.
        let is_whole = error.chain().count() == 1;
        match error.downcast::<Self>() {
            Ok(problems) if is_whole => problems,
            _ => Self::of_file("", message),
        }
    }
}

impl fmt::Display for Problems {
    /// One line per problem: `milling.ron:12:38: groups[0].sensors[0].range_m: expected a number > 0, found -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            if !self.source_name.is_empty() {
                let gap = if problem.place.is_some() { "" } else { " " };
                write!(f, "{}:{gap}", self.source_name)?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

/// Merges problems with the same message and paths that differ only in digits: the first stays, with a count of the
/// others.
pub fn folded(problems: Vec<Problem>) -> Vec<Problem> {
    let mut folded: Vec<(Problem, usize)> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for problem in problems {
        let path = problem.path.chars().filter(|c| !c.is_ascii_digit()).collect();
        let place = *places.entry((path, problem.message.clone())).or_insert(folded.len());
        match folded.get_mut(place) {
            Some((_, more)) => *more += 1,
            None => folded.push((problem, 0)),
        }
    }
    let counted = |(mut problem, more): (Problem, usize)| {
        if more > 0 {
            problem.message += &format!(" (and {more} more like this)");
        }
        problem
    };
    folded.into_iter().map(counted).collect()
}

/// Largest edit distance between similar names, by the length of the shorter one: a third of it, at most 3.
fn allowed(length: usize) -> usize {
    ((length + 1) / 3).min(3).min(length.saturating_sub(1))
}

/// Returns `; did you mean …?` if a known name is [similar](similar_name).
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    similar_name(name, known).map_or_else(String::new, |candidate| format!("; did you mean `{candidate}`?"))
}

/// The known name that is most similar to a name, if any is similar. Empty and overlong names are similar to none. A name
/// without `/` is also similar to names whose last part is similar: `gauci` to `papers/gauci`. A beginning of four letters or
/// more is similar, as a name without its unit, `radius` to `radius_m`, and so is a name with a shortened word: `AvgSpeed` to
/// `AverageSpeed`.
pub fn similar_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |candidate: &str| {
        let shortens = is_shortened(name, candidate);
        let candidate = candidate.to_lowercase();
        if shortens || (lower.len() >= 4 && candidate.starts_with(&lower)) {
            return Some(usize::from(candidate != lower));
        }
        let distance = strsim::damerau_levenshtein(&lower, &candidate);
        Some(distance).filter(|distance| *distance <= allowed(candidate.chars().count().min(lower.chars().count())))
    };
    let nearest = |candidate: &str| {
        let last_part = candidate.rsplit_once('/').filter(|_| !name.contains('/')).map(|(_, last)| last);
        distance(candidate).into_iter().chain(last_part.and_then(distance)).min()
    };
    known
        .into_iter()
        .filter_map(|candidate| Some((nearest(candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether a name differs from another one in shortened words alone: `avg_speed` from `average_speed`. One word at least is
/// whole, and a shortened one keeps its first letter and two more in their order.
fn is_shortened(name: &str, whole: &str) -> bool {
    let (name, whole) = (words_of(name), words_of(whole));
    let shortens = |short: &str, long: &str| {
        let mut letters = long.chars();
        short.len() >= 3 && long.starts_with(&short[..1]) && short.chars().all(|c| letters.any(|letter| letter == c))
    };
    let pairs = || name.iter().zip(&whole);
    name.len() == whole.len()
        && pairs().any(|(word, whole)| word == whole)
        && pairs().all(|(word, whole)| word == whole || (word.is_ascii() && shortens(word, whole)))
}

/// The words of a name in lower case: `average` and `speed` for `AverageSpeed` and for `average_speed`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if (c == '_' || c.is_uppercase()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut() {
        assert_eq!(cut("short\n"), "short\n");
        let long = cut(&"é".repeat(400_000)).into_owned();
        assert!(long.chars().count() < 1100 && long.contains(" … 399000 characters … "), "{long}");
        let lines = cut(&"a line\n".repeat(400_000)).into_owned();
        assert!(lines.len() < 8000 && lines.ends_with("a line\n… and 399000 more lines"), "{lines}");
        let wide = cut(&format!("{}\n", "w".repeat(400)).repeat(1000)).into_owned();
        assert!(wide.len() < 17_000 && wide.ends_with("more lines"), "{}", wide.len());
        let problem = Problem::of_field("x".repeat(400_000), "y".repeat(400_000));
        assert!(problem.to_string().len() < 2200);
    }

    #[test]
    fn long_lists_are_cut() {
        let names = |count: usize| (1..=count).map(|number| number.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(3)), "1, 2, 3");
        assert_eq!(listed(&names(0)), String::new());
        assert!(listed(&names(40_000)).ends_with(", 20 and 39980 more"));
    }

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["BinaryController", "theta", "fn", "name", "papers/gauci", "AverageSpeed", "time_steps"];
        for (name, near) in [
            ("BinryControler", "; did you mean `BinaryController`?"),
            ("Theta", "; did you mean `theta`?"),
            ("tehta", "; did you mean `theta`?"),
            ("RunnerController", ""),
            ("n", ""),
            ("gain", ""),
            ("bin", ""),
            ("Bina", "; did you mean `BinaryController`?"),
            ("gauci", "; did you mean `papers/gauci`?"),
            ("gacui", "; did you mean `papers/gauci`?"),
            ("paper/gacui", "; did you mean `papers/gauci`?"),
            ("other/gauci", ""),
            ("AvgSpeed", "; did you mean `AverageSpeed`?"),
            ("avg_speed", "; did you mean `AverageSpeed`?"),
            ("agSpeed", ""),
            ("AvgSpd", ""),
            ("GvaSpeed", ""),
            ("Speed", ""),
        ] {
            assert_eq!(did_you_mean(name, known), near, "{name}");
        }
    }

    #[test]
    fn equal_problems_are_folded() {
        let problem = |path: &str, message: &str| Problem::of_field(path, message);
        let all = vec![problem("a[0].b", "x"), problem("a[1].b", "x"), problem("a[1].c", "x"), problem("a[12].b", "x")];
        let folded: Vec<String> = folded(all).into_iter().map(|problem| problem.message).collect();
        assert_eq!(folded, ["x (and 2 more like this)", "x"]);
    }
}
