//! Links from the book to files outside `docs/`: the built book has copies of these files.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use pulldown_cmark::{Event, Parser, Tag};

use crate::edits::{MARKDOWN, for_each_chapter, replace};

/// The preprocessor for links out of `docs/`.
pub struct Outside {
    repository: PathBuf,
    out: PathBuf,
}

impl Outside {
    /// Copies files of a repository into the folder of the built book.
    pub fn new(repository: &Path, out: &Path) -> Self {
        Self { repository: repository.into(), out: out.into() }
    }

    /// Leads the links of a chapter to copies. A link to a folder becomes plain text.
    fn rewrite(&self, chapter: &mut Chapter) -> Result<()> {
        let Some(source) = chapter.source_path.clone() else { return Ok(()) };
        let folder = Path::new("docs").join(source.parent().unwrap_or(Path::new("")));
        let mut edits = Vec::new();
        for (event, range) in Parser::new_ext(&chapter.content, MARKDOWN).into_offset_iter() {
            let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
            let text = &chapter.content[range.clone()];
            let (Some(target), Some(link)) = (self.target(&folder, &dest_url), text.rfind(&*dest_url)) else {
                continue;
            };
            if self.repository.join(&target).is_dir() {
                if let (Some(label), true) = (text.find("]("), text.starts_with('[')) {
                    edits.push((range.clone(), text[1..label].into()));
                }
                continue;
            }
            self.copy(&target)?;
            let up = "../".repeat(source.components().count() - 1);
            let start = range.start + link;
            edits.push((start..start + dest_url.len(), format!("{up}files/{}", target.display())));
        }
        chapter.content = replace(&chapter.content, edits);
        Ok(())
    }

    /// The path in the repository of a link that leaves `docs/`.
    fn target(&self, folder: &Path, link: &str) -> Option<PathBuf> {
        if link.contains("://") || link.starts_with(['#', '/']) || link.starts_with("mailto:") {
            return None;
        }
        let mut target = PathBuf::new();
        for part in folder.join(link.split('#').next()?).components() {
            match part {
                Component::ParentDir => _ = target.pop(),
                Component::Normal(part) => target.push(part),
                _ => {}
            }
        }
        (!target.starts_with("docs") && self.repository.join(&target).exists()).then_some(target)
    }

    fn copy(&self, target: &Path) -> Result<()> {
        let copy = self.out.join("files").join(target);
        fs::create_dir_all(copy.parent().unwrap_or(&self.out))?;
        fs::copy(self.repository.join(target), &copy).with_context(|| format!("cannot copy {}", target.display()))?;
        Ok(())
    }
}

impl Preprocessor for Outside {
    fn name(&self) -> &'static str {
        "outside"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        for_each_chapter(&mut book, |chapter| self.rewrite(chapter))?;
        Ok(book)
    }
}
