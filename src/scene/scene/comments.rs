//! Comments of a scene text, carried over to another text of the same scene.
//!
//! A comment belongs to the field or item that follows it, or to the one before it on the same line. In the other text, it
//! stands with the same field or item. If that text has no such field, because the field has its default there, the comment
//! is left out.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use swarmarium_core::text::outline::{Body, Node, outline};

/// A text with the comments of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The text.
    pub text: String,
    /// The number of comments in the text.
    pub kept: usize,
    /// The number of comments without a place in the text.
    pub left_out: usize,
}

/// Writes the comments of a text into another text, which has none. A text that cannot be read has no comments.
pub fn carry(from: &str, to: &str) -> Carried {
    let comments = comments(from);
    let plain = || Carried { text: to.to_owned(), left_out: comments.len(), ..Carried::default() };
    if comments.is_empty() {
        return plain();
    }
    let (Ok(old), Ok(new)) = (outline(from), outline(to)) else { return plain() };
    let (old, new) = (Items::of(&old), Items::of(&new));
    let mut page = Page::new(to, &new);
    let mut left_out = 0;
    for comment in &comments {
        if !old.place(from, comment).is_some_and(|place| page.put(place, comment)) {
            left_out += 1;
        }
    }
    Carried { text: page.text(), kept: comments.len() - left_out, left_out }
}

/// The number of comments in a text.
pub fn count(text: &str) -> usize {
    comments(text).len()
}

/// A comment; lines of `//` that follow each other are one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Comment {
    span: Range<usize>,
    /// The lines, without their indentation.
    lines: Vec<String>,
    /// Whether something else stands before it on its line.
    is_trailing: bool,
}

/// The comments of a text, in order.
fn comments(text: &str) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = match bytes[at] {
            b'"' => at + string(rest),
            b'r' if !is_word_before(text, at) && raw_string(rest).is_some() => at + raw_string(rest).unwrap_or(1),
            b'/' if rest.starts_with("//") => {
                let end = at + rest.find('\n').unwrap_or(rest.len());
                add(&mut found, text, at..end);
                end
            }
            b'/' if rest.starts_with("/*") => {
                let end = at + block(rest);
                add(&mut found, text, at..end);
                end
            }
            _ => at + rest.chars().next().map_or(1, char::len_utf8),
        };
        at = end;
    }
    found
}

/// Adds a comment, or the next line of the last one.
fn add(found: &mut Vec<Comment>, text: &str, span: Range<usize>) {
    let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let is_trailing = !text[line_start..span.start].trim_start_matches('\u{feff}').trim().is_empty();
    let lines = text[span.clone()].lines().map(|line| line.trim().to_owned());
    match found.last_mut() {
        Some(last) if !is_trailing && !last.is_trailing && is_next_line(&text[last.span.end..span.start]) => {
            last.lines.extend(lines);
            last.span.end = span.end;
        }
        _ => found.push(Comment { lines: lines.collect(), is_trailing, span }),
    }
}

/// Whether a text between two comments is the end of a line and the indentation of the next one.
fn is_next_line(between: &str) -> bool {
    between.trim().is_empty() && between.matches('\n').count() == 1
}

fn is_word_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// The length of a string in quotes.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string such as `r#"…"#`; `None` for other texts.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let open = 1 + hashes;
    (text.as_bytes().get(open) == Some(&b'"')).then_some(())?;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(text[open + 1..].find(&close).map_or(text.len(), |at| open + 1 + at + close.len()))
}

/// The length of a comment in `/* … */`, which can contain others.
fn block(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        match () {
            () if rest.starts_with("/*") => (depth, at) = (depth + 1, at + 2),
            () if rest.starts_with("*/") => (depth, at) = (depth - 1, at + 2),
            () => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// A step of the path to an item: the name of a field, or the place in a list.
type Step<'a> = (&'a str, usize);

/// A field or an item.
struct Item<'a> {
    path: Vec<Step<'a>>,
    /// The bytes from the name of the field to the end of the value.
    span: Range<usize>,
    /// The place of the value that contains it, among the items.
    parent: Option<usize>,
}

/// The fields and items of a text, in the order in which they begin; the first is the whole.
struct Items<'a>(Vec<Item<'a>>);

/// Where a comment stands: before an item, after it on its line, or below it.
#[derive(Clone, Copy)]
enum Place<'p, 'a> {
    Top,
    Bottom,
    Before(&'p [Step<'a>]),
    Beside(&'p [Step<'a>]),
    Below(&'p [Step<'a>]),
}

impl<'a> Items<'a> {
    fn of(root: &Node<'a>) -> Self {
        let mut items = Self(Vec::new());
        items.add(root, root.span.clone(), Vec::new(), None);
        items
    }

    fn add(&mut self, node: &Node<'a>, span: Range<usize>, path: Vec<Step<'a>>, parent: Option<usize>) {
        // An optional value has the path of the value in it, whether it is written with `Some` or without.
        if let Body::Tuple { name: Some("Some"), items } = &node.body
            && let [inner] = items.as_slice()
        {
            return self.add(inner, span, path, parent);
        }
        let own = self.0.len();
        self.0.push(Item { path: path.clone(), span, parent });
        let with = |step: Step<'a>| path.iter().copied().chain([step]).collect::<Vec<_>>();
        match &node.body {
            Body::Leaf(_) => {}
            Body::Struct { fields, .. } => {
                for field in fields {
                    let span = field.span.start..field.value.span.end;
                    self.add(&field.value, span, with((field.name, 0)), Some(own));
                }
            }
            Body::Tuple { items, .. } | Body::List(items) => {
                for (place, item) in items.iter().enumerate() {
                    self.add(item, item.span.clone(), with(("", place)), Some(own));
                }
            }
        }
    }

    /// The item to which a comment belongs.
    fn place<'p>(&'p self, text: &str, comment: &Comment) -> Option<Place<'p, 'a>> {
        let at = comment.span.start;
        let root = self.0.first()?;
        if at < root.span.start {
            return Some(Place::Top);
        }
        if at >= root.span.end {
            return Some(Place::Bottom);
        }
        // The innermost value around the comment, and its parts.
        let inner = self.0.iter().rposition(|item| item.span.start < at && at < item.span.end)?;
        let parts = || self.0.iter().filter(|item| item.parent == Some(inner));
        let last = parts().take_while(|item| item.span.end <= at).last();
        if comment.is_trailing {
            let is_on_line = |end: usize| !text[end.min(at)..at].contains('\n');
            return Some(match last.filter(|last| is_on_line(last.span.end)) {
                Some(last) => Place::Beside(&last.path),
                // After an opening bracket.
                None => Place::Before(&self.0[inner].path),
            });
        }
        match (parts().find(|item| item.span.start > at), last) {
            (Some(next), _) => Some(Place::Before(&next.path)),
            (None, Some(last)) => Some(Place::Below(&last.path)),
            (None, None) => Some(Place::Before(&self.0[inner].path)),
        }
    }
}

/// The lines of a text, and the comments that come before, beside and below them.
struct Page<'t, 'a> {
    lines: Vec<&'t str>,
    /// The first byte of each line.
    starts: Vec<usize>,
    items: HashMap<&'t [Step<'a>], &'t Item<'a>>,
    before: BTreeMap<usize, Vec<String>>,
    beside: BTreeMap<usize, Vec<String>>,
    below: BTreeMap<usize, Vec<String>>,
}

impl<'t, 'a> Page<'t, 'a> {
    fn new(text: &'t str, items: &'t Items<'a>) -> Self {
        let lines: Vec<&str> = text.split('\n').collect();
        let starts = lines.iter().scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some(start)
        });
        let starts = starts.collect();
        let items = items.0.iter().map(|item| (item.path.as_slice(), item)).collect();
        Self { lines, starts, items, before: BTreeMap::new(), beside: BTreeMap::new(), below: BTreeMap::new() }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Whether a line begins with the byte `at`, but for blanks.
    fn begins_at(&self, at: usize) -> bool {
        let line = self.line_of(at);
        self.lines[line][..at - self.starts[line]].trim().is_empty()
    }

    /// Puts a comment into its place; false if there is none.
    fn put(&mut self, place: Place<'_, 'a>, comment: &Comment) -> bool {
        let lines = comment.lines.iter().cloned();
        match place {
            Place::Top => self.before.entry(0).or_default().extend(lines),
            Place::Bottom => {
                let last = self.lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or_default();
                self.below.entry(last).or_default().extend(lines);
            }
            Place::Before(path) => {
                let Some(line) = self.line_before(path) else { return false };
                self.before.entry(line).or_default().extend(lines);
            }
            Place::Beside(path) => {
                let Some(item) = self.items.get(path) else { return false };
                let line = self.line_of(item.span.end.saturating_sub(1));
                let rest = &self.lines[line][item.span.end - self.starts[line]..];
                let is_free = self.begins_at(item.span.start) && rest.trim_matches([',', ' ']).is_empty();
                match is_free && comment.lines.len() == 1 && comment.lines[0].starts_with("//") {
                    true => self.beside.entry(line).or_default().extend(lines),
                    false => {
                        let Some(line) = self.line_before(path) else { return false };
                        self.before.entry(line).or_default().extend(lines);
                    }
                }
            }
            Place::Below(path) => {
                let Some(item) = self.items.get(path) else { return false };
                match self.begins_at(item.span.start) {
                    true => {
                        let line = self.line_of(item.span.end.saturating_sub(1));
                        self.below.entry(line).or_default().extend(lines);
                    }
                    false => {
                        let Some(line) = self.line_before(path) else { return false };
                        self.before.entry(line).or_default().extend(lines);
                    }
                }
            }
        }
        true
    }

    /// The line that begins with an item, or with the innermost value around it with which a line begins; `None` if the
    /// text lacks the item.
    fn line_before(&self, path: &[Step<'a>]) -> Option<usize> {
        self.items.get(path)?;
        let around = (0..=path.len()).rev().filter_map(|length| self.items.get(&path[..length]));
        let start = around.map(|item| item.span.start).find(|start| self.begins_at(*start))?;
        Some(self.line_of(start))
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            let indent = &line[..line.len() - line.trim_start().len()];
            let whole = |comments: &BTreeMap<usize, Vec<String>>| {
                let comments = comments.get(&number).into_iter().flatten();
                comments.map(|comment| format!("{indent}{comment}")).collect::<Vec<_>>()
            };
            let beside = self.beside.get(&number).into_iter().flatten();
            let line = beside.fold((*line).to_owned(), |line, comment| format!("{line} {comment}"));
            let lines = whole(&self.before).into_iter().chain([line]).chain(whole(&self.below));
            for line in lines {
                text += &line;
                text.push('\n');
            }
        }
        // The text had no line break after its last line.
        text.pop();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stand_with_their_fields() {
        let from = "// Head\n// of two lines\nScene(\n    // Which\n    seed: 7, // lucky\n    groups: [(\n        name: \"a // no comment\",\n        \
                    // How many\n        count: 6,\n        // the end\n    )],\n)\n// Foot\n";
        let to =
            "Scene(\n    seed: 7,\n    groups: [(\n        name: \"a // no comment\",\n        count: 9,\n    )],\n)";
        let carried = carry(from, to);
        assert_eq!((carried.kept, carried.left_out), (6, 0));
        assert_eq!(
            carried.text,
            "// Head\n// of two lines\nScene(\n    // Which\n    seed: 7, // lucky\n    groups: [(\n        name: \"a // no \
             comment\",\n        // How many\n        count: 9,\n        // the end\n    )],\n)\n// Foot"
        );
        assert_eq!(carry(&carried.text, to).text, carried.text);
    }

    #[test]
    fn comments_of_fields_that_are_left_out_are_left_out() {
        let from = "(\n    // the default\n    seed: 0,\n    arena: (\n        // wide\n        size_m: (1.0, 2.0),\n    ),\n)";
        let carried = carry(from, "Scene(\n    arena: (size_m: (1.0, 2.0)),\n)");
        assert_eq!(carried.text, "Scene(\n    // wide\n    arena: (size_m: (1.0, 2.0)),\n)");
        assert_eq!((carried.kept, carried.left_out), (1, 1));
    }

    #[test]
    fn comments_stand_in_optional_values_with_some_or_without() {
        let (with, without) = ("(gripper: Some((\n    // arm\n    reach_m: 0.05,\n)))", "(gripper: (reach_m: 0.05))");
        for (from, to) in [(with, without), ("(gripper: (\n    // arm\n    reach_m: 0.05,\n))", with)] {
            let carried = carry(from, to);
            assert_eq!((carried.kept, carried.left_out), (1, 0), "{}", carried.text);
        }
    }

    #[test]
    fn strings_have_no_comments() {
        assert_eq!(count(r##"(a: "// \" /*", b: r#"" // "#, c: r"//")"##), 0);
        assert_eq!(count("(/* a /* b */ c */ x: 1) // d"), 2);
        assert_eq!(count("(a: 1 /* never ends"), 1);
        assert_eq!(carry("(a: // never ends", "(a: 1)").left_out, 1);
    }
}
