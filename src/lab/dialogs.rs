//! The dialogs that ask for a file.

use bevy_egui::egui;

use super::{Action, Lab};

/// What a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A scene to open.
    Open,
    /// Where to save the scene.
    SaveScene,
    /// Where to save the run.
    SaveRun,
    /// Where to save the table of the plots.
    ExportCsv,
    /// Where to save a picture of the plots.
    ExportPng,
    /// Where to save a picture of the window.
    Screenshot,
}

/// The dialogs.
#[derive(Default)]
pub struct Dialogs;

impl Dialogs {
    /// Draws what is open; what was asked for.
    pub fn ui(&mut self, _ctx: &egui::Context, _lab: &mut Lab) -> Vec<Action> {
        Vec::new()
    }
}
