//! The panel for choosing the parameters whose values differ in B.

use bevy_egui::egui::{self, Align2, Grid, Key, Label, TextEdit, Ui, WidgetInfo};
use swarmarium_lab_state::action::{Action, Changed, CompareAction, ComparisonStart};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::select_all;
use swarmarium_lab_state::compare::differences::is_live;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::{constants, path};

use crate::begin::{self, Hints};
use crate::parameters::reason;
use crate::sheet::{self, Sheet};

/// Maximum number of search results.
const MOST: usize = 8;

/// Width of the panel in points.
const WIDTH_PX: f32 = 480.0;

/// The largest width of the name of a parameter, and the width of a value field, in points.
const NAME_PX: f32 = 190.0;

const VALUE_PX: f32 = 80.0;

/// The panel.
#[derive(Default)]
pub struct Chooser {
    query: String,
    found: ParameterSearch,
    /// Whether it was open in the last frame.
    was_open: bool,
    /// The parameter that was asked for when the panel was opened, as far as the panel has seen it.
    asked: Option<String>,
    /// The parameter whose value field gets the focus.
    focus: Option<String>,
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
    /// The name as in panels.
    label: String,
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
                Some(Found { path, label: control.label.clone() })
            });
            let controls: Vec<Found> = controls.collect();
            let is_control = |path: &str| controls.iter().any(|control| control.path == path);
            // The value of a constant is the parameter.
            let is_parameter = |path: &str| !path.starts_with("constants.") || path.ends_with(".value");
            let leaves = path::leaves(kinds, scene).into_iter().map(|leaf| leaf.path);
            let leaves = leaves.filter(|path| is_parameter(path) && !is_control(path));
            let named = |path: String| Found { label: lab.run.parameter_name(&path), path };
            let leaves: Vec<Found> = leaves.map(named).collect();
            let has = |found: &Found| {
                let text = format!("{} {}", found.label, found.path).to_lowercase();
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
            *self = Self { found: std::mem::take(&mut self.found), ..Self::default() };
            return actions;
        }
        let opens = !std::mem::replace(&mut self.was_open, true);
        if self.asked != lab.compare.asked {
            self.asked.clone_from(&lab.compare.asked);
            self.focus.clone_from(&lab.compare.asked);
        }
        let mut chosen = lab.compare.chosen.clone();
        let mut is_open = true;
        let title = match &chosen[..] {
            [one] => format!("Compare: {}", lab.run.parameter_name(&one.path)),
            _ => "Compare two worlds".into(),
        };
        let window = sheet::window(&title, &mut is_open).id("compare".into()).pivot(Align2::CENTER_TOP);
        let window = window.default_pos(lab.view.rect_px.center_top() + egui::vec2(0.0, 40.0));
        window.show(ctx, |ui| {
            let sheet = Sheet::in_window(ui, WIDTH_PX);
            // A field has the focus from the start; without it, typed letters would be shortcuts.
            let is_free = opens && self.focus.is_none();
            let enters = sheet.body(ui, |ui| {
                let enters = rows(ui, lab, &mut chosen, self.focus.take().as_deref());
                self.search(ui, lab, &mut chosen, is_free);
                ui.add_space(theme::GAP);
                begin_row(ui, lab, &mut actions);
                enters
            });
            sheet.footer(ui, |ui| buttons(ui, lab, as_read(lab, &chosen), enters, &mut actions));
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
    fn search(&mut self, ui: &mut Ui, lab: &Lab, chosen: &mut Vec<Changed>, is_free: bool) {
        let field = TextEdit::singleline(&mut self.query).hint_text("Find a parameter").desired_width(f32::INFINITY);
        let hint = "Words from the label or path of a parameter, such as turn; a click or Enter adds a result";
        let field = ui.add(field).on_hover_text(hint);
        label(&field, "Find a parameter to compare", &self.query);
        let enters = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_free || (chosen.is_empty() && field.ctx.memory(|memory| memory.focused().is_none())) {
            field.request_focus();
        }
        let mut taken = None;
        let found = self.found.find(lab, &self.query);
        if found.is_empty() && !self.query.trim().is_empty() {
            ui.weak("No label or path of a parameter contains these words");
        }
        for Found { path, label } in found {
            let is_known = chosen.iter().any(|known| known.path == *path);
            let row = ui.selectable_label(is_known, label);
            let is_wanted = row.on_hover_text(format!("Adds this parameter to the comparison\n{path}")).clicked();
            // Enter adds the first result.
            if !is_known && (is_wanted || (enters && taken.is_none())) {
                taken = Some(path.clone());
            }
        }
        if let Some(path) = taken {
            let value = value_in_a(lab, &path).unwrap_or_default();
            self.focus = Some(path.clone());
            chosen.push(Changed { path, value });
            self.query.clear();
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

/// Draws the chosen parameters with their values in both worlds. The value field of `focus` gets the focus. Returns
/// whether Enter was pressed in a field.
fn rows(ui: &mut Ui, lab: &Lab, chosen: &mut Vec<Changed>, focus: Option<&str>) -> bool {
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
        for (place, changed) in chosen.iter_mut().enumerate() {
            let (name, unit) = lab.run.parameter_name_and_unit(&changed.path);
            ui.scope(|ui| {
                ui.set_max_width(NAME_PX);
                let label = Label::new(&name).truncate().show_tooltip_when_elided(false);
                ui.add(label).on_hover_text(format!("{name}\n{}", changed.path));
            });
            let value = value_in_a(lab, &changed.path).unwrap_or_else(|| "–".into());
            ui.label(theme::number(with_unit(&value, unit))).on_hover_text(format!("{name} in A"));
            ui.horizontal(|ui| {
                let field = ui.add(TextEdit::singleline(&mut changed.value).desired_width(VALUE_PX));
                label(&field, &format!("{name} in B"), &changed.value);
                ui.weak(unit);
                enters |= field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                if focus == Some(changed.path.as_str()) {
                    field.request_focus();
                    select_all(ui.ctx(), field.id);
                }
                field.on_hover_text(format!(
                    "Value of {name} in B, also 2*3 or *1.5 for a change of the value in A; Enter starts the comparison"
                ));
            });
            if ui
                .button("Remove")
                .on_hover_text(format!("Removes {name} from the comparison; B then uses the value of A"))
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
    let simulation = lab.run.host.simulation();
    let begins_later = lab.compare.first_step(simulation.steps()).is_some();
    let of = |changed: &Changed| {
        let name = || lab.run.parameter_name(&changed.path);
        match simulation.check(&changed.edit()) {
            Err(problem) => Some(format!("{}: {}", name(), reason(&problem, &changed.value))),
            Ok(_) if begins_later && !is_live(simulation.kinds(), simulation.scene_ahead(), changed) => {
                Some(format!("{} takes effect only at a start: begin at the start of the scene", name()))
            }
            Ok(_) => None,
        }
    };
    chosen.iter().find_map(of)
}

/// Draws the choice of the moment from which B differs.
fn begin_row(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let mut start = lab.compare.start;
    ui.horizontal_wrapped(|ui| {
        ui.weak("Begin");
        if let Some(step) = lab.compare.earlier_start() {
            let time_s = step as f64 * lab.run.host.simulation().time().dt_s;
            let text = format!("at step {} ({time_s:.2} s), as before", grouped(step));
            let hint =
                "B has the state of A at the step where this comparison began, and the other values from then on";
            if ui.radio(start == ComparisonStart::AsBefore, text).on_hover_text(hint).clicked() {
                start = ComparisonStart::AsBefore;
            }
        }
        let hints = Hints {
            at_start: "B has the other values from step 0 of the scene on",
            at_moment: "B has the state of this moment, and the other values from now on; A is the run as it goes on",
        };
        let chosen = match start {
            ComparisonStart::Run => Some(false),
            ComparisonStart::Here => Some(true),
            ComparisonStart::AsBefore => None,
        };
        if let Some(from_moment) = begin::choice(ui, lab, hints, chosen) {
            start = if from_moment { ComparisonStart::Here } else { ComparisonStart::Run };
        }
    });
    if start != lab.compare.start {
        actions.push(Action::Compare(CompareAction::SetStart(start)));
    }
}

/// Returns a value with its unit.
fn with_unit(value: &str, unit: &str) -> String {
    format!("{value} {unit}").trim_end().into()
}

/// Reads the typed values: numbers can be calculated, have units, and change the value of A.
///
/// # Errors
/// If a text is not a number.
fn as_read(lab: &Lab, chosen: &[Changed]) -> Result<Vec<Changed>, String> {
    let read = |changed: &Changed| match lab.run.scene_text(&changed.path, &changed.value) {
        Ok(value) => Ok(Changed { value, ..changed.clone() }),
        Err(message) => Err(format!("{}: {message}", lab.run.parameter_name(&changed.path))),
    };
    chosen.iter().map(read).collect()
}

fn buttons(ui: &mut Ui, lab: &Lab, chosen: Result<Vec<Changed>, String>, enters: bool, actions: &mut Vec<Action>) {
    let (chosen, refusal) = match chosen {
        Ok(chosen) => {
            let refusal = refusal(lab, &chosen);
            (chosen, refusal)
        }
        Err(message) => (Vec::new(), Some(message)),
    };
    if let Some(refusal) = &refusal {
        ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), format!("⚠ {refusal}"));
    }
    let is_there = lab.compare.other.is_some();
    ui.horizontal(|ui| {
        let can_begin = !chosen.is_empty() && refusal.is_none();
        let steps = lab.run.host.simulation().steps();
        let hint = match lab.compare.first_step(steps) {
            Some(step) if step == steps => {
                "Begins B with the state of this moment; then both continue together (Enter)"
            }
            Some(_) => "Simulates B from the step where it began before up to the step of A (Enter)",
            None => "Simulates B from the start of the run up to the step of A; then both continue together (Enter)",
        };
        let name = if is_there { "Compare again" } else { "Compare" };
        let button = ui.add_enabled(can_begin, egui::Button::new(name));
        let is_clicked = button.on_hover_text(hint).on_disabled_hover_text(hint).clicked();
        if can_begin && (is_clicked || enters) {
            actions.push(Action::Compare(CompareAction::Begin(chosen)));
        }
        if is_there && ui.button("End comparison").on_hover_text(crate::compare::end_hint(lab)).clicked() {
            actions.push(Action::Compare(CompareAction::End));
        }
    });
}
