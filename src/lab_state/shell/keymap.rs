//! The keymap: the table of commands defines default keys, and a file of the user may change them.
//!
//! The file lists commands by their titles with their keys: `[("Step", ["Period", "Ctrl+Right"])]`. It contains only
//! changed entries. Invalid entries are reported with their position, and the valid ones take effect.

use std::collections::BTreeMap;

use serde::Serialize;
use swarmarium_base::problem::{Place, did_you_mean};
use swarmarium_core::text::outline::{Body, Node, outline};

use crate::common::command::{COMMANDS, Chord, Command, CommandId, SECTIONS};

/// The assignment of keys to commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keymap {
    /// The commands with changed keys.
    changed: BTreeMap<CommandId, Vec<Chord>>,
}

impl Keymap {
    /// Returns the keys of a command.
    pub fn keys(&self, command: &Command) -> &[Chord] {
        self.changed.get(&command.id).map_or(command.keys, Vec::as_slice)
    }

    /// Returns the keys of a command as text; empty if it has none.
    pub fn text_of(&self, id: CommandId) -> String {
        id.command().keys_text(self)
    }

    /// Returns the first key of a command; empty if it has none.
    pub fn first_of(&self, id: CommandId) -> String {
        id.command().key_texts(self).into_iter().next().unwrap_or_default()
    }

    /// Appends the keys of a command to a text, if it has any: `text (F9 does)`.
    pub fn after(&self, text: &str, id: CommandId, does: &str) -> String {
        match self.text_of(id).as_str() {
            "" => text.into(),
            keys => format!("{text} ({keys}{does})"),
        }
    }

    /// Reads a keymap file. Returns the valid entries, and the problems with their positions.
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let mut reading = Reading { text, keymap: Self::default(), wrong: Vec::new() };
        match outline(text) {
            Ok(Node { body: Body::List(entries), .. }) => entries.iter().for_each(|entry| reading.entry(entry)),
            Ok(node) => reading.wrong(&node, "expected a list such as [(\"Step\", [\"Period\"])]"),
            Err(problem) => reading.wrong.push(problem.to_string()),
        }
        let Reading { mut keymap, mut wrong, .. } = reading;
        wrong.extend(keymap.settle());
        (keymap, wrong)
    }

    /// Assigns each key to one command. Returns a message for each command that loses a key.
    ///
    /// Entries of the file precede the defaults; among these, the order of the table decides.
    fn settle(&mut self) -> Vec<String> {
        let (asked, usual): (Vec<_>, Vec<_>) =
            COMMANDS.iter().partition(|command| self.changed.contains_key(&command.id));
        let mut taken: Vec<(Chord, &str)> = Vec::new();
        let mut clashes = Vec::new();
        for command in asked.into_iter().chain(usual) {
            let mut left = Vec::new();
            for chord in self.keys(command) {
                match taken.iter().find(|(other, _)| other.overlaps(chord)) {
                    Some((_, first)) if *first != command.title => {
                        let (key, title) = (chord.text(), command.title);
                        let lost = format!("the key {key} is assigned to \"{first}\", so \"{title}\" does not get it");
                        if !clashes.contains(&lost) {
                            clashes.push(lost);
                        }
                    }
                    _ => left.push(*chord),
                }
            }
            taken.extend(left.iter().map(|chord| (*chord, command.title)));
            if left.len() < self.keys(command).len() {
                self.changed.insert(command.id, left);
            }
        }
        clashes
    }

    /// Returns the text of a file without changes: all commands with their present keys, as comments.
    pub fn text(&self) -> String {
        let mut text = String::from(HEAD);
        for (section, name) in SECTIONS {
            text += &format!("\n    // {name}\n");
            for command in COMMANDS.iter().filter(|command| command.section == section) {
                let mark = if self.changed.contains_key(&command.id) { "" } else { "// " };
                let keys: Vec<String> = command.key_texts(self).iter().map(|key| format!("{key:?}")).collect();
                text += &format!("    {mark}({:?}, [{}]),\n", command.title, keys.join(", "));
            }
        }
        text + "]\n"
    }
}

/// A command of the window, for lists and documentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandDescription {
    /// The section in menus and in the list of keys.
    pub section: &'static str,
    /// The title.
    pub title: &'static str,
    /// The default keys.
    pub keys: Vec<String>,
    /// The effect, in one sentence.
    pub about: &'static str,
}

/// Describes all commands of the window, in the order of the menus.
pub fn describe_commands() -> impl Iterator<Item = CommandDescription> {
    let keymap = Keymap::default();
    COMMANDS.iter().map(move |command| CommandDescription {
        section: command.section.name(),
        title: command.title,
        keys: command.key_texts(&keymap),
        about: command.hint,
    })
}

impl Command {
    /// Returns the keys of the command as text, without repetition.
    pub fn key_texts(&self, keymap: &Keymap) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for chord in keymap.keys(self) {
            let text = chord.text();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// Returns the keys as one text: `Space or K`.
    pub fn keys_text(&self, keymap: &Keymap) -> String {
        self.key_texts(keymap).join(" or ")
    }

    /// Returns the tooltip of a control for this command: hint and keys.
    pub fn tooltip(&self, keymap: &Keymap) -> String {
        match keymap.keys(self) {
            [] => self.hint.into(),
            _ => format!("{} ({})", self.hint, self.keys_text(keymap)),
        }
    }
}

/// The first lines of a new file.
const HEAD: &str =
    "// The keymap of Swarmarium. Uncomment a line to change the keys of a command; an empty list removes
// all of them. Examples of keys: \"K\", \"Shift+K\", \"Ctrl+Shift+K\", \"Space\", \"Left\", \"F5\" or \"+\".
// The window reloads this file when it is saved.
[";

/// A file that is being read.
struct Reading<'a> {
    text: &'a str,
    keymap: Keymap,
    wrong: Vec<String>,
}

impl Reading<'_> {
    fn wrong(&mut self, node: &Node, message: &str) {
        let Place { line, column } = Place::of(self.text, node.span.start);
        self.wrong.push(format!("{line}:{column}: {message}"));
    }

    /// Reads an entry of the list.
    fn entry(&mut self, entry: &Node) {
        let Body::Tuple { name: None, items } = &entry.body else {
            return self.wrong(entry, "expected a command and its keys, such as (\"Step\", [\"Period\"])");
        };
        let [title, Node { body: Body::List(keys), .. }] = &items[..] else {
            return self.wrong(entry, "expected a title and a list of keys, such as (\"Step\", [\"Period\"])");
        };
        let Some(name) = word(title) else { return self.wrong(title, "expected the title of a command in quotes") };
        let Some(command) = COMMANDS.iter().find(|command| command.title.eq_ignore_ascii_case(&name)) else {
            let near = did_you_mean(&name, COMMANDS.iter().map(|command| command.title));
            return self.wrong(title, &format!("there is no command `{name}`{near}"));
        };
        if self.keymap.changed.contains_key(&command.id) {
            return self.wrong(title, &format!("`{name}` is already assigned in a line above"));
        }
        let mut chords = Vec::new();
        for key in keys {
            match word(key).as_deref().map(Chord::parse) {
                Some(Ok(found)) => chords.extend(found),
                Some(Err(error)) => self.wrong(key, &error.to_string()),
                None => self.wrong(key, "expected a key in quotes"),
            }
        }
        // If no key is valid, the default keys stay.
        if keys.is_empty() || !chords.is_empty() {
            self.keymap.changed.insert(command.id, chords);
        }
    }
}

/// Returns the text of a string in quotes.
fn word(node: &Node) -> Option<String> {
    match node.body {
        Body::Leaf(text) => ron::from_str(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Modifiers;

    use super::*;

    #[test]
    fn every_key_of_the_keymap_round_trips() {
        for command in COMMANDS {
            for chord in command.keys {
                let again = Chord::parse(&chord.text()).unwrap();
                assert!(again.iter().all(|again| again.text() == chord.text()), "{}", chord.text());
                let shift = chord.shift.unwrap_or_default();
                let modifiers = Modifiers { shift, command: chord.command, ..Modifiers::NONE };
                assert!(again.iter().any(|again| again.matches(chord.key, modifiers)), "{}", chord.text());
            }
        }
    }

    #[test]
    fn a_key_file_changes_only_the_commands_that_it_names() {
        let (keymap, wrong) = Keymap::read("[(\"Step\", [\"F5\"]), (\"Quit\", [])]");
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!([keymap.text_of(CommandId::Step), keymap.text_of(CommandId::Quit)], ["F5", ""]);
        assert_eq!(keymap.text_of(CommandId::Reset), Keymap::default().text_of(CommandId::Reset));
    }

    #[test]
    fn mistakes_in_a_key_file_have_their_place_and_the_rest_applies() {
        let text = "[\n    (\"Stepp\", [\"F5\"]),\n    (\"Step\", [\"F5\", \"Wax\"]),\n    7,\n]";
        let (keymap, wrong) = Keymap::read(text);
        assert_eq!(keymap.text_of(CommandId::Step), "F5");
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert_eq!(wrong[0], "2:6: there is no command `Stepp`; did you mean `Step`?");
        assert!(wrong[1].starts_with("3:21: there is no key `Wax`"), "{}", wrong[1]);
        assert!(wrong[2].starts_with("4:5: expected a command"), "{}", wrong[2]);
        for broken in ["", "[", "(", "{}", "\"Step\"", "[(\"Step\", \"F5\")]"] {
            let (keymap, wrong) = Keymap::read(broken);
            assert_eq!(keymap, Keymap::default(), "{broken}");
            assert_eq!(wrong.len(), 1, "{broken}");
        }
    }

    #[test]
    fn a_key_of_two_commands_is_reported_and_stays_with_one() {
        let (keymap, wrong) = Keymap::read("[(\"Quit\", [\"R\"])]");
        assert_eq!(wrong, ["the key R is assigned to \"Quit\", so \"Restart\" does not get it"]);
        assert_eq!([keymap.text_of(CommandId::Quit), keymap.text_of(CommandId::Reset)], ["R", ""]);
        let (_, wrong) = Keymap::read("[(\"Quit\", [\"R\"]), (\"Restart\", [])]");
        assert_eq!(wrong, Vec::<String>::new(), "the user moved the keys on purpose");
    }

    #[test]
    fn a_new_key_file_changes_nothing_and_names_every_command() {
        let text = Keymap::default().text();
        assert_eq!(Keymap::read(&text), (Keymap::default(), Vec::new()));
        assert!(COMMANDS.iter().all(|command| text.contains(&format!("({:?}, ", command.title))));
        let whole: String = text.lines().map(|line| line.replacen("    // (", "    (", 1) + "\n").collect();
        assert_eq!(Keymap::read(&whole).1, Vec::<String>::new(), "all lines are as they should be");
    }
}
