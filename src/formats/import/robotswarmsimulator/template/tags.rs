//! Where the tags of a template are.

use std::iter;
use std::ops::Range;

/// The marks of a block.
pub(super) const BLOCK: [&str; 2] = ["<%", "%>"];
/// The marks of a variable.
pub(super) const VARIABLE: [&str; 2] = ["<{", "}>"];
/// The marks of a comment.
pub(super) const COMMENT: [&str; 2] = ["{#", "#}"];
/// The mark of a line statement.
pub(super) const LINE: &str = "#%>";

/// Whether a text has marks of a template, comments of YAML included.
pub fn is_template(text: &str) -> bool {
    [BLOCK[0], VARIABLE[0], COMMENT[0]].iter().any(|mark| text.contains(mark))
        || text.lines().any(|line| line.trim_start().starts_with(LINE))
}

/// The insides of all tags but comments, in order.
pub(super) fn insides(text: &str) -> Vec<Range<usize>> {
    let line = |start: usize| start..text[start..].find('\n').map_or(text.len(), |end| start + end);
    let blocks = enclosed(text).filter(|(_, close)| *close != COMMENT[1]).map(|(tag, _)| tag);
    let mut tags: Vec<_> = blocks.chain(line_statements(text).map(line)).collect();
    tags.sort_unstable_by_key(|tag| tag.start);
    tags
}

/// The insides of the blocks, variables and comments of a template, in order, each with its closing mark.
pub(super) fn enclosed(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let mut next = 0;
    iter::from_fn(move || {
        let (after, close) = opening(&text[next..])?;
        let start = next + after;
        next = text[start..].find(close).map_or(text.len(), |length| start + length);
        Some((start..next, close))
    })
}

/// The insides of all blocks and line statements, with their lines.
pub(super) fn statements_with_lines(text: &str) -> Vec<(usize, &str)> {
    let mut blocks = text.match_indices(BLOCK[0]).map(|(at, _)| at + BLOCK[0].len()).peekable();
    let mut statements = line_statements(text).peekable();
    let (mut tags, mut line, mut done) = (Vec::new(), 1, 0);
    loop {
        // A mark within the last tag begins no other tag.
        while blocks.next_if(|start| *start < done).is_some() {}
        while statements.next_if(|start| *start < done).is_some() {}
        let block = blocks.peek().map(|start| (*start, BLOCK[1]));
        let statement = statements.peek().map(|start| (*start, "\n"));
        let Some((start, close)) = block.into_iter().chain(statement).min() else { return tags };
        line += text[done..start].matches('\n').count();
        let inside = &text[start..];
        let inside = &inside[..inside.find(close).unwrap_or(inside.len())];
        tags.push((line, inside));
        line += inside.matches('\n').count();
        done = start + inside.len();
    }
}

/// The starts of the insides of lines with [`LINE`].
fn line_statements(text: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = next;
        next += line.len();
        let content = line.trim_start();
        content.starts_with(LINE).then_some(begin + line.len() - content.len() + LINE.len())
    })
}

/// The end of the first mark in a text that opens a tag, and the mark that closes the tag.
pub(super) fn opening(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices(['<', '{']).find_map(|(at, _)| {
        let tag = [BLOCK, VARIABLE, COMMENT].into_iter().find(|[open, _]| text[at..].starts_with(open));
        tag.map(|[open, close]| (at + open.len(), close))
    })
}
