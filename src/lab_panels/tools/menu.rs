//! The context menu of a robot, an object or the ground.

use bevy::math::DVec2;
use bevy_egui::egui::{Response, Ui};
use swarmarium_core::agent::failure::Failure;
use swarmarium_lab_state::action::{Action, PlotAction, SelectionAction, TimeAction, ViewAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::faults::{REPAIR, cures};
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::edit::Edit;

use crate::tools::shape::{ObjectKind, Shape};
use crate::tools::spawn;

/// The context menu.
#[derive(Default)]
pub struct Menu {
    /// The clicked item or point.
    subject: Option<Subject>,
}

/// The subject of a context menu.
#[derive(Clone, Copy)]
enum Subject {
    /// A robot or an object.
    Item(Item),
    /// A point of the ground, in metres.
    Ground(DVec2),
}

/// A menu entry: its name, its tooltip and its actions.
type Entry = (&'static str, &'static str, Vec<Action>);

impl Menu {
    /// Draws the menu while it is open, and returns the requested actions.
    pub fn ui(&mut self, lab: &Lab, response: &Response, cursor_m: Option<DVec2>) -> Vec<Action> {
        let simulation = lab.run.host.simulation();
        if response.secondary_clicked() {
            let at = |at_m| match selection::thing_at(simulation, at_m, lab.view.painted.camera.pixels_per_m) {
                Some(item) => Subject::Item(item),
                None => Subject::Ground(at_m),
            };
            self.subject = cursor_m.map(at);
        }
        let is_there = |subject: &Subject| matches!(subject, Subject::Ground(_)) || subject.exists(lab);
        self.subject = self.subject.filter(is_there);
        let Some(subject) = self.subject else { return Vec::new() };
        let (heading, entries) = match subject {
            Subject::Item(item) => (selection::name(simulation, item).unwrap_or_default(), entries(lab, item)),
            Subject::Ground(at_m) => (format!("{:.2}, {:.2} m", at_m.x, at_m.y), on_ground(lab, at_m)),
        };
        let mut actions = Vec::new();
        response.context_menu(|ui| {
            ui.weak(heading);
            for (name, hint, does) in entries {
                entry(ui, name, hint, does, &mut actions);
            }
        });
        actions
    }
}

impl Subject {
    fn exists(self, lab: &Lab) -> bool {
        matches!(self, Self::Item(item) if item.exists(lab.run.host.simulation()))
    }
}

/// Returns the entries for a point of the ground (m).
fn on_ground(lab: &Lab, at_m: DVec2) -> Vec<Entry> {
    let camera = &lab.view.painted.camera;
    let to_middle_px = camera.screen_px / 2.0 - camera.screen_from_world(at_m);
    let mut entries: Vec<Entry> = vec![
        (
            "Add a robot here",
            "Adds a robot of the group that is set in the tool \"Spawn robots\"",
            spawn::spawned(lab, &[(at_m, 0.0)]),
        ),
        (
            "Add an obstacle here",
            "Adds an obstacle of the size set in the tool",
            Shape::placed(ObjectKind::Obstacle, lab, at_m),
        ),
        ("Add a goal here", "Adds a goal of the radius set in the tool", Shape::placed(ObjectKind::Goal, lab, at_m)),
        ("Add a light here", "Adds a light", Shape::placed(ObjectKind::Light, lab, at_m)),
    ];
    if !lab.edits.clipboard.is_empty() {
        let paste = vec![Action::Selection(SelectionAction::Paste(Some(at_m)))];
        entries.push(("Paste here", "Pastes the copied robots and objects around this point", paste));
    }
    entries.extend([
        (
            "Restart here",
            "Restarts the scene with its spawners around this point",
            vec![Action::Time(TimeAction::RestartAt(at_m))],
        ),
        (
            "Centre the view here",
            "Moves the centre of the view to this point",
            vec![Action::View(ViewAction::Pan(to_middle_px))],
        ),
        ("Show the whole arena", "Fits the arena into the window", vec![Action::View(ViewAction::Fit)]),
        ("Select all robots", "Selects every robot", vec![Action::Selection(SelectionAction::SelectAll)]),
    ]);
    entries.retain(|(_, _, does)| !does.is_empty());
    entries
}

fn entry(ui: &mut Ui, name: &str, hint: &str, does: Vec<Action>, actions: &mut Vec<Action>) {
    if ui.button(name).on_hover_text(hint).clicked() {
        actions.extend(does);
        ui.close();
    }
}

/// Returns the entries for a robot or an object.
fn entries(lab: &Lab, item: Item) -> Vec<Entry> {
    let select = || Action::Selection(SelectionAction::Select(Some(item)));
    let Some((list, place)) = item.entry() else { return Vec::new() };
    let path = format!("{list}.{place}");
    let mut entries = vec![("Select", "Shows it in the inspector", vec![select()])];
    if let Item::Agent(agent) = item {
        // If the view already follows a robot, it follows the selected one.
        let follow = lab.view.follows.is_none().then_some(Action::View(ViewAction::Follow));
        let follow = [select()].into_iter().chain(follow).collect();
        entries.push(("Follow", "Keeps it in the centre of the view", follow));
        let known = lab.run.host.simulation().agent(agent);
        entries.push(match known.filter(AgentView::is_dead) {
            Some(dead) => (REPAIR, "Repairs the robot", vec![Action::Edits(cures([dead]))]),
            None => {
                let kill = Edit::Fault { agent, failure: Failure::Total, is_active: true };
                ("Kill", "Kills the robot, which then neither moves nor senses", vec![Action::Edits(vec![kill])])
            }
        });
        let speed = vec![Action::Plot(PlotAction::Pin(format!("{path}.speed_m_per_s")))];
        entries.push(("Plot speed", "Plots its speed in m/s, or removes the speed from the plots", speed));
    }
    let duplicate = vec![select(), Action::Selection(SelectionAction::Duplicate)];
    entries.push(("Duplicate", "Adds a copy beside it", duplicate));
    entries.push(("Copy path", "Copies its path to the clipboard", vec![Action::Window(WindowAction::Copy(path))]));
    entries.push(("Remove", "Removes it", vec![Action::Edits(selection::removals([item]))]));
    entries
}
