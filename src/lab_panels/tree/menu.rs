//! The context menus of the tree.

use bevy_egui::egui::{Key, Popup, PopupCloseBehavior, Response, TextEdit, Ui};
use swarmarium_lab_state::action::{Action, PanelAction, PartAction, SelectionAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_scene::scene::path;

use crate::tree::Part;

/// The entries of a menu, and the requested actions.
struct Entries<'a> {
    ui: &'a mut Ui,
    lab: &'a Lab,
    actions: &'a mut Vec<Action>,
}

impl Entries<'_> {
    /// Draws an entry.
    fn add(&mut self, name: &str, hint: &str, actions: impl IntoIterator<Item = Action>) {
        self.add_lazily(name, hint, || actions);
    }

    /// Draws an entry whose actions are made at a click, because there may be many.
    fn add_lazily<A: IntoIterator<Item = Action>>(&mut self, name: &str, hint: &str, actions: impl FnOnce() -> A) {
        if self.ui.button(name).on_hover_text(hint).clicked() {
            self.actions.extend(actions());
            self.ui.close();
        }
    }

    /// Draws an entry that opens the catalogue.
    fn choose(&mut self, name: &str, hint: &str, path: String) {
        self.add(name, hint, [PartAction::Open(path).into()]);
    }

    /// Draws the entry that copies a path.
    fn copy_path(&mut self, path: &str) {
        let hint = "Copies its path, for --set, the palette and scripts";
        self.add("Copy path", hint, [Action::Window(WindowAction::Copy(path.into()))]);
    }

    /// Draws the field that renames a part.
    fn rename(&mut self, path: &str, typed: &mut Option<(String, String)>) {
        let simulation = self.lab.run.host.simulation();
        let known = path::get(simulation.kinds(), simulation.scene_ahead(), &format!("{path}.name")).ok();
        let Some(known) = known.and_then(|name| name.downcast_ref::<String>()) else { return };
        let mut name = match typed {
            Some((of, name)) if of == path => name.clone(),
            _ => known.clone(),
        };
        self.ui.horizontal(|ui| {
            let label = ui.label("Name").on_hover_text("Name of this part, by which others refer to it");
            let field = ui.add(TextEdit::singleline(&mut name).desired_width(120.0)).labelled_by(label.id);
            named(&field, "Name of the part");
            if field.changed() {
                *typed = Some((path.into(), name.clone()));
            }
            let field = field.on_hover_text("Name of this part, by which others refer to it; Enter renames it");
            let is_discarded = ui.input(|input| input.key_pressed(Key::Escape));
            if field.lost_focus() && typed.take().is_some() && !is_discarded && name != *known && !name.is_empty() {
                self.actions.push(PartAction::Rename { path: path.into(), name }.into());
                ui.close();
            }
        });
    }
}

/// Draws the context menu of an item while it is open.
pub fn of_item(
    button: &Response,
    lab: &Lab,
    item: Item,
    typed: &mut Option<(String, String)>,
    actions: &mut Vec<Action>,
) {
    let popup = Popup::context_menu(button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| theme::entries(ui, |ui| item_entries(&mut Entries { ui, lab, actions }, item, typed)));
}

fn item_entries(entries: &mut Entries, item: Item, typed: &mut Option<(String, String)>) {
    let lab = entries.lab;
    let select = || Action::Selection(SelectionAction::Select(Some(item)));
    let shows = !lab.shell.shows_panel(Pane::Parameters);
    let show = shows.then(|| PanelAction::Toggle(Pane::Parameters).into());
    match item {
        Item::Scene => {
            entries.choose("Add a group…", "Opens the catalogue of new groups", "groups".into());
            entries.choose("Add an object…", "Opens the catalogue of objects", "objects".into());
            entries.choose("Add a metric…", "Opens the catalogue of metrics", "metrics".into());
        }
        Item::Group(place) => {
            let path = |part: &str| format!("groups.{place}.{part}");
            entries.choose("Add a sensor…", "Opens the catalogue of sensors", path("sensors"));
            entries.choose(
                "Add a part…",
                "Opens the catalogue of everything that a group can get",
                format!("groups.{place}"),
            );
            entries.choose("Replace the controller…", "Opens the catalogue of controllers", path("controller"));
            entries.ui.separator();
            entries.add_lazily("Select its robots", "Selects all robots of this group", || {
                let simulation = lab.run.host.simulation();
                let running = selection::running_group(simulation, place);
                let robots =
                    simulation.members().into_iter().filter(|(_, member)| Some(member.group as usize) == running);
                let robots = robots.map(|(number, _)| Item::Agent(number)).collect();
                [Action::Selection(SelectionAction::Choose(robots))]
            });
        }
        Item::Spawner(place) => {
            entries.choose("Replace the spawner…", "Opens the catalogue of spawners", format!("groups.{place}.spawn"));
        }
        Item::Object(_) => entries.choose("Add an object…", "Opens the catalogue of objects", "objects".into()),
        Item::ObjectGroup(_) => {
            entries.choose("Add an object group…", "Opens the catalogue of object groups", "object_groups".into());
        }
        Item::Metric(_) => entries.choose("Add a metric…", "Opens the catalogue of metrics", "metrics".into()),
        Item::Agent(_) => {}
    }
    let hint = "Selects it, and shows its parameters in the panel Parameters";
    entries.add("Show its parameters", hint, [select()].into_iter().chain(show));
    match (item, item.part_path()) {
        (Item::Agent(number), _) => {
            entries.add("Duplicate", "Adds a copy beside it", [select(), SelectionAction::Duplicate.into()]);
            entries.copy_path(&format!("agents.{number}"));
            entries.add("Remove", "Removes this robot", [select(), SelectionAction::RemoveSelected.into()]);
        }
        (Item::Spawner(place), _) => entries.copy_path(&format!("groups.{place}.spawn")),
        (_, Some(path)) => {
            let copy = match item {
                Item::Object(_) => vec![select(), SelectionAction::Duplicate.into()],
                _ => vec![PartAction::Duplicate(path.clone()).into()],
            };
            entries.add("Duplicate", "Adds a copy", copy);
            entries.rename(&path, typed);
            entries.copy_path(&path);
            entries.add("Remove", "Removes it; undo brings it back", [PartAction::Remove(path).into()]);
        }
        (_, None) => {}
    }
}

/// Draws the menu of a part that cannot be selected by itself while it is open.
pub(super) fn of_part(button: &Response, lab: &Lab, part: Part, actions: &mut Vec<Action>) {
    let content = |ui: &mut Ui, actions: &mut Vec<Action>| {
        theme::entries(ui, |ui| part_entries(&mut Entries { ui, lab, actions }, part));
    };
    // Both buttons of the mouse open it.
    Popup::menu(button).show(|ui| content(ui, actions));
    Popup::context_menu(button).id(button.id.with("secondary")).show(|ui| content(ui, actions));
}

fn part_entries(entries: &mut Entries, part: Part) {
    let path = part.path();
    match part {
        Part::Value(..) => entries.choose("Replace…", "Opens the catalogue of all kinds", path.clone()),
        Part::Sensor(group, _) => {
            entries.choose("Add a sensor…", "Opens the catalogue of sensors", format!("groups.{group}.sensors"));
        }
        Part::Optional(group, _) => {
            let hint = "Opens the catalogue of everything that a group can get";
            entries.choose("Add a part…", hint, format!("groups.{group}"));
        }
        Part::Field(_) => entries.choose("Add a field…", "Opens the catalogue of scalar fields", "fields".into()),
        Part::Control(_) => entries.choose("Add a control…", "Opens the list of parameters", "controls".into()),
    }
    if let Some(group) = part.group() {
        let select = Action::Selection(SelectionAction::Select(Some(Item::Group(group))));
        entries.add("Show its parameters", "Selects the group, and shows its parameters", [select]);
    }
    if matches!(part, Part::Sensor(..) | Part::Field(_)) {
        entries.add("Duplicate", "Adds a copy", [PartAction::Duplicate(path.clone()).into()]);
    }
    entries.copy_path(&path);
    if !matches!(part, Part::Value(..)) {
        entries.add("Remove", "Removes it; undo brings it back", [PartAction::Remove(path).into()]);
    }
}
