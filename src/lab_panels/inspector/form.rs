//! The parameters of one robot as forms: controller, body and motion, and each sensor.

use bevy::prelude::*;
use bevy_egui::egui::Ui;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::agent_view::{AgentView, Sense};
use swarmarium_scene::scene::description::Group;
use swarmarium_simulation::edit::agents;

use crate::inspector::line;
use crate::parameters::{Drafts, Fold, Rows};

/// Draws the forms and adds the requested actions.
pub fn ui(ui: &mut Ui, lab: &Lab, agent: &AgentView, senses: &[Sense], drafts: &mut Drafts, actions: &mut Vec<Action>) {
    let theme = lab.shell.settings.theme;
    let about = "Parameters of this robot only; a restart resets them to those of its group";
    if !line::section(ui, theme, "Parameters", "this robot, until a restart", about) {
        return;
    }
    let number = agent.id.index();
    let description = agents::description_ahead(agent);
    let group = lab.run.host.simulation().scene_ahead().groups.get(agent.member.group as usize);
    let parts = |ui: &mut Ui, drafts: &mut Drafts, names: &[&str]| {
        let rows = Rows {
            root: &description,
            before: group.map(|group| group as &dyn Reflect),
            prefix: &format!("agents.{number}"),
            shows: &|name| names.contains(&name),
            jump: None,
            find: None,
            many: None,
        };
        rows.ui(ui, lab, drafts)
    };
    actions.extend(parts(ui, drafts, &["controller"]));
    let fold = Fold::new("body", "Body and motion", "");
    if fold.ui(ui, theme, "Parameters of the body and the motion model") {
        actions.extend(parts(ui, drafts, &["body", "motion"]));
    }
    for (slot, sensor) in senses.iter().enumerate() {
        let (id, label) = (format!("settings {slot}"), format!("Settings of sensor {slot}"));
        let about = "Parameters of this sensor, such as rate and noise";
        if Fold::new(&id, &label, sensor.kind).ui(ui, theme, about) {
            actions.extend(settings(ui, lab, agent, &description, slot, drafts));
        }
    }
}

/// Draws the parameters of a sensor, such as its rate and noise, and returns the requested actions.
fn settings(
    ui: &mut Ui,
    lab: &Lab,
    agent: &AgentView,
    description: &Group,
    slot: usize,
    drafts: &mut Drafts,
) -> Vec<Action> {
    let Some(sensor) = description.sensors.get(slot) else { return Vec::new() };
    let group = lab.run.host.simulation().scene_ahead().groups.get(agent.member.group as usize);
    let before = group.and_then(|group| group.sensors.get(slot)).map(|sensor| sensor as &dyn Reflect);
    let rows = Rows {
        root: sensor,
        before,
        prefix: &format!("agents.{}.sensors.{slot}", agent.id.index()),
        shows: &|_| true,
        jump: None,
        find: None,
        many: None,
    };
    rows.ui(ui, lab, drafts)
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Key};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{click, lab_of, window};
    use swarmarium_simulation::edit::agents;

    #[test]
    fn the_settings_of_one_sensor_are_edits_of_one_agent() {
        let mut lab = lab_of("(groups: [(name: \"g\", count: 2, sensors: [BinaryFov()], controller: Constant())])");
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        window.set_size(bevy_egui::egui::vec2(1280.0, 4800.0));
        window.run_steps(3);
        click(&mut window, "Settings of sensor 0");
        click(&mut window, "agents.1.sensors.0.active");
        window.get_by_label("agents.1.sensors.0.rate_hz").focus();
        window.run_steps(2);
        window.event(Event::Text("4".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        let lab = lab.borrow();
        let common = |agent| {
            let description = agents::description_ahead(&lab.run.host.simulation().agent(agent).unwrap());
            let common = description.sensors[0].common().clone();
            (common.active, common.rate_hz)
        };
        assert_eq!([common(0), common(1)], [(true, 0.0), (false, 4.0)]);
    }
}
