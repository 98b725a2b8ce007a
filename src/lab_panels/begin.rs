//! The choice of the step at which runs beside the present one begin.

use bevy_egui::egui::{RadioButton, Ui};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;

/// The tooltips of both choices.
#[derive(Clone, Copy)]
pub struct Hints {
    /// At the start of the scene.
    pub at_start: &'static str,
    /// At the present moment.
    pub at_moment: &'static str,
}

/// Draws the choice between the start of the scene and the present moment. `chosen` is whether the present moment is
/// chosen; `None` if neither is. Returns a new choice.
pub fn choice(ui: &mut Ui, lab: &Lab, hints: Hints, chosen: Option<bool>) -> Option<bool> {
    let mut new = None;
    let time = lab.run.host.simulation().time();
    let is_at_start = chosen == Some(false) || (chosen == Some(true) && time.step == 0);
    if ui.radio(is_at_start, "at the start of the scene").on_hover_text(hints.at_start).clicked() {
        new = Some(false);
    }
    let text = format!("at this moment, step {} ({:.2} s)", grouped(time.step), time.now_s());
    let choice = ui.add_enabled(time.step > 0, RadioButton::new(chosen == Some(true) && time.step > 0, text));
    if choice.on_hover_text(hints.at_moment).on_disabled_hover_text("The run is at its start").clicked() {
        new = Some(true);
    }
    new
}
