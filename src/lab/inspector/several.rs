//! Several robots: what they have in common.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_egui::egui::Ui;

use super::{asked, faults, pose};
use crate::edit::Edit;
use crate::edit::agents::PARTS;
use crate::lab::parameters::{Drafts, Fold, Many, Rows};
use crate::lab::status::grouped;
use crate::lab::{Action, Lab};
use crate::scene::description::Group;
use crate::simulation::AgentView;

/// The numbers whose mean can be plotted at once.
const MEANS: [&str; 3] = ["x_m", "y_m", "speed_m_per_s"];
/// The most robots of which a mean is plotted: its path names each.
const MOST_OF_MEAN: usize = 200;

/// Several robots, with what was last found out about their parameters.
#[derive(Default)]
pub struct Several {
    /// What the comparison depends on: it is made anew when that changes, and not in each frame.
    state: Option<(Vec<u32>, u64, usize, Vec<Edit>)>,
    many: Many,
}

impl Several {
    /// Draws them.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab, agents: &[AgentView], drafts: &mut Drafts, actions: &mut Vec<Action>) {
        ui.weak(groups(lab, agents)).on_hover_text("How many of which group");
        pose::ui(ui, agents, actions);
        faults::several(ui, lab, agents, actions);
        ui.horizontal_wrapped(|ui| buttons(ui, lab, agents, actions));
        let fold = Fold { is_open: true, ..Fold::new("several", "Parameters of these robots", "") };
        if fold.ui(ui, lab.settings.theme, "What all of them have; a change is for all of them, until a reset") {
            actions.extend(self.rows(ui, lab, agents, drafts));
        }
    }

    /// The parameters that all have in common, once.
    fn rows(&mut self, ui: &mut Ui, lab: &Lab, agents: &[AgentView], drafts: &mut Drafts) -> Vec<Action> {
        let Some(first) = agents.first() else { return Vec::new() };
        self.compare(lab, agents);
        let description = first.description_ahead();
        let group = lab.host.simulation().scene_ahead().groups.get(first.member.group as usize);
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
        let simulation = lab.host.simulation();
        let numbers = agents.iter().map(|agent| agent.id.index()).collect();
        let state = Some((numbers, lab.restarts, simulation.edits().len(), simulation.waiting_edits().to_vec()));
        if self.state == state {
            return;
        }
        let parts = |agent: &AgentView| {
            let Group { body, motion, controller, sensors, .. } = agent.description_ahead();
            Group { body, motion, controller, sensors, ..Group::default() }
        };
        let parts: Vec<(String, Group)> =
            agents.iter().map(|agent| (format!("agents.{}", agent.id.index()), parts(agent))).collect();
        let all = parts.iter().map(|(path, parts)| (path.clone(), parts as &dyn Reflect));
        self.many = Many::new(simulation.kinds(), all);
        self.state = state;
    }
}

/// How many there are of which group: `2 of prey, 1 of hunters`.
fn groups(lab: &Lab, agents: &[AgentView]) -> String {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    agents.iter().for_each(|agent| *counts.entry(agent.member.group).or_default() += 1);
    let scene = lab.host.simulation().scene();
    let name = |group: u32| scene.groups.get(group as usize).map_or("", |group| &group.name);
    let parts = counts.into_iter().map(|(group, count)| format!("{} of {}", grouped(count), name(group)));
    parts.collect::<Vec<_>>().join(", ")
}

fn buttons(ui: &mut Ui, lab: &Lab, agents: &[AgentView], actions: &mut Vec<Action>) {
    let hint = "Takes these robots out of the world; a reset keeps that";
    if ui.button("Remove all").on_hover_text(hint).clicked() {
        let edit = |agent: &AgentView| Edit::Remove { path: format!("agents.{}", agent.id.index()) };
        actions.extend(asked(agents.iter().map(edit).collect()));
    }
    let can_pin = agents.len() <= MOST_OF_MEAN;
    let names: Vec<String> = agents.iter().map(|agent| format!("agents.{}", agent.id.index())).collect();
    for field in MEANS {
        let path = format!("mean({}).{field}", names.join(","));
        let (name, unit) = crate::kind::describe::words(field);
        let word = if lab.history.pins().any(|known| known == path) { "Unpin" } else { "Pin" };
        let button = bevy_egui::egui::Button::new(format!("{word} mean {}", name.to_lowercase()));
        let button = ui.add_enabled(can_pin, button);
        let hint = format!("Plots the mean of this number over these robots, in {unit}, or takes it out of the plots");
        let refusal = format!("Means are plotted of {MOST_OF_MEAN} robots at most");
        if button.on_hover_text(hint).on_disabled_hover_text(refusal).clicked() {
            actions.push(Action::Pin(path));
        }
    }
}
