//! Tells the program which commit it is built from, so that builds can be told apart.
//!
//! Cargo runs this again when a source of the program or the commit changes, and then compiles this package again, but none
//! of those below it. Without Git, and outside of a checkout, the commit is unknown.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of `src/` whose changes are not changes of the program.
const UNRELATED_FOLDERS: [&str; 4] = ["book", "lab_testing", "python", "testing"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SWARMARIUM_COMMIT");
    set("TARGET", &env::var("TARGET").unwrap_or_default());
    // Builds of packages without Git set the commit.
    if let Ok(commit) = env::var("SWARMARIUM_COMMIT") {
        return set("COMMIT", &commit);
    }
    // The package that Cargo makes for a registry has the commit in a file.
    if let Ok(text) = fs::read_to_string(root.join(".cargo_vcs_info.json")) {
        return set("COMMIT", text.split('"').skip_while(|word| *word != "sha1").nth(2).unwrap_or_default());
    }
    // A checkout around this package may be another project.
    if git(&root, &["rev-parse", "--show-prefix"]).is_none_or(|prefix| !prefix.is_empty()) {
        return;
    }
    let sources = sources(&root);
    let branch = git(&root, &["rev-parse", "--symbolic-full-name", "HEAD"]).unwrap_or_default();
    let paths = ["HEAD", "logs/HEAD", "packed-refs", branch.as_str()];
    let heads = paths.iter().filter_map(|name| Some(root.join(git(&root, &["rev-parse", "--git-path", name])?)));
    // Cargo would run this again on every build for a file that does not exist.
    for path in heads.chain(sources.iter().map(|source| root.join(source))).filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let shown = git(&root, &["show", "--no-patch", "--format=%H %cs", "HEAD"]).unwrap_or_default();
    let Some((commit, date)) = shown.split_once(' ') else { return };
    set("COMMIT", commit);
    set("COMMIT_DATE", date);
    let status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no", "--"];
    let status: Vec<&str> = status.into_iter().chain(sources.iter().map(String::as_str)).collect();
    if git(&root, &status).is_none_or(|changed| !changed.is_empty()) {
        set("MODIFIED", "yes");
    }
}

/// Sets a variable that the program reads while it is compiled.
fn set(name: &str, value: &str) {
    println!("cargo:rustc-env=SWARMARIUM_{name}={}", value.trim());
}

/// The output of Git in a folder; `None` if it fails, or is not installed.
fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.current_dir(folder).args(words).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The files and folders that the program is made of, from the root.
fn sources(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("src")).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names = names.filter(|name| !UNRELATED_FOLDERS.contains(&name.as_str())).map(|name| format!("src/{name}"));
    let mut sources: Vec<String> = names.chain(["Cargo.toml", "Cargo.lock", "assets"].map(String::from)).collect();
    sources.sort();
    sources
}
