//! The gallery of shipped scenes and recent files.

use bevy_egui::egui;

use super::{Action, Lab};

/// The gallery of shipped scenes and recent files.
#[derive(Default)]
pub struct Gallery;

impl Gallery {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
