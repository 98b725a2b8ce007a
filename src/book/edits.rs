//! Replacements in the Markdown of a page.

use std::ops::Range;

use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use pulldown_cmark::Options;

/// The extensions of Markdown that the pages use: those of code hosts.
pub const MARKDOWN: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_MATH).union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_GFM);

/// Replaces ranges of a text; the ranges do not overlap.
pub fn replace(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut replaced, mut end) = (String::with_capacity(text.len()), 0);
    for (range, with) in edits {
        replaced.push_str(&text[end..range.start]);
        replaced.push_str(&with);
        end = range.end;
    }
    replaced + &text[end..]
}

/// Changes each chapter of a book.
///
/// # Errors
/// The first error of `change`.
pub fn for_each_chapter(
    book: &mut Book,
    mut change: impl FnMut(&mut Chapter) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut result = Ok(());
    book.for_each_mut(|item| {
        if let (BookItem::Chapter(chapter), true) = (item, result.is_ok()) {
            result = change(chapter);
        }
    });
    result
}
