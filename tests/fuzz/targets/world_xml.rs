//! Nothing panics, and what can be read is a world that reads alike when it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../probe.rs"]
mod probe;

fuzz_target!(|text: &str| _ = probe::probe("w.xml", text));
