//! The book in `docs/`: its generated pages are those of the program, and its scenes, commands and programs run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::path;

mod blocks;
mod claims;
mod cookbook;
mod importers;
mod language;
mod page;
mod papers;
mod reference;

/// The pages of the book, and those that a code host shows first, as paths in the checkout.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec!["README.md".into(), "CONTRIBUTING.md".into()];
    find(Path::new("docs"), "md", &mut pages);
    pages
}

/// Finds the files with an extension in a folder of the checkout and in its folders, in order.
fn find(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut names: Vec<_> =
        fs::read_dir(path("").join(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for file in names.iter().map(|name| folder.join(name)) {
        if path("").join(&file).is_dir() {
            find(&file, extension, found);
        } else if file.extension().is_some_and(|found| found == extension) {
            found.push(file);
        }
    }
}
