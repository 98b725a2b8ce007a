//! Builds the book of Swarmarium: `cargo run --release -p swarmarium_book` checks all links of the documentation, writes HTML
//! to `target/book`, or to the folder given as an argument, and checks the links of the HTML.
//!
//! The book is plain Markdown that also reads well on a code host. Two things differ in HTML: formulas become MathML
//! ([`math`]), and links to files outside `docs/`, such as scenes, lead to copies of these files ([`outside`]).

mod built;
mod edits;
mod links;
mod math;
mod outside;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use mdbook_driver::MDBook;

fn main() -> ExitCode {
    match build() {
        Ok(index) => {
            println!("{}", index.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Checks the links, builds the book, checks the links of the HTML, and returns the path of its first page.
fn build() -> Result<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let out = std::env::args_os().nth(1).map_or_else(|| repository.join("target/book"), PathBuf::from);
    let broken = links::broken(&repository)?;
    if !broken.is_empty() {
        bail!("{} broken links:\n{}", broken.len(), broken.join("\n"));
    }
    let mut book = MDBook::load(repository.join("docs")).context("docs/ is not a book")?;
    book.config.build.build_dir = std::path::absolute(&out)?;
    book.with_preprocessor(math::Math);
    let outside = outside::Outside::new(&repository);
    let files = outside.files();
    book.with_preprocessor(outside);
    book.build().context("the book does not build")?;
    // Building empties the folder first.
    files.copy(&repository, &out)?;
    let dead = built::dead(&out)?;
    if !dead.is_empty() {
        bail!("{} dead links in the built book:\n{}", dead.len(), dead.join("\n"));
    }
    Ok(out.join("index.html"))
}
