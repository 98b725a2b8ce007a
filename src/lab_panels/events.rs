//! The panels Events and Console: contacts, arrivals and state changes of robots; texts and errors of scripts.

use std::collections::{HashMap, HashSet};

use bevy_egui::egui::{self, Align, Layout, RichText, ScrollArea, Sense, Ui};
use swarmarium_base::id::StableId;
use swarmarium_base::math;
use swarmarium_core::events::{Event, EventKind};
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_lab_state::action::{Action, ScriptAction, SelectionAction, TimelineAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::moments::{MomentKind, Occurrence};
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;

use crate::swatch;

/// The panel Events.
#[derive(Default)]
pub struct Events {
    /// Whether only events of the selected robot are shown.
    only_selected: bool,
    /// The lines and the facts on which they depend. There may be many thousands.
    lines: Option<(EventsKey, Vec<Place>)>,
}

/// The facts on which the lines of the panel Events depend.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EventsKey {
    /// The numbers of restarts, runs and branches.
    run: (u64, u64, BranchId),
    /// The number of events.
    events: u64,
    /// The number of changes of the moments.
    moments: u64,
    /// The present step, if there are later moments.
    step: Option<u64>,
    selected: Option<StableId>,
}

impl EventsKey {
    fn of(lab: &Lab, selected: Option<StableId>) -> Self {
        let (host, moments) = (&lab.run.host, lab.plots.history.moments());
        let step = host.simulation().steps();
        let is_later = |kind| moments.of_kind(kind).next_back().is_some_and(|last| last.step > step);
        Self {
            run: (lab.run.restarts, host.run_number(), host.moment().branch),
            events: host.simulation().events().count(),
            moments: moments.changes(),
            step: OBSERVED.into_iter().any(is_later).then_some(step),
            selected,
        }
    }
}

/// The kinds of moments that the panel Events lists.
const OBSERVED: [MomentKind; 2] = [MomentKind::Collision, MomentKind::Arrival];

/// The place of a line: in the log of events, or among the moments of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Event(usize),
    Moment(MomentKind, usize),
}

impl Place {
    fn line(self, lab: &Lab) -> Option<Line<'_>> {
        match self {
            Self::Event(place) => lab.run.host.simulation().events().iter().nth(place).map(Line::Event),
            Self::Moment(kind, place) => lab.plots.history.moments().of_kind(kind).nth(place).map(Line::Moment),
        }
    }
}

impl Events {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let selected = selected(lab, self.only_selected);
        let key = EventsKey::of(lab, selected);
        let known = self.lines.take().filter(|(known, _)| *known == key);
        let (_, chosen) = known.unwrap_or_else(|| (key, places(lab, selected)));
        self.bar(ui, lab, chosen.len(), &mut actions);
        if chosen.is_empty() {
            let text = match selected {
                None => "No events yet: collisions, arrivals and changes of state appear here",
                Some(_) => "No events of the selected robot",
            };
            ui.weak(text);
            self.lines = Some((key, chosen));
            return actions;
        }
        let height = ui.text_style_height(&egui::TextStyle::Body);
        let rows = ScrollArea::vertical().id_salt("events").stick_to_bottom(true).auto_shrink(false);
        rows.show_rows(ui, height, chosen.len(), |ui, range| {
            let shown = chosen[range].iter().filter_map(|place| place.line(lab));
            shown.for_each(|line| row(ui, lab, &line, "", &mut actions));
        });
        self.lines = Some((key, chosen));
        actions
    }

    fn bar(&mut self, ui: &mut Ui, lab: &Lab, count: usize, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            let hint = "Number of events shown. The latest 10,000 are kept; of contacts and of arrivals, the first and the \
                        latest 2,048. A contact that lasts is one event";
            ui.weak(grouped(count as u64)).on_hover_text(hint);
            only_selected(ui, &mut self.only_selected);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let copy = ui.small_button("Copy").on_hover_text("Copies all events as a table with one row per event");
                if copy.clicked() {
                    let all = places(lab, None).into_iter().filter_map(|place| place.line(lab)).collect::<Vec<_>>();
                    actions.push(Action::Window(WindowAction::Copy(table(lab, &all))));
                }
            });
        });
    }
}

/// The panel Console: texts that scripts print, and their errors.
#[derive(Default)]
pub struct Console {
    /// Whether only events of the selected robot are shown.
    only_selected: bool,
    /// Whether only errors are shown.
    only_errors: bool,
    /// The number of events before the view was cleared.
    cleared: u64,
    lines: Option<ConsoleLines>,
}

/// The lines of the console, valid until there are other events.
struct ConsoleLines {
    key: ConsoleKey,
    lines: Vec<ConsoleLine>,
}

/// The facts on which the lines depend: the numbers of restarts, events and hidden events, the selected robot, and whether
/// only errors are shown.
type ConsoleKey = (u64, u64, u64, Option<StableId>, bool);

/// A line: an event and the number of other robots with the same error.
#[derive(Clone, Copy, Debug)]
struct ConsoleLine {
    /// The place of the event in the log.
    place: usize,
    others: usize,
}

impl Console {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let events = lab.run.host.simulation().events();
        // In the past, and after a restart, there are fewer events.
        self.cleared = self.cleared.min(events.count());
        let selected = selected(lab, self.only_selected);
        let key = (lab.run.restarts, events.count(), self.cleared, selected, self.only_errors);
        let lines = match self.lines.take().filter(|lines| lines.key == key) {
            Some(lines) => lines,
            None => ConsoleLines { key, lines: self.lines(lab, selected) },
        };
        self.bar(ui, lab, &lines.lines, &mut actions);
        let all = &lines.lines;
        if all.is_empty() {
            ui.weak("Nothing yet: texts that scripts print and errors of scripts appear here");
        } else {
            let height = ui.text_style_height(&egui::TextStyle::Body);
            let rows = ScrollArea::vertical().id_salt("console").stick_to_bottom(true).auto_shrink(false);
            rows.show_rows(ui, height, all.len(), |ui, range| {
                for line in &all[range] {
                    let Some(event) = events.iter().nth(line.place) else { continue };
                    row(ui, lab, &Line::Event(event), &and_others(line.others), &mut actions);
                }
            });
        }
        self.lines = Some(lines);
        actions
    }

    /// Returns the lines; equal errors of several robots share the one of the first robot.
    fn lines(&self, lab: &Lab, selected: Option<StableId>) -> Vec<ConsoleLine> {
        let events = lab.run.host.simulation().events();
        let hidden = self.cleared.saturating_sub(events.count() - events.iter().len() as u64) as usize;
        let mut lines: Vec<ConsoleLine> = Vec::new();
        let mut errors: HashMap<&str, (usize, HashSet<StableId>)> = HashMap::new();
        for (place, event) in events.iter().enumerate().skip(hidden) {
            let is_shown = match event.kind {
                EventKind::Print => !self.only_errors,
                EventKind::Script => true,
                _ => false,
            };
            if !is_shown || selected.is_some_and(|id| event.who != id) {
                continue;
            }
            if event.kind == EventKind::Script {
                let (line, robots) = errors.entry(&*event.text).or_insert_with(|| (lines.len(), HashSet::new()));
                robots.insert(event.who);
                if let Some(line) = lines.get_mut(*line) {
                    line.others = robots.len() - 1;
                    continue;
                }
            }
            lines.push(ConsoleLine { place, others: 0 });
        }
        lines
    }

    fn bar(&mut self, ui: &mut Ui, lab: &Lab, lines: &[ConsoleLine], actions: &mut Vec<Action>) {
        let events = lab.run.host.simulation().events();
        ui.horizontal(|ui| {
            ui.weak(lines.len().to_string()).on_hover_text("Number of lines shown; the latest 10,000 events are kept");
            let errors = ui.selectable_label(self.only_errors, "Errors only");
            if errors.on_hover_text("Hides the texts that scripts print").clicked() {
                self.only_errors ^= true;
            }
            only_selected(ui, &mut self.only_selected);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let copy = ui.small_button("Copy").on_hover_text("Copies the lines as a table");
                if copy.clicked() {
                    let shown = lines.iter().filter_map(|line| events.iter().nth(line.place)).map(Line::Event);
                    actions.push(Action::Window(WindowAction::Copy(table(lab, &shown.collect::<Vec<_>>()))));
                }
                let clear =
                    ui.small_button("Clear view").on_hover_text("Hides the lines up to now; the events are kept");
                if clear.clicked() {
                    self.cleared = events.count();
                }
            });
        });
    }
}

/// Returns the selected robot, if only its events are shown.
fn selected(lab: &Lab, only_selected: bool) -> Option<StableId> {
    lab.view.selection.item.filter(|_| only_selected).and_then(Item::agent)
}

fn only_selected(ui: &mut Ui, is_on: &mut bool) {
    let only = ui.selectable_label(*is_on, "Only of the selected robot");
    if only.on_hover_text("Hides events of other robots while one is selected").clicked() {
        *is_on ^= true;
    }
}

/// A line of the panel Events.
#[derive(Clone, Copy)]
enum Line<'a> {
    /// An event of the log of the simulation.
    Event(&'a Event),
    /// A contact or an arrival, which the window has observed.
    Moment(&'a Occurrence),
}

impl Line<'_> {
    fn step(self) -> u64 {
        match self {
            Self::Event(event) => event.step,
            Self::Moment(moment) => moment.step,
        }
    }

    /// Returns the number of the robot.
    fn robot(self) -> u32 {
        match self {
            Self::Event(event) => event.who.index(),
            Self::Moment(moment) => moment.robot.unwrap_or_default(),
        }
    }

    /// Returns the text beside the name of the robot.
    fn text(self, lab: &Lab) -> String {
        let simulation = lab.run.host.simulation();
        match self {
            Self::Event(event) => event.text.to_string(),
            Self::Moment(moment) => {
                let steps = moment.last_step.min(simulation.steps()).saturating_sub(moment.step);
                let text = moment.text_of_robot(simulation);
                match steps {
                    0 => text,
                    steps => format!("{text} for {:.2} s", steps as f64 * simulation.time().dt_s),
                }
            }
        }
    }
}

/// Returns the events up to the present moment, or those of a robot, in order. Texts that scripts print are in the
/// console, and the window observes collisions in more detail than the log of the simulation.
fn places(lab: &Lab, of: Option<StableId>) -> Vec<Place> {
    let is_shown = |event: &Event| {
        !matches!(event.kind, EventKind::Print | EventKind::Collision) && of.is_none_or(|id| event.who == id)
    };
    let moments = lab.plots.history.moments();
    let now = lab.run.host.simulation().steps();
    let is_observed = |moment: &Occurrence| moment.step <= now && of.is_none_or(|id| moment.is_of(id.index()));
    let observed = OBSERVED.into_iter().flat_map(|kind| {
        let known = moments.of_kind(kind).enumerate().filter(|(_, moment)| is_observed(moment));
        known.map(move |(place, moment)| (moment.step, Place::Moment(kind, place)))
    });
    let events = lab.run.host.simulation().events().iter().enumerate().filter(|(_, event)| is_shown(event));
    let events = events.map(|(place, event)| (event.step, Place::Event(place)));
    let mut places: Vec<(u64, Place)> = observed.chain(events).collect();
    places.sort_by_key(|(step, _)| *step);
    places.into_iter().map(|(_, place)| place).collect()
}

/// Returns events as a tab-separated table.
fn table(lab: &Lab, lines: &[Line]) -> String {
    let simulation = lab.run.host.simulation();
    let dt_s = simulation.time().dt_s;
    let line = |line: &Line| {
        let (step, name) = (line.step(), selection::robot_name(simulation, line.robot()));
        format!("{step}\t{}\t{name}\t{}\n", math::decimal_product(step as f64 * dt_s), line.text(lab))
    };
    let head = "step\tt_s\tname\tevent\n".to_owned();
    head + &lines.iter().map(line).collect::<String>()
}

/// Returns the words for other robots with the same error.
fn and_others(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" and {} more", grouped(others as u64)) }
}

/// Draws an event, with the words after the name of its robot.
fn row(ui: &mut Ui, lab: &Lab, line: &Line, after_name: &str, actions: &mut Vec<Action>) {
    let simulation = lab.run.host.simulation();
    let (step, robot, text) = (line.step(), line.robot(), line.text(lab));
    let kind = match line {
        Line::Event(event) => event.kind,
        Line::Moment(_) => EventKind::Collision,
    };
    let agent = simulation.agent(robot);
    let at_s = step as f64 * simulation.time().dt_s;
    let color = agent.as_ref().and_then(|agent| swatch::of_agent(lab, agent));
    let name = selection::robot_name(simulation, robot);
    ui.horizontal(|ui| {
        let time = egui::Label::new(theme::number(format!("{at_s:9.2} s"))).sense(Sense::click());
        let time = ui.add(time).on_hover_text(format!("Step {}; a click goes there", grouped(step)));
        if time.clicked() {
            actions.push(Action::Timeline(TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() })));
        }
        swatch::ui(ui, lab, color);
        let is_selected = lab.view.selection.item == Some(Item::Agent(robot));
        let name = if is_selected { RichText::new(name).strong() } else { RichText::new(name) };
        let name = ui.add(egui::Label::new(name).sense(Sense::click())).on_hover_text("Selects this robot");
        if name.clicked() {
            actions.push(Action::Selection(SelectionAction::Select(Some(Item::Agent(robot)))));
        }
        if !after_name.is_empty() {
            ui.weak(after_name.trim_start()).on_hover_text("The number of other robots with this error");
        }
        let shown = match kind {
            EventKind::Script => {
                let color = theme::color(lab.shell.settings.theme, Role::Warning);
                RichText::new(format!("⚠ {text}")).color(color)
            }
            EventKind::Print => RichText::new(&text).monospace(),
            _ => RichText::new(&text),
        };
        let is_error = kind == EventKind::Script;
        let label = egui::Label::new(shown).truncate();
        let label = if is_error { label.sense(Sense::click()) } else { label };
        let hint = if is_error { "; a click opens the script at this line" } else { "" };
        let label = ui.add(label).on_hover_text(format!("{text}{hint}"));
        if is_error && label.clicked() {
            let place = text.split_once(": ").map_or(&*text, |(place, _)| place);
            actions.push(Action::Script(ScriptAction::Show(place.into())));
        }
    });
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_state::common::moments::MomentKind;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{do_steps, lab_of, window};

    const CRASH: &str = r#"(arena: (boundary: Walls), on_collision: Stop, time: (dt_s: 0.1), groups: [
        (name: "left", at: [(0.5, 2, 3.14159)], controller: Constant(v_m_per_s: 1.0)),
        (name: "right", at: [(9.2, 2, 0)], controller: Constant(v_m_per_s: 1.0)),
    ])"#;

    #[test]
    fn a_contact_that_lasts_is_one_event_in_every_mode_of_collisions() {
        for mode in ["Push", "Stop"] {
            let mut lab = lab_of(&CRASH.replace("Stop", mode));
            lab.shell.settings.layout.show(Pane::Events);
            do_steps(&mut lab, 20);
            let (mut window, lab) = window(lab);
            assert_eq!(window.query_all_by_label_contains("Ran into a wall for ").count(), 2, "{mode}");
            assert_eq!(lab.borrow().run.host.simulation().steps(), 20);
            let first = lab.borrow().plots.history.moments().steps(MomentKind::Collision)[0];
            let time = format!("{:9.2} s", first as f64 * 0.1);
            window.query_all_by_label(&time).next().unwrap().click();
            window.run_steps(2);
            assert_eq!(lab.borrow().timeline.playhead(&lab.borrow().run.host).step, first, "{mode}");
        }
    }

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
