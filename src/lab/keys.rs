//! The keys: what a press asks for, by the table of commands.

use bevy_egui::egui::{self, Event, Key, Modifiers};

use super::command::{COMMANDS, Command};
use super::{Action, Lab};

/// What the mouse does in the world.
pub const MOUSE: [(&str, &str); 4] = [
    ("Click", "Select an agent, or nothing"),
    ("Drag", "Move the world"),
    ("Wheel, pinch", "Zoom at the cursor"),
    ("Drop a file", "Open it"),
];

/// What the keys of this frame ask for.
pub fn actions(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    // A dialog has all keys.
    if lab.asked.is_some() {
        return Vec::new();
    }
    // Single letters belong to whatever has the focus; keys that write nothing always work.
    let typing = ctx.text_edit_focused();
    // In a field, Esc takes back what was typed; egui takes the focus away before this is asked.
    let was_typing = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default("typing".into()), typing));
    let is_of_field = was_typing && !lab.palette;
    let asked = |event: &Event| match *event {
        Event::Key { key: Key::Escape, .. } if is_of_field => None,
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            let command = find(key, modifiers, repeat, typing)?;
            (command.action)(lab)
        }
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(asked).collect())
}

fn find(key: Key, modifiers: Modifiers, repeat: bool, typing: bool) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| {
        let pressed = command.keys.iter().find(|chord| chord.matches(key, modifiers));
        pressed.is_some_and(|chord| (!repeat || command.repeats) && (!typing || chord.writes_nothing()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(key: Key, modifiers: Modifiers) -> Option<&'static str> {
        find(key, modifiers, false, false).map(|command| command.title)
    }

    #[test]
    fn keys_do_what_the_list_says() {
        assert_eq!(title(Key::Space, Modifiers::NONE), Some("Play or pause"));
        assert_eq!(title(Key::OpenBracket, Modifiers::NONE), Some("Slower"));
        assert_eq!(title(Key::CloseBracket, Modifiers::SHIFT), Some("Unlimited speed"));
        assert_eq!(title(Key::R, Modifiers::SHIFT), Some("Reset with new seed"));
        assert_eq!(title(Key::R, Modifiers::COMMAND), Some("Reload file"));
        assert_eq!(title(Key::R, Modifiers::ALT), None);
    }

    #[test]
    fn only_some_keys_repeat() {
        let held = |key| find(key, Modifiers::NONE, true, false).map(|command| command.title);
        assert_eq!([held(Key::Period), held(Key::Space), held(Key::F11)], [Some("Step"), None, None]);
    }

    #[test]
    fn letters_are_left_to_texts() {
        let typing = |key, modifiers| find(key, modifiers, false, true).map(|command| command.title);
        assert_eq!(typing(Key::Space, Modifiers::NONE), None);
        assert_eq!(typing(Key::F10, Modifiers::NONE), Some("Hide or show panels"));
        assert_eq!(typing(Key::P, Modifiers::COMMAND), Some("Find an action"));
    }

    #[test]
    fn no_key_does_two_things() {
        for (index, command) in COMMANDS.iter().enumerate() {
            for chord in command.keys {
                let shifts = chord.shift.map_or(vec![false, true], |shift| vec![shift]);
                for shift in shifts {
                    let modifiers = Modifiers { shift, command: chord.command, ..Modifiers::NONE };
                    let first = COMMANDS
                        .iter()
                        .position(|other| other.keys.iter().any(|other| other.matches(chord.key, modifiers)));
                    assert_eq!(first, Some(index), "{}", command.title);
                }
            }
        }
    }
}
