//! Menus by keyboard: Alt with a letter or F10 opens a menu, arrows walk through it, Enter chooses an entry.

use bevy_egui::egui::containers::menu::{MenuState, find_menu_root};
use bevy_egui::egui::{self, Event, FocusDirection, Id, Key, Modifiers, Popup, Response, Ui};

/// The menus of the bar and the visible entries, as of the last frame.
#[derive(Clone, Default)]
struct Walk {
    /// The menus from left to right.
    bar: Vec<Menu>,
    /// The entries in the order in which they were drawn: those of a submenu before the entry that opens it.
    entries: Vec<Entry>,
    /// The number of menus around the present one, while menus are drawn.
    depth: usize,
    /// The menu whose first entry gets the focus as soon as it is drawn, by its depth.
    enters: Option<usize>,
}

/// A menu of the bar.
#[derive(Clone, Copy)]
struct Menu {
    popup: Id,
    name: &'static str,
}

/// An entry that can be chosen.
#[derive(Clone, Copy)]
struct Entry {
    id: Id,
    /// The menu that contains it, and the number of menus around that one.
    menu: Id,
    depth: usize,
    opens: bool,
}

/// The key of [`Walk`] in egui's data.
const WALK: &str = "menu walk";

fn update<R>(ctx: &egui::Context, change: impl FnOnce(&mut Walk) -> R) -> R {
    ctx.data_mut(|data| change(data.get_temp_mut_or_default(WALK.into())))
}

/// Reports a menu of the bar.
pub(super) fn menu(button: &Response, name: &'static str) {
    let popup = Popup::default_response_id(button);
    update(&button.ctx, |walk| walk.bar.push(Menu { popup, name }));
}

/// Reports an entry of a menu; `opens` says whether it opens another menu.
pub(super) fn entry(ui: &Ui, response: &Response, opens: bool) {
    if !response.enabled() {
        return;
    }
    let menu = find_menu_root(ui).id;
    let enters = update(ui.ctx(), |walk| {
        let depth = walk.depth;
        walk.entries.push(Entry { id: response.id, menu, depth, opens });
        walk.enters.take_if(|enters| *enters == depth).is_some()
    });
    if enters {
        response.request_focus();
    }
    if enters || response.gained_focus() {
        response.scroll_to_me(None);
    }
}

/// Draws the content of a submenu, whose entries are deeper.
pub(super) fn deeper(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    update(ui.ctx(), |walk| walk.depth += 1);
    content(ui);
    update(ui.ctx(), |walk| walk.depth -= 1);
}

/// Handles the keys of menus, and takes them away from commands. Called at the start of each frame.
pub fn keys(ctx: &egui::Context) {
    let mut walk = update(ctx, std::mem::take);
    let opened = opened(ctx, &walk.bar);
    let present = walk.bar.iter().position(|menu| Popup::is_id_open(ctx, menu.popup));
    if let Some(menu) = opened {
        open(ctx, &mut walk, menu);
    } else if let Some(present) = present {
        step(ctx, &mut walk, present);
    } else {
        walk.enters = None;
    }
    update(ctx, |kept| kept.enters = walk.enters);
}

/// Returns the place of the menu that a key opens.
fn opened(ctx: &egui::Context, bar: &[Menu]) -> Option<usize> {
    if bar.is_empty() {
        return None;
    }
    if ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::F10)) {
        return Some(0);
    }
    let place = bar.iter().position(|menu| {
        let key = menu.name.get(..1).and_then(Key::from_name);
        key.is_some_and(|key| ctx.input_mut(|input| input.consume_key(Modifiers::ALT, key)))
    })?;
    // The letter is not text.
    ctx.input_mut(|input| input.events.retain(|event| !matches!(event, Event::Text(_))));
    Some(place)
}

fn open(ctx: &egui::Context, walk: &mut Walk, place: usize) {
    if let Some(menu) = walk.bar.get(place) {
        Popup::open_id(ctx, menu.popup);
        walk.enters = Some(FIRST_DEPTH);
    }
}

/// The depth of the entries of a menu of the bar.
const FIRST_DEPTH: usize = 0;

/// Moves through the open menu of the bar.
fn step(ctx: &egui::Context, walk: &mut Walk, present: usize) {
    let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let [down, up, right, left, home, end] =
        [Key::ArrowDown, Key::ArrowUp, Key::ArrowRight, Key::ArrowLeft, Key::Home, Key::End].map(pressed);
    if !(down || up || right || left || home || end) {
        return;
    }
    // Otherwise egui moves the focus to the nearest widget in that direction.
    ctx.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    let deepest = walk.entries.iter().map(|entry| entry.depth).max().unwrap_or_default();
    let entries: Vec<Entry> = walk.entries.iter().filter(|entry| entry.depth == deepest).copied().collect();
    let focused = ctx.memory(|memory| memory.focused());
    let place = entries.iter().position(|entry| Some(entry.id) == focused);
    let focus = |entry: Option<&Entry>| {
        if let Some(entry) = entry {
            ctx.memory_mut(|memory| memory.request_focus(entry.id));
        }
    };
    let count = entries.len();
    if down || home {
        focus(place.filter(|_| down).map_or(entries.first(), |place| entries.get((place + 1) % count)));
    } else if up || end {
        focus(place.filter(|_| up).map_or(entries.last(), |place| entries.get((place + count - 1) % count)));
    } else if right && place.is_some_and(|place| entries[place].opens) {
        // An entry opens its menu when it is pressed.
        walk.enters = Some(deepest + 1);
        ctx.input_mut(|input| input.events.push(press(Key::Enter)));
    } else if left && deepest > FIRST_DEPTH {
        // The entry that opened this menu is the first one after it.
        let last = walk.entries.iter().rposition(|entry| entry.depth == deepest);
        let parent = last.and_then(|last| walk.entries.get(last + 1));
        if let Some(parent) = parent {
            MenuState::from_id(ctx, parent.menu, |state| state.open_item = None);
        }
        focus(parent);
    } else {
        let count = walk.bar.len();
        open(ctx, walk, (present + if right { 1 } else { count - 1 }) % count);
    }
}

fn press(key: Key) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE }
}

/// Whether a menu of the bar is open.
pub fn is_open(ctx: &egui::Context) -> bool {
    let bar = update(ctx, |walk| walk.bar.clone());
    bar.iter().any(|menu| Popup::is_id_open(ctx, menu.popup))
}
