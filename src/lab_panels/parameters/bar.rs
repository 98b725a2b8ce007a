//! The bar above the parameters: search, changed parameters, presets and randomisation.

use std::collections::HashSet;
use std::sync::Arc;

use bevy_egui::egui::containers::menu::{MenuButton, MenuConfig};
use bevy_egui::egui::{Align, Button, Key, Layout, PopupCloseBehavior, RichText, Slider, TextEdit, Ui};
use swarmarium_lab_state::action::{Action, ParameterAction, PresetAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::widgets::{named, select_all};
use swarmarium_lab_state::common::{focus, theme};

use crate::parameters::ParameterMatches;
use crate::parameters::cells::style;
use crate::parameters::find::Finder;

/// Default change of randomised numbers, as a fraction of their ranges.
const FAR: f64 = 0.25;

/// Minimum width of a menu entry, in points.
const MENU_PX: f32 = 220.0;

/// The bar above the parameters.
pub struct Bar {
    finder: Finder,
    /// The number of handled requests to focus the field.
    finds: u64,
    /// The typed name of a preset.
    name: String,
    /// Maximum change of randomised numbers, as a fraction of their ranges.
    part: f64,
    /// The opening of a scene to which the bar belongs.
    opening: u64,
}

impl Default for Bar {
    fn default() -> Self {
        Self { finder: Finder::default(), finds: 0, name: String::new(), part: FAR, opening: 0 }
    }
}

impl Bar {
    /// Returns the paths of the visible rows; `None` for all.
    pub fn shown(&self) -> Option<Arc<HashSet<String>>> {
        self.finder.shown()
    }

    /// Draws the bar and returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        if std::mem::replace(&mut self.opening, lab.run.openings) != lab.run.openings {
            (self.finder, self.name) = (Finder::default(), String::new());
        }
        let mut actions = Vec::new();
        ui.scope(|ui| {
            style(ui);
            self.field(ui, lab);
            ui.horizontal(|ui| self.buttons(ui, lab, &mut actions));
        });
        // Input takes effect in the rows below in the same frame.
        self.finder.find(lab);
        actions
    }

    fn field(&mut self, ui: &mut Ui, lab: &Lab) {
        let hint = CommandId::FindAParameter.command().tooltip(&lab.shell.keymap);
        let hint = format!("{hint}; words from path, description or kind; Esc shows all again");
        let count = self.finder.find(lab).count;
        let is_empty = self.finder.query.is_empty();
        let found = if is_empty { String::new() } else { format!("{} found", grouped(count as u64)) };
        let field = TextEdit::singleline(&mut self.finder.query)
            .hint_text("Find a parameter")
            .suffix(RichText::new(found).weak().size(theme::SMALL_PX))
            .desired_width(f32::INFINITY);
        let field = ui.add(field).on_hover_text(hint);
        named(&field, "Find a parameter");
        if std::mem::replace(&mut self.finds, lab.shell.finds) != lab.shell.finds {
            field.request_focus();
            select_all(ui.ctx(), field.id);
        }
        let is_left = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        let is_escaped = !is_empty && focus::takes_escape(ui.ctx());
        if is_left || is_escaped {
            self.finder.query.clear();
        }
    }

    fn buttons(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let found = self.finder.find(lab);
        let (changed, count) = (found.changed(), found.changes.len());
        // The width stays constant while the count changes.
        let text = theme::number(format!("Changed {:>3}", changed.min(999))).size(theme::SMALL_PX);
        let only = ui.add(Button::selectable(self.finder.only_changed, text));
        named(&only, "Only changed parameters");
        if only
            .on_hover_text(
                "Shows only parameters that differ from the scene as opened. The number counts all changes since then: \
                 parameters, and added, moved and removed parts; a drag is one change",
            )
            .clicked()
        {
            self.finder.only_changed ^= true;
        }
        let button = ui.add_enabled(count > 0, Button::new("Reset all"));
        let hint = "Resets all parameters to their values when the scene was opened";
        let no_parameter = match changed {
            0 => "No parameter was changed",
            _ => "Only parts were added, moved or removed: the panel Changes takes them back",
        };
        if button.on_hover_text(hint).on_disabled_hover_text(no_parameter).clicked() {
            actions.push(Action::Parameter(ParameterAction::PutAllBack));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let more = menu(ui, "More", |ui| self.more(ui, lab, actions));
            more.on_hover_text("Copies the changed parameters, or randomises numbers");
            let presets = menu(ui, "Presets", |ui| self.presets(ui, lab, actions));
            presets.on_hover_text("Saves the parameters of all groups under a name, and loads them again");
        });
    }

    fn presets(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let names = lab.files.presets.names();
        if names.is_empty() {
            ui.weak("No presets of this scene yet");
        }
        for name in names {
            ui.horizontal(|ui| {
                let load = ui.add_sized([MENU_PX - 70.0, 20.0], Button::new(name).truncate());
                if load.on_hover_text(format!("Loads the values of the preset {name}")).clicked() {
                    actions.push(Action::Parameter(ParameterAction::Preset(PresetAction::Load(name.clone()))));
                    ui.close();
                }
                let delete = ui.button("Delete").on_hover_text(format!("Deletes the file of the preset {name}"));
                named(&delete, &format!("Delete preset {name}"));
                if delete.clicked() {
                    actions.push(Action::Parameter(ParameterAction::Preset(PresetAction::Delete(name.clone()))));
                }
            });
        }
        ui.separator();
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.name).hint_text("Name").desired_width(MENU_PX - 80.0);
            let field = ui.add(field).on_hover_text("The name of a preset: letters, digits, spaces, - and _");
            named(&field, "Name of a preset");
            if ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let can_save = !self.name.trim().is_empty();
            let save = ui.add_enabled(can_save, Button::new("Save"));
            named(&save, "Save preset");
            let hint = "Saves all numbers and choices of the groups; a preset with the same name is replaced";
            let is_saved = save.on_hover_text(hint).on_disabled_hover_text("Enter a name first").clicked();
            if (is_saved || is_entered) && can_save {
                actions
                    .push(Action::Parameter(ParameterAction::Preset(PresetAction::Save(self.name.trim().to_owned()))));
                self.name.clear();
            }
        });
    }

    fn more(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let ParameterMatches { changes, numbers, .. } = self.finder.find(lab);
        let copy = ui.add_enabled(!changes.is_empty(), Button::new("Copy as --set options"));
        let hint = "Copies all changed parameters as command-line options, quoted for a POSIX shell";
        if copy.on_hover_text(hint).on_disabled_hover_text("No parameter was changed").clicked() {
            actions.push(Action::Window(WindowAction::Copy(self.finder.find(lab).options())));
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
            named(&slider, "Maximal change");
            let hint = "Maximal change of a number, in percent of its range; 100 % allows the whole range";
            slider.on_hover_text(hint);
            ui.weak("at most");
        });
        let text = format!("Randomise {} {}", grouped(count as u64), if count == 1 { "number" } else { "numbers" });
        let button = ui.add_enabled(count > 0, Button::new(text));
        let hint =
            "Randomises the numbers found, or without a search those of groups that take effect at once; can be undone";
        if button.on_hover_text(hint).on_disabled_hover_text("No number was found").clicked() {
            actions.push(Action::Parameter(ParameterAction::Randomise { paths, part: self.part }));
        }
    }
}

/// Draws a menu that stays open during typing.
fn menu(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) -> bevy_egui::egui::Response {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, _) = MenuButton::new(name).config(config).ui(ui, |ui| {
        ui.set_min_width(MENU_PX);
        theme::entries(ui, content);
    });
    response
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use bevy_egui::egui::{Event, Modifiers, OutputCommand, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_state::files::presets::Presets;
    use swarmarium_lab_testing::{click, lab_of, window};
    use swarmarium_scene::scene::path;
    use swarmarium_simulation::edit::Edit;

    use super::*;

    const SCENE: &str = "(name: \"Test\", groups: [
        (name: \"g\", count: 3, sensors: [BinaryFov(range_m: 2.0)], controller: Binary()),
        (name: \"h\", sensors: [BinaryFov(range_m: 2.0)], controller: Constant())])";
    const RANGE: &str = "groups.g.sensors.0.range_m";

    fn open() -> (Harness<'static>, std::rc::Rc<RefCell<Lab>>) {
        let (mut window, lab) = window(lab_of(SCENE));
        window.set_size(vec2(1280.0, 4800.0));
        window.run_steps(3);
        (window, lab)
    }

    fn search(window: &mut Harness, text: &str) {
        window.key_press_modifiers(Modifiers::COMMAND, Key::F);
        window.run_steps(3);
        window.event(Event::Text(text.into()));
        window.run_steps(3);
    }

    fn set(lab: &RefCell<Lab>, path: &str, value: &str) {
        lab.borrow_mut().run.host.apply(Edit::Set { path: path.into(), value: value.into() }).unwrap();
    }

    fn number(lab: &RefCell<Lab>, path: &str) -> f64 {
        let lab = lab.borrow();
        let value =
            path::get(lab.run.host.simulation().kinds(), lab.run.host.simulation().scene_ahead(), path).unwrap();
        swarmarium_core::text::values::number(value).unwrap()
    }

    fn has(window: &Harness, label: &str) -> bool {
        window.query_by_label(label).is_some()
    }

    #[test]
    fn parameter_search_filters_rows_until_escape() {
        let (mut window, lab) = open();
        lab.borrow_mut().select(Some(Item::Agent(0)));
        window.run_steps(3);
        assert!(!has(&window, "time.dt_s") && has(&window, "groups.g.count"));
        search(&mut window, "range_m");
        assert!(has(&window, RANGE) && has(&window, "groups.h.sensors.0.range_m"));
        assert!(!has(&window, "groups.g.count"));
        window.event(Event::Text(" groups.h".into()));
        window.run_steps(3);
        assert!(!has(&window, RANGE) && has(&window, "groups.h.sensors.0.range_m"));
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(has(&window, "groups.g.count"));
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(0)), "Esc did nothing else");
        search(&mut window, "dt_s simulated");
        assert!(has(&window, "time.dt_s"), "the search includes docs, and the section of the scene opens");
    }

    #[test]
    fn changed_parameters_are_marked_filtered_and_reverted() {
        let (mut window, lab) = open();
        set(&lab, RANGE, "3.5");
        window.run_steps(3);
        window.get_by_label(&format!("Reset {RANGE}"));
        click(&mut window, "Only changed parameters");
        assert!(has(&window, RANGE) && !has(&window, "groups.g.count"));
        click(&mut window, "Reset all");
        assert_eq!(number(&lab, RANGE), 2.0);
        assert!(!has(&window, RANGE), "nothing is left to show");
        assert!(window.get_by_label("Reset all").accesskit_node().is_disabled());
        click(&mut window, "Only changed parameters");
        assert!(has(&window, RANGE));
    }

    #[test]
    fn a_constant_is_one_change_and_a_saved_scene_has_none() {
        let place = tempfile::tempdir().unwrap();
        let (mut window, lab) = window(lab_of(
            "(constants: [(name: \"N\", value: 3)], groups: [(name: \"g\", count: N), (name: \"h\", count: N)])",
        ));
        lab.borrow_mut().edit(vec![Edit::Set { path: "N".into(), value: "4".into() }]);
        window.run_steps(3);
        let changes = |window: &Harness| window.get_by_label("Reset all").accesskit_node().is_disabled();
        let matches = ParameterMatches::of(&lab.borrow(), "", false);
        assert_eq!(matches.changes.len(), 1);
        assert!(!changes(&window));
        assert_eq!(matches.put_back(), [Edit::Set { path: "N".into(), value: "3".into() }]);
        lab.borrow_mut().save_scene(&place.path().join("a.ron"));
        window.run_steps(3);
        assert!(changes(&window), "nothing was changed since it was saved");
        assert!(lab.borrow().window_title().starts_with("a.ron — "));
    }

    #[test]
    fn changes_are_copied_for_a_shell() {
        let (mut window, lab) = open();
        set(&lab, RANGE, "3.5");
        set(&lab, "name", "it's");
        window.run_steps(3);
        click(&mut window, "More");
        window.get_by_label("Copy as --set options").click();
        let mut copied = None;
        for _ in 0..4 {
            window.step();
            copied = copied.or(window.output().platform_output.commands.iter().find_map(|command| match command {
                OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            }));
        }
        assert_eq!(copied.as_deref(), Some(r#"--set 'name="it\'\''s"' --set groups.g.sensors.0.range_m=3.5"#));
    }

    #[test]
    fn found_parameters_are_randomised_within_their_ranges() {
        let (mut window, lab) = open();
        search(&mut window, "groups.g.sensors.0.range_m");
        click(&mut window, "More");
        click(&mut window, "Randomise 1 number");
        let drawn = number(&lab, RANGE);
        assert!(drawn != 2.0 && (0.2..=8.0).contains(&drawn), "{drawn}");
        assert_eq!(number(&lab, "groups.h.sensors.0.range_m"), 2.0);
        click(&mut window, "Randomise 1 number");
        assert_ne!(number(&lab, RANGE), drawn, "another throw");
        assert_eq!(lab.borrow().shell.settings.throws, 2);
    }

    #[test]
    fn presets_are_saved_and_taken_from_the_menu() {
        let folder = tempfile::tempdir().unwrap();
        let (mut window, lab) = open();
        lab.borrow_mut().files.presets = Presets::in_folder(Some(folder.path().into()));
        lab.borrow_mut().files.presets.follow("Test");
        set(&lab, RANGE, "3.5");
        click(&mut window, "Presets");
        window.get_by_label("Name of a preset").focus();
        window.run_steps(2);
        window.event(Event::Text("far".into()));
        window.run_steps(2);
        click(&mut window, "Save preset");
        assert_eq!(lab.borrow().files.presets.names(), ["far"]);
        assert!(folder.path().join("Test/far.ron").exists());
        set(&lab, RANGE, "1.0");
        click(&mut window, "far");
        assert_eq!(number(&lab, RANGE), 3.5);
        click(&mut window, "Presets");
        click(&mut window, "Delete preset far");
        assert!(lab.borrow().files.presets.names().is_empty());
    }

    #[test]
    fn a_right_click_on_a_row_opens_its_menu() {
        let (mut window, lab) = open();
        let row = window.get_by_label(RANGE).rect();
        // The label, at the left of the row.
        let at = bevy_egui::egui::pos2(row.left() - 150.0, row.center().y);
        for is_pressed in [true, false] {
            window.event(Event::PointerMoved(at));
            let button = bevy_egui::egui::PointerButton::Secondary;
            window.event(Event::PointerButton { pos: at, button, pressed: is_pressed, modifiers: Modifiers::NONE });
            window.run_steps(2);
        }
        click(&mut window, "Pin to plots");
        assert_eq!(lab.borrow().plots.history.pins().collect::<Vec<_>>(), [RANGE]);
    }
}
