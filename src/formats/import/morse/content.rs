//! The three kinds of files of MORSE with the ending `.py`, told apart by their content.

use super::config::NAMES;

/// The first name of the configurations of early versions.
const OLD_NAME: &str = "component_mw";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A configuration: assignments of its dictionaries.
    Configuration,
    /// A configuration of MORSE 0.1 to 0.6, with the byte offset of `component_mw`.
    OldConfiguration(usize),
    /// A builder script, which only Python can run, with the byte offset of its first import of MORSE.
    BuilderScript(usize),
}

/// Tells the kind of a file from its text. A text of no known kind counts as a configuration, whose reader says what it lacks.
pub fn content(text: &str) -> Content {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, indent) = (at, line.len() - line.trim_start().len());
        at += line.len();
        // Assignments of configurations begin their lines. Builder scripts may assign such names after their imports.
        if assigns(line, OLD_NAME) {
            return Content::OldConfiguration(start);
        }
        if NAMES.iter().any(|name| assigns(line, name)) {
            return Content::Configuration;
        }
        if imports_morse(line.trim()) {
            return Content::BuilderScript(start + indent);
        }
    }
    Content::Configuration
}

fn assigns(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix(name).map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with('=') && !rest.starts_with("=="))
}

/// Whether a line imports a module of MORSE.
fn imports_morse(line: &str) -> bool {
    let is_morse = |module: &str| module == "morse" || module.starts_with("morse.");
    let first = |part: &str| part.split([' ', '\t', ';', '#']).find(|word| !word.is_empty()).is_some_and(is_morse);
    match line.split_once([' ', '\t']) {
        Some(("from", rest)) => first(rest),
        Some(("import", rest)) => rest.split(',').any(first),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_content() {
        for (text, expected) in [
            ("# by MORSE\ncomponent_datastream = {}", Content::Configuration),
            ("overlays={}", Content::Configuration),
            ("component_mw = {}", Content::OldConfiguration(0)),
            ("component_modifier == 1\n", Content::Configuration),
            ("import math\n  from morse.builder import *\n", Content::BuilderScript(14)),
            ("import morse.builder\n", Content::BuilderScript(0)),
            ("import morsels\n", Content::Configuration),
            ("import math, morse.builder as m\n", Content::BuilderScript(0)),
            ("from morse.builder import *\noverlays = {}\n", Content::BuilderScript(0)),
            ("  overlays = {}\nfrom morse.builder import *\n", Content::BuilderScript(16)),
            ("", Content::Configuration),
        ] {
            assert_eq!(content(text), expected, "{text}");
        }
    }
}
