//! What the window has to tell, over the world: good news that go away, and bad news that stay.

use bevy_egui::egui;

use super::{Action, Lab};

/// Seconds after which good news go away.
const GOOD_S: f64 = 5.0;

/// What the window has to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Whether something went wrong.
    pub is_error: bool,
    /// One line each; the first one says most.
    pub lines: Vec<String>,
    /// Whether all lines are shown.
    pub open: bool,
    /// When it was first shown, in egui's seconds.
    pub since_s: Option<f64>,
}

impl Notice {
    /// Something that went wrong: it stays until it is closed or mended.
    pub fn error(text: &str) -> Self {
        Self { is_error: true, lines: text.lines().map(Into::into).collect(), open: false, since_s: None }
    }

    /// Something that went well.
    pub fn good(text: &str) -> Self {
        Self { is_error: false, ..Self::error(text) }
    }

    /// Draws it over the world; what was asked for.
    pub fn ui(lab: &mut Lab, ui: &mut egui::Ui, rect: egui::Rect) -> Vec<Action> {
        let now_s = ui.input(|input| input.time);
        let Some(notice) = &mut lab.notice else { return Vec::new() };
        let since_s = *notice.since_s.get_or_insert(now_s);
        if !notice.is_error && now_s - since_s > GOOD_S {
            lab.notice = None;
            return Vec::new();
        }
        let lines = notice.lines.clone();
        super::world_view::banner(ui, rect, &lines.join("\n"), lab.settings.theme).into_iter().collect()
    }
}
