//! The panel Changes: the changes of the run, to undo and redo.

use bevy_egui::egui::{Align, Button, Layout, Response, RichText, ScrollArea, Ui};
use swarmarium_host::clock::host::Change;
use swarmarium_lab_state::action::{Action, HistoryAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;

/// Height of the list, in points.
const HEIGHT_PX: f32 = 180.0;

/// The panel Changes.
#[derive(Default)]
pub struct Changes {
    /// The last change in effect when the list was last drawn; the list scrolls to it.
    present: Option<u64>,
    /// The listed changes, with the restart and revision that they belong to; there may be thousands.
    changes: Vec<Change>,
    known: Option<(u64, (u64, u64))>,
}

impl Changes {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        ui.horizontal(|ui| head(ui, lab, &mut actions));
        // The other world has no revision.
        let now = lab.compare.other.is_none().then(|| (lab.run.restarts, lab.run.host.revision()));
        if now.is_none() || self.known != now {
            self.changes = lab.compare.changes_of_both(&lab.run.host);
        }
        self.known = now;
        let changes = &self.changes;
        if changes.is_empty() {
            ui.weak("This run has no changes");
            return actions;
        }
        // The first row is the start of the run.
        let row_of_present = changes.iter().rposition(|change| !change.is_undone).map_or(0, |place| place + 1);
        let transaction_of =
            |row: usize| row.checked_sub(1).and_then(|place| changes.get(place)).map_or(0, |it| it.transaction);
        let present = transaction_of(row_of_present);
        let has_moved = self.present.replace(present) != Some(present);
        let height = ui.spacing().interact_size.y;
        let mut list = ScrollArea::vertical().id_salt("changes").max_height(HEIGHT_PX).auto_shrink([false, true]);
        if has_moved {
            let top = row_of_present as f32 * (height + ui.spacing().item_spacing.y);
            list = list.vertical_scroll_offset((top - HEIGHT_PX / 2.0).max(0.0));
        }
        list.show_rows(ui, height, changes.len() + 1, |ui, range| {
            for place in range {
                let is_present = place == row_of_present;
                let clicked = match place.checked_sub(1).and_then(|place| changes.get(place)) {
                    Some(change) => row(ui, lab, change, is_present).clicked() && !is_present,
                    None => start(ui, is_present).clicked(),
                };
                if clicked {
                    actions.push(Action::History(HistoryAction::GoToChange(transaction_of(place))));
                }
            }
        });
        ui.add_space(6.0);
        actions
    }
}

fn head(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let [can_undo, can_redo] = lab.run.host.can_undo_and_redo();
    let own = lab.compare.other.as_ref().map(|other| other.changes()).unwrap_or_default();
    let can_undo = can_undo || own.iter().any(|change| !change.is_undone);
    let can_redo = can_redo || own.iter().any(|change| change.is_undone);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        for (id, is_possible, action) in [
            (CommandId::Redo, can_redo, Action::History(HistoryAction::Redo)),
            (CommandId::Undo, can_undo, Action::History(HistoryAction::Undo)),
        ] {
            let command = id.command();
            let hint = command.tooltip(&lab.shell.keymap);
            let button = ui.add_enabled(is_possible, Button::new(command.title));
            if button.on_hover_text(&hint).on_disabled_hover_text(&hint).clicked() {
                actions.push(action);
            }
        }
    });
}

/// Draws the start of the run. Its button undoes all changes.
pub fn start(ui: &mut Ui, is_present: bool) -> Response {
    let text = RichText::new("            Start of the run").monospace().size(theme::SMALL_PX);
    ui.add(Button::selectable(is_present, text)).on_hover_text("Undoes all changes")
}

/// Draws one change. A word marks undone changes.
fn row(ui: &mut Ui, lab: &Lab, change: &Change, is_present: bool) -> Response {
    // An edit takes effect after the end of the previous step.
    let at_s = change.step.saturating_sub(1) as f64 * lab.run.host.simulation().time().dt_s;
    let undone = if change.is_undone { ", undone" } else { "" };
    let text = RichText::new(format!("{at_s:>9.3} s {}{undone}", change.label)).monospace().size(theme::SMALL_PX);
    let text = if change.is_undone { text.strikethrough() } else { text };
    let role = if change.is_undone { Role::Dim } else { Role::Text };
    let text = text.color(theme::color(lab.shell.settings.theme, role));
    let row = ui.add(Button::selectable(is_present, text).truncate());
    let edits = if change.edits == 1 { "1 edit".into() } else { format!("{} edits", change.edits) };
    let step = grouped(change.step);
    let text = format!("{}: {edits}, at step {step}; a click undoes or redoes up to this change", change.label);
    row.on_hover_text([change.paths.as_str(), &text].join("\n").trim())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use bevy_egui::egui;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{do_steps, lab_on, resimulate, window};
    use swarmarium_scene::scene::path;
    use swarmarium_simulation::edit::Edit;

    use super::*;
    use crate::dispatch::act;

    const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";

    fn turn(lab: &RefCell<Lab>) -> f64 {
        let lab = lab.borrow();
        let simulation = lab.run.host.simulation();
        *path::get(simulation.kinds(), simulation.scene(), TURN).unwrap().downcast_ref::<f64>().unwrap()
    }

    /// Clicks on the change at a time, and waits until the run is simulated again.
    fn go_to(window: &mut Harness, lab: &RefCell<Lab>, time: &str) {
        window.get_by_label_contains(time).click();
        window.run_steps(3);
        resimulate(&mut lab.borrow_mut());
        window.run_steps(3);
    }

    #[test]
    fn a_click_on_a_change_goes_there_and_back() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().shell.settings.layout.show(Pane::Changes);
        for value in ["0.5", "0.7"] {
            do_steps(&mut lab.borrow_mut(), 10);
            let edit = Edit::Set { path: TURN.into(), value: value.into() };
            act(&mut lab.borrow_mut(), &egui::Context::default(), Action::Edit(edit));
        }
        do_steps(&mut lab.borrow_mut(), 10);
        window.run_steps(3);
        let hash = lab.borrow().run.host.simulation().hash();
        go_to(&mut window, &lab, "0.250 s");
        assert_eq!(turn(&lab), 0.5);
        assert_eq!(lab.borrow().run.host.simulation().steps(), 30);
        window.get_by_label_contains("undone");
        go_to(&mut window, &lab, "Start of the run");
        assert_eq!(turn(&lab), 0.6);
        go_to(&mut window, &lab, "0.500 s");
        assert_eq!(turn(&lab), 0.7);
        assert_eq!(lab.borrow().run.host.simulation().hash(), hash);
        assert!(window.query_by_label_contains("undone").is_none());
    }
}
