//! The list of keys, over the world.

use bevy_egui::egui::{self, Align2, Grid, RichText, Ui};

use super::{Action, keys};

/// Draws the list; what was asked for.
pub fn ui(ctx: &egui::Context) -> Vec<Action> {
    let mut open = true;
    egui::Window::new("Keys")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .resizable(false)
        .collapsible(false)
        .fade_in(false)
        .show(ctx, |ui| {
            table(ui, "keys", &keys::LIST);
            ui.separator();
            table(ui, "mouse", &keys::MOUSE);
        });
    if open { Vec::new() } else { vec![Action::Help] }
}

fn table(ui: &mut Ui, id: &str, rows: &[(&str, &str)]) {
    Grid::new(id).num_columns(2).min_col_width(96.0).spacing([16.0, 4.0]).show(ui, |ui| {
        for (key, does) in rows {
            ui.label(RichText::new(*key).monospace());
            ui.weak(*does);
            ui.end_row();
        }
    });
}
