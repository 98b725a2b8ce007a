//! Where the tags of a template are.

use std::ops::Range;

use super::error::{TagFault, TemplateFault};
use crate::language::python::SyntaxError;

/// The marks of a block.
pub(super) const BLOCK: [&str; 2] = ["<%", "%>"];
/// The marks of a variable.
const VARIABLE: [&str; 2] = ["<{", "}>"];
/// The marks of a comment.
const COMMENT: [&str; 2] = ["{#", "#}"];
/// The mark of a line statement.
const LINE: &str = "#%>";

/// A text between tags with the number of its first line, or a tag: its opening mark, its inside, and the number of the line
/// on which it ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String, usize),
    Tag(&'static str, Range<usize>, usize),
}

/// Whether a text has marks of a template, comments of YAML included.
pub fn is_template(text: &str) -> bool {
    [BLOCK[0], VARIABLE[0], COMMENT[0]].iter().any(|mark| text.contains(mark))
        || text.lines().any(|line| line.trim_start().starts_with(LINE))
}

/// Splits a template into texts and tags.
///
/// # Errors
/// When a tag has no end.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, TagFault> {
    let mut pieces = Vec::new();
    let (mut at, mut line) = (0, 1);
    // Whether the last tag removes the blanks after it.
    let mut trims = false;
    loop {
        let (start, after, mark) = next_tag(text, at).unwrap_or((text.len(), text.len(), ""));
        let mut before = &text[at..start];
        let first_line = if trims { line + blank_lines(before) } else { line };
        if trims {
            before = before.trim_start();
        }
        let inside = &text[after..];
        let mut content = after;
        if mark != LINE && inside.starts_with(['-', '+']) {
            content += 1;
            if inside.starts_with('-') {
                before = before.trim_end();
            }
        }
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned(), first_line));
        }
        line += text[at..start].matches('\n').count();
        if mark.is_empty() {
            return Ok(pieces);
        }
        let close = match mark {
            LINE => "\n",
            mark if mark == BLOCK[0] => BLOCK[1],
            mark if mark == VARIABLE[0] => VARIABLE[1],
            _ => COMMENT[1],
        };
        let length = if mark == COMMENT[0] { text[content..].find(close) } else { length(&text[content..], close) };
        let unclosed =
            || TagFault::new(&(start..after), TemplateFault::from(SyntaxError::UnclosedTag(mark.to_owned())));
        let end = match length {
            Some(length) => content + length,
            None if mark == LINE => text.len(),
            None => return Err(unclosed()),
        };
        line += text[start..end].matches('\n').count();
        let mut inner = content..end;
        trims = mark != LINE && text[inner.clone()].ends_with('-');
        if mark != LINE && text[inner.clone()].ends_with(['-', '+']) {
            inner.end -= 1;
        }
        at = (end + close.len()).min(text.len());
        let ends_on = line;
        if mark == LINE {
            // The end of the line goes with the statement, and blank lines after it.
            let blank = text[end..].find(|c: char| !c.is_whitespace()).unwrap_or(text.len() - end);
            at = text[end..end + blank].rfind('\n').map_or(text.len(), |newline| end + newline + 1);
            line += text[end..at].matches('\n').count();
        }
        if mark == COMMENT[0] {
            continue;
        }
        if mark == BLOCK[0] && text[inner.clone()].trim() == "raw" {
            let Some((raw, next)) = raw(text, at) else { return Err(unclosed()) };
            let shown = &text[raw.clone()];
            pieces.push(Piece::Text(if trims { shown.trim_start() } else { shown }.to_owned(), line));
            line += text[at..next].matches('\n').count();
            (at, trims) = (next, false);
            continue;
        }
        pieces.push(Piece::Tag(if mark == LINE { BLOCK[0] } else { mark }, inner, ends_on));
    }
}

/// The number of lines that the blanks at the start of a text end.
fn blank_lines(text: &str) -> usize {
    text[..text.len() - text.trim_start().len()].matches('\n').count()
}

/// The next tag: where its mark begins and ends, and the mark. The blanks before a line statement belong to its mark.
fn next_tag(text: &str, at: usize) -> Option<(usize, usize, &'static str)> {
    text[at..].match_indices(['<', '{', '#']).find_map(|(found, _)| {
        let start = at + found;
        let mark =
            [BLOCK[0], VARIABLE[0], COMMENT[0], LINE].into_iter().find(|mark| text[start..].starts_with(mark))?;
        if mark != LINE {
            return Some((start, start + mark.len(), mark));
        }
        let before = text[at..start].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        let begin = at + before.len();
        let begins_line = begin == 0 || text[..begin].ends_with('\n');
        begins_line.then_some((begin, start + mark.len(), LINE))
    })
}

/// The length of the inside of a tag, which quoted texts and brackets do not end.
fn length(inside: &str, close: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        if let Some(open) = quote {
            if c == open && !is_escaped {
                quote = None;
            }
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        if depth == 0 && inside[at..].starts_with(close) {
            return Some(at);
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The raw text from a place on, and the end of the tag that ends it.
fn raw(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let mut end = at;
    for (found, _) in text[at..].match_indices(BLOCK[0]) {
        let inside = at + found + BLOCK[0].len();
        if end < inside {
            end = inside + text[inside..].find(BLOCK[1])?;
        }
        let word = text[inside..end].trim_start_matches(['-', '+', ' ']).strip_prefix("endraw");
        if word.is_some_and(|rest| rest.trim_start_matches(['-', '+', ' ']).is_empty()) {
            return Some((at..at + found, end + BLOCK[1].len()));
        }
    }
    None
}
