//! The palette: every action by its name.

use bevy_egui::egui;

use super::{Action, Lab};

/// The palette.
#[derive(Default)]
pub struct Palette;

impl Palette {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, _ctx: &egui::Context, _lab: &Lab) -> Vec<Action> {
        Vec::new()
    }
}
