//! Variables without a value, and their places in a template.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::ErrorKind;

use super::Variables;
use super::engine::new_engine;
use super::error::{TemplateError, TemplateFault};
use super::tags::{VARIABLE, enclosed, insides};

/// The insides of the tags with output: those in lines whose marks are in the output, or that cannot have marks.
pub(super) fn written_tags(text: &str, possible: &BTreeSet<usize>, shown: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let (mut line, mut counted) = (1, 0);
    let tags = enclosed(text).filter(|(_, close)| *close == VARIABLE[1]).map(|(tag, _)| tag);
    let is_written = |tag: &Range<usize>| {
        line += text[counted..tag.end].matches('\n').count();
        counted = tag.end;
        shown.contains(&line) || !possible.contains(&line)
    };
    tags.filter(is_written).collect()
}

/// Finds the first variable without a value that one of these tags names, in a line or below it.
pub(super) fn find_undefined(
    text: &str,
    line: usize,
    variables: &Variables,
    within: &[Range<usize>],
) -> Option<TemplateError> {
    let engine = new_engine().ok()?;
    let from: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let tags = insides(text);
    let inside = |range: &Range<usize>| text[range.clone()].trim_start_matches(['-', '+', ' ']);
    // The template itself sets the variables before `=` in `set`, and before `in` in `for`.
    let set = tags.iter().filter_map(|tag| {
        let tag = inside(tag);
        let names = |word: &str, end: &str| tag.strip_prefix(word)?.split(end).next();
        names("set ", "=").or_else(|| names("for ", " in "))
    });
    let set: BTreeSet<&str> = set.flat_map(|names| names.split(',')).map(str::trim).collect();
    for tag in within.iter().filter(|tag| tag.end >= from) {
        let mut at = tag.start.max(from);
        let mut before = ' ';
        let mut follows_is = false;
        let tested = tested_variables(&text[tag.clone()]);
        while let Some(first) = text[at..tag.end].chars().next() {
            let rest = &text[at..tag.end];
            if matches!(first, '"' | '\'') {
                at += rest[1..].find(first).map_or(rest.len(), |end| end + 2);
                continue;
            }
            let length = name_length(rest);
            if length == 0 || first.is_ascii_digit() || matches!(before, '.' | '|') {
                at += length.max(first.len_utf8());
                before = if first == ' ' { before } else { first };
                continue;
            }
            let path = &rest[..path_length(rest)];
            let name = &rest[..length];
            let after = rest[path.len()..].trim_start();
            let is_test = follows_is && name != "not";
            follows_is = name == "is" || (follows_is && name == "not");
            let may_be_missing = is_test
                || tested.contains(path)
                || after.starts_with("is ")
                || after.strip_prefix('|').is_some_and(|after| {
                    let after = after.trim_start();
                    matches!(&after[..name_length(after)], "default" | "d")
                });
            let is_missing = || {
                let value = engine.compile_expression(path).and_then(|path| path.eval(variables));
                value.map_or_else(|error| error.kind() == ErrorKind::UndefinedError, |value| value.is_undefined())
            };
            if !may_be_missing && !set.contains(name) && !KEYWORDS.contains(&name) && is_missing() {
                let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                let (line, column) = (text[..at].matches('\n').count() + 1, text[start..at].chars().count() + 1);
                let fault = match path == name || !variables.contains_key(name) {
                    true => TemplateFault::UndefinedVariable { name: name.to_owned() },
                    false => TemplateFault::UndefinedPath { path: path.to_owned() },
                };
                return Some(TemplateError { line, column, fault });
            }
            at += path.len();
            before = 'x';
        }
    }
    None
}

/// The variables of tests in a tag, such as `a` in `a is defined`, which need no value.
fn tested_variables(tag: &str) -> BTreeSet<&str> {
    let is_in_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let before = tag.match_indices(" is ").map(|(at, _)| tag[..at].trim_end());
    before.filter_map(|before| before.rsplit(|c: char| !is_in_path(c)).next()).collect()
}

/// The keywords in tags, which are not variables.
const KEYWORDS: [&str; 26] = [
    "set",
    "if",
    "elif",
    "else",
    "endif",
    "for",
    "endfor",
    "in",
    "not",
    "and",
    "or",
    "is",
    "true",
    "false",
    "none",
    "True",
    "False",
    "None",
    "with",
    "endwith",
    "do",
    "break",
    "continue",
    "loop",
    "recursive",
    "endset",
];

/// The length of the name that a text begins with.
fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The length of a name with its attributes and indices: `a.b[0]`.
fn path_length(text: &str) -> usize {
    let mut length = name_length(text);
    loop {
        let rest = &text[length..];
        let more = match rest.strip_prefix('.') {
            Some(rest) => Some(1 + name_length(rest)).filter(|more| *more > 1),
            None => rest.strip_prefix('[').and_then(|rest| {
                let index = rest.find(|c: char| !(c.is_ascii_digit() || c == '-'))?;
                rest[index..].starts_with(']').then_some(index + 2).filter(|_| index > 0)
            }),
        };
        match more {
            Some(more) => length += more,
            None => return length,
        }
    }
}
