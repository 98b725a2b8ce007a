//! What can be done with the robot or object under the cursor: the menu of a right click.

use bevy::math::DVec2;
use bevy_egui::egui::{Response, Ui};
use swarmarium_core::agent::failure::Failure;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::edit::Edit;

use crate::action::{PlotAction, SelectionAction, ViewAction, WindowAction};
use crate::faults::{REPAIR, cures};
use crate::selection::{self, Item};
use crate::{Action, Lab};

/// The menu of a robot or object.
#[derive(Default)]
pub struct Menu {
    /// What it is about.
    item: Option<Item>,
}

impl Menu {
    /// Draws it while it is open; what was asked for.
    pub fn ui(&mut self, lab: &Lab, response: &Response, cursor_m: Option<DVec2>) -> Vec<Action> {
        let simulation = lab.host.simulation();
        if response.secondary_clicked() {
            let at = |at_m| selection::thing_at(simulation, at_m, lab.viewport.painted.camera.pixels_per_m);
            self.item = cursor_m.and_then(at);
        }
        self.item = self.item.filter(|item| item.exists(simulation));
        let Some(item) = self.item else { return Vec::new() };
        let mut actions = Vec::new();
        response.context_menu(|ui| {
            ui.weak(selection::name(simulation, item).unwrap_or_default());
            for (name, hint, does) in entries(lab, item) {
                entry(ui, name, hint, does, &mut actions);
            }
        });
        actions
    }
}

fn entry(ui: &mut Ui, name: &str, hint: &str, does: Vec<Action>, actions: &mut Vec<Action>) {
    if ui.button(name).on_hover_text(hint).clicked() {
        actions.extend(does);
        ui.close();
    }
}

/// What can be done: name, what it does, and what that asks for.
fn entries(lab: &Lab, item: Item) -> Vec<(&'static str, &'static str, Vec<Action>)> {
    let select = || Action::Selection(SelectionAction::Select(Some(item)));
    let Some((list, place)) = item.entry() else { return Vec::new() };
    let path = format!("{list}.{place}");
    let mut entries = vec![("Select", "Shows it in the inspector", vec![select()])];
    if let Item::Agent(agent) = item {
        // A view that follows somebody goes on with whom is selected.
        let follow = lab.viewport.follows.is_none().then_some(Action::View(ViewAction::Follow));
        let follow = [select()].into_iter().chain(follow).collect();
        entries.push(("Follow", "Keeps it in the middle of the view (F)", follow));
        let known = lab.host.simulation().agent(agent);
        entries.push(match known.filter(AgentView::is_dead) {
            Some(dead) => (REPAIR, "Repairs the robot", vec![Action::Edits(cures([dead]))]),
            None => {
                let kill = Edit::Fault { agent, failure: Failure::Total, is_active: true };
                ("Kill", "Kills the robot: it neither moves nor senses any more", vec![Action::Edits(vec![kill])])
            }
        });
        let speed = vec![Action::Plot(PlotAction::Pin(format!("{path}.speed_m_per_s")))];
        entries.push(("Plot speed", "Plots how fast it is, in m/s, or takes that out of the plots", speed));
    }
    entries.push(("Copy path", "Puts its path on the clipboard", vec![Action::Window(WindowAction::Copy(path))]));
    entries.push(("Remove", "Removes it", vec![Action::Edits(selection::removals([item]))]));
    entries
}
