//! All integration tests, in one binary: linking is what takes time.

#[cfg(unix)]
mod cli;
mod conformance;
mod edits;
mod golden;
mod kinds;
mod promise;
mod scenes;
mod support;
