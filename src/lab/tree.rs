//! The world as a tree that selects.

use bevy_egui::egui;

use super::{Action, Lab};

/// The world as a tree that selects.
#[derive(Default)]
pub struct Tree;

impl Tree {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
