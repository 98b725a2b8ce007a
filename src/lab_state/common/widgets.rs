//! Small widgets that several panels share.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use bevy_egui::egui::containers::menu::MenuButton;
use bevy_egui::egui::text::{CCursor, CCursorRange, LayoutJob, TextWrapping};
use bevy_egui::egui::{
    self, Button, Color32, DragValue, FontId, Label, Popup, PopupKind, Rect, RectAlign, Response, RichText, Sense,
    Stroke, TextEdit, Tooltip, Ui, WidgetInfo, WidgetType,
};
use swarmarium_picture::palette::{Role, Theme};

use crate::common::{focus, quantity, theme};

/// The text shown for values that differ.
pub const MIXED: &str = "mixed";

/// Gives a control an accessible name that tells it from others.
pub fn named(response: &Response, name: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
}

/// Shows a tooltip beside a control in a list of controls, where it does not cover the next ones.
pub fn hint_beside(response: &Response, content: impl FnOnce(&mut Ui)) {
    let mut tooltip = Tooltip::for_enabled(response);
    let beside = [RectAlign::LEFT, RectAlign::RIGHT, RectAlign::TOP_START];
    tooltip.popup = tooltip.popup.align(RectAlign::LEFT).align_alternatives(&beside);
    tooltip.show(content);
}

/// Selects the whole text of a field, so that typing replaces it.
pub fn select_all(ctx: &egui::Context, field: egui::Id) {
    set_cursor(ctx, field, CCursorRange::two(CCursor::new(0), CCursor::new(usize::MAX)));
}

/// Moves the cursor of a field to the end of its text.
pub fn cursor_to_end(ctx: &egui::Context, field: egui::Id) {
    set_cursor(ctx, field, CCursorRange::one(CCursor::new(usize::MAX)));
}

fn set_cursor(ctx: &egui::Context, field: egui::Id, range: CCursorRange) {
    if let Some(mut state) = TextEdit::load_state(ctx, field) {
        // The field clamps the cursor to its text.
        state.cursor.set_char_range(Some(range));
        TextEdit::store_state(ctx, field, state);
    }
}

/// Shortens a text to one row of a width in points; a long text ends in an ellipsis.
pub fn elided(ui: &Ui, text: &str, font: FontId, width_px: f32) -> String {
    let mut job = LayoutJob::simple_singleline(text.into(), font, Color32::PLACEHOLDER);
    job.wrap = TextWrapping::truncate_at_width(width_px.max(0.0));
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    galley.rows.iter().flat_map(|row| row.glyphs.iter().map(|glyph| glyph.chr)).collect()
}

/// Draws a menu button with three dots.
pub fn dots(ui: &mut Ui, theme: Theme, size_px: (f32, f32), name: &str, hint: &str, content: impl FnOnce(&mut Ui)) {
    let button = Button::new("").frame(false).min_size(size_px.into());
    let (response, _) = MenuButton::from_button(button).ui(ui, |ui| theme::entries(ui, content));
    // The fonts have no glyph for three dots.
    let role = if response.hovered() || response.has_focus() { Role::Text } else { Role::Dim };
    for dy in [-4.0, 0.0, 4.0] {
        ui.painter().circle_filled(response.rect.center() + egui::vec2(0.0, dy), 1.2, theme::color(theme, role));
    }
    named(&response, name);
    response.on_hover_text(hint);
}

/// Draws a button with a plus at a rectangle. Returns whether it was clicked.
pub fn plus(ui: &mut Ui, rect: Rect, theme: Theme, name: &str, hint: &str) -> bool {
    let response = ui.interact(rect, ui.id().with(("plus", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, ui.is_enabled(), name));
    let is_lit = response.hovered() || response.has_focus();
    if is_lit {
        ui.painter().rect_filled(rect, theme::CORNER_PX, theme::color(theme, Role::Grid));
    }
    let stroke = Stroke::new(theme::ICON_LINE_PX, theme::color(theme, if is_lit { Role::Text } else { Role::Dim }));
    let (center, arm) = (rect.center(), 4.5);
    ui.painter().hline(center.x - arm..=center.x + arm, center.y, stroke);
    ui.painter().vline(center.x, center.y - arm..=center.y + arm, stroke);
    let clicked = response.clicked();
    response.on_hover_text(hint);
    clicked
}

/// Draws one button for each choice, with its name and hint.
pub fn choose<T: PartialEq + Copy>(ui: &mut Ui, chosen: &mut T, choices: &[(T, &str, &str)]) {
    for (choice, name, hint) in choices {
        if ui.add(Button::selectable(*chosen == *choice, *name)).on_hover_text(*hint).clicked() {
            *chosen = *choice;
        }
    }
}

/// Draws a field for a number with its unit.
pub fn number(ui: &mut Ui, number: &mut f64, name: &str, unit: &str, range: RangeInclusive<f64>) {
    let (least, most) = (*range.start(), *range.end());
    // Lengths span orders of magnitude, angles do not.
    let speed = if least < 0.0 { 1.0 } else { (number.abs() * 0.01).max(0.002) };
    let present = Some(*number);
    let field = DragValue::new(number).range(range).speed(speed).max_decimals(3);
    let field = quantity_field(ui, field.prefix(format!("{name} ")).suffix(unit), unit, present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name));
    field.on_hover_text(format!("{name}, from {least} to {most}{unit}"));
}

/// Draws a field that can be dragged and typed into, and that reads expressions and units as [`quantity::read`]. An
/// input that is not a number is explained below the field until the next click or typed text. `present` is the value
/// shown; `None` where it shows [`MIXED`].
pub fn quantity_field(ui: &mut Ui, field: DragValue, unit: &str, present: Option<f64>) -> Response {
    typed_field(ui, field, unit, present, quantity::read)
}

/// Draws a field for a whole number, as [`quantity_field`].
pub fn whole_field(ui: &mut Ui, field: DragValue, unit: &str, present: impl Into<f64>) -> Response {
    typed_field(ui, field, unit, Some(present.into()), quantity::read_whole)
}

/// Reads a typed text, given the unit of the field and the value shown, or says why it is refused.
type ReadTyped = fn(&str, &str, Option<f64>) -> Result<f64, String>;

fn typed_field(ui: &mut Ui, field: DragValue, unit: &str, present: Option<f64>, reader: ReadTyped) -> Response {
    // The field owns what it reads with.
    let (error, unit) = (Rc::new(RefCell::new(None)), unit.trim().to_owned());
    let note = error.clone();
    let read = move |text: &str| match reader(text, &unit, present) {
        Ok(value) => Some(value),
        Err(_) if present.is_none() && text.trim() == MIXED => None,
        Err(message) => {
            note.replace(Some(message));
            None
        }
    };
    let response = ui.add(field.update_while_editing(false).custom_parser(read));
    focus::add_field(ui.ctx(), response.id);
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    let id = response.id.with("error");
    let has_input = ui.input(|input| {
        input.pointer.any_pressed() || input.events.iter().any(|event| matches!(event, egui::Event::Text(_)))
    });
    match error.take() {
        Some(message) => drop(ui.data_mut(|data| data.insert_temp(id, message))),
        None if has_input || response.changed() => ui.data_mut(|data| data.remove::<String>(id)),
        None => {}
    }
    if let Some(message) = ui.data(|data| data.get_temp::<String>(id)) {
        let text = RichText::new(message).color(ui.visuals().warn_fg_color);
        let popup = Popup::from_response(&response).id(id).kind(PopupKind::Tooltip).gap(2.0);
        popup.width(220.0).interactable(false).show(|ui| ui.add(Label::new(text).wrap()));
    }
    response
}
