//! A rule of language that a program can check: sentences have nouns as subjects. `typos` checks the spelling.

use super::pages;
use crate::support::text;

/// Words that start a clause in the place of a noun, unless the sentence is a question.
const CLAUSES: [&str; 7] = ["What", "Whatever", "Who", "Whoever", "Whom", "Whomever", "Whose"];

/// The sentences of a page that start with such a clause, with their lines. Blocks of code are skipped.
fn clauses(page: &str) -> Vec<(usize, String)> {
    let (mut found, mut in_code) = (Vec::new(), false);
    for (index, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code || line.starts_with('#') {
            continue;
        }
        let line = line.replace(['*', '|', '>'], " ").replace(". ", ".\n").replace("? ", "?\n").replace("  ", "\n");
        for sentence in line.lines().map(|sentence| sentence.trim_start_matches([' ', '-'])) {
            let first = sentence.split(' ').next().unwrap_or_default();
            if CLAUSES.contains(&first) && !sentence.contains('?') {
                found.push((index + 1, sentence.to_owned()));
            }
        }
    }
    found
}

#[test]
fn sentences_have_nouns_as_subjects() {
    let found: Vec<_> = pages()
        .iter()
        .flat_map(|page| {
            let page = page.to_string_lossy();
            let found = clauses(&text(&page));
            found.into_iter().map(move |(line, sentence)| format!("{page}:{line}: {sentence}"))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn clauses_are_found_and_questions_are_not() {
    let page = "# What it is\nA robot moves. What it sees is a reading.\n| a | Who sends |\nWhat is it? Yes.\n```sh\nWho\n```\n";
    let lines: Vec<_> = clauses(page).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 3]);
}
