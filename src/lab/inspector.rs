//! The inspector: what is selected, with its live numbers and, for robots, parameters of their own.

mod chart;
mod faults;
mod memory;
mod object;
mod pose;
mod radio;
mod senses;
mod several;

use bevy::prelude::*;
use bevy_egui::egui::{self, Grid, RichText, ScrollArea, Ui};
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Command;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::edit::Edit;
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::text::wording::words;
use swarmarium_picture::palette::Role;

use super::action::{PlotAction, SelectionAction};
use super::parameters::{Drafts, Rows};
use super::selection::{self, Item};
use super::text::grouped;
use super::{Action, Lab, command, driving, theme};

pub use faults::repairs;

/// The most numbers of one reading that are listed.
const MOST_NUMBERS: usize = 64;

/// The inspector.
#[derive(Default)]
pub struct Inspector {
    drafts: Drafts,
    /// The agents that the drafts belong to.
    agents: Vec<u32>,
    several: several::Several,
}

impl Inspector {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        // What is taken away may be selected for one more frame.
        let Some(item) = lab.selection.item.filter(|item| item.exists(lab.host.simulation())) else {
            ui.weak("Nothing is selected: click a robot to see what it senses and does");
            return actions;
        };
        let agents: Vec<AgentView> = agents(lab).collect();
        let objects: Vec<usize> = objects(lab).collect();
        ui.horizontal(|ui| {
            let name =
                if lab.selection.items.len() > 1 { counted(agents.len(), objects.len()) } else { name_of(lab, item) };
            ui.label(RichText::new(name).strong().size(theme::NAME_PX));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let hint = lab.keymap.after("Selects nothing", "Close or deselect", "");
                if ui.button("Deselect").on_hover_text(hint).clicked() {
                    actions.push(Action::Selection(SelectionAction::Select(None)));
                }
            });
        });
        let numbers: Vec<u32> = agents.iter().map(|agent| agent.id.index()).collect();
        if self.agents != numbers {
            (self.agents, self.drafts) = (numbers, Drafts::default());
        }
        let most_px = ui.available_height();
        let scroll = ScrollArea::vertical().id_salt("inspector").max_height(most_px).auto_shrink([false, true]);
        match (&agents[..], &objects[..]) {
            ([], []) => drop(ui.weak("Its parameters are below")),
            ([agent], []) => drop(scroll.show(ui, |ui| self.one(ui, lab, agent, &mut actions))),
            _ => {
                scroll.show(ui, |ui| {
                    if !agents.is_empty() {
                        self.several.ui(ui, lab, &agents, &mut self.drafts, &mut actions);
                    }
                    if !objects.is_empty() {
                        object::ui(ui, lab, &objects, &mut actions);
                    }
                });
            }
        }
        actions
    }

    /// One robot.
    fn one(&mut self, ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
        let number = agent.id.index();
        membership(ui, lab, agent);
        ui.horizontal(|ui| {
            if driving::can_drive(lab.host.simulation(), number) {
                let drive = command::by_title("Drive or stop driving")
                    .map(|command| command.tooltip(&lab.keymap))
                    .unwrap_or_default();
                let text = if lab.drives_selected() { "Stop driving" } else { "Drive this robot" };
                if ui.button(text).on_hover_text(drive).clicked() {
                    actions.push(Action::Selection(SelectionAction::Drive));
                }
            }
            let remove = ui.button("Remove").on_hover_text("Removes this robot; it stays removed after a reset");
            if remove.clicked() {
                actions.push(Action::Edit(Edit::Remove { path: format!("agents.{number}") }));
            }
        });
        pose::ui(ui, lab, std::slice::from_ref(agent), actions);
        faults::one(ui, agent, actions);
        numbers(ui, lab, agent, actions);
        let description = agent.description_ahead();
        senses::ui(ui, lab, agent, &description, &mut self.drafts, actions);
        controller(ui, lab, agent);
        memory::ui(ui, lab, agent, actions);
        radio::ui(ui, lab, agent, actions);
        actions.extend(self.parameters(ui, lab, agent, &description));
    }

    /// The parameters of this agent alone; those of its sensors stand with their readings.
    fn parameters(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        agent: &AgentView,
        description: &swarmarium_core::scene::description::Group,
    ) -> Vec<Action> {
        let number = agent.id.index();
        let hint = "Parameters of this agent alone; they hold until a reset, which makes it like its group again";
        let header = egui::CollapsingHeader::new("Parameters of this agent").id_salt("agent's parameters");
        let shown = header.show(ui, |ui| {
            ui.weak("For this agent alone, until a reset");
            let group = lab.host.simulation().scene_ahead().groups.get(agent.member.group as usize);
            let rows = Rows {
                root: description,
                before: group.map(|group| group as &dyn Reflect),
                prefix: &format!("agents.{number}"),
                shows: &|name| ["body", "motion", "controller"].contains(&name),
                jump: None,
                find: None,
                many: None,
            };
            rows.ui(ui, lab, &mut self.drafts)
        });
        shown.header_response.on_hover_text(hint);
        shown.body_returned.unwrap_or_default()
    }
}

/// The robots that are selected, in the order of their numbers.
fn agents(lab: &Lab) -> impl Iterator<Item = AgentView<'_>> {
    let mut numbers: Vec<u32> =
        lab.selection.items.iter().filter_map(|item| item.agent()).map(|id| id.index()).collect();
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|number| lab.host.simulation().agent(number))
}

/// The objects that are selected, in the order of the scene.
fn objects(lab: &Lab) -> impl Iterator<Item = usize> {
    let place = |item: &Item| if let Item::Object(place) = item { Some(*place) } else { None };
    let mut places: Vec<usize> = lab.selection.items.iter().filter_map(place).collect();
    places.sort_unstable();
    let count = lab.host.simulation().scene_ahead().objects.len();
    places.into_iter().filter(move |place| *place < count)
}

/// How many there are: `3 robots and 1 object`.
fn counted(agents: usize, objects: usize) -> String {
    let part = |count: usize, word: &str| {
        let ending = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{} {word}{ending}", grouped(count as u64)))
    };
    [part(agents, "robot"), part(objects, "object")].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// One edit, or several that belong together.
fn asked(mut edits: Vec<Edit>) -> Option<Action> {
    match edits.len() {
        0 => None,
        1 => edits.pop().map(Action::Edit),
        _ => Some(Action::Edits(edits)),
    }
}

fn name_of(lab: &Lab, item: Item) -> String {
    let simulation = lab.host.simulation();
    let scene = simulation.scene();
    let group = |place: usize| scene.groups.get(place).map_or("", |group| &group.name);
    match item {
        Item::Agent(number) => simulation.agent(number).map_or("Agent".into(), |agent| agent.name()),
        Item::Group(place) => format!("Group {}", group(place)),
        Item::Spawner(place) => format!("Spawner of {}", group(place)),
        Item::Object(place) => selection::name(simulation, item).unwrap_or_else(|| format!("Object {place}")),
        Item::Metric(place) => format!("Metric {place}"),
        Item::Scene => "Scene".into(),
    }
}

/// One live number: name, value, unit, and the path under which it can be plotted.
struct Number {
    name: String,
    value: f64,
    unit: &'static str,
    /// The last part of the path of a number that can be plotted.
    pin: Option<String>,
    about: &'static str,
}

/// Pose, movement and command (RobotSwarmSimulator shows the same of a selected agent).
fn live(lab: &Lab, agent: &AgentView) -> Vec<Number> {
    let dt_s = lab.host.simulation().time().dt_s;
    let moved = agent.displacement_m();
    let heading_rad = agent.pose.heading_rad;
    let heading_deg = wrap_angle(heading_rad).to_degrees();
    let turned = lab.turn_rad_per_s();
    let speed = moved.length() / dt_s;
    let number = |name: &str, value, unit, pin: Option<&str>, about| Number {
        name: name.into(),
        value,
        unit,
        pin: pin.map(Into::into),
        about,
    };
    let mut numbers = vec![
        number("x", agent.pose.position_m.x, "m", Some("x_m"), "Position along x"),
        number("y", agent.pose.position_m.y, "m", Some("y_m"), "Position along y"),
        number("Heading", heading_deg, "°", None, "Anticlockwise from x, from −180 to 180 degrees"),
        number(
            "With turns",
            heading_rad,
            "rad",
            Some("heading_rad"),
            "The heading with all whole turns since the start",
        ),
        number("Speed", speed, "m/s", Some("speed_m_per_s"), "Over the ground in the last step, pushes included"),
        number("Turn rate", turned, "rad/s", Some("turn_rad_per_s"), "Of the last step, anticlockwise"),
        number("Turn diameter", (2.0 * speed / turned).abs(), "m", None, "Of the circle that it drives"),
        number("Moved x", moved.x, "m", None, "Along x in the last step"),
        number("Moved y", moved.y, "m", None, "Along y in the last step"),
        number("Turned", turned * dt_s, "rad", None, "In the last step"),
    ];
    if let Some(attitude) = agent.component::<Attitude>() {
        let about = "Height and tilt";
        numbers.extend([
            number("Height", attitude.z_m, "m", Some("z_m"), about),
            number("Pitch", attitude.pitch_rad, "rad", Some("pitch_rad"), about),
            number("Roll", attitude.roll_rad, "rad", Some("roll_rad"), about),
        ]);
    }
    if let Some(bumps) = agent.bumps() {
        let about = "Number of collisions; a lasting contact counts once";
        numbers.push(number("Collisions", f64::from(bumps.count), "", Some("collisions"), about));
    }
    let parts = match agent.command() {
        Command::Drive { v_m_per_s, turn_rad_per_s } => {
            vec![("v_m_per_s", v_m_per_s), ("turn_rad_per_s", turn_rad_per_s)]
        }
        Command::Wheels { left_m_per_s, right_m_per_s } => {
            vec![("left_m_per_s", left_m_per_s), ("right_m_per_s", right_m_per_s)]
        }
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
        | Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
            vec![("x_m_per_s", x_m_per_s), ("y_m_per_s", y_m_per_s), ("turn_rad_per_s", turn_rad_per_s)]
        }
    };
    numbers.extend(parts.into_iter().map(|(field, value)| {
        let (name, unit) = words(field);
        let name = format!("Wanted {}", name.to_lowercase());
        Number { name, value, unit, pin: Some(format!("command.{field}")), about: "What its controller wants" }
    }));
    numbers
}

/// The colour, the group and the team of a robot.
fn membership(ui: &mut Ui, lab: &Lab, agent: &AgentView) {
    let (group, number) = (agent.member.group, agent.id.index());
    ui.horizontal(|ui| {
        ui.label(RichText::new("⏺").color(theme::color(lab.settings.theme, Role::Group(group))));
        let scene = lab.host.simulation().scene();
        let group = scene.groups.get(group as usize);
        let (name, team) = group.map_or(("", ""), |group| (&group.name, &group.team));
        let team = if team.is_empty() { String::new() } else { format!(", team {team}") };
        ui.weak(format!("agent {number} of {name}{team}"));
    });
}

fn numbers(ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
    let number = agent.id.index();
    Grid::new("live").num_columns(4).spacing([12.0, 2.0]).show(ui, |ui| {
        for Number { name, value, unit, pin, about } in live(lab, agent) {
            ui.label(&name).on_hover_text(about);
            ui.label(theme::number(value_text(value))).on_hover_text(about);
            ui.weak(unit);
            if let Some(pin) = pin {
                pin_ui(ui, lab, format!("agents.{number}.{pin}"), actions);
            }
            ui.end_row();
        }
    });
}

/// A button that plots a number, or takes it out of the plots.
fn pin_ui(ui: &mut Ui, lab: &Lab, path: String, actions: &mut Vec<Action>) {
    let is_pinned = lab.plots.history.pins().any(|known| known == path);
    let text = if is_pinned { "Unpin" } else { "Pin" };
    let hint = format!("Plots this number, or takes it out of the plots; its path is {path}");
    if ui.small_button(text).on_hover_text(hint).clicked() {
        actions.push(Action::Plot(PlotAction::Pin(path)));
    }
}

/// The controller as a scene would write it.
fn controller(ui: &mut Ui, lab: &Lab, agent: &AgentView) {
    let text = write(lab.host.simulation().kinds(), &agent.parts().controller, Style::Short);
    ui.horizontal_wrapped(|ui| {
        ui.label("Controller").on_hover_text("The controller, with all parameters that differ from their defaults");
        ui.label(theme::number(text.split_whitespace().collect::<Vec<_>>().join(" ")));
    });
}

/// Numbers in fixed widths, five to a line of the panel; the first of them when there are many.
fn listed(numbers: &[f64]) -> String {
    let shown: Vec<String> = numbers.iter().take(MOST_NUMBERS).map(|number| format!("{number:>7.3}")).collect();
    let more = numbers.len().saturating_sub(MOST_NUMBERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(" ") + &more
}

/// A number in a fixed width, so that nothing jumps; a word where there is none.
fn value_text(value: f64) -> String {
    match value {
        value if value.is_finite() => format!("{value:>11.4}"),
        // It takes a step to see how an agent turns.
        value if value.is_nan() => format!("{:>11}", "not yet"),
        _ => format!("{:>11}", "straight"),
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{do_steps, lab_of, lab_on, window};

    #[test]
    fn the_turning_is_that_of_the_selected_agent_and_of_the_last_step() {
        let mut lab = lab_on("milling");
        lab.select(Some(Item::Agent(0)));
        assert!(lab.turn_rad_per_s().is_nan(), "nothing was seen yet");
        let turned = |lab: &mut Lab, number: u32| {
            let heading = |lab: &Lab| lab.host.simulation().agent(number).unwrap().pose.heading_rad;
            let before = heading(lab);
            do_steps(lab, 1);
            (heading(lab) - before) / lab.host.simulation().time().dt_s
        };
        let wanted = turned(&mut lab, 0);
        assert!(wanted != 0.0);
        assert_eq!(lab.turn_rad_per_s(), wanted, "the first step is seen");
        lab.select(Some(Item::Agent(0)));
        assert_eq!(lab.turn_rad_per_s(), wanted, "another click changes nothing");
        lab.select(Some(Item::Agent(3)));
        assert!(lab.turn_rad_per_s().is_nan(), "this one was not watched");
        let wanted = turned(&mut lab, 3);
        assert_eq!(lab.turn_rad_per_s(), wanted);
        lab.reset(None);
        assert!(lab.turn_rad_per_s().is_nan());
        assert_eq!(lab.selection.item, Some(Item::Agent(3)));
    }

    #[test]
    fn what_is_not_known_yet_is_a_word_and_the_heading_has_one_turn() {
        let mut lab = lab_on("milling");
        lab.select(Some(Item::Agent(2)));
        let at = |heading_rad| Edit::Move { agent: 2, x_m: 5.0, y_m: 5.0, heading_rad };
        let (mut window, lab) = window(lab);
        assert_eq!(window.get_all_by_label_contains("not yet").count(), 3);
        lab.borrow_mut().host.apply(at(-373.3423)).unwrap();
        do_steps(&mut lab.borrow_mut(), 1);
        window.run_steps(2);
        assert!(window.query_by_label_contains("not yet").is_none());
        let lab = lab.borrow();
        let agent = lab.host.simulation().agent(2).unwrap();
        assert!(agent.pose.heading_rad < -370.0);
        let shown = live(&lab, &agent);
        let shown = shown.iter().find(|number| number.unit == "°").unwrap().value;
        assert!((-180.0..=180.0).contains(&shown), "{shown}");
        window.get_by_label_contains(&format!("{shown:.4}"));
    }

    #[test]
    fn what_a_radio_heard_and_a_controller_remembers_is_listed() {
        let robots = "(name: \"r\", count: 3, spawn: UniformBox(min_m: (4.0, 4.0), max_m: (6.0, 6.0)),
            motion: Holonomic(frame: World), controller: Formation(), radio: (loss: Perfect()))";
        let mut lab = lab_of(&format!("(groups: [{robots}])"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("It holds no packet");
        window.get_by_label("none yet");
        do_steps(&mut lab.borrow_mut(), 60);
        window.run_steps(2);
        assert!(window.query_by_label("It holds no packet").is_none());
        // In the tree of the world, and in the list.
        assert!(window.query_all_by_label("r-2").count() >= 1);
        window.get_by_label("Opinion estimate");
        let lab = lab.borrow();
        let agent = lab.host.simulation().agent(1).unwrap();
        let (_, _, inbox) = agent.radio().unwrap();
        assert_eq!(inbox.packets().len(), 2);
        window.get_by_label(&listed(&inbox.packets()[1].numbers));
        window.get_by_label_contains(" ago, next in ");
    }
}
