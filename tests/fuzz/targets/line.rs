//! Nothing panics, and what can be read of a line of a client comes back the same when it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../line.rs"]
mod line;

fuzz_target!(|bytes: &[u8]| line::probe(bytes));
