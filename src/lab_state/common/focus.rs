//! Keyboard focus: keys of text fields and popups, and the next Esc.

use bevy_egui::egui::{self, Popup};

/// Whether letters are text instead of commands.
pub fn is_typing(ctx: &egui::Context) -> bool {
    ctx.text_edit_focused() || Popup::is_any_open(ctx)
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

/// Starts a frame: takes Esc from its owner. Returns whether a widget claims the next Esc.
pub fn begin_frame(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| std::mem::take(data.get_temp_mut_or_default::<Escape>(ESCAPE.into())).is_wanted)
}

/// Gives Esc to the widget that claims it.
pub fn give_escape(ctx: &egui::Context) {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Escape>(ESCAPE.into()).is_given = true);
}
