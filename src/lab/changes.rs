//! The list of changes: what was changed in this run, to take back and to make again.

use bevy_egui::egui::Ui;

use super::{Action, Lab};

/// The list of changes.
#[derive(Default)]
pub struct Changes {}

impl Changes {
    /// Draws it; what was asked for.
    pub fn ui(&self, ui: &mut Ui, _: &Lab) -> Vec<Action> {
        ui.weak("Nothing was changed yet");
        Vec::new()
    }
}
