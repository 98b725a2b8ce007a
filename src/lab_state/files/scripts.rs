//! The scripts of the open scene: the texts that were refused, and the script that the editor shows.

use std::collections::BTreeMap;

use swarmarium_core::text::shared::SharedText;

/// A text of a script that cannot run; the robots continue with the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedText {
    /// The text.
    pub text: SharedText,
    /// The reason.
    pub message: String,
    /// Its line, counted from 1, if it has one.
    pub line: Option<usize>,
}

/// The scripts of the open scene.
#[derive(Debug, Default)]
pub struct ScriptState {
    /// The refused texts by the names of their scripts.
    pub refused: BTreeMap<String, RefusedText>,
    /// The name of the script that the editor should show, and a line of it.
    pub wanted: Option<(String, Option<usize>)>,
    /// The number of requests to show a script.
    pub requests: u64,
}

impl ScriptState {
    /// Requests a script in the editor, by its name, and a line of it.
    pub fn show(&mut self, name: &str, line: Option<usize>) {
        self.wanted = Some((name.into(), line));
        self.requests += 1;
    }

    /// Forgets the scripts of the scene that is left.
    pub fn clear(&mut self) {
        *self = Self { requests: self.requests, ..Self::default() };
    }
}
