//! Nothing panics, and a scene that an importer reads is the same after writing and reading it. `FORMAT` is the extension.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

#[path = "../probe.rs"]
mod probe;

static NAME: LazyLock<String> =
    LazyLock::new(|| format!("w.{}", std::env::var("FORMAT").unwrap_or_else(|_| "yaml".into())));

fuzz_target!(|content: &[u8]| _ = probe::read_back(&NAME, content));
