//! Every block of code of the book is one that works.
//!
//! The blocks of a page are used in order, in a folder with copies of `scenes/` and `docs/examples/`. The language says how:
//!
//! | block | use |
//! |---|---|
//! | `ron` | a scene, which runs for three steps |
//! | `ron,fields` | fields of a scene, which is completed and runs |
//! | `ron,plan` | a plan of a sweep, which is resolved |
//! | `ron,edits` | a log of edits, which is applied to the scene above it, if there is one |
//! | `sh` | commands, which run in Bash |
//! | `luau` | a script, which is compiled |
//! | `python` | a program without arguments, which runs; with a file name, commands run it |
//! | `text,output` | lines that the commands above it have printed; `…` stands for any text |
//! | `rust` | an example of the documentation of the crate (see `book` in `src/lib.rs`) |
//! | `…,no-run` | nothing, for what needs a window, a server, a cluster or an installation |
//! | others | a file, if the page names it |

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use swarmarium_script::Program;
use tempfile::TempDir;

use super::page::{Block, blocks};
use super::pages;
use crate::support::files::copy_folder;
use crate::support::{path, text};

/// No block of the book runs as long as this on a slow machine.
const LIMIT: Duration = Duration::from_secs(300);
const LANGUAGES: [&str; 15] = [
    "csv", "json", "luau", "math", "matlab", "python", "ron", "rust", "sh", "svg", "text", "toml", "xml", "yaml",
    "html",
];

#[test]
fn every_block_of_the_book_works() {
    let pages = pages();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(String::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failed = run_page(page);
                    failures.lock().unwrap().push_str(&failed);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn programs_in_rust_are_tested_with_the_documentation() {
    let library = text("src/lib.rs");
    let has_rust = |page: &Path| blocks(&text(&page.to_string_lossy())).iter().any(|block| block.language() == "rust");
    let is_named = |page: &Path| {
        let page = page.strip_prefix("docs").unwrap_or(page);
        library.contains(&format!("\"{}\"", page.display()))
    };
    let untested: Vec<_> = pages().into_iter().filter(|page| has_rust(page) && !is_named(page)).collect();
    assert!(untested.is_empty(), "src/lib.rs does not name {untested:?}");
}

/// Runs the blocks of a page; returns the failures.
fn run_page(page: &Path) -> String {
    let blocks = blocks(&text(&page.to_string_lossy()));
    let mut failures = String::new();
    if blocks.is_empty() {
        return failures;
    }
    let mut folder = Folder::new(page);
    for block in &blocks {
        if let Err(error) = folder.run(block) {
            _ = writeln!(failures, "{}:{}: {}\n", page.display(), block.line, error.trim());
        }
    }
    failures
}

/// The folder of the reader of a page.
struct Folder {
    folder: TempDir,
    /// The folder of the examples that blocks with their names must repeat.
    examples: &'static str,
    /// The scene that the page showed last.
    scene: String,
    /// The output of the last commands.
    output: String,
    count: usize,
}

impl Folder {
    fn new(page: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["scenes", "docs/examples"] {
            copy_folder(&path(name), &folder.path().join(name));
        }
        fs::create_dir(folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_swarmarium"), folder.path().join("bin/swarmarium")).unwrap();
        let examples = if page.starts_with("docs/cookbook") { "docs/examples/cookbook" } else { "docs/examples" };
        Self { folder, examples, scene: String::new(), output: String::new(), count: 0 }
    }

    /// Uses a block as its language says.
    fn run(&mut self, block: &Block) -> Result<(), String> {
        let language = block.language();
        if !LANGUAGES.contains(&language) {
            return Err(format!("`{language}` is not a language of a block, which are {LANGUAGES:?}"));
        }
        self.count += 1;
        let file = block.file.clone().unwrap_or_else(|| match language {
            "ron" if block.is("plan") => format!("block-{}.sweep.ron", self.count),
            _ => format!("block-{}.{language}", self.count),
        });
        let code = if block.is("fields") { completed(&block.code) } else { block.code.clone() };
        if let Some(file) = &block.file {
            unchanged_example(self.examples, file, &code)?;
        }
        fs::write(self.folder.path().join(&file), &code).map_err(|error| format!("{file}: {error}"))?;
        if block.is("no-run") {
            return Ok(());
        }
        match language {
            "ron" if block.is("plan") => self.bash(&format!("swarmarium sweep '{file}' --dry-run")),
            // Without a scene above it, the commands of the page use the log.
            "ron" if block.is("edits") && self.scene.is_empty() => Ok(()),
            "ron" if block.is("edits") => {
                let scene = self.scene.clone();
                self.bash(&format!("swarmarium run '{scene}' --edits '{file}' --steps 3 --overwrite -o block-run -q"))
            }
            "ron" => {
                self.scene.clone_from(&file);
                self.bash(&format!("swarmarium run '{file}' --steps 3 --overwrite -o block-run -q"))
            }
            "sh" => self.bash(&block.code),
            "text" if block.is("output") => match block.code.lines().find(|line| !is_printed(line, &self.output)) {
                Some(line) => Err(format!("`{line}` is not in the output of the commands above:\n{}", self.output)),
                None => Ok(()),
            },
            "luau" => match Program::compile(&block.code) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{file}: {error}")),
            },
            "python" if block.file.is_none() => self.bash(&format!("python3 '{file}'")),
            _ => Ok(()),
        }
    }

    /// Runs commands as the reader of a page would; no display is there.
    fn bash(&mut self, commands: &str) -> Result<(), String> {
        if commands.contains("python3") && !has_python() {
            return Ok(());
        }
        let here = self.folder.path();
        let path = format!("{}:{}", here.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let log = fs::File::create(here.join("block.log")).unwrap();
        let mut bash = Command::new("bash")
            .args(["-euo", "pipefail", "-c", commands])
            .current_dir(here)
            .env("PATH", path)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("bash: {error}"))?;
        let start = Instant::now();
        let status = loop {
            match bash.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > LIMIT => {
                    bash.kill().unwrap();
                    break bash.wait().unwrap();
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        self.output = fs::read_to_string(here.join("block.log")).unwrap_or_default();
        if status.success() { Ok(()) } else { Err(format!("{status}:\n{commands}\n{}", self.output)) }
    }
}

/// Whether Python is installed. Blocks that need it are skipped elsewhere: a build needs none.
fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A scene of some of its fields. A scene without groups is a scene.
fn completed(fields: &str) -> String {
    format!("(\n{}\n)", fields.trim_end())
}

/// Whether a line is in an output; `…` stands for any text within a line.
fn is_printed(line: &str, output: &str) -> bool {
    output.lines().any(|printed| {
        let mut rest = printed;
        line.split('…').all(|part| match rest.split_once(part) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    })
}

#[test]
fn lines_of_an_output_are_found_with_any_text_between_their_parts() {
    let output = "10 %\nruns/a: 600 steps (60 s) in 0.11 s, 537×, order 0.9953, mean 0.8205\n";
    for (line, is_there) in [
        ("600 steps (60 s) in …, order 0.9953", true),
        ("600 steps (60 s) in …, mean 0.8205", true),
        ("600 steps (60 s) in …, order 0.9954", false),
        ("10 % … steps", false),
        ("mean 0.8205 … order 0.9953", false),
    ] {
        assert_eq!(is_printed(line, output), is_there, "{line}");
    }
}

/// A block with the name of an example is this example.
fn unchanged_example(folder: &str, file: &str, code: &str) -> Result<(), String> {
    let example = path(folder).join(file);
    match fs::read_to_string(&example) {
        Ok(text) if text != code => Err(format!("the block differs from {}", example.display())),
        _ => Ok(()),
    }
}
