//! The gallery: its sections stand side by side where the screen is wide.

use std::path::Path;

use anyhow::Result;
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::edits::for_each_chapter;

/// The preprocessor for the gallery.
pub struct Gallery;

impl Preprocessor for Gallery {
    fn name(&self) -> &'static str {
        "gallery"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        for_each_chapter(&mut book, |chapter| {
            if chapter.source_path.as_deref() == Some(Path::new("gallery.md")) {
                chapter.content = in_columns(&chapter.content);
            }
            Ok(())
        })?;
        Ok(book)
    }
}

/// A page with an element around each of its sections, and one around all of them.
fn in_columns(page: &str) -> String {
    let mut sections = page.split("\n## ");
    let mut columns = sections.next().unwrap_or_default().to_owned() + "\n<div class=\"gallery\">\n";
    for section in sections {
        columns += &format!("<section>\n\n## {section}\n\n</section>\n");
    }
    columns + "</div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_become_columns() {
        let page = in_columns("# Gallery\n\nText.\n\n## A\n\n![A](a.gif)\n\n## B\n\nText.\n");
        assert_eq!(page.matches("<section>\n\n## ").count(), 2, "{page}");
        assert!(page.starts_with("# Gallery\n\nText.\n\n<div class=\"gallery\">\n<section>"), "{page}");
        assert!(page.ends_with("</section>\n</div>\n"), "{page}");
    }
}
