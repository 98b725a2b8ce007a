//! The tables of files of other programs, from the list of importers of the program.
//!
//! `UPDATE_BOOK=1 cargo test --release book` writes them; without it, a page that differs fails.

use std::fmt::Write as _;

use clap::CommandFactory;
use swarmarium::cli::Arguments;
use swarmarium_formats::export::can_export;
use swarmarium_formats::import::{FileFormat, formats};

use super::reference::check_page;
use crate::support::text;

/// The lines before and after a table.
const TABLE: [&str; 2] = ["<!-- Importers, generated: `UPDATE_BOOK=1 cargo test --release book`. -->", "<!-- End. -->"];

/// A page with its table replaced.
fn with_table(page: &str, table: &str) -> String {
    let page = text(page);
    let (before, rest) = page.split_once(TABLE[0]).unwrap();
    let (_, after) = rest.split_once(TABLE[1]).unwrap();
    format!("{before}{}\n{table}\n{}{after}", TABLE[0], TABLE[1])
}

/// The title of a page of the book.
fn title(page: &str) -> String {
    let page = text(&format!("docs/{page}"));
    page.lines().find_map(|line| line.strip_prefix("# ")).unwrap().to_owned()
}

/// Words in code, separated by commas; a dash if there are none.
fn codes(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    if words.is_empty() { "–".into() } else { words.join(", ") }
}

fn extensions(format: &FileFormat) -> String {
    codes(format.extensions.iter().map(|extension| format!(".{extension}")))
}

#[test]
fn page_of_compatibility_has_the_table_of_importers() {
    let mut table = "\n| Files | Extensions | Flags | Reference | Guide |\n|---|---|---|---|---|\n".to_owned();
    for format in formats() {
        let FileFormat { plural, guide, reference, .. } = format;
        let flags = codes(format.flags.iter().map(ToString::to_string));
        let reference = reference.trim_start_matches("reference/");
        let extensions = extensions(format);
        let [of_reference, of_guide] = [title(&format!("reference/{reference}")), title(guide)];
        _ = writeln!(
            table,
            "| {plural} | {extensions} | {flags} | [{of_reference}]({reference}) | [{of_guide}](../{guide}) |"
        );
    }
    let page = "docs/reference/compatibility.md";
    check_page(page, &with_table(page, &table));
}

#[test]
fn every_importer_is_in_the_lists_of_files_and_guides() {
    let (front, files, summary) = (text("docs/README.md"), text("docs/reference/files.md"), text("docs/SUMMARY.md"));
    let options = text("docs/reference/compatibility.md");
    let command = Arguments::command();
    let known: Vec<String> =
        command.get_arguments().filter_map(|flag| Some(format!("--{}", flag.get_long()?))).collect();
    for format in formats() {
        let FileFormat { program, guide, reference, .. } = format;
        assert!(front.contains(&format!("]({guide})")), "docs/README.md has no link to {guide}");
        for page in [guide, reference] {
            assert!(summary.contains(&format!("]({page})")), "docs/SUMMARY.md has no link to {page}");
        }
        for extension in format.extensions {
            let is_row = |line: &str| line.starts_with("| `") && line.contains(&format!("`.{extension}`"));
            assert!(files.lines().any(is_row), "docs/reference/files.md has no row with `.{extension}`");
        }
        for flag in format.flags {
            assert!(known.iter().any(|known| known == flag), "{program}: {flag} is not a flag");
            let is_row = |line: &str| line.starts_with(&format!("| `{flag}"));
            assert!(options.lines().any(is_row), "docs/reference/compatibility.md does not describe {flag}");
        }
        let is_written = format.extensions.iter().any(|extension| can_export(format!("w.{extension}").as_ref()));
        assert!(is_written || !format.is_written, "{program} is not written");
    }
}
