//! The order of input: the interface sees keys and clicks of a frame in the order in which they occurred.
//!
//! `bevy_egui` gives all events of a frame the modifier keys held at its end, and shortcuts take effect at the end of a
//! frame. So a frame takes only input that belongs together; the rest waits for the next frame.

use std::collections::VecDeque;

use bevy::ecs::message::{MessageCursor, MessageUpdateSystems};
use bevy::ecs::system::SystemParam;
use bevy::input::keyboard::{Key, KeyboardFocusLost, KeyboardInput};
use bevy::input::mouse::{MouseButtonInput, MouseWheel};
use bevy::prelude::*;
use bevy::window::{CursorMoved, Ime, WindowEvent};
use bevy_egui::egui::{Event, Modifiers};
use bevy_egui::{EguiInput, EguiPreUpdateSet};

use crate::window::painter::{self, Canvas};

/// Adds the system that delays input to the right frame; a screenshot of the command line ignores all input, so that no
/// pointer that happens to be over the window leaves its mark.
pub(super) fn plugin(is_ignored: bool) -> impl Plugin {
    move |app: &mut App| add(app, is_ignored)
}

fn add(app: &mut App, is_ignored: bool) {
    if is_ignored {
        app.add_systems(First, (|mut input: Input| input.clear()).after(MessageUpdateSystems));
    } else {
        app.add_systems(First, pace.after(MessageUpdateSystems).after(painter::paint));
    }
    let between = forget_unchanged.after(EguiPreUpdateSet::ProcessInput).before(EguiPreUpdateSet::BeginPass);
    app.add_systems(PreUpdate, between);
}

/// Removes the events by which `bevy_egui` reports the held modifier keys in each frame, unless they changed. egui
/// draws another frame for each event, so a window without changes would never rest.
fn forget_unchanged(mut inputs: Query<&mut EguiInput>, mut last: Local<Modifiers>) {
    for mut input in &mut inputs {
        input.events.retain(|event| match event {
            Event::ModifiersChanged(held) => std::mem::replace(&mut *last, *held) != *held,
            _ => true,
        });
    }
}

/// The messages whose order matters: together, and by type.
#[derive(SystemParam)]
struct Input<'w> {
    all: ResMut<'w, Messages<WindowEvent>>,
    keys: ResMut<'w, Messages<KeyboardInput>>,
    focus_losses: ResMut<'w, Messages<KeyboardFocusLost>>,
    texts: ResMut<'w, Messages<Ime>>,
    moves: ResMut<'w, Messages<CursorMoved>>,
    buttons: ResMut<'w, Messages<MouseButtonInput>>,
    wheel: ResMut<'w, Messages<MouseWheel>>,
}

impl Input<'_> {
    fn clear(&mut self) {
        self.all.clear();
        self.keys.clear();
        self.focus_losses.clear();
        self.texts.clear();
        self.moves.clear();
        self.buttons.clear();
        self.wheel.clear();
    }

    fn write(&mut self, event: WindowEvent) {
        self.all.write(event.clone());
        match event {
            WindowEvent::KeyboardInput(event) => _ = self.keys.write(event),
            WindowEvent::KeyboardFocusLost(event) => _ = self.focus_losses.write(event),
            WindowEvent::Ime(event) => _ = self.texts.write(event),
            WindowEvent::CursorMoved(event) => _ = self.moves.write(event),
            WindowEvent::MouseButtonInput(event) => _ = self.buttons.write(event),
            WindowEvent::MouseWheel(event) => _ = self.wheel.write(event),
            // Messages of other types are not moved.
            _ => {}
        }
    }
}

/// The waiting input, and the modifier keys held after the input of this frame.
#[derive(Default)]
struct Pending {
    seen: MessageCursor<WindowEvent>,
    events: VecDeque<WindowEvent>,
    held: Held,
}

/// The held modifier keys: Shift, Ctrl, Alt and Super.
type Held = [bool; 4];

/// Delays input to the frame to which it belongs. A frame without the lab takes none.
fn pace(mut pending: Local<Pending>, mut input: Input, canvas: Option<Res<Canvas>>) {
    let Pending { seen, events, held } = &mut *pending;
    let waited = events.len();
    events.extend(seen.read(&input.all).cloned());
    let waits = canvas.is_some_and(|canvas| canvas.waits);
    let count = if waits { 0 } else { of_frame(events, held) };
    // Most frames take all events.
    if waited == 0 && count == events.len() {
        events.clear();
        return;
    }
    input.clear();
    events.drain(..count).for_each(|event| input.write(event));
    seen.clear(&input.all);
}

/// A source of input; a frame takes input from one source only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Keys,
    Mouse,
}

/// Returns the number of events that belong to one frame. `held` are the modifier keys before and after it.
///
/// A frame ends before a modifier key changes after other input, and between keys and mouse: a key may choose the tool
/// of the next click, and a click may focus the field for the next key. A key that moves the focus has a frame of its
/// own: what is typed before and after it belongs to different fields.
fn of_frame(events: &VecDeque<WindowEvent>, held: &mut Held) -> usize {
    let mut source = None;
    for (place, event) in events.iter().enumerate() {
        let from = match event {
            WindowEvent::KeyboardInput(KeyboardInput { logical_key, state, .. }) => match modifier(logical_key) {
                Some(key) if held[key] != state.is_pressed() && source.is_some() => return place,
                Some(key) => {
                    held[key] = state.is_pressed();
                    continue;
                }
                None if state.is_pressed() && moves_focus(logical_key) => {
                    return if source.is_some() { place } else { place + 1 };
                }
                None if state.is_pressed() => Source::Keys,
                None => continue,
            },
            WindowEvent::MouseButtonInput(_) | WindowEvent::MouseWheel(_) => Source::Mouse,
            WindowEvent::KeyboardFocusLost(_) => {
                *held = Held::default();
                continue;
            }
            _ => continue,
        };
        if *source.get_or_insert(from) != from {
            return place;
        }
    }
    events.len()
}

/// Whether a key moves the focus, or takes it away.
fn moves_focus(key: &Key) -> bool {
    matches!(key, Key::Tab | Key::Enter | Key::Escape)
}

/// Returns the index of a modifier key in [`Held`].
fn modifier(key: &Key) -> Option<usize> {
    match key {
        Key::Shift => Some(0),
        Key::Control => Some(1),
        Key::Alt => Some(2),
        Key::Super | Key::Meta => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bevy::input::ButtonState;
    use bevy::input::keyboard::KeyCode;
    use bevy::input::mouse::MouseButton;
    use bevy_egui::input::{
        EguiInputEvent, ModifierKeysState, WindowToEguiContextMap, write_keyboard_input_messages_system,
        write_modifiers_keys_state_system,
    };
    use bevy_egui::{EguiClipboard, EguiContextSettings};

    use super::*;

    const CTRL: Key = Key::Control;

    fn key(key: &Key, is_pressed: bool) -> WindowEvent {
        let state = if is_pressed { ButtonState::Pressed } else { ButtonState::Released };
        let (key_code, logical_key) = (KeyCode::F35, key.clone());
        let window = Entity::PLACEHOLDER;
        KeyboardInput { key_code, logical_key, state, text: None, repeat: false, window }.into()
    }

    fn letter(letter: &str) -> Key {
        Key::Character(letter.into())
    }

    /// Presses and releases a key while another one is held.
    fn chord(held: &Key, letter: &Key) -> Vec<WindowEvent> {
        vec![key(held, true), key(letter, true), key(letter, false), key(held, false)]
    }

    fn button() -> WindowEvent {
        let (button, state, window) = (MouseButton::Left, ButtonState::Pressed, Entity::PLACEHOLDER);
        MouseButtonInput { button, state, window }.into()
    }

    /// Returns the number of events that each frame takes.
    fn frames(events: Vec<WindowEvent>) -> Vec<usize> {
        let (mut events, mut held) = (VecDeque::from(events), Held::default());
        let mut counts = Vec::new();
        while !events.is_empty() {
            counts.push(of_frame(&events, &mut held));
            events.drain(..counts[counts.len() - 1]);
        }
        counts
    }

    #[test]
    fn a_frame_ends_before_a_modifier_key_changes() {
        let z = letter("z");
        assert_eq!(frames(chord(&CTRL, &z)), [3, 1]);
        assert_eq!(frames([chord(&CTRL, &z), chord(&CTRL, &z)].concat()), [3, 4, 1]);
        assert_eq!(frames([chord(&Key::Shift, &z), vec![key(&z, true), key(&z, false)]].concat()), [3, 3]);
        assert_eq!(frames(vec![key(&CTRL, true), key(&Key::Shift, true), key(&z, true)]), [3], "two modifiers");
        assert_eq!(frames(vec![key(&CTRL, true), button(), key(&CTRL, false)]), [2, 1], "a button counts as well");
        // A repeated modifier key changes nothing.
        assert_eq!(frames(vec![key(&CTRL, true), key(&z, true), key(&CTRL, true), key(&z, false)]), [4]);
    }

    #[test]
    fn a_frame_takes_keys_or_the_mouse() {
        let w = letter("w");
        assert_eq!(frames(vec![key(&w, true), key(&w, false), button()]), [2, 1]);
        assert_eq!(frames(vec![button(), key(&w, true), key(&w, false)]), [1, 2]);
        assert_eq!(frames(vec![key(&w, true), key(&w, false), key(&w, true)]), [3]);
    }

    #[derive(Resource, Default)]
    struct Seen(Vec<String>);

    fn note(mut events: MessageReader<EguiInputEvent>, mut seen: ResMut<Seen>) {
        seen.0.extend(events.read().filter_map(|EguiInputEvent { event, .. }| match event {
            Event::Key { key, pressed: true, modifiers, .. } => {
                Some(format!("{}{key:?}", if modifiers.ctrl { "Ctrl+" } else { "" }))
            }
            Event::Text(text) => Some(format!("{text:?}")),
            _ => None,
        }));
    }

    #[test]
    fn instant_chords_reach_the_interface_as_chords() {
        let mut app = App::new();
        app.add_message::<WindowEvent>().add_message::<KeyboardInput>().add_message::<KeyboardFocusLost>();
        app.add_message::<Ime>().add_message::<CursorMoved>().add_message::<MouseButtonInput>();
        app.add_message::<MouseWheel>().add_message::<EguiInputEvent>();
        app.init_resource::<ModifierKeysState>().init_resource::<WindowToEguiContextMap>().init_resource::<Seen>();
        app.init_resource::<EguiClipboard>();
        let systems = (write_modifiers_keys_state_system, write_keyboard_input_messages_system, note).chain();
        app.add_plugins(plugin(false)).add_systems(PreUpdate, systems);
        let context = app.world_mut().spawn((bevy_egui::EguiContext::default(), EguiContextSettings::default())).id();
        let mut map = app.world_mut().resource_mut::<WindowToEguiContextMap>();
        map.window_to_contexts.insert(Entity::PLACEHOLDER, std::iter::once(context).collect());
        let events = [chord(&CTRL, &letter("z")), vec![key(&letter("r"), true)], chord(&CTRL, &letter("y"))].concat();
        for event in events {
            // As in the window.
            if let WindowEvent::KeyboardInput(event) = &event {
                app.world_mut().write_message(event.clone());
            }
            app.world_mut().write_message(event);
        }
        (0..6).for_each(|_| app.update());
        assert_eq!(app.world().resource::<Seen>().0, ["Ctrl+Z", "\"r\"", "R", "Ctrl+Y"]);
    }
}
