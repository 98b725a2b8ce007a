//! The table of the values of all plots at the cursor.

use bevy_egui::egui::{self, Align, Grid, Label, Layout, RichText, ScrollArea, Ui};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::axis::value_text;
use swarmarium_lab_state::plots::table::ValuesAt;

use crate::plots::Frame;

/// The tooltip of the table.
pub(super) const HELP: &str = "Shows or hides a table of the values of all plots at the time under the cursor, or at the \
                               moment that the world shows";

/// The width of the table, in points.
const WIDTH_PX: f32 = 300.0;

/// The largest part of the width of the panel that the table takes.
const MOST: f32 = 0.45;

/// Returns the width of the table in a panel with a width, in points.
pub(super) fn width_px(panel_px: f32) -> f32 {
    WIDTH_PX.min(MOST * panel_px)
}

/// Draws the table.
pub(super) fn ui(ui: &mut Ui, frame: &Frame, size_px: egui::Vec2) {
    let moment = frame.moment();
    ui.allocate_ui_with_layout(size_px, Layout::top_down(Align::Min), |ui| {
        egui::Frame::new().inner_margin(egui::Margin { left: theme::PAD as i8, ..egui::Margin::ZERO }).show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 18.0;
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    copy_button(ui, &moment, frame);
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        let text = format!("{:.3} s, step {}", moment.time_s, grouped(moment.step));
                        ui.add(Label::new(theme::number(text)).truncate()).on_hover_text("The moment of the values");
                    });
                });
            });
            ScrollArea::vertical().id_salt("table of values").auto_shrink(false).show(ui, |ui| {
                let grid = Grid::new("table of values").num_columns(2).striped(true).spacing([theme::GAP, 2.0]);
                let value_px = 100.0;
                let name_px = (ui.available_width() - value_px - theme::GAP).max(40.0);
                grid.min_col_width(0.0).show(ui, |ui| {
                    for row in moment.rows(&frame.cards) {
                        ui.allocate_ui_with_layout(
                            egui::vec2(name_px, 16.0),
                            Layout::left_to_right(Align::Center),
                            |ui| {
                                ui.set_width(name_px);
                                let name = RichText::new(&row.name).size(theme::SMALL_PX);
                                ui.add(Label::new(name).truncate()).on_hover_text(frame.names[row.series]);
                            },
                        );
                        let value = RichText::new(format!("{} {}", value_text(row.value), row.unit)).monospace();
                        ui.add(Label::new(value.size(theme::SMALL_PX)).extend());
                        ui.end_row();
                    }
                });
            });
        });
    });
}

/// Draws the button that copies the values of a moment.
pub(super) fn copy_button(ui: &mut Ui, moment: &ValuesAt, frame: &Frame) {
    let hint = "Copies the table as text with tabs, for a spreadsheet: names as in exported CSV files, all digits";
    if ui.button(format!("Copy values at {:.3} s", moment.time_s)).on_hover_text(hint).clicked() {
        ui.ctx().copy_text(moment.tsv(&frame.cards, &frame.lab.plots.history));
        ui.close();
    }
}
