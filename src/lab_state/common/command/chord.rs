//! Chords: keys with modifiers.

use bevy_egui::egui::{Key, Modifiers};
use swarmarium_base::problem::did_you_mean;

/// A key with modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Ctrl, or Cmd on a Mac.
    pub command: bool,
    /// Shift; `None` if it does not matter, as for characters that need Shift on some keyboards.
    pub shift: Option<bool>,
}

/// The reason why a text is not a chord.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChordError {
    /// An unknown modifier key.
    #[error("`{0}` is not a modifier key: expected Ctrl or Shift")]
    NoModifier(String),
    /// An unknown key, with the nearest known name.
    #[error("there is no key `{name}`{suggestion}")]
    UnknownKey {
        /// The name in the text.
        name: String,
        /// The suggestion: the nearest known name, if there is one.
        suggestion: String,
    },
}

/// A key without modifiers.
pub const fn key(key: Key) -> Chord {
    Chord { key, command: false, shift: Some(false) }
}

/// A key with Shift.
pub const fn shift(key: Key) -> Chord {
    Chord { key, command: false, shift: Some(true) }
}

/// A key with Ctrl, or Cmd on a Mac.
pub const fn ctrl(key: Key) -> Chord {
    Chord { key, command: true, shift: Some(false) }
}

/// A key with Ctrl and Shift.
pub const fn ctrl_shift(key: Key) -> Chord {
    Chord { key, command: true, shift: Some(true) }
}

/// A key with or without Shift.
pub const fn any(key: Key) -> Chord {
    Chord { key, command: false, shift: None }
}

impl Chord {
    /// Whether a key press is this chord.
    pub fn matches(&self, key: Key, modifiers: Modifiers) -> bool {
        let shift = self.shift.is_none_or(|shift| shift == modifiers.shift);
        self.key == key && self.command == modifiers.command && shift && !modifiers.alt
    }

    /// Whether the key is Escape or a function key.
    pub fn is_function_key(&self) -> bool {
        let number = self.key.name().strip_prefix('F').unwrap_or_default();
        self.key == Key::Escape || number.parse::<u8>().is_ok()
    }

    /// Whether the chord writes no text, so that it works while a field has the focus.
    pub fn writes_nothing(&self) -> bool {
        self.is_function_key()
            || (self.command && !matches!(self.key, Key::A | Key::C | Key::V | Key::X | Key::Y | Key::Z))
    }

    /// Returns the name: `Ctrl+Shift+S`.
    pub fn text(&self) -> String {
        let key = match self.key {
            Key::ArrowRight => "Right",
            Key::ArrowLeft => "Left",
            Key::OpenBracket => "[",
            Key::CloseBracket => "]",
            Key::CloseCurlyBracket => "}",
            Key::Backslash => "\\",
            Key::Period => "Period",
            Key::Questionmark => "?",
            Key::Plus | Key::Equals => "+",
            Key::Minus => "−",
            Key::Escape => "Esc",
            key => key.name(),
        };
        let command = if self.command { "Ctrl+" } else { "" };
        let shift = if self.shift == Some(true) { "Shift+" } else { "" };
        format!("{command}{shift}{key}")
    }

    /// Parses a text such as `Ctrl+Shift+S`, the inverse of [`Chord::text`]. Returns two chords if two keys write the
    /// same character.
    ///
    /// # Errors
    /// Returns an error if a part is not a key.
    pub fn parse(text: &str) -> Result<Vec<Self>, ChordError> {
        let (mut command, mut shift) = (false, false);
        let mut rest = text.trim();
        // The last part may itself be a plus.
        while let Some((held, key)) = rest.split_once('+').filter(|(held, key)| !held.is_empty() && !key.is_empty()) {
            match held.trim().to_lowercase().as_str() {
                "ctrl" | "control" | "cmd" | "command" => command = true,
                "shift" => shift = true,
                _ => return Err(ChordError::NoModifier(held.into())),
            }
            rest = key.trim();
        }
        let chord = |key| Self { key, command, shift: if shift { Some(true) } else { level(key) } };
        match rest {
            "+" => Ok(vec![chord(Key::Plus), chord(Key::Equals)]),
            name => key_named(name).map(|key| vec![chord(key)]),
        }
    }

    /// Whether one key press can match both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let shifts = self.shift.zip(other.shift).is_none_or(|(one, other)| one == other);
        self.key == other.key && self.command == other.command && shifts
    }
}

fn key_named(name: &str) -> Result<Key, ChordError> {
    let any_case = || Key::ALL.iter().copied().find(|key| key.name().eq_ignore_ascii_case(name));
    let unknown = || {
        let suggestion = did_you_mean(name, Key::ALL.iter().map(|key| key.name()));
        ChordError::UnknownKey { name: name.into(), suggestion }
    };
    Key::from_name(name).or_else(any_case).ok_or_else(unknown)
}

/// Whether a key is pressed without Shift; `None` for characters that need Shift on some keyboards.
fn level(key: Key) -> Option<bool> {
    let is_anywhere = matches!(
        key,
        Key::Plus
            | Key::Equals
            | Key::Questionmark
            | Key::Exclamationmark
            | Key::Colon
            | Key::Pipe
            | Key::Quote
            | Key::OpenCurlyBracket
            | Key::CloseCurlyBracket
    );
    (!is_anywhere).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_parsed_in_any_case_and_bad_ones_refused() {
        let texts = |text| {
            let chords = Chord::parse(text).map_err(|error| error.to_string())?;
            Ok::<Vec<String>, String>(chords.iter().map(Chord::text).collect())
        };
        assert_eq!(texts("ctrl+shift+s"), Ok(vec!["Ctrl+Shift+S".into()]));
        assert_eq!(texts(" Cmd + left "), Ok(vec!["Ctrl+Left".into()]));
        assert_eq!(texts("Ctrl++"), Ok(vec!["Ctrl++".into(), "Ctrl++".into()]));
        assert_eq!(texts("Alt+S"), Err("`Alt` is not a modifier key: expected Ctrl or Shift".into()));
        assert_eq!(texts("Spce"), Err("there is no key `Spce`; did you mean `Space`?".into()));
        assert!(texts("").is_err() && texts("Ctrl+").is_err());
    }
}
