//! The bar above the plots: the time of the values, notes, and the controls of all plots.

use bevy_egui::egui::containers::menu::{MenuButton, MenuConfig};
use bevy_egui::egui::{self, Align, Label, PopupCloseBehavior, Response, RichText, Stroke, TextEdit, Ui};
use swarmarium_lab_state::action::{Action, FigureAction, FileAction, FileRequest, PartAction, PlotAction, TimeAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::settings::RobotPlot;
use swarmarium_lab_state::common::text::counted;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::edit::parts::PLOTS;
use swarmarium_lab_state::plots::pin;
use swarmarium_lab_state::plots::trigger::Trigger;
use swarmarium_picture::palette::Role;

use crate::plots::{Frame, Plots, table};

/// From this width of the panel on, in points, the bar has all controls of all plots, and notes.
const WIDE_PX: f32 = 1240.0;

/// From this width on, in points, the bar has the fields, and the menu has the rest. In a narrower panel, the menu has
/// both.
const MEDIUM_PX: f32 = 780.0;

/// The width of the menu, in points.
const MENU_PX: f32 = 260.0;

/// The smallest width of a note in the bar, in points; with less room, it is left out.
const LEAST_NOTE_PX: f32 = 56.0;

/// The tooltip of the field "Pause when".
const PAUSE_HELP: &str = "Pauses the run after the step in which an expression becomes true, such as \
     t_s > 30 and agents.0.speed_m_per_s < 0.1. An expression can contain metrics, paths, step, t_s and count, as in \
     stop.when. A pause changes no results (Enter)";

/// The fields of the bar.
#[derive(Clone, Copy, PartialEq)]
pub enum Field {
    /// "Pin a value".
    Pin,
    /// "Pause when".
    Pause,
}

impl Plots {
    /// Draws the bar.
    pub(super) fn bar(&mut self, ui: &mut Ui, frame: &Frame, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            ui.spacing_mut().button_padding.y = 2.0;
            let width = ui.available_width();
            ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
                match width {
                    WIDE_PX.. => buttons(ui, frame.lab, actions),
                    _ => self.menu(ui, frame.lab, width < MEDIUM_PX, actions),
                }
                if width >= MEDIUM_PX {
                    self.field(ui, frame.lab, 150.0, actions);
                    self.pause_field(ui, frame.lab, 120.0, actions);
                }
                ui.with_layout(egui::Layout::left_to_right(Align::Center), |ui| self.notes(ui, frame));
            });
        });
        self.reasons(ui, frame.lab);
    }

    /// Draws the menu of the controls that have no room in the bar.
    fn menu(&mut self, ui: &mut Ui, lab: &Lab, has_fields: bool, actions: &mut Vec<Action>) {
        // The menu stays open while the user types into its fields.
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let (response, _) = MenuButton::new("…").config(config).ui(ui, |ui| {
            ui.set_width(MENU_PX);
            theme::entries(ui, |ui| {
                if has_fields {
                    self.pause_field(ui, lab, MENU_PX, actions);
                    self.field(ui, lab, MENU_PX, actions);
                    ui.separator();
                }
                buttons(ui, lab, actions);
            });
        });
        named(&response, "Menu of the plots");
        let fields = if has_fields { "Pause when, Pin a value, " } else { "" };
        response.on_hover_text(format!("Opens the menu of all plots: {fields}table of values, export"));
    }

    fn field(&mut self, ui: &mut Ui, lab: &Lab, width_px: f32, actions: &mut Vec<Action>) {
        let is_refused = matches!(self.refused, Some((Field::Pin, _)));
        let field = labelled(ui, lab, "Pin a value", pin::HELP, is_refused, |ui| {
            ui.add(TextEdit::singleline(&mut self.path).desired_width(width_px).hint_text("agents.0.x_m"))
        });
        if field.changed() {
            self.refused = None;
        }
        if !field.lost_focus() || !ui.input(|input| input.key_pressed(egui::Key::Enter)) || self.path.trim().is_empty()
        {
            return;
        }
        let refused = lab.plots.history.pin(lab.run.host.simulation(), &self.path).err();
        self.refused = refused.map(|error| (Field::Pin, error));
        if self.refused.is_none() {
            actions.push(Action::Plot(PlotAction::Pin(std::mem::take(&mut self.path))));
        }
        // The user can type the next path at once, or correct this one.
        field.request_focus();
    }

    /// The field for the expression that pauses the run.
    fn pause_field(&mut self, ui: &mut Ui, lab: &Lab, width_px: f32, actions: &mut Vec<Action>) {
        let known = lab.plots.pause_when.as_ref().map_or("", Trigger::text);
        let mut text = self.pause.clone().unwrap_or_else(|| known.to_owned());
        let is_refused = matches!(self.refused, Some((Field::Pause, _)));
        let example = Trigger::example(lab.run.host.simulation());
        let field = labelled(ui, lab, "Pause when", PAUSE_HELP, is_refused, |ui| {
            ui.add(TextEdit::singleline(&mut text).desired_width(width_px).hint_text(example))
        });
        if field.changed() {
            (self.pause, self.refused) = (Some(text.clone()), None);
        }
        if !field.lost_focus() || self.pause.is_none() {
            return;
        }
        if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
            (self.pause, self.refused) = (None, None);
            return;
        }
        match Trigger::new(&text, lab.plots.history.watched(lab.run.host.simulation())) {
            Ok(_) => {
                self.pause = None;
                actions.push(Action::Time(TimeAction::PauseWhen(text)));
            }
            Err(error) => self.refused = Some((Field::Pause, error)),
        }
    }

    /// Draws the reason why a text is invalid, or why the run is not paused, below the fields.
    fn reasons(&self, ui: &mut Ui, lab: &Lab) {
        let warning = theme::color(lab.shell.settings.theme, Role::Warning);
        if let Some((field, error)) = &self.refused {
            let label = Label::new(RichText::new(format!("⚠ {error}")).color(warning)).wrap();
            let name = if *field == Field::Pin { "Pin a value" } else { "Pause when" };
            ui.add(label).on_hover_text(format!("The text of the field {name:?} is not used until it is corrected"));
        }
        let watched = lab.plots.history.watched(lab.run.host.simulation());
        if let Some(trigger) = &lab.plots.pause_when
            && let Some(obstacle) = trigger.obstacle(watched)
        {
            let text = RichText::new(format!("Pause when {} {obstacle}", trigger.text())).weak();
            ui.add(Label::new(text).wrap()).on_hover_text(PAUSE_HELP);
        }
    }

    /// Draws the time of the values, the button that shows the whole run, and as many notes as fit.
    fn notes(&mut self, ui: &mut Ui, frame: &Frame) {
        let lab = frame.lab;
        let at_s = frame.moment().time_s;
        let is_now = frame.sample.is_none() && frame.now_s >= frame.end_s;
        let word = if is_now { "now" } else { "at " };
        let hint = "The simulated time of the values in seconds: the time under the cursor, or else the moment that the \
                    world shows; \"now\" is the newest moment of the run";
        ui.label(theme::number(format!("{word} {at_s:>10.3} s"))).on_hover_text(hint);
        let hint = "Shows the whole run again in all plots (double click in a plot)";
        if self.is_zoomed() && ui.button("Whole run").on_hover_text(hint).clicked() {
            self.show_whole();
        }
        if lab.compare.other.is_some() {
            note(ui, "dashed: B", "Dashed curves show world B; the numbers are those of world A");
        }
        if frame.changes > 0 {
            let hint = "Vertical dashed lines mark changes; point at a line to see what changed";
            note(ui, &counted(frame.changes), hint);
        }
        let stride = lab.plots.history.stride();
        if stride > 1 {
            let hint = format!(
                "The run is too long to keep a point for every step. Each group of {stride} steps is drawn by its \
                 smallest and its largest value, so no peak is lost; the cursor shows the value after the last step of \
                 a group. Export CSV writes every step"
            );
            note(ui, &lab.plots.history.sampling(), &hint);
        }
    }
}

/// Draws the buttons of all plots.
fn buttons(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let add = ui.button("Add…");
    named(&add, "Add a plot");
    if add.on_hover_text("Opens the catalogue of metrics and of numbers that can be plotted").clicked() {
        actions.push(PartAction::Open(PLOTS.into()).into());
        ui.close();
    }
    let has_table = lab.shell.settings.plots.has_table;
    let buttons = [
        (
            "Figure…",
            "Exports the plots as SVG, PDF or PNG on a white background",
            Action::Figure(FigureAction::TogglePanel),
            false,
        ),
        (
            "Export CSV",
            "Saves the values of all plots as a table with one row per step",
            Action::File(FileAction::Ask(FileRequest::ExportCsv)),
            false,
        ),
        ("Table", table::HELP, Action::Plot(PlotAction::Table), has_table),
        (
            "Scatter",
            "Plots one number of each robot over another at the shown moment; the menu of the plot chooses the numbers",
            Action::Plot(PlotAction::AddOfRobots(RobotPlot::scatter())),
            false,
        ),
        (
            "Distribution",
            "Plots the distribution of a number over the robots at the shown moment; the menu of the plot chooses it",
            Action::Plot(PlotAction::AddOfRobots(RobotPlot::distribution())),
            false,
        ),
    ];
    for (name, hint, action, is_on) in buttons {
        if ui.add(egui::Button::new(name).selected(is_on)).on_hover_text(hint).clicked() {
            actions.push(action);
            ui.close();
        }
    }
}

/// Draws a field with its label: beside it in a row, or else above it. An invalid text has a visible frame.
fn labelled(
    ui: &mut Ui,
    lab: &Lab,
    name: &str,
    hint: &str,
    is_refused: bool,
    field: impl FnOnce(&mut Ui) -> Response,
) -> Response {
    let field = |ui: &mut Ui| {
        let content = |ui: &mut Ui| {
            if is_refused {
                let stroke = Stroke::new(1.5, theme::color(lab.shell.settings.theme, Role::Detecting));
                ui.visuals_mut().widgets.inactive.bg_stroke = stroke;
                ui.visuals_mut().selection.stroke = stroke;
            }
            field(ui)
        };
        ui.scope(content).inner.on_hover_text(hint)
    };
    if ui.layout().prefer_right_to_left() {
        let field = field(ui);
        let label = ui.label(name).on_hover_text(hint);
        field.labelled_by(label.id)
    } else {
        let label = ui.label(name).on_hover_text(hint);
        field(ui).labelled_by(label.id)
    }
}

/// Draws a note in the rest of a row; it is shortened or left out if there is too little room.
fn note(ui: &mut Ui, text: &str, hint: &str) {
    if ui.available_width() >= LEAST_NOTE_PX {
        ui.add(Label::new(RichText::new(text).weak()).truncate()).on_hover_text(hint);
    }
}
