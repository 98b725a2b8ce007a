//! The inspector of the selected robot: readings, command, memory, pose, parameters and actions.

pub mod chart;
pub mod decided;
pub mod does;
pub mod drawing;
pub mod faults;
pub mod form;
pub mod line;
pub mod memory;
pub mod object;
pub mod pose;
pub mod radio;
pub mod senses;
pub mod several;

pub use faults::repairs;

use bevy_egui::egui::{self, Align, Label, Layout, Rect, RichText, ScrollArea, Sense as Senses, Ui};
use swarmarium_lab_state::action::{Action, ScriptAction, SelectionAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::edit::driving;
use swarmarium_picture::palette::Role;
use swarmarium_scene::agent_view::{AgentView, Sense};
use swarmarium_simulation::edit::Edit;

use crate::inspector::decided::Decided;
use crate::parameters::Drafts;
use crate::swatch;

/// The tooltip of the section Sees.
const READINGS: &str = "The readings of its sensors after the last step, as text, drawings and numbers; its controller \
     uses them for the next decision";

/// The largest number of listed values of a reading.
const MOST_NUMBERS: usize = 64;

/// The inspector.
#[derive(Default)]
pub struct Inspector {
    drafts: Drafts,
    /// The agents of the drafts and the scales.
    agents: Vec<u32>,
    scales: does::Scales,
    several: several::Several,
}

impl Inspector {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        // A removed item may stay selected for one more frame.
        let Some(item) = lab.view.selection.item.filter(|item| item.exists(lab.run.host.simulation())) else {
            ui.weak("Nothing is selected: click a robot");
            return actions;
        };
        let agents: Vec<AgentView> = agents(lab).collect();
        let objects: Vec<usize> = objects(lab).collect();
        let numbers: Vec<u32> = agents.iter().map(|agent| agent.id.index()).collect();
        if self.agents != numbers {
            (self.agents, self.drafts, self.scales) = (numbers, Drafts::default(), does::Scales::default());
        }
        // The scroll bar has its own space, so that it does not cover the buttons of the lines.
        let bar = &mut ui.spacing_mut().scroll;
        bar.floating_allocated_width = bar.bar_width;
        let scroll = ScrollArea::vertical().id_salt("inspector").auto_shrink(false);
        scroll.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let is_one = lab.view.selection.items.len() <= 1;
            let name = if is_one { name_of(lab, item) } else { counted(agents.len(), objects.len()) };
            match (&agents[..], &objects[..]) {
                ([], []) => {
                    heading(ui, lab, &name, "", &[]);
                    ui.weak("Its parameters are in the Parameters panel");
                }
                ([agent], []) => self.one(ui, lab, &name, agent, &mut actions),
                _ => {
                    heading(ui, lab, &name, "", &groups_of(&agents));
                    if !agents.is_empty() {
                        self.several.ui(ui, lab, &agents, &mut self.drafts, &mut actions);
                    }
                    if !objects.is_empty() {
                        object::ui(ui, lab, &objects, &mut actions);
                    }
                }
            }
            let hint = lab.shell.keymap.after("Clears the selection", CommandId::CloseOrDeselect, "");
            if ui.button("Deselect").on_hover_text(hint).clicked() {
                actions.push(Action::Selection(SelectionAction::Select(None)));
            }
        });
        actions
    }

    /// Draws one robot: state first, then settings, then buttons.
    fn one(&mut self, ui: &mut Ui, lab: &Lab, name: &str, agent: &AgentView, actions: &mut Vec<Action>) {
        let theme = lab.shell.settings.theme;
        heading(ui, lab, name, &membership(lab, agent), &[agent.member.group]);
        let senses = agent.senses();
        does::said(ui, &state_in_words(lab, agent, &senses), "The state of the robot after the last step");
        failure(ui, lab, agent, actions);
        let decided = Decided::of(lab, agent);
        if line::section(ui, theme, "Sees", &decided.readings, READINGS) {
            senses::ui(ui, lab, agent.id.index(), &senses, actions);
        }
        let about = format!("The command of its controller, and its movement in the last step. {}", decided.about);
        if line::section(ui, theme, "Does", &decided.command, &about) {
            does::ui(ui, lab, agent, &mut self.scales, actions);
        }
        let about = format!("The memory that its controller keeps between steps. {}", decided.about);
        if line::section(ui, theme, "Remembers", "", &about) {
            memory::ui(ui, lab, agent, actions);
        }
        radio::ui(ui, lab, agent, actions);
        if line::section(ui, theme, "Pose", "", "Position and heading; drag a number or click to type") {
            pose::ui(ui, lab, std::slice::from_ref(agent), actions);
        }
        form::ui(ui, lab, agent, &senses, &mut self.drafts, actions);
        if line::section(ui, theme, "Faults", "", "Faults of this robot, as switches") {
            faults::one(ui, agent, actions);
        }
        ui.add_space(theme::GAP);
        ui.horizontal_wrapped(|ui| buttons(ui, lab, agent.id.index(), actions));
    }
}

/// Draws the swatches of groups, a name, and a note at the right.
fn heading(ui: &mut Ui, lab: &Lab, name: &str, note: &str, groups: &[u32]) {
    let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), line::HEIGHT));
    line::cell(ui, rect, Align::Min, |ui| {
        ui.spacing_mut().item_spacing.x = theme::TINY_GAP;
        for group in groups {
            swatch::ui(ui, lab, swatch::of_group(lab, *group as usize));
        }
        ui.add_space(2.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let half = Rect::from_min_max(egui::pos2(rect.center().x, rect.top()), rect.max);
            line::cell(ui, half, Align::Max, |ui| {
                ui.add(Label::new(RichText::new(note).weak()).truncate());
            });
            let width = if note.is_empty() { rect.right() } else { half.left() - theme::GAP };
            let place = ui.max_rect().with_max_x(width);
            line::cell(ui, place, Align::Min, |ui| {
                ui.add(Label::new(RichText::new(name).strong().size(theme::NAME_PX)).truncate());
            });
        });
    });
}

/// Draws the failure of the script of a robot, if it has one.
fn failure(ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
    let Some((step, text)) = agent.memory().and_then(memory::failure) else { return };
    let color = theme::color(lab.shell.settings.theme, Role::Warning);
    let shown = RichText::new(format!("⚠ {text} (step {})", grouped(step))).color(color);
    let label = ui.add(Label::new(shown).wrap().sense(Senses::click()));
    let hint = "The script of this robot failed, so the robot stops until the script changes; a click opens the script";
    if label.on_hover_text(hint).clicked() {
        let place = text.split_once(": ").map_or(text.as_str(), |(place, _)| place);
        actions.push(Action::Script(ScriptAction::Show(place.into())));
    }
}

/// Returns the state of a robot in words: its failures and detections, or else the state of its controller.
fn state_in_words(lab: &Lab, agent: &AgentView, senses: &[Sense]) -> String {
    let faults = swarmarium_lab_state::common::faults::all().filter(|fault| agent.has(fault.failure));
    let mut words: Vec<String> = faults.map(|fault| fault.state.to_lowercase()).collect();
    if agent.is_dead() {
        return "dead".into();
    }
    if words.is_empty() && does::is_stuck(lab, agent) {
        words.push("stuck".into());
    }
    let sees = senses.iter().find_map(|sense| sense.sees.as_ref());
    words.extend(match (senses::detects(senses), sees) {
        (Some(true), Some(name)) => Some(format!("sees {name}")),
        (Some(true), None) => Some("sees something".into()),
        (Some(false), _) => Some("sees nothing".into()),
        (None, _) => None,
    });
    // The state was decided before the sensors read; together with the readings it could seem contradictory.
    if words.is_empty() {
        words.extend(does::state(agent).map(|state| format!("state {state}")));
    }
    if words.is_empty() {
        words.push(if agent.displacement_m().length() > 0.0 { "moves" } else { "stands still" }.into());
    }
    words.join(", ")
}

/// Returns the number, group and team of a robot.
fn membership(lab: &Lab, agent: &AgentView) -> String {
    let group = lab.run.host.simulation().scene().groups.get(agent.member.group as usize);
    let (name, team) = group.map_or(("", ""), |group| (&group.name, &group.team));
    let team = if team.is_empty() { String::new() } else { format!(", team {team}") };
    format!("robot {} of {name}{team}", agent.id.index())
}

/// Returns the groups of some robots, without repetition.
fn groups_of(agents: &[AgentView]) -> Vec<u32> {
    let mut groups: Vec<u32> = agents.iter().map(|agent| agent.member.group).collect();
    groups.sort_unstable();
    groups.dedup();
    // More swatches would leave no room for the name.
    groups.truncate(8);
    groups
}

/// Draws the buttons of one robot.
fn buttons(ui: &mut Ui, lab: &Lab, number: u32, actions: &mut Vec<Action>) {
    let tooltip = |id: CommandId| id.command().tooltip(&lab.shell.keymap);
    if driving::can_drive(lab.run.host.simulation(), number) {
        let text =
            if lab.edits.driving.drives_selected(&lab.view.selection) { "Stop driving" } else { "Drive this robot" };
        if ui.button(text).on_hover_text(tooltip(CommandId::DriveOrStopDriving)).clicked() {
            actions.push(Action::Selection(SelectionAction::Drive));
        }
    }
    if ui.button("Follow").on_hover_text(tooltip(CommandId::FollowOrStay)).clicked() {
        actions.push(Action::View(ViewAction::Follow));
    }
    if ui.button("Remove").on_hover_text("Removes this robot; it stays removed after a restart").clicked() {
        actions.push(Action::Edit(Edit::Remove { path: format!("agents.{number}") }));
    }
}

/// Returns the selected robots in the order of their numbers.
fn agents(lab: &Lab) -> impl Iterator<Item = AgentView<'_>> {
    let mut numbers: Vec<u32> =
        lab.view.selection.items.iter().filter_map(|item| item.agent()).map(|id| id.index()).collect();
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|number| lab.run.host.simulation().agent(number))
}

/// Returns the selected objects in the order of the scene.
fn objects(lab: &Lab) -> impl Iterator<Item = usize> {
    let place = |item: &Item| if let Item::Object(place) = item { Some(*place) } else { None };
    let mut places: Vec<usize> = lab.view.selection.items.iter().filter_map(place).collect();
    places.sort_unstable();
    let count = lab.run.host.simulation().scene_ahead().objects.len();
    places.into_iter().filter(move |place| *place < count)
}

/// Returns the counts in words: `3 robots and 1 object`.
fn counted(agents: usize, objects: usize) -> String {
    let part = |count: usize, word: &str| {
        let ending = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{} {word}{ending}", grouped(count as u64)))
    };
    [part(agents, "robot"), part(objects, "object")].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Returns an action for one edit or several.
fn asked(mut edits: Vec<Edit>) -> Option<Action> {
    match edits.len() {
        0 => None,
        1 => edits.pop().map(Action::Edit),
        _ => Some(Action::Edits(edits)),
    }
}

fn name_of(lab: &Lab, item: Item) -> String {
    let simulation = lab.run.host.simulation();
    let scene = simulation.scene_ahead();
    let group = |place: usize| scene.groups.get(place).map_or("", |group| &group.name);
    match item {
        Item::Agent(number) => selection::robot_name(simulation, number),
        Item::Group(place) => format!("Group {}", group(place)),
        Item::ObjectGroup(place) => {
            format!("Object group {}", scene.object_groups.get(place).map_or("", |group| &group.name))
        }
        Item::Spawner(place) => format!("Spawner of {}", group(place)),
        Item::Object(place) => selection::name(simulation, item).unwrap_or_else(|| format!("Object {place}")),
        Item::Metric(place) => format!("Metric {place}"),
        Item::Scene => "Scene".into(),
    }
}

/// Formats numbers with fixed width, five per line, up to the largest number of values.
fn listed(numbers: &[f64]) -> String {
    let shown: Vec<String> = numbers.iter().take(MOST_NUMBERS).map(|number| format!("{number:>7.3}")).collect();
    let more = numbers.len().saturating_sub(MOST_NUMBERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(" ") + &more
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};

    use super::*;

    #[test]
    fn the_inspected_turn_rate_is_that_of_the_last_step() {
        let mut lab = lab_on("milling");
        lab.select(Some(Item::Agent(0)));
        assert!(lab.plots.turn_rad_per_s(&lab.run.host).is_nan(), "nothing was seen yet");
        let turned = |lab: &mut Lab, number: u32| {
            let heading = |lab: &Lab| lab.run.host.simulation().agent(number).unwrap().pose.heading_rad;
            let before = heading(lab);
            do_steps(lab, 1);
            (heading(lab) - before) / lab.run.host.simulation().time().dt_s
        };
        let wanted = turned(&mut lab, 0);
        assert!(wanted != 0.0);
        assert_eq!(lab.plots.turn_rad_per_s(&lab.run.host), wanted, "the first step is seen");
        lab.select(Some(Item::Agent(0)));
        assert_eq!(lab.plots.turn_rad_per_s(&lab.run.host), wanted, "another click changes nothing");
        lab.select(Some(Item::Agent(3)));
        assert!(lab.plots.turn_rad_per_s(&lab.run.host).is_finite(), "known though it was chosen after the step");
        let wanted = turned(&mut lab, 3);
        assert_eq!(lab.plots.turn_rad_per_s(&lab.run.host), wanted);
        lab.reset(None);
        assert!(lab.plots.turn_rad_per_s(&lab.run.host).is_nan());
        assert_eq!(lab.view.selection.item, Some(Item::Agent(3)));
    }

    #[test]
    fn the_inspector_shows_a_word_for_unknown_values_and_wraps_headings() {
        let mut lab = lab_on("milling");
        lab.select(Some(Item::Agent(2)));
        let at = |heading_rad| Edit::Move { agent: 2, x_m: 5.0, y_m: 5.0, heading_rad };
        let (mut window, lab) = window(lab);
        assert_eq!(window.get_all_by_label("unknown").count(), 1, "the turn rate");
        lab.borrow_mut().run.host.apply(at(-373.3423)).unwrap();
        do_steps(&mut lab.borrow_mut(), 1);
        window.run_steps(2);
        assert!(window.query_by_label_contains("unknown").is_none());
        let lab = lab.borrow();
        let agent = lab.run.host.simulation().agent(2).unwrap();
        assert!(agent.pose.heading_rad < -370.0);
        let shown = swarmarium_base::math::wrap_angle(agent.pose.heading_rad).to_degrees();
        let field = window.get_by_label("Robot heading").value().unwrap_or_default();
        assert!(field.contains(&format!("{shown:.3}")), "{field}");
    }

    #[test]
    fn the_inspector_lists_packets_and_controller_memory() {
        let robots = "(name: \"r\", count: 3, spawn: UniformBox(min_m: (4.0, 4.0), max_m: (6.0, 6.0)),
            motion: Holonomic(frame: World), controller: Formation(), radio: (loss: Perfect()))";
        let mut lab = lab_of(&format!("(groups: [{robots}])"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("It holds no packet");
        window.get_by_label("Sent none yet");
        do_steps(&mut lab.borrow_mut(), 60);
        window.run_steps(2);
        assert!(window.query_by_label("It holds no packet").is_none());
        // In the tree of the world and in the list.
        assert!(window.query_all_by_label("r-2").count() >= 1);
        window.get_by_label("Opinion estimate");
        let lab = lab.borrow();
        let agent = lab.run.host.simulation().agent(1).unwrap();
        let (_, _, inbox) = agent.radio().unwrap();
        assert_eq!(inbox.packets().len(), 2);
        let first = listed(&inbox.packets()[1].numbers);
        let first = first.split_whitespace().next().unwrap();
        assert!(window.get_all_by_label(first).count() >= 1, "{first}");
        window.get_by_label_contains(" ago, next in ");
    }
}
