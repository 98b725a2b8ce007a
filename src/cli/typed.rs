//! The command line as it was typed, with changes: for messages with commands that go on from there.

use std::fmt;
use std::path::{Path, PathBuf};

/// A command in a message.
#[derive(Clone, Debug)]
pub(super) struct TypedCommand {
    words: Vec<String>,
}

impl TypedCommand {
    /// The typed words, with the name of the program in place of the first one.
    pub fn new(program: &str, typed: &[String]) -> Self {
        let program = [program.to_owned()];
        Self { words: program.into_iter().chain(typed.iter().skip(1).cloned()).collect() }
    }

    /// The command without an option that has a value.
    #[cfg(any(feature = "video", test))]
    pub fn without(self, long: &str, short: Option<char>) -> Self {
        let short = short.map(|short| format!("-{short}"));
        let mut words = Vec::with_capacity(self.words.len());
        let mut given = self.words.into_iter();
        while let Some(word) = given.next() {
            let is_joined = word.strip_prefix(long).is_some_and(|rest| rest.starts_with('='))
                || short.as_ref().is_some_and(|short| word.len() > 2 && word.starts_with(short.as_str()));
            match word == long || short.as_ref() == Some(&word) {
                true => _ = given.next(),
                false if is_joined => {}
                false => words.push(word),
            }
        }
        Self { words }
    }

    /// The command with more words.
    pub fn with(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// The command with a flag, unless it has it.
    pub fn with_flag(self, flag: &str) -> Self {
        if self.words.iter().any(|word| word == flag) { self } else { self.with([flag]) }
    }
}

impl fmt::Display for TypedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))
    }
}

/// A word as shells take it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The path of the rest of a file or a folder: `a-rest.mp4` for `a.mp4`, and `frames-rest/` for `frames/`.
pub(super) fn rest_of(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-rest");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        name.push("/");
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_replaced_and_words_are_quoted() {
        let typed = "/usr/bin/s record milling -o a.mp4 --from=3 --frames 10 -oa --set x=[1,2]";
        let typed: Vec<String> = typed.split(' ').map(str::to_owned).collect();
        let command = TypedCommand::new("near", &typed).without("--from", None).without("--output", Some('o'));
        let command =
            command.without("--frames", None).with(["-o", "my b.mp4"]).with_flag("--quiet").with_flag("--quiet");
        assert_eq!(command.to_string(), "near record milling --set 'x=[1,2]' -o 'my b.mp4' --quiet");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_rest_of_a_file_has_its_ending() {
        let rest = |path: &str| rest_of(path.as_ref()).to_str().unwrap().to_owned();
        assert_eq!(["a/b.mp4", "frames/", "x_%05d.png"].map(rest), ["a/b-rest.mp4", "frames-rest/", "x_%05d-rest.png"]);
    }
}
