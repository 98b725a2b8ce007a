//! The keys: one table for what they do and what the list of keys says.

use bevy_egui::egui::{self, Event, Key, Modifiers};

use super::{Action, Lab};
use crate::clock::UNLIMITED;

/// What the list of keys says: keys, and what they do.
pub const LIST: [(&str, &str); 15] = [
    ("Space, K", "Play or pause"),
    (". or →", "One step when paused, held to repeat"),
    ("Shift+→", "Ten steps when paused"),
    ("[ and ]", "Half or double the speed"),
    ("\\", "Real time, 1×"),
    ("}", "Unlimited speed"),
    ("R", "Reset with the same seed"),
    ("Shift+R", "Reset with a new seed"),
    ("0", "Show the whole arena"),
    ("G", "Show or hide the grid"),
    ("D", "Show or hide what sensors see"),
    ("F1, ?", "Open or close this list"),
    ("F10", "Hide or show the panels"),
    ("F11", "Full screen or window"),
    ("Esc", "Close what lies over the world"),
];

/// What the mouse does in the world.
pub const MOUSE: [(&str, &str); 2] = [("Drag", "Move the world"), ("Wheel, pinch", "Zoom at the cursor")];

/// What the keys of this frame ask for.
pub fn actions(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    let focused = ctx.egui_wants_keyboard_input();
    let asked = |event: &Event| match *event {
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            let press = Press { key, repeat, modifiers, paused: lab.host.clock().paused };
            // Single letters belong to whatever has the focus; keys that write nothing always work.
            press.always().or_else(|| if focused { None } else { press.unfocused(lab.host.clock().scale()) })
        }
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(asked).collect())
}

/// One press of a key.
#[derive(Clone, Copy)]
struct Press {
    key: Key,
    repeat: bool,
    modifiers: Modifiers,
    paused: bool,
}

impl Press {
    fn always(self) -> Option<Action> {
        if self.repeat {
            return None;
        }
        match self.key {
            Key::F1 => Some(Action::Help),
            Key::F10 => Some(Action::Panels),
            Key::F11 => Some(Action::FullScreen),
            Key::Escape => Some(Action::Close),
            _ => None,
        }
    }

    fn unfocused(self, scale: f64) -> Option<Action> {
        let Self { key, repeat, modifiers, paused } = self;
        if modifiers.command || modifiers.alt {
            return None;
        }
        match key {
            Key::Period | Key::ArrowRight if paused => {
                return Some(Action::Step(if modifiers.shift && key == Key::ArrowRight { 10 } else { 1 }));
            }
            _ if repeat => return None,
            _ => {}
        }
        match (key, modifiers.shift) {
            (Key::Space | Key::K, _) => Some(Action::PlayOrPause),
            (Key::CloseCurlyBracket, _) | (Key::CloseBracket, true) => Some(Action::Scale(UNLIMITED)),
            // From unlimited, half the speed is none that one could mean: back to the slider's last stop.
            (Key::OpenBracket, false) if scale >= UNLIMITED => Some(Action::Scale(1000.0)),
            (Key::OpenBracket, false) => Some(Action::Scale(scale / 2.0)),
            (Key::CloseBracket, false) => Some(Action::Scale(scale * 2.0)),
            (Key::Backslash, false) => Some(Action::Scale(1.0)),
            (Key::R, false) => Some(Action::Reset),
            (Key::R, true) => Some(Action::ResetWithNewSeed),
            (Key::Num0, false) => Some(Action::Fit),
            (Key::G, false) => Some(Action::Grid),
            (Key::D, false) => Some(Action::Sensors),
            (Key::Questionmark, _) | (Key::Slash, true) => Some(Action::Help),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(key: Key) -> Press {
        Press { key, repeat: false, modifiers: Modifiers::NONE, paused: false }
    }

    fn asks(press: Press) -> Option<Action> {
        press.always().or_else(|| press.unfocused(4.0))
    }

    #[test]
    fn keys_do_what_the_list_says() {
        assert_eq!(asks(press(Key::Space)), Some(Action::PlayOrPause));
        assert_eq!(asks(press(Key::OpenBracket)), Some(Action::Scale(2.0)));
        assert_eq!(asks(press(Key::CloseBracket)), Some(Action::Scale(8.0)));
        assert_eq!(asks(Press { modifiers: Modifiers::SHIFT, ..press(Key::R) }), Some(Action::ResetWithNewSeed));
        assert_eq!(asks(press(Key::F1)), Some(Action::Help));
    }

    #[test]
    fn only_single_steps_repeat() {
        let held = |key| Press { repeat: true, paused: true, ..press(key) };
        assert_eq!(asks(held(Key::Period)), Some(Action::Step(1)));
        assert_eq!(asks(held(Key::Space)), None);
        assert_eq!(asks(held(Key::F11)), None);
        assert_eq!(asks(Press { repeat: true, ..press(Key::Period) }), None, "steps need a pause");
    }

    #[test]
    fn chords_are_left_alone() {
        assert_eq!(asks(Press { modifiers: Modifiers::COMMAND, ..press(Key::R) }), None);
    }
}
