//! The scene as text, with what came from where.

use bevy_egui::egui;

use super::{Action, Lab};

/// The scene as text, with what came from where.
#[derive(Default)]
pub struct Resolved;

impl Resolved {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ui: &egui::Context, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
