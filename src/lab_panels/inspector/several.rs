//! The inspector of several robots: common values and counts.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_egui::egui::Ui;
use swarmarium_lab_state::action::{Action, PlotAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::description::Group;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::agents;
use swarmarium_simulation::edit::agents::PARTS;

use crate::inspector::line::{self, Line, number_text};
use crate::inspector::{asked, does, faults, pose, senses};
use crate::parameters::{Drafts, Many, Marks, Rows};

/// The numbers whose mean can be plotted at once.
const MEANS: [&str; 3] = ["x_m", "y_m", "speed_m_per_s"];

/// Maximum number of robots in a plotted mean, since its path lists all of them.
const MOST_OF_MEAN: usize = 200;

/// Maximum number of robots whose readings and states are counted in each frame.
const MOST_SUMMARISED: usize = 200;

/// Maximum number of robots whose parameters are compared.
const MOST_COMPARED: usize = 2_000;

/// The inspector of several robots, with a cached comparison of their parameters.
#[derive(Default)]
pub struct Several {
    /// The inputs of the cached comparison, which is repeated when they change.
    state: Option<(u64, usize, Marks)>,
    many: Many,
}

impl Several {
    /// Draws the inspector.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab, agents: &[AgentView], drafts: &mut Drafts, actions: &mut Vec<Action>) {
        let theme = lab.shell.settings.theme;
        does::said(ui, &groups(lab, agents), "Robots in each group");
        if agents.len() <= MOST_SUMMARISED {
            summary(ui, lab, agents);
        }
        if line::section(ui, theme, "Pose", "", "An entered number applies to all of these robots") {
            pose::ui(ui, lab, agents, actions);
        }
        let hint = "Parameters that all of these robots have; a change applies to all of them, until a restart";
        if agents.len() > MOST_COMPARED {
            let most = grouped(MOST_COMPARED as u64);
            ui.weak("Too many to compare").on_hover_text(format!(
                "Parameters of at most {most} robots can be compared and changed here; those of groups are below"
            ));
        } else if line::section(ui, theme, "Parameters of these robots", "", hint) {
            actions.extend(self.rows(ui, lab, agents, drafts));
        }
        if line::section(ui, theme, "Faults", "", "Faults of these robots") {
            faults::several(ui, lab, agents, actions);
        }
        ui.add_space(theme::GAP);
        ui.horizontal_wrapped(|ui| buttons(ui, lab, agents, actions));
    }

    /// Draws the parameters that all robots have.
    fn rows(&mut self, ui: &mut Ui, lab: &Lab, agents: &[AgentView], drafts: &mut Drafts) -> Vec<Action> {
        let Some(first) = agents.first() else { return Vec::new() };
        self.compare(lab, agents);
        let description = agents::description_ahead(first);
        let group = lab.run.host.simulation().scene_ahead().groups.get(first.member.group as usize);
        let is_of_one = agents.iter().all(|agent| agent.member.group == first.member.group);
        let rows = Rows {
            root: &description,
            before: group.filter(|_| is_of_one).map(|group| group as &dyn Reflect),
            prefix: self.many.prefix(),
            shows: &|name| PARTS.contains(&name),
            jump: None,
            find: None,
            many: Some(&self.many),
        };
        rows.ui(ui, lab, drafts)
    }

    fn compare(&mut self, lab: &Lab, agents: &[AgentView]) {
        let simulation = lab.run.host.simulation();
        let state = Some((lab.view.selection.changes, agents.len(), Marks::of_sets(lab)));
        if self.state == state {
            return;
        }
        let parts = |agent: &AgentView| {
            let Group { body, motion, controller, sensors, .. } = agents::description_ahead(agent);
            Group { body, motion, controller, sensors, ..Group::default() }
        };
        let parts: Vec<(String, Group)> =
            agents.iter().map(|agent| (format!("agents.{}", agent.id.index()), parts(agent))).collect();
        let all = parts.iter().map(|(path, parts)| (path.clone(), parts as &dyn Reflect));
        self.many = Many::new(simulation.kinds(), all);
        self.state = state;
    }
}

/// Draws the readings, motion and states of several robots as counts and statistics.
fn summary(ui: &mut Ui, lab: &Lab, agents: &[AgentView]) {
    let theme = lab.shell.settings.theme;
    let all = agents.len();
    let seeing: Vec<bool> = agents.iter().filter_map(|agent| senses::detects(&agent.senses())).collect();
    if !seeing.is_empty() && line::section(ui, theme, "Sees", "", "Number of robots that detect something") {
        let count = seeing.iter().filter(|sees| **sees).count();
        does::said(ui, &format!("{count} of {all} see something"), "Robots with a sensor that detects something");
    }
    if line::section(ui, theme, "Does", "", "Speed over the ground in the last step") {
        let dt_s = lab.run.host.simulation().time().dt_s;
        let speeds = agents.iter().map(|agent| agent.displacement_m().length() / dt_s);
        let (sum, low, high) = speeds.fold((0.0, f64::INFINITY, 0.0_f64), |(sum, low, high), speed| {
            (sum + speed, low.min(speed), high.max(speed))
        });
        for (name, value) in [("Mean speed", sum / all.max(1) as f64), ("Lowest speed", low), ("Highest speed", high)] {
            let value = number_text(value);
            let about = "Speed over the ground in the last step, pushes included";
            Line { name, about, value: &value, unit: "m/s", ..Line::default() }.ui(ui, lab, &mut Vec::new());
        }
        let stuck = agents.iter().filter(|agent| does::is_stuck(lab, agent)).count();
        if stuck > 0 {
            does::said(ui, &format!("{stuck} of {all} stuck"), "Robots that did not move despite their command");
        }
    }
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    agents.iter().filter_map(does::state).for_each(|state| *states.entry(state).or_default() += 1);
    if !states.is_empty() && line::section(ui, theme, "States", "", "Number of controllers in each state") {
        for (state, count) in &states {
            Line { name: state, value: &count.to_string(), ..Line::default() }.ui(ui, lab, &mut Vec::new());
        }
    }
}

/// Counts the robots of each group: `2 of prey, 1 of hunters`.
fn groups(lab: &Lab, agents: &[AgentView]) -> String {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    agents.iter().for_each(|agent| *counts.entry(agent.member.group).or_default() += 1);
    let scene = lab.run.host.simulation().scene();
    let name = |group: u32| scene.groups.get(group as usize).map_or("", |group| &group.name);
    let parts = counts.into_iter().map(|(group, count)| format!("{} of {}", grouped(count), name(group)));
    parts.collect::<Vec<_>>().join(", ")
}

fn buttons(ui: &mut Ui, lab: &Lab, agents: &[AgentView], actions: &mut Vec<Action>) {
    let hint = "Removes these robots; they stay removed after a restart";
    if ui.button("Remove all").on_hover_text(hint).clicked() {
        let edit = |agent: &AgentView| Edit::Remove { path: format!("agents.{}", agent.id.index()) };
        // In reverse order, which is faster: those before keep their indices.
        actions.extend(asked(agents.iter().rev().map(edit).collect()));
    }
    let can_pin = agents.len() <= MOST_OF_MEAN;
    // The path of many robots is long, so it is only built if it can be used.
    let named = &agents[..if can_pin { agents.len() } else { 0 }];
    let names: Vec<String> = named.iter().map(|agent| format!("agents.{}", agent.id.index())).collect();
    for field in MEANS {
        let path = format!("mean({}).{field}", names.join(","));
        let (name, unit) = swarmarium_core::text::wording::words(field);
        let word = if lab.plots.history.pins().any(|known| known == path) { "Unpin" } else { "Pin" };
        let button = bevy_egui::egui::Button::new(format!("{word} mean {}", name.to_lowercase()));
        let button = ui.add_enabled(can_pin, button);
        let hint = format!("Plots the mean of this value over these robots, in {unit}, or removes it from the plots");
        let refusal = format!("A mean can be plotted for at most {MOST_OF_MEAN} robots");
        if button.on_hover_text(hint).on_disabled_hover_text(refusal).clicked() {
            actions.push(Action::Plot(PlotAction::Pin(path)));
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Key, vec2};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{lab_of, window};

    use super::*;

    const SCENE: &str = "(groups: [(name: \"a\", count: 2, body: Disc(radius_m: 0.1), controller: Constant()),
        (name: \"b\", body: Disc(radius_m: 0.2), controller: Binary(), sensors: [BinaryFov()])])";

    #[test]
    fn common_values_of_selected_robots_are_edited_for_all() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(2), Item::Agent(0)]);
        let (mut window, lab) = window(lab);
        window.set_size(vec2(1280.0, 3600.0));
        window.run_steps(3);
        window.get_by_label("2 robots");
        window.get_by_label("1 of a, 1 of b");
        let radius = "agents.0.body.radius_m";
        assert_eq!(window.get_by_label(radius).value().as_deref(), Some("mixed"));
        assert_eq!(window.get_by_label("agents.0.body").value().as_deref(), Some("mixed"), "in its parts");
        assert!(window.query_by_label("agents.0.controller.v_m_per_s").is_none(), "their controllers are of two kinds");
        assert!(window.query_by_label("agents.0.sensors.0.range_m").is_none(), "only one has a sensor");
        window.get_by_label(radius).focus();
        window.run_steps(2);
        window.event(Event::Text("0.15".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        {
            let lab = lab.borrow();
            let radius_m =
                |agent| agents::description_ahead(&lab.run.host.simulation().agent(agent).unwrap()).body.radius_m();
            assert_eq!([0, 2].map(radius_m), [0.15, 0.15]);
            assert_eq!(radius_m(1), 0.1, "this one was not selected");
        }
        assert_eq!(window.get_by_label(radius).value().as_deref(), Some("0.15"));
    }

    #[test]
    fn focusing_a_mixed_value_leaves_it_mixed() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(0), Item::Agent(2)]);
        let (mut window, lab) = window(lab);
        window.set_size(vec2(1280.0, 3600.0));
        window.run_steps(3);
        window.get_by_label("agents.0.body.radius_m").focus();
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        let lab = lab.borrow();
        assert!(lab.run.host.simulation().waiting_edits().len() == 0 && lab.run.host.simulation().edits().is_empty());
    }

    #[test]
    fn a_large_selection_has_no_common_parameters_and_no_mean_plot() {
        let mut lab = lab_of("(groups: [(name: \"a\", count: 2001, controller: Constant())])");
        lab.select_all();
        let (mut window, lab) = window(lab);
        window.get_by_label("Too many to compare");
        assert!(window.query_by_label("agents.0.body.radius_m").is_none());
        window.get_by_label("Pin mean speed").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().plots.history.pins().count(), 0);
    }

    #[test]
    fn the_mean_of_selected_robots_can_be_plotted() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(0), Item::Agent(1)]);
        let (mut window, lab) = window(lab);
        window.set_size(vec2(1280.0, 3600.0));
        window.run_steps(3);
        window.get_by_label("Pin mean speed").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().plots.history.pins().collect::<Vec<_>>(), ["mean(agents.0,agents.1).speed_m_per_s"]);
        window.get_by_label("Unpin mean speed").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().plots.history.pins().count(), 0);
    }
}
