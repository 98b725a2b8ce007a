//! Switches and buttons for the faults of robots.

use bevy_egui::egui::Ui;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::faults::{Fault, REPAIR, all, cures};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::edit::Edit;

use crate::inspector::{agents, asked};

/// Draws a switch for each fault of one robot.
pub fn one(ui: &mut Ui, agent: &AgentView, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for Fault { failure, state, about, .. } in all() {
            let mut is_active = agent.has(failure);
            let switch = ui.checkbox(&mut is_active, state);
            if switch.on_hover_text(format!("{about} Active until you switch it off")).changed() {
                actions.push(Action::Edit(Edit::Fault { agent: agent.id.index(), failure, is_active }));
            }
        }
    });
}

/// Draws a button for each fault of several robots, and one that repairs them.
pub fn several(ui: &mut Ui, lab: &Lab, all_of: &[AgentView], actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        for Fault { failure, verb, about, .. } in all() {
            let button = ui.button(verb).on_hover_text(format!("For all selected robots: {about}"));
            if button.clicked() {
                let edit = |agent: &AgentView| Edit::Fault { agent: agent.id.index(), failure, is_active: true };
                actions.extend(asked(all_of.iter().map(edit).collect()));
            }
        }
        if ui.button(REPAIR).on_hover_text("Repairs all selected robots").clicked() {
            actions.push(repairs(lab));
        }
    });
}

/// Returns the action that repairs the selected robots.
pub fn repairs(lab: &Lab) -> Action {
    Action::Edits(cures(agents(lab)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_core::agent::failure::Failure;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::lab_on;

    use super::*;

    #[test]
    fn fault_switches_and_buttons_are_edits() {
        let lab = Rc::new(RefCell::new(lab_on("milling")));
        lab.borrow_mut().choose(vec![Item::Agent(1), Item::Agent(4)]);
        let (shared, asked) = (lab.clone(), Rc::new(RefCell::new(Vec::new())));
        let found = asked.clone();
        let mut window = Harness::new_ui(move |ui| {
            let lab = shared.borrow();
            let all: Vec<AgentView> = agents(&lab).collect();
            one(ui, &all[0], &mut found.borrow_mut());
            several(ui, &lab, &all, &mut found.borrow_mut());
        });
        let fault = |agent| Edit::Fault { agent, failure: Failure::Total, is_active: true };
        window.get_by_label("Dead").click();
        window.run_steps(2);
        window.get_by_label("Kill").click();
        window.run_steps(2);
        assert_eq!(*asked.borrow(), [Action::Edit(fault(1)), Action::Edits(vec![fault(1), fault(4)])]);
        assert_eq!(repairs(&lab.borrow()), Action::Edits(Vec::new()), "nothing is wrong");
    }
}
