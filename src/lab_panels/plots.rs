//! The panel Plots: every metric and every pinned number over time, side by side.
//!
//! All plots show the same span of time. The values at the cursor are shown for all plots at once, and thin lines mark
//! edits. A drag goes to the moment under the cursor; later values than the present ones are fainter.

pub mod axes;
pub mod empty;
pub mod head;
#[cfg(test)]
mod tests;

pub use axes::Axes;
pub use empty::line;

use bevy_egui::egui::containers::menu::{MenuButton, MenuConfig};
use bevy_egui::egui::containers::scroll_area::ScrollSource;
use bevy_egui::egui::{
    self, Align, Align2, Color32, Label, PointerButton, PopupCloseBehavior, Rect, Response, RichText, ScrollArea,
    Sense, Stroke, TextEdit, Ui,
};
use egui_plot::{Line, LineStyle, PlotPoints, PlotTransform, VLine};
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{
    Action, FigureAction, FileAction, FileRequest, PartAction, PlotAction, TimeAction, TimelineAction,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::counted;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::common::{selection, theme};
use swarmarium_lab_state::edit::parts::PLOTS;
use swarmarium_lab_state::plots::axis::range;
use swarmarium_lab_state::plots::curve::{runs, simplified};
use swarmarium_lab_state::plots::edits::{self, Mark};
use swarmarium_lab_state::plots::error::PinError;
use swarmarium_lab_state::plots::layout::{Card, Layout};
use swarmarium_lab_state::plots::pin;
use swarmarium_lab_state::plots::printed::Arrangement;
use swarmarium_lab_state::plots::span::Span;
use swarmarium_lab_state::plots::trigger::Trigger;
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_simulation::edit::LoggedEdit;

use crate::plots::axes::VALUES_PX;
use crate::plots::head::{head, legend};

/// The smallest size of a plot with its head, in points.
const LEAST_PX: egui::Vec2 = egui::vec2(220.0, 84.0);

/// Gap between two plots, in points.
pub const BETWEEN_PX: f32 = 2.0 * theme::PAD;

/// From this width of the panel on, in points, the head shows the controls of all plots and notes. In a narrower
/// panel, the controls are in a menu.
const WIDE_PX: f32 = 1100.0;

/// The smallest width of this menu, in points.
const MENU_PX: f32 = 280.0;

/// The smallest width of a note in the head, in points; with less room, it is left out.
const LEAST_NOTE_PX: f32 = 56.0;

/// The smallest distance between marks of edits, and the distance at which the cursor is on a mark, in points.
const NEAR: f32 = 4.0;

/// The tooltip of the field "Pause when".
const PAUSE_HELP: &str = "Pauses the run after the step in which an expression becomes true, such as \
     t_s > 30 and agents.0.speed_m_per_s < 0.1. An expression can contain metrics, paths, step, t_s and count, as in \
     stop.when. A pause changes no results (Enter)";

/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL: f32 = 250.0;

/// The panel Plots.
#[derive(Default)]
pub struct Plots {
    span: Span,
    /// The time under the cursor, in seconds.
    cursor_s: Option<f64>,
    /// The run of the span.
    run: u64,
    /// The typed path.
    path: String,
    /// The field with invalid text, and the reason.
    refused: Option<(Field, PinError)>,
    /// The typed condition, until it is valid.
    pause: Option<String>,
    layout: Layout,
    /// The start and end of a drag, in seconds.
    dragged_s: Option<[f64; 2]>,
    edits: Edits,
}

/// The fields of the bar.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Pin,
    Pause,
}

/// The edits of the present branch, including those after the present moment. They are updated only when they change,
/// because there may be many.
#[derive(Default)]
struct Edits {
    of: Option<(u64, u64)>,
    log: Vec<LoggedEdit>,
    count: usize,
}

impl Edits {
    fn follow(&mut self, lab: &Lab) {
        let known = lab.run.host.simulation().edits();
        let of = Some((lab.run.host.run_number(), lab.run.host.timeline().revision() + known.len() as u64));
        if self.of != of {
            self.of = of;
            let of_branch = lab.run.host.timeline().present().edits();
            // A host without a past only has the edits of its simulation.
            self.log = if of_branch.is_empty() { known.to_vec() } else { of_branch };
            self.count = edits::count(&self.log);
        }
    }
}

/// The data that all plots of a frame share.
struct Frame<'a> {
    lab: &'a Lab,
    cards: Vec<Card<'a>>,
    now_s: f64,
    /// The time of the live end, in seconds.
    end_s: f64,
    range_s: [f64; 2],
    latest: Vec<f64>,
    /// The sample under the cursor.
    sample: Option<usize>,
    marks: Vec<Mark<'a>>,
    /// The number of changes of the branch.
    changes: usize,
    /// The start and end of a drag, in seconds.
    dragged_s: Option<[f64; 2]>,
    /// Width of a plot without its axis, in points.
    width: f32,
    /// The number of plots in a row.
    columns: usize,
}

impl Plots {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        self.follow(lab);
        let edits = std::mem::take(&mut self.edits);
        let frame = self.frame(lab, &edits, ui.available_width());
        self.bar(ui, &frame, &mut actions);
        self.plots(ui, &frame, &mut actions);
        self.edits = edits;
        actions
    }

    /// The arrangement of the plots, for figures.
    pub fn arrangement(&self) -> Arrangement {
        Arrangement { layout: self.layout.clone(), span: self.span }
    }

    /// Shows the whole of a new run.
    fn follow(&mut self, lab: &Lab) {
        let run = lab.plots.history.run();
        self.pause.take_if(|_| self.run != run);
        if self.run != run {
            (self.run, self.span, self.cursor_s) = (run, Span::Whole, None);
        }
        self.edits.follow(lab);
    }

    fn frame<'a>(&self, lab: &'a Lab, edits: &'a Edits, available: f32) -> Frame<'a> {
        let (history, simulation) = (&lab.plots.history, lab.run.host.simulation());
        let cards = self.layout.cards(history.topics());
        let most = ((available + BETWEEN_PX) / (LEAST_PX.x + BETWEEN_PX)) as usize;
        // All rows have about the same number of plots.
        let rows = cards.len().div_ceil(most.max(1)).max(1);
        let columns = cards.len().div_ceil(rows).max(1);
        let width = (available + BETWEEN_PX) / columns as f32 - BETWEEN_PX - VALUES_PX;
        let width = width.max(LEAST_PX.x.min(available) - VALUES_PX).max(1.0);
        let time = simulation.time();
        let end_s = time.now_s().max(lab.run.host.live_end() as f64 * time.dt_s);
        let range_s = self.span.range_s(end_s);
        let gap_s = (range_s[1] - range_s[0]) / f64::from(width / NEAR);
        // Beyond the last sample, the present values are shown.
        let newest_s = history.steps().last().map(|step| history.time_s(*step));
        let is_past = |at_s: &f64| newest_s.is_some_and(|newest_s| *at_s < (newest_s + end_s) / 2.0);
        Frame {
            lab,
            cards,
            now_s: time.now_s(),
            end_s,
            range_s,
            latest: history.latest(simulation),
            sample: self.cursor_s.filter(is_past).and_then(|at_s| history.nearest(at_s)),
            marks: edits::marks(&edits.log, time.dt_s, range_s, gap_s),
            changes: edits.count,
            dragged_s: self.dragged_s,
            width,
            columns,
        }
    }

    /// Draws the head: the time of the values, notes, and the controls of all plots.
    fn bar(&mut self, ui: &mut Ui, frame: &Frame, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            ui.spacing_mut().button_padding.y = 2.0;
            let is_wide = ui.available_width() >= WIDE_PX;
            ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
                match is_wide {
                    true => self.controls(ui, frame.lab, actions),
                    false => self.menu(ui, frame.lab, actions),
                }
                ui.with_layout(egui::Layout::left_to_right(Align::Center), |ui| self.notes(ui, frame));
            });
        });
        self.reasons(ui, frame.lab);
    }

    /// Draws the controls of all plots, from right to left.
    fn controls(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let buttons = [
            (
                "Figure…",
                "Exports the plots as SVG, PDF or PNG on a white background",
                Action::Figure(FigureAction::TogglePanel),
            ),
            (
                "Export CSV",
                "Saves the values of all plots as a table with one row per step",
                Action::File(FileAction::Ask(FileRequest::ExportCsv)),
            ),
        ];
        for (name, hint, ask) in buttons {
            if ui.button(name).on_hover_text(hint).clicked() {
                actions.push(ask);
                ui.close();
            }
        }
        let add = ui.button("Add…");
        named(&add, "Add a plot");
        if add.on_hover_text("Opens the catalogue of metrics and of numbers that can be plotted").clicked() {
            actions.push(PartAction::Open(PLOTS.into()).into());
            ui.close();
        }
        self.field(ui, lab, actions);
        self.pause_field(ui, lab, actions);
    }

    /// Draws the same controls as [`controls`](Self::controls) in a menu.
    fn menu(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        // The menu stays open while the user types into its fields.
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let (response, _) = MenuButton::new("…").config(config).ui(ui, |ui| {
            ui.set_min_width(MENU_PX);
            let layout = egui::Layout::right_to_left(Align::Center).with_main_wrap(true);
            theme::entries(ui, |ui| {
                ui.with_layout(layout, |ui| self.controls(ui, lab, actions));
                self.reasons(ui, lab);
            });
        });
        named(&response, "Menu of the plots");
        response.on_hover_text("Opens the menu of all plots: Pause when, Pin a value, export");
    }

    fn field(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let is_refused = matches!(self.refused, Some((Field::Pin, _)));
        let field = TextEdit::singleline(&mut self.path).desired_width(180.0).hint_text("agents.0.x_m");
        let field = framed(ui, lab, is_refused, |ui| ui.add(field)).on_hover_text(pin::HELP);
        let label = ui.label("Pin a value").on_hover_text(pin::HELP);
        let field = field.labelled_by(label.id);
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
    fn pause_field(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let known = lab.plots.pause_when.as_ref().map_or("", Trigger::text);
        let mut text = self.pause.clone().unwrap_or_else(|| known.to_owned());
        let is_refused = matches!(self.refused, Some((Field::Pause, _)));
        let example = Trigger::example(lab.run.host.simulation());
        let field = TextEdit::singleline(&mut text).desired_width(120.0).hint_text(example);
        let field = framed(ui, lab, is_refused, |ui| ui.add(field)).on_hover_text(PAUSE_HELP);
        let label = ui.label("Pause when").on_hover_text(PAUSE_HELP);
        let field = field.labelled_by(label.id);
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
        let Frame { lab, sample, now_s, .. } = frame;
        let at_s = sample.map_or(*now_s, |sample| lab.plots.history.time_s(lab.plots.history.steps()[sample]));
        let word = if sample.is_some() { "at " } else { "now" };
        let hint = "The simulated time of the values in seconds: the time under the cursor, or now";
        ui.label(theme::number(format!("{word} {at_s:>10.3} s"))).on_hover_text(hint);
        let hint = "Shows the whole run again (double click in a plot)";
        if self.span != Span::Whole && ui.button("Whole run").on_hover_text(hint).clicked() {
            self.span = Span::Whole;
        }
        if lab.compare.other.is_some() {
            note(ui, "dashed: B", "Dashed curves show world B; the numbers are those of world A");
        }
        if frame.changes > 0 {
            let hint = "Vertical dashed lines mark changes; point at a line to see what changed";
            note(ui, &counted(frame.changes), hint);
        }
        if lab.plots.history.stride() > 1 {
            let hint = "Long runs are plotted by the minimum and maximum of each group of steps; the cursor shows the \
                        value after the last step of a group. Export CSV writes every step";
            note(ui, &lab.plots.history.sampling(), hint);
        }
    }

    fn plots(&mut self, ui: &mut Ui, frame: &Frame, actions: &mut Vec<Action>) {
        let mut cursor_s = None;
        if frame.cards.is_empty() {
            line(ui, frame.lab).into_iter().for_each(|action| actions.push(action));
        }
        let gap_px = ui.spacing().item_spacing.y;
        let rows = frame.cards.len().div_ceil(frame.columns).max(1) as f32;
        let height = ((ui.available_height() + gap_px) / rows - gap_px).max(LEAST_PX.y);
        let size = egui::vec2(frame.width + VALUES_PX, height);
        // In a plot the wheel zooms.
        let source = ScrollSource { mouse_wheel: self.cursor_s.is_none(), ..ScrollSource::default() };
        ScrollArea::vertical().auto_shrink(false).scroll_source(source).show(ui, |ui| {
            for row in frame.cards.chunks(frame.columns) {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = BETWEEN_PX;
                    for card in row {
                        // Plots that are scrolled away are not drawn.
                        let rect = Rect::from_min_size(ui.cursor().min, size);
                        if !ui.is_rect_visible(rect) {
                            ui.allocate_rect(rect, Sense::hover());
                            continue;
                        }
                        ui.allocate_ui_with_layout(size, egui::Layout::top_down(Align::Min), |ui| {
                            ui.spacing_mut().item_spacing.x = theme::GAP;
                            head(ui, card, frame, &mut self.layout, actions);
                            let (response, transform) = plot(ui, card, frame);
                            self.handle(&response, &transform, frame, actions);
                            cursor_s = cursor_s.or(time_at(&response, &transform));
                        });
                    }
                });
            }
        });
        self.cursor_s = cursor_s;
    }

    /// Handles the mouse in a plot.
    fn handle(&mut self, response: &Response, transform: &PlotTransform, frame: &Frame, actions: &mut Vec<Action>) {
        let end_s = frame.end_s;
        let is_shifted = response.ctx.input(|input| input.modifiers.shift) && self.dragged_s.is_none();
        if response.dragged_by(PointerButton::Middle) || (response.dragged_by(PointerButton::Primary) && is_shifted) {
            let by_s = -f64::from(response.drag_delta().x) * transform.dvalue_dpos()[0];
            self.span.pan(by_s, end_s);
        } else if response.dragged_by(PointerButton::Secondary) || response.drag_stopped_by(PointerButton::Secondary) {
            self.select(response, transform, end_s);
        }
        actions.extend(scrub(response, transform, frame, is_shifted));
        let wheel = response.ctx.input(|input| (input.smooth_scroll_delta().y / WHEEL).exp() * input.zoom_delta());
        if let Some(at_s) = time_at(response, transform)
            && wheel != 1.0
        {
            self.span.zoom(at_s, f64::from(wheel), end_s);
        }
        if response.double_clicked() {
            self.span = Span::Whole;
        }
    }
}

impl Plots {
    /// Zooms to the span of a drag.
    fn select(&mut self, response: &Response, transform: &PlotTransform, now_s: f64) {
        let pointer = response.ctx.input(|input| input.pointer.clone());
        let time_s = |at| transform.value_from_position(at).x;
        if let Some(at_s) = response.interact_pointer_pos().map(time_s) {
            let from_s = self.dragged_s.map(|[from_s, _]| from_s).or_else(|| pointer.press_origin().map(time_s));
            self.dragged_s = Some([from_s.unwrap_or(at_s), at_s]);
        }
        if response.drag_stopped()
            && let Some(dragged_s) = self.dragged_s.take()
        {
            let [one, other] = dragged_s.map(|at_s| transform.position_from_point_x(at_s));
            // A tiny drag selects nothing.
            if (one - other).abs() > NEAR {
                self.span.select(dragged_s, now_s);
            }
        }
    }
}

/// Draws a note in the rest of a row; it is shortened or left out if there is too little room.
fn note(ui: &mut Ui, text: &str, hint: &str) {
    if ui.available_width() >= LEAST_NOTE_PX {
        ui.add(Label::new(RichText::new(text).weak()).truncate()).on_hover_text(hint);
    }
}

/// Goes to the moment under the cursor at a click and during a drag.
fn scrub(response: &Response, transform: &PlotTransform, frame: &Frame, is_shifted: bool) -> Vec<Action> {
    let Some(at) = response.interact_pointer_pos() else { return Vec::new() };
    let host = &frame.lab.run.host;
    let step = transform.value_from_position(at).x / host.simulation().time().dt_s;
    let step = step.round().clamp(0.0, host.live_end() as f64) as u64;
    match () {
        () if response.clicked() && !response.double_clicked() => {
            vec![TimelineAction::GoTo(Moment { step, ..host.moment() }).into()]
        }
        () if response.dragged_by(PointerButton::Primary) && !is_shifted => vec![TimelineAction::Scrub(step).into()],
        () => Vec::new(),
    }
}

/// Draws a field, with a visible frame while its text is invalid.
fn framed(ui: &mut Ui, lab: &Lab, is_refused: bool, field: impl FnOnce(&mut Ui) -> Response) -> Response {
    let content = |ui: &mut Ui| {
        if is_refused {
            let stroke = Stroke::new(1.5, theme::color(lab.shell.settings.theme, Role::Detecting));
            ui.visuals_mut().widgets.inactive.bg_stroke = stroke;
            ui.visuals_mut().selection.stroke = stroke;
        }
        field(ui)
    };
    ui.scope(content).inner
}

/// Returns the time under the cursor.
fn time_at(response: &Response, transform: &PlotTransform) -> Option<f64> {
    response.hover_pos().map(|at| transform.value_from_position(at).x)
}

/// Draws the lines of one plot. Returns its response and the transform of its axes.
fn plot(ui: &mut Ui, card: &Card, frame: &Frame) -> (Response, PlotTransform) {
    let (history, theme) = (&frame.lab.plots.history, frame.lab.shell.settings.theme);
    let [from_s, to_s] = frame.range_s;
    let scale = card.scale;
    // The lines of the compared world are dashed.
    let of_b = frame.lab.compare.other.as_ref().map(|other| &other.history);
    let in_b = |series: usize| {
        let (of_b, name) = (of_b?, history.names().nth(series)?);
        let series = of_b.names().position(|known| known == name)?;
        Some(runs(of_b, series, frame.range_s, frame.width, (f64::INFINITY, f64::NAN), scale))
    };
    let lines = card.lines().enumerate().flat_map(|(index, (_, series))| {
        let now = (frame.now_s, frame.latest[series]);
        let in_a = runs(history, series, frame.range_s, frame.width, now, scale);
        let of_both = [(LineStyle::Solid, Some(in_a)), (LineStyle::dashed_dense(), in_b(series))];
        let color = line_color(theme, index);
        of_both.into_iter().filter_map(move |(style, runs)| Some((Stroke::new(1.5, color), style, runs?)))
    });
    let mut lines: Vec<_> = lines.collect();
    let [low, high] = range(lines.iter().flat_map(|(.., runs)| runs).flatten().map(|point| point.y));
    let axes = Axes::new(scale, frame.range_s, egui::vec2(frame.width + VALUES_PX, ui.available_height()));
    // Each segment of a line costs several triangles.
    let px_per_unit = [f64::from(axes.area_px.x) / (to_s - from_s), f64::from(axes.area_px.y) / (high - low)];
    lines.iter_mut().flat_map(|(.., runs)| runs).for_each(|run| *run = simplified(run, px_per_unit));
    // All plots share the time, so mouse and values are handled here.
    let shown = axes.plot(card.key(), theme).show(ui, |plot| {
        plot.set_plot_bounds_x(from_s..=to_s);
        plot.set_plot_bounds_y(low..=high);
        for mark in &frame.marks {
            let stroke = Stroke::new(1.0, theme::paint(theme, Role::Dim.faint(0.6)));
            plot.vline(VLine::new("", mark.at_s).stroke(stroke).style(LineStyle::dashed_dense()));
        }
        for (stroke, style, runs) in &lines {
            for run in runs {
                plot.line(Line::new("", PlotPoints::Borrowed(run)).stroke(*stroke).style(*style));
            }
        }
        if let Some(sample) = frame.sample {
            let at_s = history.time_s(history.steps()[sample]);
            plot.vline(VLine::new("", at_s).stroke(Stroke::new(1.0, theme::color(theme, Role::Text))));
        }
    });
    let area = *shown.transform.frame();
    if let Some(dragged_s) = frame.dragged_s {
        let [one, other] = dragged_s.map(|at_s| shown.transform.position_from_point_x(at_s));
        let part = Rect::from_x_y_ranges(one.min(other)..=one.max(other), area.y_range()).intersect(area);
        ui.painter().rect_filled(part, 0.0, theme::color(theme, Role::Accent).gamma_multiply(0.15));
    }
    if frame.now_s < frame.end_s {
        future(ui, area, shown.transform.position_from_point_x(frame.now_s), theme);
    }
    axes.label_ends(ui, area, theme);
    if let Some(text) = head::beginning(card, history) {
        let font = theme::font(theme::SMALL_PX);
        let at = area.left_bottom() + egui::vec2(theme::TINY_GAP, -2.0);
        ui.painter().text(at, Align2::LEFT_BOTTOM, text, font, theme::color(theme, Role::Dim));
    }
    legend(ui, card, frame, area);
    let name = |number| selection::robot_name(frame.lab.run.host.simulation(), number);
    let response = match near(&shown.response, &shown.transform, &frame.marks) {
        Some(mark) => shown.response.on_hover_ui_at_pointer(|ui| {
            ui.weak(format!("at {:.3} s", mark.at_s));
            ui.label(RichText::new(mark.text(&name)).monospace());
        }),
        None => shown.response,
    };
    (response, shown.transform)
}

/// Fades the values after the present moment, and draws the playhead.
fn future(ui: &Ui, area: Rect, now_px: f32, theme: Theme) {
    let after = Rect::from_x_y_ranges(now_px.max(area.left())..=area.right().max(now_px), area.y_range());
    ui.painter().rect_filled(after.intersect(area), 0.0, theme::color(theme, Role::Ground).gamma_multiply(0.6));
    if area.x_range().contains(now_px) {
        ui.painter().vline(now_px, area.y_range(), Stroke::new(theme::ICON_LINE_PX, theme::color(theme, Role::Text)));
    }
}

/// Returns the mark under the cursor.
fn near<'a>(response: &Response, transform: &PlotTransform, marks: &'a [Mark]) -> Option<&'a Mark<'a>> {
    let at = response.hover_pos()?.x;
    let off = |mark: &Mark| (transform.position_from_point_x(mark.at_s) - at).abs();
    marks.iter().min_by(|a, b| off(a).total_cmp(&off(b))).filter(|mark| off(mark) <= NEAR)
}

fn line_color(theme: Theme, index: usize) -> Color32 {
    theme::paint(theme, if index == 0 { Role::Accent } else { Role::Group(index as u32) }.faint(1.0).legible())
}
