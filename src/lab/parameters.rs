//! The parameters of the scene, generated from the kinds by reflection.

use bevy_egui::egui;

use super::{Action, Lab};

/// The parameters of the scene, generated from the kinds by reflection.
#[derive(Default)]
pub struct Parameters;

impl Parameters {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
