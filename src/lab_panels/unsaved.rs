//! The dialog "Unsaved work": kept scenes of earlier windows and of earlier scenes, to recover or discard.

use bevy_egui::egui::{self, Align2, RichText, Ui};
use swarmarium_core::text::wording;
use swarmarium_lab_state::action::{Action, FileAction, PanelAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::files::autosave::{Unsaved, recovery_offers};

use crate::sheet::{self, Sheet};

/// The width of the dialog, in points.
const WIDTH_PX: f32 = 480.0;

/// The dialog.
#[derive(Default)]
pub struct UnsavedWork {
    /// Whether the user was asked to confirm that all scenes are discarded.
    asks: bool,
}

impl UnsavedWork {
    /// Draws the dialog while it is open. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if !lab.shell.popups.unsaved {
            self.asks = false;
            return actions;
        }
        let mut is_open = true;
        let window = sheet::window("Unsaved work", &mut is_open).pivot(Align2::CENTER_TOP);
        let window = window.default_pos(lab.view.rect_px.center_top() + egui::vec2(0.0, theme::EDGE_GAP));
        window.show(ctx, |ui| {
            let sheet = Sheet::in_window(ui, WIDTH_PX);
            let found = &lab.files.autosave.found;
            sheet.body(ui, |ui| {
                if found.is_empty() {
                    ui.weak("Everything is saved");
                }
                found.iter().for_each(|found| row(ui, found, &mut actions));
            });
            sheet.footer(ui, |ui| ui.horizontal_wrapped(|ui| self.buttons(ui, found, &mut actions)));
        });
        let opens = actions.iter().any(|action| matches!(action, Action::File(FileAction::Recover(_))));
        if !is_open || opens {
            actions.push(Action::Panel(PanelAction::Unsaved));
        }
        actions
    }

    fn buttons(&mut self, ui: &mut Ui, found: &[Unsaved], actions: &mut Vec<Action>) {
        if !self.asks {
            let button = ui.add_enabled(!found.is_empty(), egui::Button::new("Discard all…"));
            let hint = "Discards all of them, after a question";
            self.asks = button.on_hover_text(hint).on_disabled_hover_text(hint).clicked();
            return;
        }
        let scenes = wording::count(found.len(), "scene");
        ui.label(format!("Discard the unsaved work of {scenes}? This cannot be undone."));
        if ui.button("Discard all").on_hover_text("Removes all of them for good").clicked() {
            actions.extend(found.iter().map(|found| Action::File(FileAction::Discard(found.path.clone()))));
            self.asks = false;
        }
        if ui.button("Keep all").on_hover_text("Discards nothing").clicked() {
            self.asks = false;
        }
    }
}

/// Draws a kept scene: its file or title, its age, the end of its run, and the buttons.
fn row(ui: &mut Ui, found: &Unsaved, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for (verb, hint, action) in recovery_offers(&found.path) {
            let button = ui.button(verb);
            named(&button, &format!("{verb} {}", found.text()));
            if button.on_hover_text(hint).clicked() {
                actions.push(action);
            }
        }
        let name = ui.label(RichText::new(found.name()).strong());
        if let Some(origin) = &found.origin {
            name.on_hover_text(origin.display().to_string());
        }
        if found.name() != found.title {
            ui.label(&found.title).on_hover_text("Name of the scene");
        }
        let end = found.end_s.map(|end_s| format!(", run up to {end_s:.1} s")).unwrap_or_default();
        ui.weak(format!("{}{end}", found.age_text())).on_hover_text("Last change, and the end of the kept run");
    });
}
