//! The palette: every action by its name.
//!
//! Commands come from the one table; scenes, groups and parameters from the lab. `path = value` changes a parameter.

use bevy_egui::egui::{self, Align2, Button, Key, Modifiers, RichText, ScrollArea, TextEdit, Ui};

use super::command::COMMANDS;
use super::selection::Item;
use super::{Action, Lab};
use crate::edit::Edit;
use crate::scene::{path, shipped};

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
}

/// Something that can be chosen.
pub struct Entry {
    /// Its name.
    pub title: String,
    /// What it does.
    hint: String,
    /// The keys that do the same.
    keys: String,
    /// What it asks for; without it, the title is typed for the user to go on.
    pub action: Option<Action>,
}

impl Entry {
    fn new(title: impl Into<String>, hint: impl Into<String>, action: Action) -> Self {
        Self { title: title.into(), hint: hint.into(), keys: String::new(), action: Some(action) }
    }
}

impl Palette {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let opens = !std::mem::replace(&mut self.is_open, lab.palette);
        if opens {
            (self.query, self.chosen) = (String::new(), 0);
        }
        let mut actions = Vec::new();
        let window = egui::Window::new("Find an action").anchor(Align2::CENTER_TOP, [0.0, 80.0]);
        window.resizable(false).collapsible(false).title_bar(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(520.0);
            self.moves(ui);
            let field = TextEdit::singleline(&mut self.query).hint_text("What to do, or path = value");
            let hint = "Words of an action's name, or a parameter's path = value; Enter does it";
            let field = ui.add(field.desired_width(f32::INFINITY)).on_hover_text(hint);
            field.widget_info(|| egui::WidgetInfo::text_edit(true, "", self.query.as_str(), "Find an action"));
            if opens {
                field.request_focus();
            }
            if field.changed() {
                self.chosen = 0;
            }
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            self.list(ui, lab, enter, &mut actions);
            if enter {
                field.request_focus();
            }
        });
        if !actions.is_empty() {
            // First, so that what was chosen may open it again.
            actions.insert(0, Action::Palette);
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
        let found = found(lab, &self.query);
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
    let found = found(lab, query);
    (found.len(), found.into_iter().filter_map(|entry| entry.action).collect())
}

/// What fits a query: a change of a parameter, or all entries that have all of its words.
fn found(lab: &Lab, query: &str) -> Vec<Entry> {
    if let Some((path, value)) = query.split_once('=') {
        let (path, value) = (path.trim(), value.trim());
        let edit = Edit::Set { path: path.into(), value: value.into() };
        return match lab.host.simulation().check(&edit) {
            Ok(()) => vec![Entry::new(format!("Set {path} to {value}"), "Changes the parameter", Action::Edit(edit))],
            Err(problem) => {
                vec![Entry { action: None, title: query.into(), hint: problem.to_string(), keys: problem.message }]
            }
        };
    }
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let fits = |entry: &Entry| {
        let title = entry.title.to_lowercase();
        words.iter().all(|word| title.contains(word))
    };
    let mut found = entries(lab);
    if !words.is_empty() {
        found.extend(parameters(lab));
    }
    found.retain(fits);
    found.truncate(MOST);
    found
}

/// Everything that can be done now, without the parameters.
pub fn entries(lab: &Lab) -> Vec<Entry> {
    let commands = COMMANDS.iter().filter_map(|command| {
        let entry = Entry::new(command.title, command.hint, (command.action)(lab)?);
        Some(Entry { keys: command.keys_text(), ..entry })
    });
    let scenes = shipped::all().map(|(name, _)| name.to_owned()).chain(lab.settings.recent.iter().cloned());
    let scenes = scenes.map(|name| Entry::new(format!("Open {name}"), "Opens this scene", Action::Open(name)));
    let scene = lab.host.scene();
    let select = |title: String, item| Entry::new(format!("Select {title}"), "Selects it", Action::Select(Some(item)));
    let groups = scene.groups.iter().enumerate().map(|(place, group)| select(group.name.clone(), Item::Group(place)));
    let agents = lab.host.simulation().agents().take(MOST);
    let agents = agents.map(|agent| select(agent.name(), Item::Agent(agent.id.index())));
    let seeds = [lab.host.start().seed.wrapping_add(1)];
    let seeds = seeds.map(|seed| {
        Entry::new(
            format!("Reset with seed {seed}"),
            "Starts the scene again with this seed",
            Action::ResetWithSeed(seed),
        )
    });
    let pins = lab
        .history
        .pins()
        .map(|path| Entry::new(format!("Unpin {path}"), "Takes the number out of the plots", Action::Pin(path.into())));
    let seed = "seed".to_owned();
    let more = [
        Entry::new("Pin the seed", "Plots the seed; pin other numbers from their rows", Action::Pin(seed.clone())),
        Entry::new("Copy the seed", "Puts the seed on the clipboard", Action::Copy(lab.host.start().seed.to_string())),
    ];
    commands.chain(scenes).chain(groups).chain(agents).chain(seeds).chain(pins).chain(more).collect()
}

/// The parameters: chosen, their path is typed for the value to follow.
fn parameters(lab: &Lab) -> impl Iterator<Item = Entry> {
    let simulation = lab.host.simulation();
    let leaves = path::leaves(simulation.kinds(), simulation.scene_ahead());
    let paths: Vec<String> = leaves.into_iter().take(10 * MOST).map(|leaf| leaf.path).collect();
    paths.into_iter().map(|path| Entry {
        title: format!("{path} = "),
        hint: "Types the path; type the value and press Enter".into(),
        keys: "parameter".into(),
        action: None,
    })
}
