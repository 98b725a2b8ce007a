//! Marks around the numbers of lines, which trace the lines of the output to those of the template.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::tags::{LINE, opening};

/// Characters without a meaning of their own.
const PRIVATE: RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';

/// Two characters that none of these texts contains, to enclose the numbers of lines. No keyboard has them.
pub(super) fn unused_marks<'t>(texts: impl Iterator<Item = &'t str>) -> Option<[char; 2]> {
    let mut free: BTreeSet<char> = PRIVATE.collect();
    for character in texts.flat_map(str::chars).filter(|character| PRIVATE.contains(character)) {
        free.remove(&character);
    }
    let mut free = free.into_iter();
    Some([free.next()?, free.next()?])
}

/// Appends its number between marks to each line of a text, except to lines that end within a tag.
pub(super) fn mark_lines(text: &str, marks: [char; 2]) -> String {
    let mut marked = String::with_capacity(text.len() + text.len() / 8);
    let mut open: Option<&str> = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let is_statement = open.is_none() && content.trim_start().starts_with(LINE);
        let mut rest = if is_statement { "" } else { content };
        loop {
            let next = match open {
                Some(close) => rest.find(close).map(|at| (at + close.len(), None)),
                None => opening(rest).map(|(after, close)| (after, Some(close))),
            };
            let Some((after, now)) = next else { break };
            (rest, open) = (&rest[after..], now);
        }
        marked += content;
        // A mark after `-%>` would keep the blanks that the tag removes.
        let removes_blanks = ["-%>", "-}>", "-#}"].iter().any(|tag| content.trim_end().ends_with(tag));
        if open.is_none() && !is_statement && !removes_blanks {
            marked += &format!("{}{}{}", marks[0], index + 1, marks[1]);
        }
        marked += end;
    }
    marked
}

/// The numbers of the lines whose marks are in a text.
pub(super) fn marked_lines(text: &str, marks: [char; 2]) -> BTreeSet<usize> {
    text.split(marks[0]).skip(1).filter_map(|rest| rest.split_once(marks[1])?.0.parse().ok()).collect()
}

/// Removes the marks from a text. Gives with it, for each line, the number of the line of the template.
pub(super) fn remove_marks(text: &str, marks: [char; 2]) -> (String, Vec<usize>) {
    let mut clean = String::with_capacity(text.len());
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut number = None;
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(marks[0]) {
            clean += before;
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            rest = match after[digits..].strip_prefix(marks[1]) {
                Some(rest) => {
                    number = number.or(after[..digits].parse().ok());
                    rest
                }
                // An escape sequence of the template produced the character.
                None => {
                    clean.push(marks[0]);
                    after
                }
            };
        }
        clean += rest;
        lines.push(number);
    }
    // A line without a mark gets the number of the next marked line.
    let mut next = lines.iter().rev().find_map(|line| *line).unwrap_or(1);
    let mut filled: Vec<usize> = lines
        .into_iter()
        .rev()
        .map(|line| {
            next = line.unwrap_or(next);
            next
        })
        .collect();
    filled.reverse();
    (clean, filled)
}
