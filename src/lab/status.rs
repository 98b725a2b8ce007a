//! The status line at the bottom: where the cursor is, how many agents, which step and seed, how fast.

use bevy_egui::egui::{self, Align, Layout, Ui};

use super::reload::counted;
use super::{Action, Lab, theme};
use crate::edit::Edit;

/// Height of the panel in logical pixels.
const HEIGHT: f32 = 26.0;

/// The status line.
#[derive(Default)]
pub struct Status;

impl Status {
    /// Draws it; what was asked for.
    pub fn ui(&self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let frame = theme::panel(lab.settings.theme).inner_margin(egui::Margin::symmetric(theme::PAD as i8, 2));
        egui::Panel::bottom("status").exact_size(HEIGHT).resizable(false).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 20.0;
                left(ui, lab);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| right(ui, lab));
            });
        });
        Vec::new()
    }
}

fn left(ui: &mut Ui, lab: &Lab) {
    let simulation = lab.host.simulation();
    let cursor = lab.cursor_m.map_or("–".into(), |at| format!("({:.2}, {:.2}) m", at.x, at.y));
    item(ui, format!("{cursor:<20}"), "Where the cursor is in the world, in metres");
    item(ui, format!("{:>6} agents", grouped(simulation.agents().count() as u64)), "Robots in the world");
    item(ui, format!("step {:>11}", grouped(simulation.steps())), "Steps done since the start");
    // The speed is no change, and holds at once.
    let is_change = |edit: &&Edit| !matches!(edit, Edit::TimeScale { .. });
    let waiting = simulation.waiting_edits().iter().filter(is_change).count();
    if waiting > 0 {
        let verb = if waiting == 1 { "waits" } else { "wait" };
        let text = format!("{} {verb} for the next step", counted(waiting));
        item(ui, text, "Changes take effect at the start of a step");
    }
    item(ui, format!("seed {}", lab.host.start().seed), "The number that all randomness of this run comes from");
}

fn right(ui: &mut Ui, lab: &Lab) {
    // Taking it costs time that steps could have.
    if lab.host.clock().paused && lab.target.is_none() {
        let hash = format!("hash {:016x}", lab.host.simulation().hash().0);
        item(ui, hash, "Stands for the whole state: runs with the same scene, seed and changes have the same one");
    }
    let step = lab.step_s().map_or("–".into(), |seconds| format!("{:.3}", seconds * 1000.0));
    item(ui, format!("step time {step:>8} ms"), "What one step takes on average, in milliseconds");
    item(ui, format!("{:>3.0} fps", lab.frames.per_second()), "Frames drawn in a second, at most 60");
}

fn item(ui: &mut Ui, text: String, hint: &str) {
    ui.label(theme::number(text).weak()).on_hover_text(hint);
}

/// A whole number with commas: 2,899.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::lab::testing::{lab_on, window};
    use crate::lab::{action, palette};

    #[test]
    fn changes_that_wait_are_counted_and_the_speed_is_none() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().host.set_scale(7.0).unwrap();
        lab.borrow_mut().open_source("aggregation");
        action::act(&mut lab.borrow_mut(), &egui::Context::default(), Action::Scale(3.0));
        window.run_steps(2);
        assert!(window.query_by_label_contains("for the next step").is_none());
        for (seed, text) in [("5", "1 change waits for the next step"), ("6", "2 changes wait for the next step")] {
            lab.borrow_mut().host.apply(Edit::Set { path: "seed".into(), value: seed.into() }).unwrap();
            let about = Edit::Set { path: "about".into(), value: seed.into() };
            if seed == "6" {
                lab.borrow_mut().host.apply(about).unwrap();
            }
            window.run_steps(2);
            window.get_by_label(text);
        }
    }

    #[test]
    fn the_seed_is_that_of_this_run() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().host.apply(Edit::Set { path: "seed".into(), value: "500".into() }).unwrap();
        crate::lab::testing::do_steps(&mut lab.borrow_mut(), 1);
        window.run_steps(2);
        window.get_by_label("seed 7");
        let copies = |seed: &str| {
            let wanted = Action::Copy(seed.into());
            palette::entries(&lab.borrow()).iter().any(|entry| entry.action.as_ref() == Some(&wanted))
        };
        assert!(copies("7") && !copies("500"));
        lab.borrow_mut().reset(None);
        window.run_steps(2);
        window.get_by_label("seed 500");
        assert!(copies("500"));
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 12, 999, 2899, 1_000_000].map(grouped), ["0", "12", "999", "2,899", "1,000,000"]);
    }
}
