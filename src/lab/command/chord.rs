//! Chords: keys with their modifiers.

use bevy_egui::egui::{Key, Modifiers};

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Ctrl, or Cmd on a Mac.
    pub command: bool,
    /// Shift; `None` when it does not matter, as for characters that some keyboards have on a second level.
    pub shift: Option<bool>,
}

/// A key alone.
pub const fn key(key: Key) -> Chord {
    Chord { key, command: false, shift: Some(false) }
}

/// With Shift.
pub const fn shift(key: Key) -> Chord {
    Chord { key, command: false, shift: Some(true) }
}

/// With Ctrl, or Cmd on a Mac.
pub const fn ctrl(key: Key) -> Chord {
    Chord { key, command: true, shift: Some(false) }
}

/// With both.
pub const fn ctrl_shift(key: Key) -> Chord {
    Chord { key, command: true, shift: Some(true) }
}

/// With Shift or without it.
pub const fn any(key: Key) -> Chord {
    Chord { key, command: false, shift: None }
}

impl Chord {
    /// Whether a press is this chord.
    pub fn matches(&self, key: Key, modifiers: Modifiers) -> bool {
        let shift = self.shift.is_none_or(|shift| shift == modifiers.shift);
        self.key == key && self.command == modifiers.command && shift && !modifiers.alt
    }

    /// Whether it writes nothing, so that it works while a text is typed.
    pub fn writes_nothing(&self) -> bool {
        let number = self.key.name().strip_prefix('F').unwrap_or_default();
        let function = self.key == Key::Escape || number.parse::<u8>().is_ok();
        function || (self.command && !matches!(self.key, Key::A | Key::C | Key::V | Key::X | Key::Y | Key::Z))
    }

    /// What people call it: `Ctrl+Shift+S`.
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
}
