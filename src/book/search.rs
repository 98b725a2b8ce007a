//! The search of the built book: everyday words find the pages to which the [glossary](../../docs/reference/glossary.md) leads
//! from them.
//!
//! mdBook indexes titles, texts and the titles above. This module adds a field `words` to each section: the words in the
//! rows of the table "Everyday words" that link to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use elasticlunr::IndexBuilder;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use crate::edits::MARKDOWN;
use crate::links::normal;

#[cfg(test)]
mod tests;

/// The page with the everyday words, in `docs/`.
const GLOSSARY: &str = "reference/glossary.md";

/// The heading above the table of everyday words.
const EVERYDAY_WORDS: &str = "Everyday words";

/// The weight of everyday words; that of titles is 2, and that of texts 1.
const BOOST: u32 = 6;

/// The text of the file with the index, before and after the JSON.
const AROUND: [&str; 2] = ["window.search = Object.assign(window.search, JSON.parse('", "'));"];

/// Adds the everyday words of the glossary to the index of a built book.
///
/// # Errors
/// When the glossary or the index cannot be read, or when a row of the glossary leads to a page without an entry in the index.
pub fn add_everyday_words(repository: &Path, out: &Path) -> Result<()> {
    let glossary = fs::read_to_string(repository.join("docs").join(GLOSSARY))?;
    let path = index_file(out)?;
    let mut found = read_index(&path)?;
    let words = words_of_sections(&everyday_words(&glossary), &urls(&found))?;
    let mut index = ["title", "body", "breadcrumbs", "words"]
        .iter()
        .fold(IndexBuilder::new(), |index, field| index.add_field_with_tokenizer(field, Box::new(tokens)))
        .build();
    let docs = &found["index"]["documentStore"]["docs"];
    for section in 0..urls(&found).len() {
        let doc = &docs[section.to_string()];
        let text = |field: &str| doc[field].as_str().unwrap_or_default().to_owned();
        let words = words.get(&section).cloned().unwrap_or_default();
        index.add_doc(&section.to_string(), [text("title"), text("body"), text("breadcrumbs"), words]);
    }
    found["index"] = serde_json::to_value(&index)?;
    found["search_options"]["fields"]["words"] = json!({ "boost": BOOST });
    let json = found.to_string().replace('\\', "\\\\").replace('\'', "\\'");
    fs::write(&path, format!("{}{json}{}", AROUND[0], AROUND[1]))?;
    Ok(())
}

/// The address of each entry of an index: that of a section of a page.
pub fn urls(index: &Value) -> Vec<String> {
    let urls = index["doc_urls"].as_array().map(Vec::as_slice).unwrap_or_default();
    urls.iter().filter_map(|url| url.as_str().map(str::to_owned)).collect()
}

/// The file of a built book that contains its index.
///
/// # Errors
/// When there is no such file.
pub fn index_file(out: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with("searchindex") && name.ends_with(".js")) {
            return Ok(entry.path());
        }
    }
    bail!("the book has no index for its search")
}

/// Reads an index, which is JSON in a string of JavaScript.
///
/// # Errors
/// When the file is not as mdBook writes it.
pub fn read_index(path: &Path) -> Result<Value> {
    let script = fs::read_to_string(path)?;
    let escaped = script.strip_prefix(AROUND[0]).and_then(|rest| rest.strip_suffix(AROUND[1]));
    let escaped = escaped.context("the index of the search has an unknown form")?;
    let mut json = String::with_capacity(escaped.len());
    let mut chars = escaped.chars();
    while let Some(c) = chars.next() {
        json.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Ok(serde_json::from_str(&json)?)
}

/// The words of a text. Unlike those of mdBook, they also end at punctuation, so that `(ROS,` and `e.g. video/GIF` are found.
fn tokens(text: &str) -> Vec<String> {
    let separates = |c: char| c.is_whitespace() || matches!(c, '-' | ',' | ';' | ':' | '(' | ')' | '=' | '"');
    text.split(separates).filter(|word| !word.is_empty() && word.len() <= 80).map(str::to_lowercase).collect()
}

/// The rows of the table of everyday words: the words, and the targets of the links beside them.
fn everyday_words(glossary: &str) -> Vec<(String, Vec<String>)> {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let (mut heading, mut is_there, mut column) = (None, false, 0);
    for event in Parser::new_ext(glossary, MARKDOWN) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                is_there = heading.take().is_some_and(|heading| heading == EVERYDAY_WORDS);
            }
            Event::Text(text) if heading.is_some() => heading.iter_mut().for_each(|heading| heading.push_str(&text)),
            _ if !is_there => {}
            Event::Start(Tag::TableRow) => {
                rows.push(Default::default());
                column = 0;
            }
            Event::End(TagEnd::TableCell) => column += 1,
            Event::Text(text) | Event::Code(text) if column == 0 => {
                rows.last_mut().into_iter().for_each(|(words, _)| words.push_str(&text));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                rows.last_mut().into_iter().for_each(|(_, targets)| targets.push(dest_url.to_string()));
            }
            _ => {}
        }
    }
    rows
}

/// The words by which each section is found, by its number.
fn words_of_sections(rows: &[(String, Vec<String>)], urls: &[String]) -> Result<BTreeMap<usize, String>> {
    let mut words = BTreeMap::<usize, String>::new();
    for (row, targets) in rows {
        for target in targets {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { GLOSSARY.into() } else { normal(&Path::new("reference").join(file)) };
            let page = file.with_extension("html").display().to_string();
            let exact = urls.iter().position(|url| *url == format!("{page}#{anchor}"));
            // A heading of a low level is part of the section above it; a page begins with its first section.
            let first = urls.iter().position(|url| url.split('#').next() == Some(&*page));
            let section =
                exact.or(first).with_context(|| format!("the search does not know {target} of the glossary"))?;
            let words = words.entry(section).or_default();
            words.push_str(row);
            words.push(' ');
        }
    }
    Ok(words)
}
