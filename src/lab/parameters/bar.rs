//! The bar above the parameters: what is looked for, what was changed, presets and chance.

use std::collections::HashSet;

use bevy_egui::egui::containers::menu::{MenuButton, MenuConfig};
use bevy_egui::egui::{Align, Button, Key, Layout, PopupCloseBehavior, RichText, Slider, TextEdit, Ui};

use super::find::{Finder, Found};
use super::row::{named, select_all, style};
use crate::lab::presets::Preset;
use crate::lab::status::grouped;
use crate::lab::{Action, Lab, command, keys, theme};

/// How far numbers go that are randomised, at first.
const FAR: f64 = 0.25;
/// The narrowest that an entry of a menu is, in points.
const MENU_PX: f32 = 220.0;

/// The bar above the parameters.
pub struct Bar {
    finder: Finder,
    /// How often the field was asked for when it was last looked at.
    finds: u64,
    /// The name of a preset that is typed.
    name: String,
    /// How far numbers go that are randomised, as a part of their ranges.
    part: f64,
    /// What is shown of the parameters; `None` for all.
    shown: Option<HashSet<String>>,
    /// Which opening of a scene it belongs to.
    opening: u64,
}

impl Default for Bar {
    fn default() -> Self {
        Self { finder: Finder::default(), finds: 0, name: String::new(), part: FAR, shown: None, opening: 0 }
    }
}

impl Bar {
    /// The paths of the rows that are shown; `None` for all.
    pub fn shown(&self) -> Option<&HashSet<String>> {
        self.shown.as_ref()
    }

    /// Draws it; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        if std::mem::replace(&mut self.opening, lab.openings) != lab.openings {
            (self.finder, self.name) = (Finder::default(), String::new());
        }
        let mut actions = Vec::new();
        ui.scope(|ui| {
            style(ui);
            self.field(ui, lab);
            ui.horizontal(|ui| self.buttons(ui, lab, &mut actions));
        });
        self.shown.clone_from(&self.finder.find(lab).shown);
        actions
    }

    fn field(&mut self, ui: &mut Ui, lab: &Lab) {
        let hint = command::by_title("Find a parameter").map(command::Command::tooltip).unwrap_or_default();
        let hint = format!("{hint}; words of its path, of what it is or of its kind; Esc shows all again");
        let count = self.finder.find(lab).count;
        let is_empty = self.finder.query.is_empty();
        let found = if is_empty { String::new() } else { format!("{} found", grouped(count as u64)) };
        let field = TextEdit::singleline(&mut self.finder.query)
            .hint_text("Find a parameter")
            .suffix(RichText::new(found).weak().size(11.0))
            .desired_width(f32::INFINITY);
        let field = ui.add(field).on_hover_text(hint);
        named(&field, "Find a parameter");
        if std::mem::replace(&mut self.finds, lab.finds) != lab.finds {
            field.request_focus();
            select_all(ui.ctx(), field.id);
        }
        let is_left = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        let is_escaped = !is_empty && keys::takes_escape(ui.ctx());
        if is_left || is_escaped {
            self.finder.query.clear();
        }
    }

    fn buttons(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let found = self.finder.find(lab);
        let count = found.changes.len();
        // The width stays what it is while values come and go.
        let text = theme::number(format!("Changed {:>3}", count.min(999))).size(11.0);
        let only = ui.add(Button::selectable(self.finder.only_changed, text));
        named(&only, "Only what was changed");
        if only
            .on_hover_text("Shows only what is not as in the scene as it was opened; the number says how many")
            .clicked()
        {
            self.finder.only_changed ^= true;
        }
        let button = ui.add_enabled(count > 0, Button::new("Put all back"));
        let hint = "Gives all parameters the values that they had when the scene was opened";
        if button.on_hover_text(hint).on_disabled_hover_text("All is as it was when the scene was opened").clicked() {
            actions.push(Action::PutAllBack);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let more = menu(ui, "More", |ui| self.more(ui, lab, actions));
            more.on_hover_text("Copies what was changed, or draws numbers at random");
            let presets = menu(ui, "Presets", |ui| self.presets(ui, lab, actions));
            presets.on_hover_text("Saves the parameters of all groups under a name, and takes them from there again");
        });
    }

    fn presets(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let names = lab.presets.names();
        if names.is_empty() {
            ui.weak("No presets of this scene yet");
        }
        for name in names {
            ui.horizontal(|ui| {
                let load = ui.add_sized([MENU_PX - 70.0, 20.0], Button::new(name).truncate());
                if load.on_hover_text(format!("Gives the parameters the values of {name}")).clicked() {
                    actions.push(Action::Preset(Preset::Load(name.clone())));
                    ui.close();
                }
                let delete = ui.button("Delete").on_hover_text(format!("Deletes the preset {name} from the disk"));
                named(&delete, &format!("Delete preset {name}"));
                if delete.clicked() {
                    actions.push(Action::Preset(Preset::Delete(name.clone())));
                }
            });
        }
        ui.separator();
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.name).hint_text("Name").desired_width(MENU_PX - 80.0);
            let field = ui.add(field).on_hover_text("The name of a preset: letters, digits, spaces, - and _");
            named(&field, "Name of a preset");
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let can_save = !self.name.trim().is_empty();
            let save = ui.add_enabled(can_save, Button::new("Save"));
            named(&save, "Save preset");
            let hint = "Saves all numbers and choices of the groups; a preset of that name is replaced";
            let is_saved = save.on_hover_text(hint).on_disabled_hover_text("It needs a name").clicked();
            if (is_saved || is_entered) && can_save {
                actions.push(Action::Preset(Preset::Save(self.name.trim().to_owned())));
                self.name.clear();
            }
        });
    }

    fn more(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let Found { changes, numbers, .. } = self.finder.find(lab);
        let copy = ui.add_enabled(!changes.is_empty(), Button::new("Copy as --set options"));
        let hint = "Copies all that was changed as options of the command line, quoted for a POSIX shell";
        if copy.on_hover_text(hint).on_disabled_hover_text("Nothing was changed").clicked() {
            actions.push(Action::Copy(self.finder.find(lab).options()));
            ui.close();
            return;
        }
        ui.separator();
        let count = numbers.len();
        let paths = numbers.clone();
        ui.horizontal(|ui| {
            let slider = Slider::new(&mut self.part, 0.1..=1.0)
                .custom_formatter(|part, _| format!("{:>3.0} %", 100.0 * part))
                .custom_parser(|text| {
                    text.trim_end_matches(['%', ' ']).parse().ok().map(|percent: f64| percent / 100.0)
                });
            let slider = ui.add(slider);
            named(&slider, "How far");
            let hint = "How far from what it is a number may go, in percent of its range; 100 % is anywhere in it";
            slider.on_hover_text(hint);
            ui.weak("far");
        });
        let text = format!("Randomise {} {}", grouped(count as u64), if count == 1 { "number" } else { "numbers" });
        let button = ui.add_enabled(count > 0, Button::new(text));
        let hint =
            "Draws anew the numbers that were found, or all of the groups that take effect at once; can be undone";
        if button.on_hover_text(hint).on_disabled_hover_text("No number was found").clicked() {
            actions.push(Action::Randomise { paths, part: self.part });
        }
    }
}

/// A menu that stays open while something is typed into it.
fn menu(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) -> bevy_egui::egui::Response {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, _) = MenuButton::new(name).config(config).ui(ui, |ui| {
        ui.set_min_width(MENU_PX);
        content(ui);
    });
    response
}
