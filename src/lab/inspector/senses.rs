//! What the sensors of a robot read, and how they do it.

use bevy::prelude::*;
use bevy_egui::egui::{Grid, Ui};
use swarmarium_core::agent_view::{AgentView, Sense};
use swarmarium_core::scene::description::Group;

use super::{MOST_NUMBERS, chart, listed, pin_ui, theme};
use crate::parameters::{Drafts, Fold, Rows};
use crate::{Action, Lab};

/// A reading of more numbers is a chart, and a list that folds.
const FEW: usize = 8;
/// The most numbers that are told beside the name of a sensor.
const TOLD: usize = 3;
/// More sensors than this are closed at first.
const MOST_OPEN: usize = 4;

/// Draws them, by slot.
pub fn ui(
    ui: &mut Ui,
    lab: &Lab,
    agent: &AgentView,
    description: &Group,
    drafts: &mut Drafts,
    actions: &mut Vec<Action>,
) {
    let senses = agent.senses();
    for (slot, sense) in senses.iter().enumerate() {
        let label = format!("Sensor {slot} {}", sense.kind);
        let note = note(sense.reading);
        let id = format!("sense {slot}");
        let fold = Fold { is_open: senses.len() <= MOST_OPEN, ..Fold::new(&id, &label, &note) };
        if fold.ui(ui, lab.settings.theme, "The sensor in this slot, and what it reads") {
            ui.indent(&id, |ui| {
                reading(ui, lab, agent, slot, sense, actions);
                settings(ui, lab, agent, description, slot, drafts, actions);
            });
        }
    }
}

/// A reading in few words.
fn note(reading: &[f64]) -> String {
    match reading.len() {
        0 => "nothing yet".into(),
        1..=TOLD => reading.iter().map(|value| number(*value)).collect::<Vec<_>>().join(" "),
        count => format!("{count} numbers"),
    }
}

/// A number in a fixed width; a word where there is none.
fn number(value: f64) -> String {
    if value.is_nan() { format!("{:>8}", "none") } else { format!("{value:>8.3}") }
}

fn reading(ui: &mut Ui, lab: &Lab, agent: &AgentView, slot: usize, sense: &Sense, actions: &mut Vec<Action>) {
    let path = format!("agents.{}.readings.{slot}", agent.id.index());
    let Sense { reading, sees, .. } = sense;
    if reading.len() > FEW {
        chart::bars(ui, lab.settings.theme, reading);
        let fold_id = format!("numbers {slot}");
        let fold = Fold::new(&fold_id, "All numbers", "");
        if fold.ui(ui, lab.settings.theme, "All numbers of this reading, in their order") {
            ui.label(theme::number(listed(reading)));
            if reading.len() <= MOST_NUMBERS {
                numbers(ui, lab, &path, sense, actions);
            }
        }
    } else {
        numbers(ui, lab, &path, sense, actions);
    }
    if let Some(name) = sees {
        ui.horizontal(|ui| {
            ui.weak("in sight now")
                .on_hover_text("The nearest robot or object in the field of view now; the reading is of the last step");
            ui.label(name);
        });
    }
}

/// A row for each number: its name, its value, its unit, and a button that plots it.
fn numbers(ui: &mut Ui, lab: &Lab, path: &str, sense: &Sense, actions: &mut Vec<Action>) {
    Grid::new(("reading", path)).num_columns(4).spacing([12.0, 2.0]).show(ui, |ui| {
        for (channel, value) in sense.reading.iter().enumerate() {
            let (name, unit) = sense.channel(channel);
            ui.label(name).on_hover_text("What it read last");
            ui.label(theme::number(number(*value))).on_hover_text("What it read last");
            ui.weak(unit);
            let path = if sense.reading.len() == 1 { path.to_owned() } else { format!("{path}.{channel}") };
            pin_ui(ui, lab, path, actions);
            ui.end_row();
        }
    });
}

/// The parameters of this sensor alone, such as whether it is active, its rate and its noise.
fn settings(
    ui: &mut Ui,
    lab: &Lab,
    agent: &AgentView,
    description: &Group,
    slot: usize,
    drafts: &mut Drafts,
    actions: &mut Vec<Action>,
) {
    let Some(sensor) = description.sensors.get(slot) else { return };
    let (id, label) = (format!("settings {slot}"), format!("Settings of sensor {slot}"));
    let about = "Parameters of this sensor of this agent alone; they hold until a reset";
    if !Fold::new(&id, &label, "").ui(ui, lab.settings.theme, about) {
        return;
    }
    let group = lab.host.simulation().scene_ahead().groups.get(agent.member.group as usize);
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
    actions.extend(rows.ui(ui, lab, drafts));
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Key};
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::selection::Item;
    use crate::testing::{click, do_steps, lab_of, window};

    #[test]
    fn every_number_of_a_reading_can_be_plotted() {
        let mut lab = lab_of("(groups: [(name: \"g\", sensors: [BinaryFov()], controller: Constant())])");
        do_steps(&mut lab, 1);
        lab.select(Some(Item::Agent(0)));
        let channels = lab.host.simulation().agent(0).unwrap().senses()[0].reading.len();
        for channel in 0..channels {
            lab.pin(&format!("agents.0.readings.0.{channel}"));
        }
        assert_eq!(lab.plots.history.pins().count(), channels);
        let (window, _) = window(lab);
        window.get_by_label("Sensor 0 BinaryFov");
    }

    #[test]
    fn the_numbers_of_a_reading_have_names_and_units() {
        let group = |name: &str, rest: &str| format!("(name: \"{name}\", {rest}, at: [(1.0, 1.0, 0.0)]),");
        let groups = [
            group("quickbot", "robot: \"quickbot\", controller: Constant()"),
            group("other", "sensors: [Proximity(rays: 2, response: Distance), Pose(), InRegion(regions: [\"home\"])]"),
        ];
        let objects = "objects: [Region(name: \"home\")]";
        let mut lab = lab_of(&format!("(groups: [{}], {objects})", groups.concat()));
        do_steps(&mut lab, 1);
        let told = |agent: u32| {
            let agent = lab.host.simulation().agent(agent).unwrap();
            let senses = agent.senses();
            let channels = senses.iter().flat_map(|sense| (0..sense.reading.len()).map(|place| sense.channel(place)));
            channels.map(|(name, unit)| format!("{name} [{unit}]")).collect::<Vec<_>>().join("; ")
        };
        insta::assert_snapshot!(told(0), @"Sensor 0, 90° [m]; Sensor 1, 45° [m]; Sensor 2, 0° [m]; Sensor 3, -45° [m]; Sensor 4, -90° [m]; Left [ticks]; Right [ticks]; X [m]; Y [m]; Heading [rad]");
        insta::assert_snapshot!(told(1), @"Ray 0, 90° [m]; Ray 1, -90° [m]; X [m]; Y [m]; Z [m]; Yaw [rad]; Pitch [rad]; Roll [rad]; In home []");
        lab.select(Some(Item::Agent(0)));
        let (mut window, _) = window(lab);
        window.set_size(bevy_egui::egui::vec2(1280.0, 2400.0));
        window.run_steps(3);
        window.get_by_label("Sensor 2, 0°");
        assert!(window.query_by_label("Number 0").is_none());
    }

    #[test]
    fn a_reading_is_told_in_few_words_of_the_same_width() {
        assert_eq!(note(&[]), "nothing yet");
        assert_eq!(note(&[0.5, f64::NAN]), "   0.500     none");
        assert_eq!(note(&[0.0; 24]), "24 numbers");
    }

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
            let description = lab.host.simulation().agent(agent).unwrap().description_ahead();
            let common = description.sensors[0].common().clone();
            (common.active, common.rate_hz)
        };
        assert_eq!([common(0), common(1)], [(true, 0.0), (false, 4.0)]);
    }
}
