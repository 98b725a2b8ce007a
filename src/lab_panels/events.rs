//! The panel Events: collisions and state changes of robots.

use bevy_egui::egui::{self, Align, Layout, RichText, ScrollArea, Sense, Ui};
use swarmarium_base::math;
use swarmarium_core::events::Event;
use swarmarium_lab_state::action::{Action, SelectionAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::theme;

use crate::swatch;

/// The panel Events.
#[derive(Default)]
pub struct Events {
    /// Whether only events of the selected robot are shown.
    only_selected: bool,
}

impl Events {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let selected = match lab.view.selection.item {
            Some(item) if self.only_selected => item.agent(),
            _ => None,
        };
        let events = lab.run.host.simulation().events();
        // Without a selection all events are shown, and only visible rows are read.
        let chosen: Option<Vec<&Event>> = selected.map(|id| events.iter().filter(|event| event.who == id).collect());
        let count = chosen.as_ref().map_or(events.iter().len(), Vec::len);
        self.bar(ui, lab, count, &mut actions);
        if count == 0 {
            let text = match (selected, events.count()) {
                (None, 0) => "No events yet: collisions and state changes of supervisors appear here",
                _ => "No events of the selected robot",
            };
            ui.weak(text);
            return actions;
        }
        let height = ui.text_style_height(&egui::TextStyle::Body);
        let rows = ScrollArea::vertical().id_salt("events").stick_to_bottom(true).auto_shrink(false);
        rows.show_rows(ui, height, count, |ui, range| {
            let shown: Vec<&Event> = match &chosen {
                Some(chosen) => chosen[range].to_vec(),
                None => events.iter().skip(range.start).take(range.len()).collect(),
            };
            shown.into_iter().for_each(|event| row(ui, lab, event, &mut actions));
        });
        actions
    }

    fn bar(&mut self, ui: &mut Ui, lab: &Lab, count: usize, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.weak(count.to_string()).on_hover_text("Number of events shown; the latest 10,000 are kept");
            let only = ui.selectable_label(self.only_selected, "Only of the selected robot");
            if only.on_hover_text("Hides events of other robots while one is selected").clicked() {
                self.only_selected ^= true;
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let copy = ui.small_button("Copy").on_hover_text("Copies all events as a table with one row per event");
                if copy.clicked() {
                    actions.push(Action::Window(WindowAction::Copy(table(lab))));
                }
            });
        });
    }
}

/// Returns all events as a tab-separated table.
fn table(lab: &Lab) -> String {
    let simulation = lab.run.host.simulation();
    let dt_s = simulation.time().dt_s;
    let line = |event: &Event| {
        let name = selection::robot_name(simulation, event.who.index());
        format!("{}\t{}\t{name}\t{}\n", event.step, math::decimal_product(event.step as f64 * dt_s), event.text)
    };
    let head = "step\tt_s\tname\tevent\n".to_owned();
    head + &simulation.events().iter().map(line).collect::<String>()
}

fn row(ui: &mut Ui, lab: &Lab, event: &Event, actions: &mut Vec<Action>) {
    let simulation = lab.run.host.simulation();
    let agent = simulation.agent(event.who.index());
    let at_s = event.step as f64 * simulation.time().dt_s;
    let color = agent.as_ref().and_then(|agent| swatch::of_agent(lab, agent));
    let name = selection::robot_name(simulation, event.who.index());
    ui.horizontal(|ui| {
        ui.label(theme::number(format!("{at_s:9.2} s"))).on_hover_text(format!("Step {}", event.step));
        swatch::ui(ui, lab, color);
        let is_selected = lab.view.selection.item == Some(Item::Agent(event.who.index()));
        let name = if is_selected { RichText::new(name).strong() } else { RichText::new(name) };
        let name = ui.add(egui::Label::new(name).sense(Sense::click())).on_hover_text("Selects this robot");
        if name.clicked() {
            actions.push(Action::Selection(SelectionAction::Select(Some(Item::Agent(event.who.index())))));
        }
        ui.add(egui::Label::new(&*event.text).truncate()).on_hover_text(&*event.text);
    });
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{do_steps, lab_of, window};

    const CRASH: &str = r#"(arena: (boundary: Walls), on_collision: Stop, time: (dt_s: 0.1), groups: [
        (name: "left", at: [(0.5, 2, 3.14159)], controller: Constant(v_m_per_s: 1.0)),
        (name: "right", at: [(9.2, 2, 0)], controller: Constant(v_m_per_s: 1.0)),
    ])"#;

    #[test]
    fn events_are_listed_and_lead_to_their_robots() {
        let mut lab = lab_of(CRASH);
        lab.shell.settings.layout.show(Pane::Events);
        do_steps(&mut lab, 20);
        let (mut window, lab) = window(lab);
        window.get_by_label("Events");
        assert_eq!(window.query_all_by_label_contains("Ran into a wall").count(), 2);
        // The tree and the parameters show the same name, but not next to the event.
        let row = window.query_all_by_label_contains("Ran into a wall").last().unwrap().rect();
        let is_beside = |node: &egui_kittest::Node| {
            node.rect().y_range().intersects(row.y_range()) && node.rect().left() < row.left()
        };
        window.query_all_by_label("right").find(is_beside).unwrap().click();
        window.run_steps(2);
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(1)));
        window.get_by_label("Only of the selected robot").click();
        window.run_steps(2);
        assert_eq!(window.query_all_by_label_contains("Ran into a wall").count(), 1);
        window.key_press(bevy_egui::egui::Key::F8);
        window.run_steps(3);
        assert!(!lab.borrow().shell.shows_panel(Pane::Events));
    }
}
