//! Links from the book to files outside `docs/`: the built book has copies of these files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use pulldown_cmark::{Event, Parser, Tag};

use crate::edits::{MARKDOWN, for_each_chapter, replace};
use crate::links::normal;

/// The preprocessor for links out of `docs/`.
pub struct Outside {
    repository: PathBuf,
    files: Files,
}

/// The files that links lead to, as paths in the repository.
#[derive(Clone, Default)]
pub struct Files(Arc<Mutex<BTreeSet<PathBuf>>>);

impl Files {
    fn add(&self, target: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(target.into());
    }

    /// Copies the files into the folder of the built book.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn copy(&self, repository: &Path, out: &Path) -> Result<()> {
        for target in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let copy = out.join(place_of(target));
            fs::create_dir_all(copy.parent().unwrap_or(out))?;
            fs::copy(repository.join(target), &copy).with_context(|| format!("cannot copy {}", target.display()))?;
        }
        Ok(())
    }
}

/// The place of the copy of a file in the built book. Links to Markdown become links to HTML in it, so that a page outside the
/// book is copied as a text.
fn place_of(target: &Path) -> PathBuf {
    let copy = Path::new("files").join(target);
    if copy.extension().is_some_and(|ending| ending == "md") { copy.with_extension("txt") } else { copy }
}

impl Outside {
    /// Leads links to copies of files of a repository.
    pub fn new(repository: &Path) -> Self {
        Self { repository: repository.into(), files: Files::default() }
    }

    /// The files that links lead to, once the preprocessor has run.
    pub fn files(&self) -> Files {
        self.files.clone()
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
            self.files.add(&target);
            let up = "../".repeat(source.components().count() - 1);
            let start = range.start + link;
            edits.push((start..start + dest_url.len(), format!("{up}{}", place_of(&target).display())));
        }
        chapter.content = replace(&chapter.content, edits);
        Ok(())
    }

    /// The path in the repository of a link that leaves `docs/`.
    fn target(&self, folder: &Path, link: &str) -> Option<PathBuf> {
        if link.contains("://") || link.starts_with(['#', '/']) || link.starts_with("mailto:") {
            return None;
        }
        let target = normal(&folder.join(link.split('#').next()?));
        (!target.starts_with("docs") && self.repository.join(&target).exists()).then_some(target)
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
