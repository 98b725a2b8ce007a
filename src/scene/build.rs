//! The shipped scenes are part of the crate: it is compiled again when one of them changes.

fn main() {
    println!("cargo::rerun-if-changed=../../scenes");
}
