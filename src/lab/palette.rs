//! The palette: every action by its name.
//!
//! Commands come from the one table; scenes, groups and parameters from the lab. `path = value` changes a parameter.

use bevy_egui::egui::{self, Align2, Button, Key, Modifiers, RichText, ScrollArea, TextEdit, Ui};
use swarmarium_core::edit::Edit;
use swarmarium_core::scene::{path, shipped};
use swarmarium_formats::templates;

use super::action::{FileAction, FileRequest, PanelAction, PlotAction, SelectionAction, TimeAction, WindowAction};
use super::command::COMMANDS;
use super::parameters::{Marks, reason};
use super::selection::Item;
use super::{Action, Lab, inspector, presets};

/// The most entries that are listed.
const MOST: usize = 60;

/// The palette.
#[derive(Default)]
pub struct Palette {
    query: String,
    /// The place of the chosen one among those that are listed.
    chosen: usize,
    /// Whether it was drawn in the last frame.
    is_open: bool,
    many: Many,
}

/// What a query finds among agents and parameters: there may be too many to look through all of them in each frame.
#[derive(Default)]
struct Many {
    /// What was looked through, and for what.
    state: Option<(String, Marks, usize)>,
    found: Vec<PaletteEntry>,
}

/// Something that can be chosen.
#[derive(Clone)]
pub struct PaletteEntry {
    /// Its name.
    pub title: String,
    /// What it does.
    hint: String,
    /// The keys that do the same.
    keys: String,
    /// What it asks for; without it, the title is typed for the user to go on.
    pub action: Option<Action>,
}

impl PaletteEntry {
    fn new(title: impl Into<String>, hint: impl Into<String>, action: Action) -> Self {
        Self { title: title.into(), hint: hint.into(), keys: String::new(), action: Some(action) }
    }
}

impl Palette {
    /// Draws it while it is open; what was asked for.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        if !lab.popups.palette {
            *self = Self::default();
            return Vec::new();
        }
        let opens = !std::mem::replace(&mut self.is_open, true);
        let mut actions = Vec::new();
        let window = egui::Window::new("Find an action").anchor(Align2::CENTER_TOP, [0.0, 80.0]);
        window.resizable(false).collapsible(false).title_bar(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(520.0);
            self.moves(ui);
            let field = TextEdit::singleline(&mut self.query).hint_text("What to do, or path = value");
            let hint = "Words of an action's name, or a parameter's path = value; Enter does it";
            let field = ui.add(field.desired_width(f32::INFINITY)).on_hover_text(hint);
            field.widget_info(|| {
                let info = egui::WidgetInfo::text_edit(true, &self.query, &self.query, "");
                egui::WidgetInfo { label: Some("What to do".into()), ..info }
            });
            if field.changed() {
                self.chosen = 0;
            }
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            // Letters must not become keys of the world while it is open.
            if opens || ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            self.list(ui, lab, enter, &mut actions);
        });
        if !actions.is_empty() {
            // First, so that what was chosen may open it again.
            actions.insert(0, Action::Panel(PanelAction::Palette));
        }
        actions
    }

    /// Arrows move the choice, before the text field takes them.
    fn moves(&mut self, ui: &Ui) {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::ArrowDown) {
            self.chosen += 1;
        }
        if pressed(Key::ArrowUp) {
            self.chosen = self.chosen.saturating_sub(1);
        }
    }

    fn list(&mut self, ui: &mut Ui, lab: &Lab, enter: bool, actions: &mut Vec<Action>) {
        let found = found(lab, &self.query, &mut self.many);
        self.chosen = self.chosen.min(found.len().saturating_sub(1));
        if found.is_empty() {
            ui.weak("No action has these words");
        }
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for (place, entry) in found.into_iter().enumerate() {
                let text = RichText::new(&entry.title);
                let button =
                    Button::selectable(place == self.chosen, text).right_text(RichText::new(&entry.keys).weak());
                let row = ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(&entry.hint);
                if place == self.chosen
                    && ui.input(|input| input.key_pressed(Key::ArrowDown) || input.key_pressed(Key::ArrowUp))
                {
                    row.scroll_to_me(None);
                }
                if row.clicked() || (enter && place == self.chosen) {
                    match entry.action {
                        Some(action) => actions.push(action),
                        None => self.query = entry.title,
                    }
                }
            }
        });
    }
}

/// What a query finds, and what it asks for.
#[cfg(test)]
pub fn typed(lab: &Lab, query: &str) -> (usize, Vec<Action>) {
    let found = found(lab, query, &mut Many::default());
    (found.len(), found.into_iter().filter_map(|entry| entry.action).collect())
}

/// What fits a query: a change of a parameter, or all entries that have all of its words.
fn found(lab: &Lab, query: &str, many: &mut Many) -> Vec<PaletteEntry> {
    if let Some((path, value)) = query.split_once('=') {
        let (path, value) = (path.trim(), value.trim());
        let edit = Edit::Set { path: path.into(), value: value.into() };
        return match lab.host.simulation().check(&edit) {
            Ok(()) => {
                vec![PaletteEntry::new(format!("Set {path} to {value}"), "Changes the parameter", Action::Edit(edit))]
            }
            Err(problem) => {
                let keys = reason(&problem, value);
                vec![PaletteEntry { action: None, title: query.into(), hint: problem.to_string(), keys }]
            }
        };
    }
    let words = words(query);
    let few = entries(lab).filter(|entry| entry.has(&words)).take(MOST);
    let mut found: Vec<PaletteEntry> = few.collect();
    if found.len() < MOST && !words.is_empty() {
        found.extend(many.find(lab, query).iter().take(MOST - found.len()).cloned());
    }
    found
}

fn words(query: &str) -> Vec<String> {
    query.split_whitespace().map(str::to_lowercase).collect()
}

impl PaletteEntry {
    fn has(&self, words: &[String]) -> bool {
        let title = self.title.to_lowercase();
        words.iter().all(|word| title.contains(word))
    }
}

impl Many {
    fn find(&mut self, lab: &Lab, query: &str) -> &[PaletteEntry] {
        let state = (query.to_owned(), Marks::of(lab), lab.host.simulation().count());
        if self.state.as_ref() != Some(&state) {
            let words = words(query);
            let all = agents(lab).chain(parameters(lab));
            self.found = all.filter(|entry| entry.has(&words)).take(MOST).collect();
            self.state = Some(state);
        }
        &self.found
    }
}

/// Everything that can be done now, without agents and parameters.
pub fn entries(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    let commands = COMMANDS.iter().filter_map(|command| {
        let entry = PaletteEntry::new(command.title, command.hint, (command.action)(lab)?);
        Some(PaletteEntry { keys: command.keys_text(&lab.keymap), ..entry })
    });
    let scenes = shipped::all().map(|(name, _)| name.to_owned()).chain(lab.settings.recent.iter().cloned());
    let scenes = scenes.map(|name| {
        PaletteEntry::new(format!("Open {name}"), "Opens this scene", Action::File(FileAction::Open(name)))
    });
    let templates = templates::ALL.iter().map(|(name, title, hint)| {
        PaletteEntry::new(
            format!("New scene: {}", title.to_lowercase()),
            *hint,
            Action::File(FileAction::New((*name).into())),
        )
    });
    let unsaved = lab.autosave.found.iter().flat_map(|found| {
        let (title, path) = (&found.title, &found.path);
        [
            PaletteEntry::new(
                format!("Recover {title}"),
                "Opens it as it was left",
                Action::File(FileAction::Recover(path.clone())),
            ),
            PaletteEntry::new(
                format!("Discard {title}"),
                "Discards the unsaved changes",
                Action::File(FileAction::Discard(path.clone())),
            ),
        ]
    });
    let scene = lab.host.scene();
    let groups = scene.groups.iter().enumerate().map(|(place, group)| select(&group.name, Item::Group(place)));
    let controllers = scene.groups.iter().enumerate().flat_map(|(place, group)| {
        let name = &group.name;
        let (save, load) = (FileRequest::SaveController(place), FileRequest::LoadController(place));
        [
            PaletteEntry::new(
                format!("Save the controller of {name}"),
                "Saves it with all its parameters",
                Action::File(FileAction::Ask(save)),
            ),
            PaletteEntry::new(
                format!("Load a controller for {name}"),
                "Takes one that was saved",
                Action::File(FileAction::Ask(load)),
            ),
        ]
    });
    let seeds = [lab.host.start().seed.wrapping_add(1)];
    let seeds = seeds.map(|seed| {
        PaletteEntry::new(
            format!("Reset with seed {seed}"),
            "Starts the scene again with this seed",
            Action::Time(TimeAction::ResetWithSeed(seed)),
        )
    });
    let pins = lab.plots.history.pins().map(|path| {
        PaletteEntry::new(
            format!("Unpin {path}"),
            "Takes the number out of the plots",
            Action::Plot(PlotAction::Pin(path.into())),
        )
    });
    let seed = "seed".to_owned();
    let more = [
        PaletteEntry::new(
            "Pin the seed",
            "Plots the seed; pin other numbers from their rows",
            Action::Plot(PlotAction::Pin(seed.clone())),
        ),
        PaletteEntry::new(
            "Copy the seed",
            "Puts the seed on the clipboard",
            Action::Window(WindowAction::Copy(lab.host.start().seed.to_string())),
        ),
    ];
    let presets = presets::actions(lab).map(|(title, hint, action)| PaletteEntry::new(title, hint, action));
    let repair = inspector::repairs(lab);
    let repair = PaletteEntry::new("Repair the selected robots", "Repairs all selected robots", repair);
    commands
        .chain(presets)
        .chain([repair])
        .chain(templates)
        .chain(unsaved)
        .chain(scenes)
        .chain(groups)
        .chain(controllers)
        .chain(seeds)
        .chain(pins)
        .chain(more)
}

fn select(title: &str, item: Item) -> PaletteEntry {
    PaletteEntry::new(format!("Select {title}"), "Selects it", Action::Selection(SelectionAction::Select(Some(item))))
}

fn agents(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    lab.host.simulation().agents().map(|agent| select(&agent.name(), Item::Agent(agent.id.index())))
}

/// The parameters: chosen, their path is typed for the value to follow.
fn parameters(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    let simulation = lab.host.simulation();
    path::leaves(simulation.kinds(), simulation.scene_ahead()).into_iter().map(|leaf| PaletteEntry {
        title: format!("{} = ", leaf.path),
        hint: "Types the path; type the value and press Enter".into(),
        keys: "parameter".into(),
        action: None,
    })
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Event;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::testing::{lab_of, lab_on, window};
    use super::*;

    fn press(window: &mut Harness, modifiers: Modifiers, key: Key) {
        window.key_press_modifiers(modifiers, key);
        window.run_steps(6);
    }

    /// Types a letter as a keyboard does: a key and a text.
    fn letter(window: &mut Harness, key: Key) {
        window.key_press(key);
        window.event(Event::Text(key.name().to_lowercase()));
        window.run_steps(6);
    }

    fn query(window: &Harness) -> Option<String> {
        window.query_by_label("What to do").map(|field| field.value().unwrap_or_default())
    }

    #[test]
    fn it_takes_letters_each_time_that_it_opens() {
        let (mut window, lab) = window(lab_on("milling"));
        let open = |window: &mut Harness| {
            press(window, Modifiers::COMMAND, Key::P);
            assert_eq!(query(window).as_deref(), Some(""));
            letter(window, Key::R);
            assert_eq!(query(window).as_deref(), Some("r"));
        };
        open(&mut window);
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert_eq!(query(&window), None);
        open(&mut window);
        press(&mut window, Modifiers::COMMAND, Key::P);
        assert_eq!(query(&window), None);
        open(&mut window);
        window.event(Event::Text("eal time".into()));
        window.run_steps(3);
        press(&mut window, Modifiers::NONE, Key::Enter);
        assert_eq!(query(&window), None, "an action closes it");
        open(&mut window);
        // A click elsewhere takes no letters from it.
        let middle = lab.borrow().viewport.rect_px.center_bottom() - egui::vec2(0.0, 10.0);
        window.drag_at(middle);
        window.run_steps(1);
        window.drop_at(middle);
        window.run_steps(3);
        letter(&mut window, Key::R);
        assert_eq!(query(&window).as_deref(), Some("rr"));
        press(&mut window, Modifiers::NONE, Key::F10);
        letter(&mut window, Key::R);
        assert_eq!(query(&window).as_deref(), Some("rrr"));
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert_eq!(lab.borrow().restarts, 0);
        letter(&mut window, Key::R);
        assert_eq!(lab.borrow().restarts, 1, "letters are keys again");
    }

    #[test]
    fn it_finds_every_agent_and_parameter() {
        let group = |name: &str| format!("(name: \"{name}\", count: 100, controller: Constant())");
        let lab = lab_of(&format!("(groups: [{}])", ["a", "b", "c"].map(group).join(", ")));
        assert_eq!(typed(&lab, "SELECT c-75").1, [Action::Selection(SelectionAction::Select(Some(Item::Agent(275))))]);
        assert_eq!(typed(&lab, "groups.c. v_m").0, 1);
        assert_eq!(typed(&lab, "select").0, MOST);
        assert_eq!(typed(&lab, "no such thing").0, 0);
    }

    #[test]
    fn what_was_found_follows_changes() {
        let mut lab = lab_of("(groups: [(name: \"a\", controller: Constant())])");
        let mut many = Many::default();
        let query = "a.controller.clear";
        assert_eq!(found(&lab, query, &mut many).len(), 0);
        let set = |value: &str| Edit::Set { path: "groups.a.controller".into(), value: value.into() };
        lab.host.apply(set("Binary()")).unwrap();
        assert_eq!(found(&lab, query, &mut many).len(), 2);
        lab.host.apply(set("Constant()")).unwrap();
        assert_eq!(found(&lab, query, &mut many).len(), 0);
    }
}
