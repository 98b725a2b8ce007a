//! The list of keys, over the world.

use bevy_egui::egui::{self, Align2, Grid, RichText, ScrollArea, Ui};

use super::command::{COMMANDS, SECTIONS, Section};
use super::tools::Tool;
use super::{Action, keys, theme};

/// What the title and the edges of the window take of its height, in points.
const MARGIN: f32 = 64.0;

/// Draws the list; what was asked for.
pub fn ui(ctx: &egui::Context) -> Vec<Action> {
    let mut open = true;
    let most_px = (ctx.content_rect().height() - MARGIN).max(MARGIN);
    egui::Window::new("Keys")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .resizable(false)
        .collapsible(false)
        .fade_in(false)
        .default_height(most_px)
        .show(ctx, |ui| ScrollArea::vertical().max_height(most_px).show(ui, list));
    if open { Vec::new() } else { vec![Action::Help] }
}

fn list(ui: &mut Ui) {
    ui.columns_const(|[left, right]| {
        [0, 1, 2, 5].into_iter().for_each(|place| section(left, SECTIONS[place]));
        [3, 4, 6].into_iter().for_each(|place| section(right, SECTIONS[place]));
        right.add_space(theme::GAP);
        right.strong("Mouse");
        let mouse = keys::MOUSE.iter().chain(Tool::Select.mouse());
        table(right, "mouse", mouse.map(|(key, does)| ((*key).into(), *does)));
    });
}

fn section(ui: &mut Ui, (section, name): (Section, &str)) {
    ui.add_space(theme::GAP);
    ui.strong(name);
    let with_keys = COMMANDS.iter().filter(|command| command.section == section && !command.keys.is_empty());
    table(ui, name, with_keys.map(|command| (command.keys_text(), command.title)));
}

fn table(ui: &mut Ui, id: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    Grid::new(id).num_columns(2).min_col_width(120.0).spacing([16.0, 4.0]).show(ui, |ui| {
        for (key, does) in rows {
            ui.label(RichText::new(key).monospace());
            ui.weak(does);
            ui.end_row();
        }
    });
}
