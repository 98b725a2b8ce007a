//! Builds the book of Swarmarium: `cargo run --release -p swarmarium_book` checks all links of the documentation, writes HTML
//! to `target/book`, or to the folder given as an argument, and checks the links of the HTML.
//!
//! The book is plain Markdown that also reads well on a code host. These things differ in HTML: formulas become MathML
//! ([`math`]), links to files outside `docs/`, such as scenes, lead to copies of these files ([`outside`]), the gallery has
//! columns ([`gallery`]), and the search knows everyday words ([`search`]).

mod built;
#[cfg(test)]
mod contrast;
mod edits;
mod gallery;
mod links;
mod math;
mod outside;
mod search;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use mdbook_driver::MDBook;

fn main() -> ExitCode {
    let repository = repository();
    let out = std::env::args_os().nth(1).map_or_else(|| repository.join("target/book"), PathBuf::from);
    match build(&repository, &out) {
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

/// The folder of the repository.
fn repository() -> PathBuf {
    links::normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// Checks the links, builds the book in a folder, checks the links of the HTML, and returns the path of its first page.
fn build(repository: &Path, out: &Path) -> Result<PathBuf> {
    let broken = links::broken(repository)?;
    if !broken.is_empty() {
        bail!("{} broken links:\n{}", broken.len(), broken.join("\n"));
    }
    let mut book = MDBook::load(repository.join("docs")).context("docs/ is not a book")?;
    book.config.build.build_dir = std::path::absolute(out)?;
    let title = book.config.book.title.take().unwrap_or_default();
    book.config.book.title = Some(format!("{title} {}", env!("CARGO_PKG_VERSION")));
    book.with_preprocessor(math::Math);
    book.with_preprocessor(gallery::Gallery);
    let outside = outside::Outside::new(repository);
    let files = outside.files();
    book.with_preprocessor(outside);
    book.build().context("the book does not build")?;
    // Building empties the folder first.
    files.copy(repository, out)?;
    search::add_everyday_words(repository, out)?;
    let dead = built::dead(out)?;
    if !dead.is_empty() {
        bail!("{} dead links in the built book:\n{}", dead.len(), dead.join("\n"));
    }
    Ok(out.join("index.html"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex, PoisonError, Weak};

    use super::*;

    /// The book, built in a folder of its own, which is removed in the end.
    pub struct BuiltBook {
        pub out: PathBuf,
    }

    impl BuiltBook {
        pub fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let book =
                Self { out: std::env::temp_dir().join(format!("swarmarium-book-{}-{count}", std::process::id())) };
            build(&repository(), &book.out).unwrap();
            book
        }

        /// One book for all tests that run at the same time and do not change it.
        pub fn shared() -> Arc<Self> {
            static SHARED: Mutex<Weak<BuiltBook>> = Mutex::new(Weak::new());
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            shared.upgrade().unwrap_or_else(|| {
                let book = Arc::new(Self::new());
                *shared = Arc::downgrade(&book);
                book
            })
        }
    }

    impl Drop for BuiltBook {
        fn drop(&mut self) {
            _ = fs::remove_dir_all(&self.out);
        }
    }

    /// Languages of code in pages without a name of their own in the highlighter: `sh` is Bash, and so on.
    const ALIASES: [&str; 4] = ["sh", "text", "toml", "svg"];

    #[test]
    fn links_of_the_book_lead_somewhere_and_a_planted_one_does_not() {
        let book = BuiltBook::new();
        let planted = [
            (
                "guides/planted.html",
                "<a href=\"../gone.html\"></a><img src=\"../install.html\"><a href=\"cite.html#gone\">",
            ),
            ("planted.css", "a { background: url( 'gone.png' ) } b { background: url(index.html) }"),
        ];
        for (path, text) in planted {
            fs::write(book.out.join(path), text).unwrap();
        }
        fs::remove_file(book.out.join("files/scenes/milling.ron")).unwrap();
        let dead = built::dead(&book.out).unwrap();
        for expected in [
            "guides/planted.html: ../gone.html does not exist",
            "guides/planted.html: guides/cite.html has no #gone",
            "planted.css: gone.png does not exist",
            "tutorials/first-study.html: ../files/scenes/milling.ron does not exist",
        ] {
            assert!(dead.iter().any(|line| line == expected), "{expected}: {dead:?}");
        }
        assert!(dead.iter().all(|line| line.contains("planted") || line.contains("milling.ron")), "{dead:?}");
    }

    #[test]
    fn code_has_languages_that_are_coloured() {
        let book = BuiltBook::shared();
        let mut scripts = String::new();
        let (mut used, mut count) = (BTreeSet::new(), 0);
        for path in built::files(&book.out).unwrap() {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let name = path.display().to_string();
            if ending == "js" && (name.starts_with("highlight-") || name.starts_with("pages-")) {
                scripts += &fs::read_to_string(book.out.join(&path)).unwrap().replace('\'', "\"");
            } else if ending == "html" {
                let html = fs::read_to_string(book.out.join(&path)).unwrap();
                for class in html.split("<code class=\"language-").skip(1) {
                    used.insert(class.split(['"', ' ']).next().unwrap_or_default().to_owned());
                    count += usize::from(class.starts_with("ron"));
                }
            }
        }
        assert!(count > 100, "{count} blocks of RON");
        let is_known =
            |name: &String| ALIASES.contains(&&**name) || scripts.contains(&format!("registerLanguage(\"{name}\""));
        let unknown: Vec<_> = used.iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "docs/pages.js can register these languages: {unknown:?}");
    }
}
