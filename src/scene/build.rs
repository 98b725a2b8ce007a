//! Scenes, robots, supervisors and templates are parts of the crate: it is compiled again when one of them changes.

use std::env;
use std::path::Path;

fn main() {
    let folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&folder);
    // A published crate has copies of the folders.
    let root = if folder.join("scenes").is_dir() { folder.to_owned() } else { folder.join("../..") };
    println!("cargo::rustc-env=SHIPPED_FILES={}", root.display());
    for folder in ["scenes", "assets/robots", "assets/supervisors", "assets/templates"] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
}
