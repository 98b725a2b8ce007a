//! The cookbook: each answer has all its parts, is in the index, and shows examples that the checkout has as files.

use std::fs;
use std::path::Path;

use super::page::blocks;
use super::pages;
use crate::support::{path, text};

/// The answers of a page, from heading to heading: title and text.
fn answers(page: &str) -> Vec<(String, String)> {
    page.split("\n## ")
        .skip(1)
        .map(|section| {
            let (title, text) = section.split_once('\n').unwrap_or((section, ""));
            (title.to_owned(), text.to_owned())
        })
        .collect()
}

/// The anchor of a heading, as code hosts and the book make it.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').collect()
}

/// Whether a text names a year, as a source does.
fn has_year(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit())
        .any(|digits| digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20")))
}

#[test]
fn answers_are_complete_and_in_the_index() {
    let index = text("docs/cookbook.md");
    let mut count = 0;
    for page in pages().iter().filter(|page| page.starts_with("docs/cookbook")) {
        let name = page.file_name().unwrap().to_string_lossy();
        for (title, answer) in answers(&text(&page.to_string_lossy())) {
            count += 1;
            let place = format!("{}: {title}", page.display());
            assert!(title.starts_with("How do I model ") && title.ends_with('?'), "{place}");
            assert!(index.contains(&format!("(cookbook/{name}#{})", anchor(&title))), "{place} is not in the index");
            assert!(has_year(answer.split("**Kinds:**").next().unwrap_or_default()), "{place} has no source");
            for part in ["**Kinds:**", "**Vary:**"] {
                assert!(answer.contains(part), "{place} has no {part}");
            }
            let blocks = blocks(&answer);
            let shown = blocks.windows(2).any(|pair| pair[0].language() == "sh" && pair[1].is("output"));
            assert!(shown, "{place} has no command with its output");
        }
    }
    assert!(count >= 20, "{count} answers");
}

#[test]
fn every_example_of_the_cookbook_is_on_a_page() {
    let shown: Vec<_> = pages()
        .iter()
        .filter(|page| page.starts_with("docs/cookbook"))
        .flat_map(|page| blocks(&text(&page.to_string_lossy())))
        .filter_map(|block| block.file)
        .collect();
    let folder = Path::new("docs/examples/cookbook");
    for entry in fs::read_dir(path(&folder.to_string_lossy())).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(shown.contains(&name), "no page of the cookbook shows {name}");
    }
}
