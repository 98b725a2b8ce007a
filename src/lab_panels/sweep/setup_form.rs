//! The form of the setup of a sweep.

use std::path::PathBuf;

use bevy_egui::egui::{Button, DragValue, Grid, RichText, TextEdit, Ui};
use swarmarium_core::text::values::number;
use swarmarium_lab_state::action::{Action, FileAction, FileRequest, SweepAction};
use swarmarium_lab_state::app::{Lab, sweeps};
use swarmarium_lab_state::common::sweep_setup::{Levels, MOST_FACTORS, MOST_S, RangeSetup, Setup, TAKES};
use swarmarium_lab_state::common::text::{grouped, label};
use swarmarium_lab_state::common::{theme, widgets};
use swarmarium_lab_state::sweeps::run_text;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::{constants, path};
use swarmarium_sweep::work::cores;

use crate::begin::{self, Hints};
use crate::sheet::Sheet;
use crate::sweep::panel::{combo, duration};
use crate::sweep::runs::value_text;

/// The most parameters that the choice lists.
const MOST_LISTED: usize = 60;

/// The most earlier sweeps that the menu lists.
const MOST_EARLIER: usize = 20;

/// The time after which the menu reads the folders again, in seconds.
const EARLIER_S: f64 = 5.0;

/// The most points along a factor.
const MOST_POINTS: u64 = 1000;

/// The most repetitions.
const MOST_REPETITIONS: u64 = 10_000;

/// The search for a parameter to vary.
#[derive(Default)]
pub struct Search {
    text: String,
    /// The paths with their names, for the scene of an opening with so many changes.
    found: Option<(u64, u64, Vec<(String, String)>)>,
    /// The folders of earlier sweeps with their descriptions, and the time at which they were read, in egui's seconds.
    earlier: Option<(f64, Vec<(PathBuf, String)>)>,
}

impl Search {
    /// Returns the numbers that a sweep can vary: controls, constants, then all others.
    fn all(&mut self, lab: &Lab) -> &[(String, String)] {
        let simulation = lab.run.host.simulation();
        let of = (lab.run.openings, lab.run.restarts);
        if self.found.as_ref().is_none_or(|(opening, restarts, _)| (*opening, *restarts) != of) {
            let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
            let controls = scene.controls.iter().filter_map(|control| {
                let leaf = control.leaf(kinds, scene).ok()?;
                number(leaf.value).map(|_| (leaf.path, control.label.clone()))
            });
            let controls: Vec<_> = controls.collect();
            let constants = scene.constants.iter().map(|constant| (constant.name.clone(), constant.name.clone()));
            let is_wanted = |path: &str| path.starts_with("groups.") || path.starts_with("arena.");
            let leaves = path::leaves(kinds, scene).into_iter().filter(|leaf| number(leaf.value).is_some());
            let named = |path: String| {
                let name = lab.run.parameter_name(&path);
                (path, name)
            };
            let leaves = leaves.map(|leaf| leaf.path).filter(|path| is_wanted(path)).map(named);
            let is_control = |path: &str| controls.iter().any(|(known, _)| known == path);
            let leaves: Vec<_> = leaves.filter(|(path, _)| !is_control(path)).collect();
            let all = controls.iter().cloned().chain(constants).chain(leaves).collect();
            self.found = Some((of.0, of.1, all));
        }
        self.found.as_ref().map_or(&[], |(_, _, all)| all)
    }
}

/// Draws the form.
pub fn ui(ui: &mut Ui, lab: &Lab, search: &mut Search, has_sweep: bool, actions: &mut Vec<Action>) {
    let before = &lab.sweep.setup;
    let mut setup = before.clone();
    let sheet = Sheet::in_panel(ui);
    sheet.body(ui, |ui| {
        Grid::new("sweep setup").num_columns(2).spacing([16.0, 6.0]).show(ui, |ui| {
            ui.weak("Vary");
            ui.vertical(|ui| factors(ui, lab, search, &mut setup, actions));
            ui.end_row();
            ui.weak("Measure");
            ui.horizontal_wrapped(|ui| measure(ui, lab, &mut setup));
            ui.end_row();
            ui.weak("Runs");
            ui.horizontal_wrapped(|ui| runs(ui, &mut setup));
            ui.end_row();
            ui.weak("Begin");
            ui.horizontal_wrapped(|ui| begin_row(ui, lab, &mut setup, actions));
            ui.end_row();
        });
    });
    let refusal = setup.refusal();
    sheet.footer(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let text = RichText::new("Start sweep").strong();
            let button = ui.add_enabled(refusal.is_none(), Button::new(text));
            let hint = "Makes the runs beside the window; the scene in the window stays as it is";
            if button.on_hover_text(hint).on_disabled_hover_text(hint).clicked() {
                actions.push(SweepAction::Start.into());
            }
            match &refusal {
                Some(refusal) => {
                    ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), format!("⚠ {refusal}"));
                }
                None => drop(ui.weak(estimate(lab, &setup))),
            }
            if has_sweep && ui.button("Back to the sweep").on_hover_text("Shows the open sweep again").clicked() {
                actions.push(SweepAction::HideSetup.into());
            }
            earlier(ui, lab, search, actions);
            let hint = "Opens the folder of a sweep";
            if ui.button("Open a sweep…").on_hover_text(hint).clicked() {
                actions.push(Action::File(FileAction::Ask(FileRequest::OpenSweep)));
            }
        })
    });
    if setup != *before {
        actions.insert(0, SweepAction::SetOptions(setup).into());
    }
}

/// Returns the number of runs and the expected time.
fn estimate(lab: &Lab, setup: &Setup) -> String {
    let runs = grouped(setup.runs());
    let dt_s = lab.run.host.simulation().time().dt_s;
    let steps = setup.duration_s / dt_s;
    match lab.run.step_s() {
        Some(step_s) => {
            let jobs = cores().saturating_sub(1).max(1);
            let robots = robots_ratio(lab, setup);
            let takes = duration(setup.runs() as f64 * steps * step_s * robots.unwrap_or(1.0) / jobs as f64);
            match robots {
                Some(_) => format!("{runs} runs, {takes}; a rough estimate, since the number of robots varies"),
                None => format!("{runs} runs, {takes}"),
            }
        }
        None => format!("{runs} runs"),
    }
}

/// Returns the mean number of robots of the runs as a multiple of the present number; `None` if it does not vary.
fn robots_ratio(lab: &Lab, setup: &Setup) -> Option<f64> {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let value_at = |path: &str| path::get(kinds, scene, path).ok().and_then(number);
    let present = (simulation.count() as f64).max(1.0);
    let mut ratio = None;
    for factor in &setup.factors {
        let Levels::Range(RangeSetup { from, to, .. }) = &factor.levels else { continue };
        let paths = constants::paths_with(kinds, scene, &factor.path);
        let counts = paths.iter().filter(|path| path.starts_with("groups.") && path.ends_with(".count"));
        let own: Vec<f64> = counts.filter_map(|path| value_at(path)).collect();
        if own.is_empty() {
            continue;
        }
        // Each group gets the values of the factor in place of its own number.
        let robots = present - own.iter().sum::<f64>() + own.len() as f64 * (from + to) / 2.0;
        ratio = Some(ratio.unwrap_or(1.0) * (robots / present).max(0.0));
    }
    ratio
}

fn factors(ui: &mut Ui, lab: &Lab, search: &mut Search, setup: &mut Setup, actions: &mut Vec<Action>) {
    let (mut out, mut new) = (None, None);
    let varied: Vec<String> = setup.factors.iter().map(|factor| factor.path.clone()).collect();
    for (place, factor) in setup.factors.iter_mut().enumerate() {
        ui.horizontal_wrapped(|ui| {
            let choice = ParameterChoice {
                name: &format!("Varied parameter {}", place + 1),
                hint: &format!("{}: a click chooses another parameter to vary", factor.path),
                shown: &factor.name,
            };
            new = choice.ui(ui, lab, search, &varied).map(|path| (place, path)).or(new.take());
            let (name, unit) = (factor.name.clone(), factor.unit);
            match &mut factor.levels {
                Levels::Range(range) => self::range(ui, &name, unit, range),
                Levels::Names(names) => names.iter_mut().for_each(|level| {
                    ui.checkbox(&mut level.is_used, &level.name)
                        .on_hover_text(format!("Makes runs with {}", level.name));
                }),
            }
            if ui.button("✖").on_hover_text(format!("Removes {} from the sweep", factor.name)).clicked() {
                out = Some(place);
            }
        });
    }
    if let Some((place, path)) = new {
        *setup = setup.with_factor_at(lab.run.host.simulation(), &path, place);
    }
    if let Some(place) = out {
        setup.factors.remove(place);
    }
    if setup.factors.len() >= MOST_FACTORS {
        return;
    }
    let is_second = !setup.factors.is_empty();
    let text = if is_second { "Add a second parameter" } else { "Choose a parameter" };
    let hint = "A number of the scene; a second one makes a grid of five values each. Menus of parameters have \"Sweep…\", too";
    let choice = ParameterChoice { name: "Parameter to vary", hint, shown: text };
    if let Some(path) = choice.ui(ui, lab, search, &varied) {
        actions.push(SweepAction::SetUp { path, is_second }.into());
    }
}

/// A choice of a parameter to vary.
struct ParameterChoice<'a> {
    /// The name of the control.
    name: &'a str,
    hint: &'a str,
    /// The text on the button.
    shown: &'a str,
}

impl ParameterChoice<'_> {
    /// Draws the choice. Returns the path of a new parameter.
    fn ui(&self, ui: &mut Ui, lab: &Lab, search: &mut Search, varied: &[String]) -> Option<String> {
        let mut chosen = None;
        combo(ui, self.name, self.hint, self.shown, |ui| {
            ui.set_min_width(280.0);
            let field = ui.add(TextEdit::singleline(&mut search.text).hint_text("Find a parameter"));
            widgets::named(&field, "Find a parameter to vary");
            let words: Vec<String> = search.text.to_lowercase().split_whitespace().map(Into::into).collect();
            let has = |path: &str, name: &str| {
                let text = format!("{path} {name}").to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let found = search.all(lab).iter().filter(|(path, name)| has(path, name) && !varied.contains(path));
            let found: Vec<_> = found.take(MOST_LISTED).cloned().collect();
            for (path, name) in found {
                if ui.button(&name).on_hover_text(format!("Varies {path}")).clicked() {
                    chosen = Some(path);
                    search.text.clear();
                    ui.close();
                }
            }
        });
        chosen
    }
}

/// Draws the menu of the sweeps that were made in the window before.
fn earlier(ui: &mut Ui, lab: &Lab, search: &mut Search, actions: &mut Vec<Action>) {
    let Some(folder) = &lab.files.places.sweeps else { return };
    let menu = ui.menu_button("Earlier sweeps", |ui| {
        theme::entries(ui, |ui| {
            let now_s = ui.input(|input| input.time);
            let known = search.earlier.take().filter(|(read_s, _)| (now_s - read_s).abs() < EARLIER_S);
            let (read_s, folders) = known.unwrap_or_else(|| {
                let folders = sweeps::folders(folder).into_iter().take(MOST_EARLIER);
                let described = folders.map(|path| {
                    let text = sweeps::description(&lab.run.recipe, &path);
                    (path, text)
                });
                (now_s, described.collect())
            });
            if folders.is_empty() {
                ui.weak("none");
            }
            for (path, text) in &folders {
                if ui.button(text).on_hover_text(format!("Opens {}", path.display())).clicked() {
                    actions.push(Action::File(FileAction::Open(path.display().to_string())));
                    ui.close();
                }
            }
            search.earlier = Some((read_s, folders));
        });
    });
    menu.response.on_hover_text("Sweeps that were made in the window, the newest first, with what they vary");
}

/// Draws the range of a factor with its name and unit.
fn range(ui: &mut Ui, factor_name: &str, unit: &str, factor: &mut RangeSetup) {
    let [low, high] = factor.limits;
    let speed = if factor.is_whole { 0.1 } else { ((factor.to - factor.from).abs() * 0.005).max(1e-6) };
    for (name, value) in [("from", &mut factor.from), ("to", &mut factor.to)] {
        let present = *value;
        let field =
            DragValue::new(value).range(low..=high).speed(speed).max_decimals(if factor.is_whole { 0 } else { 6 });
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let limits = match [low, high].iter().all(|end| end.is_finite()) {
            true => format!(", from {} to {}", value_text(low), value_text(high)),
            false => String::new(),
        };
        let hint = format!("The {} value{limits}{unit}", if name == "from" { "first" } else { "last" });
        let field = field.prefix(format!("{name} ")).suffix(unit.as_str());
        let field = match factor.is_whole {
            true => widgets::whole_field(ui, field, &unit, present),
            false => widgets::quantity_field(ui, field, &unit, Some(present)),
        };
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label(format!("{factor_name} {name}")));
        field.on_hover_text(hint);
    }
    let present = factor.points as f64;
    let field = DragValue::new(&mut factor.points).range(2..=MOST_POINTS).speed(0.1).suffix(" points");
    let field = widgets::whole_field(ui, field, "points", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(format!("Points of {factor_name}")));
    field.on_hover_text(format!("Number of values, both ends included, from 2 to {MOST_POINTS}"));
    if !factor.is_whole && (factor.is_log || factor.from > 0.0) {
        let hint = "Each value has the same ratio to the one before";
        ui.checkbox(&mut factor.is_log, "logarithmic").on_hover_text(hint);
    }
}

fn measure(ui: &mut Ui, lab: &Lab, setup: &mut Setup) {
    let name = TAKES.iter().find(|(take, ..)| *take == setup.take).map_or("", |(_, name, _)| name);
    let was_condition = setup.take.is_condition();
    let columns = lab.run.host.simulation().metric_columns();
    combo(ui, "Statistic", "The number that a run is reduced to", name, |ui| {
        for (take, name, hint) in TAKES {
            if ui.selectable_label(take == setup.take, name).on_hover_text(hint).clicked() {
                setup.take = take;
                ui.close();
            }
        }
    });
    let first = || columns.first().cloned().unwrap_or_default();
    match (was_condition, setup.take.is_condition()) {
        (false, true) => setup.of = format!("{} > 0.9", if setup.of.is_empty() { first() } else { setup.of.clone() }),
        (true, false) => {
            let of = setup.of.split(['<', '>', '=']).next().unwrap_or_default().trim().to_owned();
            setup.of = if columns.contains(&of) { of } else { first() };
        }
        _ => {}
    }
    if setup.take.is_condition() {
        let field = ui.add(TextEdit::singleline(&mut setup.of).desired_width(200.0));
        widgets::named(&field, "Condition");
        field.on_hover_text("An expression over metrics, step, t_s and count, such as circliness > 0.9");
        return;
    }
    combo(ui, "Metric", "The observed metric", &label(&setup.of), |ui| {
        for column in &columns {
            let hint = format!("Measures this metric\n{column}");
            if ui.selectable_label(*column == setup.of, label(column)).on_hover_text(hint).clicked() {
                setup.of.clone_from(column);
                ui.close();
            }
        }
    });
    if setup.take.has_window() {
        seconds(ui, &mut setup.last_s, "over the last", "The part of the run that counts; 0 for all of it", 0.0);
    }
}

fn seconds(ui: &mut Ui, value: &mut f64, name: &str, hint: &str, least: f64) {
    let present = Some(*value);
    let field = DragValue::new(value).range(least..=MOST_S).speed(0.5).max_decimals(3);
    let field = widgets::quantity_field(ui, field.prefix(format!("{name} ")).suffix(" s"), "s", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name));
    field.on_hover_text(format!("{hint}, in simulated seconds, from {least} to {MOST_S}"));
}

/// Draws the number of repetitions and the duration of a run.
pub fn runs(ui: &mut Ui, setup: &mut Setup) {
    let present = setup.repetitions as f64;
    let field = DragValue::new(&mut setup.repetitions).range(1..=MOST_REPETITIONS).speed(0.1).suffix(" repetitions");
    let field = widgets::whole_field(ui, field, "repetitions", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Repetitions"));
    field.on_hover_text(format!("Runs of each point, with seeds of their own, from 1 to {MOST_REPETITIONS}"));
    seconds(ui, &mut setup.duration_s, "of", "The duration of a run", 0.001);
}

fn begin_row(ui: &mut Ui, lab: &Lab, setup: &mut Setup, actions: &mut Vec<Action>) {
    let hints = Hints {
        at_start: "Every run begins at step 0 of the scene, with the changes made in the window",
        at_moment: "Every run repeats this run up to its present moment, each repetition with its own seed; then the \
                    parameter gets its value. Repetition 1 goes on exactly from here",
    };
    setup.from_moment = begin::choice(ui, lab, hints, Some(setup.from_moment)).unwrap_or(setup.from_moment);
    if let Some((run, _)) = lab.sweep.opened.filter(|(_, opening)| *opening == lab.run.openings) {
        ui.weak(format!("of {}, which the window shows", run_text(run)));
        let hint = "Opens the scene of the sweep without the values of a point, and begins with it";
        if ui.button("Open the scene").on_hover_text(hint).clicked() {
            actions.push(SweepAction::OpenScene.into());
        }
    }
}
