//! Which keys belong to a text field or a popup, and who has the next Esc.

use bevy_egui::egui::{self, Popup};

/// Whether letters are text and not commands.
pub fn is_typing(ctx: &egui::Context) -> bool {
    ctx.text_edit_focused() || Popup::is_any_open(ctx)
}

/// Where egui keeps an [`Escape`].
const ESCAPE: &str = "escape";

/// Whether something in a panel wants the next Esc for itself, and has it in this frame.
#[derive(Clone, Copy, Debug, Default)]
struct Escape {
    is_wanted: bool,
    is_given: bool,
}

/// Wants the next Esc, so that it does nothing else; whether it was pressed.
///
/// Whoever wants it asks in each frame.
pub fn takes_escape(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| {
        let escape: &mut Escape = data.get_temp_mut_or_default(ESCAPE.into());
        escape.is_wanted = true;
        escape.is_given
    })
}

/// Begins a frame: takes Esc away from whatever had it; whether something wants the next one.
pub fn begin_frame(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| std::mem::take(data.get_temp_mut_or_default::<Escape>(ESCAPE.into())).is_wanted)
}

/// Gives Esc to whatever wants it.
pub fn give_escape(ctx: &egui::Context) {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Escape>(ESCAPE.into()).is_given = true);
}
