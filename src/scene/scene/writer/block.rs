//! Text that is broken into lines if it is too wide.

use std::collections::BTreeMap;

use super::Line;
use super::trace::Marked;
use crate::scene::origins::Mark;

/// The largest width of a line with a whole struct.
pub(super) const WIDTH: usize = 100;
/// One level of indentation.
const INDENT: usize = 4;

/// The text written so far.
#[derive(Default)]
pub(super) struct Page {
    pub text: String,
    /// The number of finished lines.
    line: usize,
    /// The marks of lines, by their number.
    marks: BTreeMap<usize, Mark>,
}

impl Page {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn start_line(&mut self, indent: usize) {
        self.line += 1;
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn mark(&mut self, mark: &Marked) {
        if let Marked::As(mark) = mark {
            self.marks.insert(self.line, mark.clone());
        }
    }

    pub fn lines(mut self) -> Vec<Line> {
        let line = |(number, text): (usize, &str)| Line { text: text.to_owned(), mark: self.marks.remove(&number) };
        self.text.split('\n').enumerate().map(line).collect()
    }
}

/// A piece of text that may be broken into lines.
#[derive(PartialEq)]
pub(super) struct Block {
    pub body: BlockBody,
    pub marked: Marked,
}

#[derive(PartialEq)]
pub(super) enum BlockBody {
    Leaf(String),
    Items { open: String, items: Vec<(Option<String>, Block)>, close: char, width: usize },
}

impl Block {
    pub fn leaf(text: impl Into<String>) -> Self {
        Self { body: BlockBody::Leaf(text.into()), marked: Marked::Unasked }
    }

    pub fn fields(name: &str, fields: impl Iterator<Item = (String, Self)>) -> Self {
        Self::items(format!("{name}("), fields.map(|(name, block)| (Some(name), block)).collect(), ')')
    }

    pub fn tuple(name: &str, items: impl Iterator<Item = Self>) -> Self {
        Self::items(format!("{name}("), items.map(|item| (None, item)).collect(), ')')
    }

    pub fn list(items: impl Iterator<Item = Self>) -> Self {
        Self::items("[".into(), items.map(|item| (None, item)).collect(), ']')
    }

    fn items(open: String, items: Vec<(Option<String>, Self)>, close: char) -> Self {
        let separators = 2 * items.len().saturating_sub(1);
        let content: usize = items.iter().map(|(name, block)| label_width(name) + block.width()).sum();
        let width = open.chars().count() + content + separators + 1;
        Self { body: BlockBody::Items { open, items, close, width }, marked: Marked::Unasked }
    }

    /// The width on one line, in characters.
    pub fn width(&self) -> usize {
        match &self.body {
            BlockBody::Leaf(text) => text.chars().count(),
            BlockBody::Items { width, .. } => *width,
        }
    }

    /// The text on one line.
    pub fn line(&self) -> String {
        let mut page = Page::default();
        self.render_line(&mut page);
        page.text
    }

    /// Appends the block to a line that is indented by `indent` and already `used` wide.
    pub fn render(&self, indent: usize, used: usize, page: &mut Page) {
        let BlockBody::Items { open, items, close, .. } = &self.body else { return self.render_line(page) };
        match items.as_slice() {
            // A comma follows.
            _ if used + self.width() < WIDTH && self.marked != Marked::Mixed => self.render_line(page),
            // A list of one struct shares its brackets: `[(`.
            [(None, only)] => {
                page.push(open);
                only.render(indent, used + open.len(), page);
                page.text.push(*close);
            }
            _ => {
                page.push(open);
                render_lines(items, indent, page);
                page.text.push(*close);
            }
        }
    }

    /// Appends the whole block to the line.
    fn render_line(&self, page: &mut Page) {
        match &self.body {
            BlockBody::Leaf(text) => page.push(text),
            BlockBody::Items { open, items, close, .. } => {
                page.push(open);
                for (index, (name, block)) in items.iter().enumerate() {
                    page.push(if index > 0 { ", " } else { "" });
                    push_label(name, page);
                    block.render_line(page);
                }
                page.text.push(*close);
            }
        }
        page.mark(&self.marked);
    }
}

fn label_width(name: &Option<String>) -> usize {
    name.as_ref().map_or(0, |name| name.chars().count() + 2)
}

fn push_label(name: &Option<String>, page: &mut Page) {
    if let Some(name) = name {
        page.push(name);
        page.push(": ");
    }
}

fn render_lines(items: &[(Option<String>, Block)], indent: usize, page: &mut Page) {
    let inner = indent + INDENT;
    for (name, block) in items {
        page.start_line(inner);
        push_label(name, page);
        block.render(inner, inner + label_width(name), page);
        page.push(",");
    }
    page.start_line(indent);
}
