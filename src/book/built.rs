//! Checks the links of the built book: each link of a page, of a style sheet and of the search leads to an existing file and
//! anchor.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::links::normal;
use crate::search;

/// The page for addresses that do not exist: a server shows it anywhere, so its links are those of the root.
const NOT_FOUND: &str = "404.html";

/// The links and anchors of a page.
#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

/// The links in a folder that lead nowhere, each with its page; links to other sites are not followed.
///
/// # Errors
/// When a file cannot be read.
pub fn dead(out: &Path) -> Result<Vec<String>> {
    let files = files(out)?;
    let mut pages = BTreeMap::new();
    for path in &files {
        let read = match path.extension().and_then(|ending| ending.to_str()) {
            Some("html") => Page::read,
            Some("css") => Page::read_css,
            _ => continue,
        };
        let text = fs::read_to_string(out.join(path)).with_context(|| format!("cannot read {}", path.display()))?;
        pages.insert(path.clone(), read(&text));
    }
    let results = search::urls(&search::read_index(&search::index_file(out)?)?);
    pages.insert("search".into(), Page { links: results, ..Page::default() });
    Ok(dead_links(&pages, &files))
}

/// All files in a folder, as paths in it.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(out: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    find_files(out, Path::new(""), &mut files)?;
    Ok(files)
}

fn dead_links(pages: &BTreeMap<PathBuf, Page>, files: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut dead = Vec::new();
    for (path, page) in pages.iter().filter(|(path, _)| *path != Path::new(NOT_FOUND)) {
        for link in page.links.iter().filter(|link| is_of_book(link)) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = file.split('?').next().unwrap_or_default();
            let target = if file.is_empty() { path.clone() } else { normal(&path.with_file_name("").join(file)) };
            let target = if file.ends_with('/') { target.join("index.html") } else { target };
            let has_anchor = |page: &Page| anchor.is_empty() || page.anchors.contains(anchor);
            if !files.contains(&target) {
                dead.push(format!("{}: {link} does not exist", path.display()));
            } else if !pages.get(&target).is_none_or(has_anchor) {
                dead.push(format!("{}: {} has no #{anchor}", path.display(), target.display()));
            }
        }
    }
    dead
}

/// Whether a link leads to a file of the book, and not to another site or to the page itself as a whole.
fn is_of_book(link: &str) -> bool {
    let has_scheme = ["mailto:", "data:", "javascript:"].iter().any(|scheme| link.starts_with(scheme));
    !(has_scheme || link.contains("://") || link.starts_with("//") || link.is_empty() || link == "#")
}

impl Page {
    fn read(html: &str) -> Self {
        let mut page = Self::default();
        let mut rest = html;
        while let Some(start) = rest.find('<') {
            rest = &rest[start..];
            // Scripts and comments contain no tags.
            let skipped = [("<script", "</script>"), ("<style", "</style>"), ("<!--", "-->")];
            let end = match skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
                Some((_, end)) => rest.find(end),
                None => rest.find('>'),
            };
            let Some(end) = end else { break };
            // A script can have an address of its own; a comment has none.
            let tag = if rest.starts_with("<!--") { "" } else { &rest[..rest.find('>').unwrap_or(end)] };
            page.links.extend(["href", "src", "poster", "data"].iter().filter_map(|name| attribute(tag, name)));
            page.anchors.extend(attribute(tag, "id"));
            rest = &rest[end + 1..];
        }
        page
    }

    fn read_css(css: &str) -> Self {
        let links = css.split("url(").skip(1).filter_map(|rest| rest.split(')').next());
        let links = links.map(|link| link.trim().trim_matches(['"', '\'']).into()).collect();
        Self { links, ..Self::default() }
    }
}

/// The value of an attribute in quotes.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let begin = format!(" {name}=\"");
    let start = tag.find(&begin)? + begin.len();
    let value = &tag[start..start + tag[start..].find('"')?];
    Some(value.replace("&amp;", "&").replace("&quot;", "\"").replace("&#x27;", "'").replace("%20", " "))
}

/// Finds all files in a folder and in its folders, as paths from `out`.
fn find_files(out: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(out.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            find_files(out, &path, files)?;
        } else {
            files.insert(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_come_from_html_tags() {
        let page = Page::read(
            "<!-- <a href=\"no\"> --><script src=\"a.js\">x = '<a href=\"no\">'</script>\
             <h2 id=\"top\"><a class=\"header\" href=\"#top\">href=\"no\"</a></h2><img alt=\"\" src=\"b.png?x=1&amp;y=2\">",
        );
        assert_eq!(page.links, ["a.js", "#top", "b.png?x=1&y=2"]);
        assert_eq!(page.anchors, ["top".to_owned()].into());
    }

    #[test]
    fn broken_links_are_found() {
        let one = "<p id=\"here\"><a href=\"../two.html#there\"></a><a href=\"#here\"></a><a href=\"../files/scene.ron\"></a>\
                   <a href=\"https://example.org/no\"></a><a href=\"../two.html#gone\"></a><a href=\"lost.html\"></a>";
        let pages: BTreeMap<PathBuf, Page> =
            [("a/one.html", one), ("two.html", "<h1 id=\"there\"></h1>"), (NOT_FOUND, "<a href=\"/x.css\"></a>")]
                .map(|(path, html)| (PathBuf::from(path), Page::read(html)))
                .into();
        let files = pages.keys().cloned().chain(["files/scene.ron".into()]).collect();
        let dead = dead_links(&pages, &files);
        assert_eq!(dead, ["a/one.html: two.html has no #gone", "a/one.html: lost.html does not exist"]);
    }
}
