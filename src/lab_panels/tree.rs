//! The panel World: a tree of the parts of the scene, which can be selected, added, copied and removed.

mod menu;

use std::collections::BTreeSet;
use std::ops::Range;

use bevy::reflect::ReflectRef;
use bevy_egui::egui::{
    Button, Rangef, Rect, Response, RichText, ScrollArea, Sense, TextWrapMode, Ui, Vec2, WidgetInfo, WidgetType,
};
use swarmarium_core::kind::{Family, Kind, Kinds, Slot};
use swarmarium_core::text::wording::{with_article, words};
use swarmarium_lab_state::action::{Action, PartAction, SelectionAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::{grouped, kind_label, member_word};
use swarmarium_lab_state::common::theme::{self, ROW_PX};
use swarmarium_lab_state::common::widgets::{named, plus};
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::{Scene, describe, path};
use swarmarium_simulation::simulation::Simulation;

use crate::{group_color, swatch};

/// Width of a button that adds something, in points.
const PLUS_PX: f32 = 18.0;

/// Indentation of an agent below its group, in points.
const INDENT_PX: f32 = 34.0;

/// The panel World.
#[derive(Default)]
pub struct Tree {
    /// The groups with visible agents, by name, so that they stay open after a reload.
    open: BTreeSet<String>,
    /// The selected item of the last frame.
    selected: Option<Item>,
    /// The visible part of the list in the last frame, in points.
    shown_px: Option<Rangef>,
    /// The name that the user is typing into a menu, with the path of its part.
    name: Option<(String, String)>,
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Row {
    /// The heading of a list, with the name of the list in the scene; empty for a list to which nothing is added here.
    Heading(&'static str, &'static str),
    /// An item.
    Item(Item),
    /// A part of the scene that cannot be selected by itself.
    Part(Part),
}

/// A part of the scene that cannot be selected by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// A value of a group that another one can replace, by the place of the group and the name of the field.
    Value(usize, &'static str),
    /// A sensor, by the place of its group and its slot.
    Sensor(usize, usize),
    /// A part that a group can lack, such as a radio.
    Optional(usize, &'static str),
    /// A scalar field.
    Field(usize),
    /// A control.
    Control(usize),
}

impl Part {
    /// Returns the path.
    pub(super) fn path(self) -> String {
        match self {
            Self::Value(group, field) | Self::Optional(group, field) => format!("groups.{group}.{field}"),
            Self::Sensor(group, slot) => format!("groups.{group}.sensors.{slot}"),
            Self::Field(place) => format!("fields.{place}"),
            Self::Control(place) => format!("controls.{place}"),
        }
    }

    /// Returns the group that the part belongs to.
    fn group(self) -> Option<usize> {
        match self {
            Self::Value(group, _) | Self::Optional(group, _) | Self::Sensor(group, _) => Some(group),
            Self::Field(_) | Self::Control(_) => None,
        }
    }
}

/// The texts of a row.
#[derive(Default)]
struct Text {
    name: String,
    /// A dim detail at the right.
    detail: String,
    hint: String,
}

/// The list of a frame. It is long, so texts are made for visible rows only.
///
/// It shows the scene after the waiting edits, in which the places of parts are those that edits use.
struct List<'a> {
    lab: &'a Lab,
    simulation: &'a Simulation,
    scene: &'a Scene,
    rows: Vec<Row>,
    /// The group of the running simulation that each group continues.
    running: Vec<Option<usize>>,
    /// The number of agents of each group.
    counts: Vec<usize>,
    metrics: Vec<String>,
}

impl Tree {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        self.list_ui(ui, &List::new(lab, &self.open), &mut actions);
        actions
    }

    fn list_ui(&mut self, ui: &mut Ui, list: &List, actions: &mut Vec<Action>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.spacing_mut().interact_size.y = ROW_PX;
        ui.spacing_mut().button_padding = Vec2::new(6.0, 2.0);
        theme::solid_scroll_bars(ui);
        let mut area = ScrollArea::vertical().id_salt("tree").auto_shrink(false);
        if let Some(offset) = self.offset_to_selected(list) {
            area = area.vertical_scroll_offset(offset);
        }
        let shown = area.show_rows(ui, ROW_PX, list.rows.len(), |ui, range: Range<usize>| {
            for row in &list.rows[range] {
                let size = Vec2::new(ui.available_width(), ROW_PX);
                ui.allocate_ui(size, |ui| ui.horizontal_centered(|ui| self.row_ui(ui, list, *row, actions)));
            }
        });
        let top_px = shown.state.offset.y;
        self.shown_px = Some(Rangef::new(top_px, top_px + shown.inner_rect.height()));
    }

    /// Returns the offset that makes a newly selected item visible; `None` if it is visible.
    fn offset_to_selected(&mut self, list: &List) -> Option<f32> {
        let selected = list.lab.view.selection.item;
        if std::mem::replace(&mut self.selected, selected) == selected {
            return None;
        }
        let place = list.rows.iter().position(|row| Some(*row) == selected.map(Row::Item))?;
        let (shown, top_px) = (self.shown_px?, place as f32 * ROW_PX);
        let is_seen = top_px >= shown.min && top_px + ROW_PX <= shown.max;
        (!is_seen).then(|| (top_px - (shown.span() - ROW_PX) / 2.0).max(0.0))
    }

    fn row_ui(&mut self, ui: &mut Ui, list: &List, row: Row, actions: &mut Vec<Action>) {
        match row {
            Row::Heading(name, adds_to) => heading_ui(ui, list.lab, (name, adds_to), actions),
            Row::Item(item) => self.item_ui(ui, list, item, actions),
            Row::Part(part) => Self::part_ui(ui, list, part, actions),
        }
    }

    fn item_ui(&mut self, ui: &mut Ui, list: &List, item: Item, actions: &mut Vec<Action>) {
        match item {
            Item::Group(place) => actions.extend(self.group_ui(ui, list, place)),
            Item::Agent(_) => drop(ui.allocate_space(Vec2::new(INDENT_PX, 1.0))),
            _ => {}
        }
        let Text { name, detail, hint } = list.text(item);
        let is_selected = list.lab.view.selection.items.contains(&item);
        // A group has a button that adds to it.
        let plus_px = if matches!(item, Item::Group(_)) { PLUS_PX } else { 0.0 };
        let button = entry_ui(ui, (&name, &detail), is_selected, plus_px);
        button.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_selected, &name));
        // A long name is cut in its row.
        let hint = if hint.contains(&name) { hint } else { format!("{name}\n{hint}") };
        let button = button.on_hover_text(format!("{hint}\nRight click: its menu"));
        if button.clicked() {
            actions.push(Action::Selection(SelectionAction::Select(Some(item))));
        }
        menu::of_item(&button, list.lab, item, &mut self.name, actions);
        if let Item::Group(place) = item {
            let rect = Rect::from_min_size(button.rect.right_top(), Vec2::new(PLUS_PX, ROW_PX));
            let label = format!("Add to {name}");
            let hint = "Adds a sensor, a radio or another part to this group, or replaces its controller";
            if plus(ui, rect, list.lab.shell.settings.theme, &label, hint) {
                actions.push(PartAction::Open(format!("groups.{place}")).into());
            }
        }
    }

    /// Draws a part that cannot be selected by itself: a click opens its menu.
    fn part_ui(ui: &mut Ui, list: &List, part: Part, actions: &mut Vec<Action>) {
        if part.group().is_some() {
            ui.allocate_space(Vec2::new(INDENT_PX, 1.0));
        }
        let Text { name, detail, hint } = list.text_of_part(part);
        let button = entry_ui(ui, (&name, &detail), false, 0.0);
        let label = format!("{name} at {}", part.path());
        button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, ui.is_enabled(), &label));
        let button = button.on_hover_text(format!("{hint}\nA click opens its menu").trim_start());
        menu::of_part(&button, list.lab, part, actions);
    }

    /// Draws the mark that opens a group, and the swatch of its colour. Returns the edit of a chosen colour.
    fn group_ui(&mut self, ui: &mut Ui, list: &List, place: usize) -> Option<Action> {
        let name = list.group_name(place);
        let is_open = self.open.contains(name);
        ui.spacing_mut().item_spacing.x = 4.0;
        let mark = ui.add(Button::new(if is_open { "⏷" } else { "⏵" }).frame(false));
        let does = if is_open { "Hide" } else { "Show" };
        mark.widget_info(|| {
            WidgetInfo::labeled(WidgetType::Button, ui.is_enabled(), format!("{does} robots of {name}"))
        });
        if mark.on_hover_text(format!("{does}s the robots of this group")).clicked() && !self.open.remove(name) {
            self.open.insert(name.into());
        }
        let role = swatch::of_group(list.lab, list.running[place].unwrap_or(place));
        let swatch = swatch::ui(ui, list.lab, role).interact(Sense::click());
        named(&swatch, &format!("Colour of {name}"));
        let chosen = group_color::ui(list.lab, place, &swatch);
        swatch.on_hover_text("Opens the colours that this group may have");
        chosen
    }
}

/// Draws the name and the detail of a row.
fn entry_ui(ui: &mut Ui, (name, detail): (&str, &str), is_selected: bool, right_px: f32) -> Response {
    ui.style_mut().wrap_mode = Some(TextWrapMode::Truncate);
    let detail = theme::detail(detail, is_selected).small();
    let button = Button::selectable(is_selected, name).right_text(detail);
    let size = Vec2::new((ui.available_width() - right_px).max(0.0), ROW_PX);
    // The button takes its width from the room.
    ui.scope(|ui| {
        ui.set_max_width(size.x);
        ui.add(button.min_size(size))
    })
    .inner
}

/// Draws the heading of a list, with a button that adds to the list.
fn heading_ui(ui: &mut Ui, lab: &Lab, (name, adds_to): (&str, &str), actions: &mut Vec<Action>) {
    ui.label(RichText::new(name).small().weak());
    if adds_to.is_empty() {
        return;
    }
    let right = ui.max_rect().right();
    let rect = Rect::from_x_y_ranges(right - PLUS_PX..=right, ui.max_rect().y_range());
    let rect = Rect::from_center_size(rect.center(), Vec2::new(PLUS_PX, ROW_PX));
    let one = with_article(&member_word(adds_to));
    let hint = format!("Adds {one}, from a catalogue");
    if plus(ui, rect, lab.shell.settings.theme, &format!("Add to the {}", name.to_lowercase()), &hint) {
        actions.push(PartAction::Open(adds_to.into()).into());
    }
}

impl<'a> List<'a> {
    pub fn new(lab: &'a Lab, open: &BTreeSet<String>) -> Self {
        let simulation = lab.run.host.simulation();
        let scene = simulation.scene_ahead();
        let running = |place| selection::running_group(simulation, place);
        let mut list = Self {
            lab,
            simulation,
            scene,
            rows: vec![Row::Item(Item::Scene)],
            running: (0..scene.groups.len()).map(running).collect(),
            counts: vec![0; scene.groups.len()],
            metrics: selection::metric_names(simulation),
        };
        list.push_groups(open);
        let spawns = |group: &Group| group.spawned() > 0;
        let spawners = (0..scene.groups.len()).filter(|place| spawns(&scene.groups[*place]));
        list.push("Spawners", "", spawners.map(Item::Spawner).map(Row::Item));
        let objects = (0..scene.objects.len()).filter(|place| !scene.is_gone(*place)).map(Item::Object);
        list.push("Objects", "objects", objects.map(Row::Item));
        let groups = (0..scene.object_groups.len()).map(Item::ObjectGroup);
        list.push("Object groups", "object_groups", groups.map(Row::Item));
        list.push("Fields", "fields", (0..scene.fields.len()).map(Part::Field).map(Row::Part));
        list.push("Metrics", "metrics", (0..scene.metrics.len()).map(Item::Metric).map(Row::Item));
        list.push("Scene controls", "controls", (0..scene.controls.len()).map(Part::Control).map(Row::Part));
        list
    }

    /// Adds a list with its heading. An empty list to which nothing can be added has none.
    fn push(&mut self, name: &'static str, adds_to: &'static str, rows: impl Iterator<Item = Row>) {
        let mut rows = rows.peekable();
        if !adds_to.is_empty() || rows.peek().is_some() {
            self.rows.push(Row::Heading(name, adds_to));
            self.rows.extend(rows);
        }
    }

    /// Adds the groups, and the agents of open groups.
    fn push_groups(&mut self, open: &BTreeSet<String>) {
        let groups = &self.scene.groups;
        let mut places = vec![None; self.simulation.scene().groups.len()];
        for (place, running) in
            self.running.iter().enumerate().filter_map(|(place, running)| Some((place, (*running)?)))
        {
            places[running] = Some(place);
        }
        let mut agents: Vec<Option<Vec<u32>>> =
            groups.iter().map(|group| open.contains(&group.name).then(Vec::new)).collect();
        for (number, member) in self.simulation.members() {
            let Some(Some(place)) = places.get(member.group as usize).copied() else { continue };
            self.counts[place] += 1;
            if let Some(agents) = &mut agents[place] {
                agents.push(number);
            }
        }
        let row_of = |number| Row::Item(Item::Agent(number));
        let rows = agents.into_iter().enumerate().flat_map(|(place, agents)| {
            let parts = if agents.is_some() { parts_of(place, &groups[place]) } else { Vec::new() };
            let agents = agents.unwrap_or_default().into_iter().map(row_of);
            std::iter::once(Row::Item(Item::Group(place))).chain(parts.into_iter().map(Row::Part)).chain(agents)
        });
        self.rows.push(Row::Heading("Groups", "groups"));
        self.rows.extend(rows);
    }

    fn group_name(&self, place: usize) -> &'a str {
        self.scene.groups.get(place).map_or("", |group| &group.name)
    }

    /// Returns the texts of a part.
    fn text_of_part(&self, part: Part) -> Text {
        let (kinds, scene) = (self.simulation.kinds(), self.scene);
        let path = part.path();
        let value = path::get(kinds, scene, &path).ok();
        let kind = value.and_then(|value| kinds.in_slot(value));
        let hint = kind.map(describe::about).unwrap_or_default();
        match part {
            Part::Value(_, field) => {
                let detail = words(if field == "motion" { "motion model" } else { field }).0.to_lowercase();
                Text { name: name_of(kind), detail, hint }
            }
            Part::Sensor(_, slot) => Text { name: name_of(kind), detail: format!("sensor {slot}"), hint },
            Part::Optional(_, field) => {
                let about = value.and_then(|value| match value.reflect_ref() {
                    ReflectRef::Enum(some) => some.field_at(0)?.get_represented_type_info(),
                    _ => None,
                });
                let hint = describe::trim(about.and_then(|info| info.docs()));
                Text { name: if field == "leds" { "LEDs".into() } else { words(field).0 }, detail: String::new(), hint }
            }
            Part::Field(place) => {
                let name = scene.fields.get(place).map_or("", |field| field.name.as_str());
                let hint = "A scalar field, which emitters add to and field sensors read".into();
                Text { name: name.into(), detail: "field".into(), hint }
            }
            Part::Control(place) => {
                let Some(control) = scene.controls.get(place) else { return Text::default() };
                let name = if control.label.is_empty() { &control.of } else { &control.label };
                Text { name: name.clone(), detail: String::new(), hint: format!("A control of {}", control.of) }
            }
        }
    }

    pub fn text(&self, item: Item) -> Text {
        let (simulation, scene) = (self.simulation, self.scene);
        let kinds = simulation.kinds();
        match item {
            Item::Scene => {
                let (size_m, dt_s) = (scene.arena.size_m, scene.time.dt_s);
                Text {
                    name: self.lab.run.title(),
                    detail: "arena, clock".into(),
                    hint: format!("Selects the arena, {} × {} m, and the clock, {dt_s} s a step", size_m.x, size_m.y),
                }
            }
            Item::Group(place) => {
                let count = grouped(self.counts.get(place).copied().unwrap_or_default() as u64);
                let name = self.group_name(place).to_owned();
                Text {
                    hint: format!("Selects the group {name} with the {count} robots that it has now"),
                    name,
                    detail: count,
                }
            }
            Item::Agent(number) => {
                let name = selection::robot_name(simulation, number);
                Text { hint: format!("Selects {name}, which is agents.{number} in paths"), name, detail: String::new() }
            }
            Item::Spawner(place) => {
                let kind = scene.groups.get(place).and_then(|group| kind_of(kinds, &group.spawn));
                let group = self.group_name(place);
                let detail = match self.running.get(place).copied().flatten() {
                    None => "at the next reset".into(),
                    Some(running) => match simulation.pending(running as u32) {
                        0 => "done".into(),
                        count => format!("{} pending", grouped(count.into())),
                    },
                };
                let text = of_kind(kind, None, detail, &format!("Selects the spawner of the group {group}"));
                Text { name: format!("{} of {group}", text.name), ..text }
            }
            Item::Object(place) => {
                let object = scene.objects.get(place);
                let kind = object.and_then(|object| kind_of(kinds, object));
                let text = of_kind(kind, Some(place), String::new(), "Selects this object");
                match object.map(|object| object.common().name.clone()).filter(|name| !name.is_empty()) {
                    Some(name) => Text { name, detail: text.name, ..text },
                    None => text,
                }
            }
            Item::ObjectGroup(place) => {
                let Some(group) = scene.object_groups.get(place) else { return Text::default() };
                let kind = name_of(kind_of(kinds, &group.spawn));
                let count = grouped(group.placed().into());
                let hint =
                    format!("Selects the group {} of {count} objects, which {kind} places at the start", group.name);
                Text { name: group.name.clone(), detail: count, hint }
            }
            Item::Metric(place) => {
                let kind = scene.metrics.get(place).and_then(|metric| kind_of(kinds, metric));
                let text = of_kind(kind, None, String::new(), "Selects this metric");
                Text { name: self.metrics.get(place).cloned().unwrap_or_default(), ..text }
            }
        }
    }
}

/// Returns the parts of a group that are listed above its robots.
fn parts_of(place: usize, group: &Group) -> Vec<Part> {
    let optional = [
        ("radio", group.radio.is_some()),
        ("gripper", group.gripper.is_some()),
        ("emitter", group.emitter.is_some()),
        ("leds", group.leds.is_some()),
    ];
    let values = ["controller", "motion"].map(|field| Part::Value(place, field));
    let sensors = (0..group.sensors.len()).map(|slot| Part::Sensor(place, slot));
    let optional = optional.into_iter().filter(|(_, is_present)| *is_present);
    values.into_iter().chain(sensors).chain(optional.map(|(field, _)| Part::Optional(place, field))).collect()
}

fn kind_of<'k, F: Family>(kinds: &'k Kinds, slot: &Slot<F>) -> Option<&'k Kind> {
    kinds.of_value(F::NAME, slot.value())
}

/// Returns the name of a kind in words.
fn name_of(kind: Option<&Kind>) -> String {
    kind.map_or_else(|| "Unknown".into(), |kind| kind_label(kind.name))
}

fn of_kind(kind: Option<&Kind>, place: Option<usize>, detail: String, does: &str) -> Text {
    let number = place.map(|place| format!(" {place}")).unwrap_or_default();
    let name = name_of(kind);
    let about = kind.map(describe::about).unwrap_or_default();
    Text { name: format!("{name}{number}"), detail, hint: format!("{does}\n{about}") }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::Role::Button as AccessButton;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};

    use super::*;

    fn click(window: &mut Harness, label: &str) {
        // Sections of the panel Parameters have the same names; they follow the tree.
        let first = window.get_all_by_role_and_label(AccessButton, label).next();
        first.unwrap_or_else(|| panic!("there is no {label}")).click();
        window.run_steps(3);
    }

    #[test]
    fn a_click_in_the_tree_selects() {
        let mut before = lab_on("obstacles");
        before.shell.settings.layout.close(Pane::Gallery);
        before.shell.settings.layout.close(Pane::Notes);
        let (mut window, lab) = window(before);
        let scene = lab.borrow().run.host.scene().clone();
        let group = scene.groups[0].name.clone();
        let metric = lab.borrow().run.host.simulation().metric_names()[0].clone();
        click(&mut window, &group);
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Group(0)));
        click(&mut window, &metric);
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Metric(0)));
        click(&mut window, "Disc 0");
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Object(0)));
        click(&mut window, "Obstacles");
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Scene));
        click(&mut window, &format!("Uniform box of {}", scene.groups[1].name));
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Spawner(1)));
    }

    #[test]
    fn removed_parts_leave_the_list_before_the_run_goes_on() {
        let rows = |lab: &Lab| List::new(lab, &BTreeSet::new()).rows;
        let name = |lab: &Lab, row| match row {
            Row::Part(part) => List::new(lab, &BTreeSet::new()).text_of_part(part).name,
            Row::Item(item) => List::new(lab, &BTreeSet::new()).text(item).name,
            Row::Heading(..) => String::new(),
        };
        let mut lab = lab_on("milling");
        lab.shell.settings.restart_on_change = false;
        do_steps(&mut lab, 5);
        let first = Row::Part(Part::Control(0));
        let second = name(&lab, Row::Part(Part::Control(1)));
        let before = rows(&lab).len();
        lab.do_part(PartAction::Remove(Part::Control(0).path()));
        assert!(lab.run.host.clock().paused);
        assert_eq!((rows(&lab).len(), name(&lab, first)), (before - 1, second));
        let first = Row::Item(Item::Metric(0));
        let second = name(&lab, Row::Item(Item::Metric(1)));
        lab.do_part(PartAction::Remove("metrics.0".into()));
        assert_eq!((rows(&lab).len(), name(&lab, first)), (before - 2, second));
    }

    #[test]
    fn groups_keep_their_robots_until_the_next_run() {
        let group = |name: &str, count| format!("(name: \"{name}\", count: {count}, controller: Constant())");
        let mut lab = lab_of(&format!("(groups: [{}, {}])", group("a", 2), group("b", 3)));
        lab.shell.settings.restart_on_change = false;
        do_steps(&mut lab, 1);
        lab.do_part(PartAction::Rename { path: "groups.1".into(), name: "c".into() });
        let list = List::new(&lab, &BTreeSet::new());
        assert_eq!((list.group_name(1), list.counts.clone()), ("c", vec![2, 3]));
        let mut lab = lab_of(&format!("(groups: [{}, {}])", group("a", 2), group("b", 3)));
        lab.shell.settings.restart_on_change = false;
        do_steps(&mut lab, 1);
        lab.do_part(PartAction::Remove("groups.0".into()));
        let list = List::new(&lab, &["b".to_owned()].into());
        let groups = list.rows.iter().filter(|row| matches!(row, Row::Item(Item::Group(_)))).count();
        assert_eq!((groups, list.group_name(0), list.counts.clone()), (1, "b", vec![3]));
        // Groups are always removed with a restart, which numbers robots anew.
        let robots = list.rows.iter().filter(|row| matches!(row, Row::Item(Item::Agent(_)))).count();
        assert!(robots == 3 && list.rows.contains(&Row::Item(Item::Agent(0))), "{robots}");
    }

    #[test]
    fn objects_are_listed_by_their_names_where_they_have_one() {
        let lab = lab_of("(objects: [Disc(), Disc(name: \"pillar\")])");
        let list = List::new(&lab, &BTreeSet::new());
        let text = |place| list.text(Item::Object(place));
        assert_eq!(text(0).name, "Disc 0");
        assert_eq!(text(0).detail, "");
        assert_eq!(text(1).name, "pillar");
        assert_eq!(text(1).detail, "Disc 1");
    }

    #[test]
    fn a_group_opens_to_its_agents() {
        let mut before = lab_on("milling");
        before.shell.settings.layout.close(Pane::Gallery);
        let (mut window, lab) = window(before);
        window.set_size(bevy_egui::egui::vec2(1280.0, 1400.0));
        window.run_steps(3);
        assert!(window.query_by_label("millers-3").is_none());
        click(&mut window, "Show robots of millers");
        click(&mut window, "millers-3");
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(3)));
        click(&mut window, "Hide robots of millers");
        assert!(window.query_by_role_and_label(AccessButton, "millers-3").is_none());
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(3)));
    }

    #[test]
    fn an_agent_that_is_selected_elsewhere_is_scrolled_to() {
        let scene = "Scene(groups: [(name: \"swarm\", count: 3000, controller: Constant())])";
        let (mut window, lab) = window(lab_of(scene));
        click(&mut window, "Show robots of swarm");
        for name in ["swarm-2345", "swarm-0", "swarm-2999"] {
            assert!(window.query_by_label("swarm-2345").is_none());
            let number: u32 = name.trim_start_matches("swarm-").parse().unwrap();
            lab.borrow_mut().select(Some(Item::Agent(number)));
            window.run_steps(3);
            window.get_by_role_and_label(AccessButton, name);
            lab.borrow_mut().select(Some(Item::Agent(1000)));
            window.run_steps(3);
        }
    }

    #[test]
    fn the_tree_shows_agents_yet_to_be_spawned() {
        let scene =
            "Scene(spawn_before_first_step: false, groups: [(name: \"swarm\", count: 3, controller: Constant())])";
        let lab = lab_of(scene);
        let detail = |lab: &Lab| List::new(lab, &BTreeSet::new()).text(Item::Spawner(0)).detail;
        assert_eq!(detail(&lab), "3 pending");
        let mut lab = lab;
        lab.run.host.clock_mut().step_once(1);
        lab.advance(0.0, || true);
        assert_eq!(detail(&lab), "done");
    }
}
