//! Checks the links of the documentation: files, headings, texts of pictures, and pages that the book lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::edits::MARKDOWN;

/// Pages outside of the book.
const PAGES: [&str; 4] = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The links and headings of a page.
#[derive(Default)]
struct Page {
    /// The target of each link and picture, with its line.
    links: Vec<(usize, String)>,
    /// The lines of pictures without a text for readers who cannot see them.
    silent: Vec<usize>,
    /// The anchors of the headings.
    anchors: BTreeSet<String>,
}

/// The links that lead nowhere, each with file and line; links to other sites are not followed.
///
/// # Errors
/// When a page cannot be read.
pub fn broken(repository: &Path) -> Result<Vec<String>> {
    let mut paths: Vec<_> = PAGES.iter().map(PathBuf::from).collect();
    find_pages(repository, Path::new("docs"), &mut paths)?;
    let mut pages = BTreeMap::new();
    for path in paths {
        let text =
            fs::read_to_string(repository.join(&path)).with_context(|| format!("cannot read {}", path.display()))?;
        pages.insert(path, Page::read(&text));
    }
    let mut broken = Vec::new();
    let mut linked = BTreeSet::new();
    for (path, page) in &pages {
        let place = |line: usize| format!("{}:{line}", path.display());
        broken.extend(page.silent.iter().map(|line| format!("{}: a picture has no alternative text", place(*line))));
        for (line, link) in &page.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { normal(&path.with_file_name("").join(file)) };
            if path == Path::new("docs/SUMMARY.md") {
                linked.insert(target.clone());
            }
            if !repository.join(&target).exists() {
                broken.push(format!("{}: {link} does not exist", place(*line)));
            } else if let (Some(page), false) = (pages.get(&target), anchor.is_empty())
                && !page.anchors.contains(anchor)
            {
                broken.push(format!("{}: {} has no heading #{anchor}", place(*line), target.display()));
            }
        }
    }
    let lost = pages
        .keys()
        .filter(|path| path.starts_with("docs") && !path.ends_with("SUMMARY.md") && !linked.contains(*path));
    broken.extend(lost.map(|path| format!("{}: docs/SUMMARY.md does not name this page", path.display())));
    Ok(broken)
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let (mut heading, mut picture): (Option<String>, Option<String>) = (None, None);
        for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push((line(range.start), dest_url.into())),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    page.links.push((line(range.start), dest_url.into()));
                    picture = Some(String::new());
                }
                Event::End(TagEnd::Image) if picture.take().is_some_and(|text| text.trim().is_empty()) => {
                    page.silent.push(line(range.start));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.add_anchor(&heading.take().unwrap_or_default()),
                Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => {
                    for text in [&mut heading, &mut picture].into_iter().flatten() {
                        text.push_str(&part);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the anchor that code hosts and mdBook give a heading; the second heading with the same text gets `-1`.
    fn add_anchor(&mut self, heading: &str) {
        let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor = heading.trim().to_lowercase().replace(|c| !kept(c), "").replace(' ', "-");
        let mut numbered = anchor.clone();
        for number in 1.. {
            if self.anchors.insert(numbered) {
                break;
            }
            numbered = format!("{anchor}-{number}");
        }
    }
}

/// Finds the pages in a folder and in its folders.
fn find_pages(repository: &Path, folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(repository.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            find_pages(repository, &path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

/// A path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_of_code_hosts() {
        let page = Page::read("# The `dt_s` of a step\n## Who: a question?\n## Again\n## Again\n");
        let anchors: Vec<_> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["again", "again-1", "the-dt_s-of-a-step", "who-a-question"]);
    }

    #[test]
    fn pictures_need_an_alternative_text() {
        let page = Page::read("![](a.png)\n![Six robots](b.png)\n[a](c.md#d)\n");
        assert_eq!(page.silent, [1]);
        assert_eq!(page.links, [(1, "a.png".into()), (2, "b.png".into()), (3, "c.md#d".into())]);
    }
}
