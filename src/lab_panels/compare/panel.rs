//! The panel for choosing the parameters whose values differ in B.

use bevy_egui::egui::{self, Align2, Grid, Key, RichText, TextEdit, Ui, WidgetInfo};
use swarmarium_lab_state::action::{Action, Changed, CompareAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::select_all;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::{constants, path};
use swarmarium_simulation::edit::Edit;

use crate::parameters::reason;
use crate::sheet::{self, Sheet};

/// Maximum number of search results.
const MOST: usize = 8;

/// Width of the panel in points.
const WIDTH_PX: f32 = 420.0;

/// The panel.
#[derive(Default)]
pub struct Chooser {
    query: String,
    found: ParameterSearch,
    /// Whether it was open in the last frame.
    was_open: bool,
    /// Whether a parameter was just added; its value field then gets the focus.
    is_taken: bool,
}

/// The results of a query. They are cached, since a scene can have too many parameters to search in each frame.
#[derive(Default)]
struct ParameterSearch {
    of: Option<(String, u64, u64)>,
    found: Vec<Found>,
}

/// A parameter that matches a query.
struct Found {
    path: String,
    /// The label of the control for it, if there is one.
    label: Option<String>,
}

impl ParameterSearch {
    fn find(&mut self, lab: &Lab, query: &str) -> &[Found] {
        let simulation = lab.run.host.simulation();
        let of = (query.to_lowercase(), lab.run.restarts, simulation.sets());
        if self.of.as_ref() != Some(&of) {
            let words: Vec<&str> = of.0.split_whitespace().collect();
            let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
            // Controls come first, by their labels.
            let controls = scene.controls.iter().filter_map(|control| {
                let path = control.leaf(kinds, scene).ok()?.path;
                Some(Found { path, label: Some(control.label.clone()) })
            });
            let controls: Vec<Found> = controls.collect();
            let is_control = |path: &str| controls.iter().any(|control| control.path == path);
            // The value of a constant is the parameter.
            let is_parameter = |path: &str| !path.starts_with("constants.") || path.ends_with(".value");
            let leaves = path::leaves(kinds, scene).into_iter().map(|leaf| leaf.path);
            let leaves = leaves.filter(|path| is_parameter(path) && !is_control(path));
            let leaves: Vec<Found> = leaves.map(|path| Found { path, label: None }).collect();
            let has = |found: &Found| {
                let text = format!("{} {}", found.label.as_deref().unwrap_or_default(), found.path).to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let all = controls.into_iter().chain(leaves).filter(|_| !words.is_empty());
            self.found = all.filter(has).take(MOST).collect();
            self.of = Some(of);
        }
        &self.found
    }
}

impl Chooser {
    /// Draws the panel while it is open, and returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if !lab.compare.is_open {
            self.query.clear();
            self.was_open = false;
            return actions;
        }
        let opens = !std::mem::replace(&mut self.was_open, true);
        let mut chosen = lab.compare.chosen.clone();
        let mut is_open = true;
        let window = sheet::window("Compare two worlds", &mut is_open).pivot(Align2::CENTER_TOP);
        let window = window.default_pos(lab.view.rect_px.center_top() + egui::vec2(0.0, 40.0));
        window.show(ctx, |ui| {
            let sheet = Sheet::in_window(ui, WIDTH_PX);
            let enters = sheet.body(ui, |ui| {
                let enters = rows(ui, lab, &mut chosen, std::mem::take(&mut self.is_taken));
                self.search(ui, lab, &mut chosen, opens);
                enters
            });
            sheet.footer(ui, |ui| buttons(ui, lab, &chosen, enters, &mut actions));
        });
        if chosen != lab.compare.chosen {
            // A comparison that begins knows its parameters by itself.
            actions.insert(0, Action::Compare(CompareAction::SetChosen(chosen)));
        }
        if !is_open {
            actions.push(Action::Compare(CompareAction::Choose));
        }
        actions
    }

    /// Draws the search field and its results.
    fn search(&mut self, ui: &mut Ui, lab: &Lab, chosen: &mut Vec<Changed>, opens: bool) {
        let field = TextEdit::singleline(&mut self.query).hint_text("Find a parameter").desired_width(f32::INFINITY);
        let hint = "Words from the label or path of a parameter, such as turn; a click or Enter adds a result";
        let field = ui.add(field).on_hover_text(hint);
        label(&field, "Find a parameter to compare", &self.query);
        let enters = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        // Without the focus, typed letters would be shortcuts.
        if opens || (chosen.is_empty() && field.ctx.memory(|memory| memory.focused().is_none())) {
            field.request_focus();
        }
        let mut taken = None;
        let found = self.found.find(lab, &self.query);
        if found.is_empty() && !self.query.trim().is_empty() {
            ui.weak("No label or path of a parameter contains these words");
        }
        for Found { path, label } in found {
            let is_known = chosen.iter().any(|known| known.path == *path);
            let text = match label {
                Some(label) => RichText::new(label),
                None => RichText::new(path).monospace(),
            };
            let row = ui.selectable_label(is_known, text);
            let is_wanted = row.on_hover_text(format!("Adds {path} to the comparison")).clicked();
            // Enter adds the first result.
            if !is_known && (is_wanted || (enters && taken.is_none())) {
                taken = Some(path.clone());
            }
        }
        if let Some(path) = taken {
            let value = value_in_a(lab, &path).unwrap_or_default();
            chosen.push(Changed { path, value });
            self.query.clear();
            self.is_taken = true;
        }
    }
}

fn value_in_a(lab: &Lab, path: &str) -> Option<String> {
    let simulation = lab.run.host.simulation();
    constants::text_at(simulation.kinds(), simulation.scene_ahead(), path)
}

fn label(field: &egui::Response, name: &str, text: &str) {
    field.widget_info(|| WidgetInfo { label: Some(name.into()), ..WidgetInfo::text_edit(true, text, text, "") });
}

/// Draws the chosen parameters with their values in both worlds. Returns whether Enter was pressed in a field.
fn rows(ui: &mut Ui, lab: &Lab, chosen: &mut Vec<Changed>, is_taken: bool) -> bool {
    if chosen.is_empty() {
        ui.weak("B has the same scene and seed as A, with different values of the chosen parameters");
        return false;
    }
    let mut enters = false;
    let mut out = None;
    Grid::new("compared").num_columns(4).spacing([12.0, 4.0]).show(ui, |ui| {
        for title in ["Parameter", "A", "B", ""] {
            ui.weak(title);
        }
        ui.end_row();
        let last = chosen.len() - 1;
        for (place, changed) in chosen.iter_mut().enumerate() {
            ui.label(changed.name()).on_hover_text(&changed.path);
            let value = value_in_a(lab, &changed.path).unwrap_or_else(|| "–".into());
            ui.label(theme::number(value)).on_hover_text(format!("Value of {} in A", changed.path));
            let field = ui.add(TextEdit::singleline(&mut changed.value).desired_width(110.0));
            label(&field, &format!("{} in B", changed.path), &changed.value);
            let left = field.lost_focus();
            if is_taken && place == last {
                field.request_focus();
                select_all(ui.ctx(), field.id);
            }
            field.on_hover_text(format!("Value of {} in B; Enter starts the comparison", changed.path));
            enters |= left && ui.input(|input| input.key_pressed(Key::Enter));
            if ui
                .button("Remove")
                .on_hover_text(format!("Removes {} from the comparison; B then uses the value of A", changed.path))
                .clicked()
            {
                out = Some(place);
            }
            ui.end_row();
        }
    });
    if let Some(place) = out {
        chosen.remove(place);
    }
    enters
}

/// Returns the reason why the chosen values cannot be compared; `None` if they can.
fn refusal(lab: &Lab, chosen: &[Changed]) -> Option<String> {
    let of = |changed: &Changed| {
        let edit = Edit::Set { path: changed.path.clone(), value: changed.value.clone() };
        let problem = lab.run.host.simulation().check(&edit).err()?;
        Some(format!("{}: {}", changed.name(), reason(&problem, &changed.value)))
    };
    chosen.iter().find_map(of)
}

fn buttons(ui: &mut Ui, lab: &Lab, chosen: &[Changed], enters: bool, actions: &mut Vec<Action>) {
    let refusal = refusal(lab, chosen);
    if let Some(refusal) = &refusal {
        ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), format!("⚠ {refusal}"));
    }
    let is_there = lab.compare.other.is_some();
    ui.horizontal(|ui| {
        let can_begin = !chosen.is_empty() && refusal.is_none();
        let hint = "Simulates B from the start of the run up to the step of A; then both continue together (Enter)";
        let name = if is_there { "Compare again" } else { "Compare" };
        let button = ui.add_enabled(can_begin, egui::Button::new(name));
        let is_clicked = button.on_hover_text(hint).on_disabled_hover_text(hint).clicked();
        if can_begin && (is_clicked || enters) {
            actions.push(Action::Compare(CompareAction::Begin(chosen.to_vec())));
        }
        if is_there && ui.button("End comparison").on_hover_text(crate::compare::end_hint(lab)).clicked() {
            actions.push(Action::Compare(CompareAction::End));
        }
    });
}
