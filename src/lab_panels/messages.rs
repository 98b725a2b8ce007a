//! The panel Messages: all messages since the window opened, also those that have disappeared.

use std::time::Duration;

use bevy_egui::egui::{Align, Layout, RichText, ScrollArea, Ui};
use swarmarium_lab_state::action::{Action, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::files::autosave::roughly;
use swarmarium_lab_state::notice::{Message, Offer};
use swarmarium_picture::palette::Role;

use crate::notices::{count, hint_text, line};

/// Below this age, a message is new.
const NEW: Duration = Duration::from_secs(10);

/// Draws the panel. Returns the requested actions.
pub fn ui(ui: &mut Ui, lab: &Lab) -> Vec<Action> {
    let mut actions = Vec::new();
    let messages = lab.notices.history();
    if messages.len() == 0 {
        ui.weak("No messages yet: notes and errors of this window stay here");
        return actions;
    }
    ui.horizontal(|ui| {
        ui.weak(messages.len().to_string()).on_hover_text("Number of messages; the latest 500 are kept");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.small_button("Clear").on_hover_text("Removes all messages from this list").clicked() {
                actions.push(Action::Window(WindowAction::ClearMessages));
            }
            let copy = ui.small_button("Copy").on_hover_text("Copies all messages as text");
            named(&copy, "Copy all messages");
            if copy.clicked() {
                let texts: Vec<String> = lab.notices.history().map(|message| message.notice.text()).collect();
                actions.push(Action::Window(WindowAction::Copy(texts.join("\n"))));
            }
        });
    });
    let list = ScrollArea::vertical().id_salt("messages").stick_to_bottom(true).auto_shrink(false);
    list.show(ui, |ui| {
        for (place, message) in messages.enumerate() {
            ui.push_id(place, |ui| row(ui, lab, message, &mut actions));
        }
    });
    actions
}

/// Draws a message with its buttons.
fn row(ui: &mut Ui, lab: &Lab, message: &Message, actions: &mut Vec<Action>) {
    let notice = &message.notice;
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.horizontal(|ui| {
        let age = message.at.elapsed();
        let age = if age < NEW { "now".into() } else { format!("{} ago", roughly(age)) };
        ui.weak(age).on_hover_text("When this message appeared last");
        if notice.is_error {
            let color = theme::color(lab.shell.settings.theme, Role::Warning);
            ui.label(RichText::new("⚠ Error").color(color).strong());
        }
        ui.weak(count(notice).trim());
    });
    for text in &notice.lines {
        actions.extend(line(ui, text));
    }
    if !notice.offers.is_empty() {
        ui.horizontal_wrapped(|ui| {
            for Offer { title, hint, action } in &notice.offers {
                if ui.small_button(title).on_hover_text(hint_text(*hint, &lab.shell.keymap)).clicked() {
                    actions.push(action.clone());
                }
            }
        });
    }
    ui.add_space(theme::SMALL_GAP);
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{lab_on, window};

    #[test]
    fn the_panel_keeps_messages_that_have_disappeared() {
        let mut lab = lab_on("milling");
        lab.notices.say("Saved here");
        lab.notices.tell_error("scene.ron:3:4: count: expected a number\nmore");
        while lab.notices.close_last() {}
        lab.show_panel(Pane::Messages);
        let (mut window, lab) = window(lab);
        window.get_by_label("Saved here");
        window.get_by_label("⚠ Error");
        window.get_by_label("scene.ron:3:4");
        window.get_by_label("more");
        window.get_by_role_and_label(bevy_egui::egui::accesskit::Role::Button, "Clear").click();
        window.run_steps(3);
        assert!(window.query_by_label("Saved here").is_none());
        assert_eq!(lab.borrow().notices.history().len(), 0);
        window.get_by_label_contains("No messages yet");
    }
}
