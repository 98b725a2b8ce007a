//! The inspector of what is selected.

use bevy_egui::egui;

use super::{Action, Lab};

/// The inspector of what is selected.
#[derive(Default)]
pub struct Inspector;

impl Inspector {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
