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

/// Draws the choice between the start of the scene and the present moment.
pub fn choice(ui: &mut Ui, lab: &Lab, hints: Hints, from_moment: &mut bool) {
    let time = lab.run.host.simulation().time();
    if ui.radio(!*from_moment || time.step == 0, "at the start of the scene").on_hover_text(hints.at_start).clicked() {
        *from_moment = false;
    }
    let text = format!("at this moment, step {} ({:.2} s)", grouped(time.step), time.now_s());
    let choice = ui.add_enabled(time.step > 0, RadioButton::new(*from_moment && time.step > 0, text));
    if choice.on_hover_text(hints.at_moment).on_disabled_hover_text("The run is at its start").clicked() {
        *from_moment = true;
    }
}
