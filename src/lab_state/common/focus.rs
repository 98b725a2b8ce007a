//! Keyboard focus: keys of text fields and popups, the fields that Tab visits, and the next Esc.

use bevy_egui::egui::{self, Event, FocusDirection, Key, Popup};

/// Whether letters are text instead of commands.
pub fn is_typing(ctx: &egui::Context) -> bool {
    ctx.text_edit_focused() || focused_field(ctx).is_some() || Popup::is_any_open(ctx)
}

/// The key of [`Fields`] in egui's data.
const FIELDS: &str = "fields";

/// The fields of values in the order in which they are drawn: those of the last frame, and those of this one so far.
#[derive(Clone, Debug, Default)]
struct Fields {
    last: Vec<egui::Id>,
    now: Vec<egui::Id>,
}

/// Adds a field to those that Tab visits. Call this in each frame in which the field is drawn.
pub fn add_field(ctx: &egui::Context, field: egui::Id) {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Fields>(FIELDS.into()).now.push(field));
}

/// Returns the place of the field with the focus among those of the last frame.
fn focused_field(ctx: &egui::Context) -> Option<usize> {
    let focused = ctx.memory(|memory| memory.focused())?;
    ctx.data_mut(|data| {
        let fields: &mut Fields = data.get_temp_mut_or_default(FIELDS.into());
        fields.last.iter().position(|field| *field == focused)
    })
}

/// Moves the focus from a field to the next one if Tab was pressed, or back if Shift is held. After the last field
/// comes the first one. Other widgets are skipped: with the focus on a button, typed digits would run commands.
pub fn tab(ctx: &egui::Context) {
    let pressed = |event: &Event| match event {
        Event::Key { key: Key::Tab, pressed: true, modifiers, .. } if !modifiers.command && !modifiers.alt => {
            Some(modifiers.shift)
        }
        _ => None,
    };
    let pressed = ctx.input(|input| input.events.iter().find_map(pressed));
    let (Some(is_back), Some(place)) = (pressed, focused_field(ctx)) else { return };
    let next = ctx.data_mut(|data| {
        let Fields { last, .. }: &mut Fields = data.get_temp_mut_or_default(FIELDS.into());
        let step = if is_back { last.len() - 1 } else { 1 };
        last.get((place + step) % last.len().max(1)).copied()
    });
    ctx.memory_mut(|memory| {
        memory.move_focus(FocusDirection::None);
        next.into_iter().for_each(|next| memory.request_focus(next));
    });
}

/// The key of the editor of code in egui's data.
const CODE_EDITOR: &str = "code editor";

/// Marks a field as the editor of code, which gets all keys but function keys while it has the focus.
pub fn mark_code_editor(ctx: &egui::Context, field: egui::Id) {
    ctx.data_mut(|data| data.insert_temp(CODE_EDITOR.into(), field));
}

/// Whether the editor of code has the focus.
pub fn is_editing_code(ctx: &egui::Context) -> bool {
    let editor: Option<egui::Id> = ctx.data(|data| data.get_temp(CODE_EDITOR.into()));
    editor.is_some_and(|editor| ctx.memory(|memory| memory.has_focus(editor)))
}

/// The key of [`Escape`] in egui's data.
const ESCAPE: &str = "escape";

/// Whether a part of a panel claims the next Esc, and whether it owns Esc in this frame.
#[derive(Clone, Copy, Debug, Default)]
struct Escape {
    is_wanted: bool,
    is_given: bool,
}

/// Claims the next Esc. Returns whether Esc was pressed.
///
/// Call this in each frame while Esc is claimed.
pub fn takes_escape(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| {
        let escape: &mut Escape = data.get_temp_mut_or_default(ESCAPE.into());
        escape.is_wanted = true;
        escape.is_given
    })
}

/// Starts a frame: takes Esc from its owner, and keeps the fields of the last frame. Returns whether a widget claims the
/// next Esc.
pub fn begin_frame(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| {
        let fields: &mut Fields = data.get_temp_mut_or_default(FIELDS.into());
        fields.last = std::mem::take(&mut fields.now);
    });
    ctx.data_mut(|data| std::mem::take(data.get_temp_mut_or_default::<Escape>(ESCAPE.into())).is_wanted)
}

/// Gives Esc to the widget that claims it.
pub fn give_escape(ctx: &egui::Context) {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Escape>(ESCAPE.into()).is_given = true);
}
