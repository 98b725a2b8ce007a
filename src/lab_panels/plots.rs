//! The panel Plots: every metric and every pinned number over time, side by side.
//!
//! All plots show the same span of time, except those that have their own. The values at the cursor are shown for all plots
//! at once, and thin lines mark edits. A drag goes to the moment under the cursor; later values than the present ones are
//! fainter. A plot whose title is dragged onto another one is drawn there.

pub mod axes;
pub mod bar;
pub mod empty;
pub mod head;
pub mod legend;
pub mod robots;
pub mod table;
#[cfg(test)]
mod tests;

pub use axes::Axes;
pub use empty::line;

use std::collections::BTreeMap;

use bevy_egui::egui::containers::scroll_area::ScrollSource;
use bevy_egui::egui::{
    self, Align, Align2, Color32, DragAndDrop, Order, PointerButton, Pos2, Rect, Response, RichText, ScrollArea, Sense,
    Stroke, StrokeKind, Ui,
};
use egui_plot::{Line, LineStyle, PlotPoints, PlotTransform, VLine};
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Action, PlotAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::settings::PlotLayout;
use swarmarium_lab_state::common::{selection, theme};
use swarmarium_lab_state::plots::axis::{Bounds, Scale, value_text};
use swarmarium_lab_state::plots::bounds;
use swarmarium_lab_state::plots::curve::simplified;
use swarmarium_lab_state::plots::drawn::{Curve, Sources, line_paint};
use swarmarium_lab_state::plots::edits::{self, Mark};
use swarmarium_lab_state::plots::error::PinError;
use swarmarium_lab_state::plots::layout::{Card, CardLine};
use swarmarium_lab_state::plots::printed::Arrangement;
use swarmarium_lab_state::plots::span::Span;
use swarmarium_lab_state::plots::table::ValuesAt;
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_simulation::edit::LoggedEdit;

use crate::plots::axes::{VALUES_PX, label_right};
use crate::plots::bar::Field;
use crate::plots::head::{DraggedPlot, head};
use crate::plots::legend::legend;

/// The smallest size of a plot with its head, in points.
const LEAST_PX: egui::Vec2 = egui::vec2(220.0, 84.0);

/// The smallest height of the only row of plots, in points.
const LEAST_ROW_PX: f32 = 56.0;

/// Width of a line, in points.
const LINE_PX: f32 = 1.5;

/// Width of a line under another line with the same values, in points.
const UNDER_PX: f32 = 5.0;

/// Gap between two plots, in points.
pub const BETWEEN_PX: f32 = 2.0 * theme::PAD;

/// The smallest distance between marks of edits, and the distance at which the cursor is on a mark, in points.
const NEAR: f32 = 4.0;

/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL: f32 = 250.0;

/// The panel Plots.
#[derive(Default)]
pub struct Plots {
    /// The common time span.
    span: Span,
    /// The time spans of plots that have their own, by their keys.
    own_spans: BTreeMap<String, Span>,
    /// The time under the cursor, in seconds.
    cursor_s: Option<f64>,
    /// The run of the span.
    run: u64,
    /// The bounds of the metrics of the run.
    bounds: Option<BTreeMap<String, Bounds>>,
    /// The typed path.
    path: String,
    /// The field with invalid text, and the reason.
    refused: Option<(Field, PinError)>,
    /// The typed condition, until it is valid.
    pause: Option<String>,
    dragged: Option<DraggedSpan>,
    /// The sample at which the menu of a plot was opened.
    menu_sample: Option<usize>,
    edits: Edits,
}

/// A time span that is being selected.
#[derive(Clone, Debug)]
struct DraggedSpan {
    /// The key of the plot, if it has its own time span.
    of: Option<String>,
    /// The start and end of the drag, in seconds.
    between_s: [f64; 2],
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
            self.count = edits::changes(&self.log).count();
        }
    }
}

/// The data that all plots of a frame share.
struct Frame<'a> {
    lab: &'a Lab,
    /// The arrangement of the plots at the start of the frame.
    layout: &'a PlotLayout,
    cards: Vec<Card<'a>>,
    /// The names of the series.
    names: Vec<&'a str>,
    bounds: &'a BTreeMap<String, Bounds>,
    now_s: f64,
    /// The time of the live end, in seconds.
    end_s: f64,
    /// The present values.
    latest: ValuesAt,
    /// The sample under the cursor.
    sample: Option<usize>,
    log: &'a [LoggedEdit],
    /// The number of changes of the branch.
    changes: usize,
    dragged: Option<DraggedSpan>,
    /// Width of a plot without its axis, in points.
    width: f32,
    /// The number of plots in a row.
    columns: usize,
}

impl Frame<'_> {
    /// Returns the values at the cursor, or the present ones.
    fn moment(&self) -> ValuesAt {
        match self.sample {
            Some(sample) => ValuesAt::of(&self.lab.plots.history, sample),
            None => self.latest.clone(),
        }
    }

    /// Returns the value of a series at the cursor, or the present one.
    fn value(&self, series: usize) -> f64 {
        match self.sample {
            Some(sample) => self.lab.plots.history.series(series)[sample],
            None => self.latest.values[series],
        }
    }

    /// Returns the numbers that the plots show.
    fn sources(&self) -> Sources<'_> {
        Sources {
            layout: self.layout,
            history: &self.lab.plots.history,
            of_b: self.lab.compare.other.as_ref().map(|other| &other.history),
            bounds: self.bounds,
            now: (self.now_s, &self.latest.values),
        }
    }

    /// Formats the value of a line in a fixed width; counts have no decimals.
    fn value_text(&self, card: &Card, line: &CardLine) -> String {
        let value = self.value(line.series);
        let unit = if line.is_right { card.right_unit().unwrap_or_default() } else { card.unit() };
        let is_whole = |value: f64| value.fract() == 0.0 && value.abs() < 1e6;
        let extremes = self.lab.plots.history.extremes(line.series);
        let all_are_whole = || extremes.iter().flat_map(|known| known.both()).all(|known| is_whole(known.value));
        match unit.is_empty() && is_whole(value) && all_are_whole() {
            true => format!("{:>9}", format!("{value:.0}")),
            false => value_text(value),
        }
    }

    /// Whether the legend shows the lines of a plot, and not its head.
    fn has_legend(&self, card: &Card) -> bool {
        self.lab.shell.settings.legend && card.lines().nth(1).is_some()
    }
}

impl Plots {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        self.follow(lab);
        let (edits, bounds) = (std::mem::take(&mut self.edits), self.bounds.take().unwrap_or_default());
        let mut layout = lab.shell.settings.plots.clone();
        let has_table = layout.has_table && lab.plots.history.names().next().is_some();
        let table_px = if has_table { table::width_px(ui.available_width()) } else { 0.0 };
        let frame = self.frame(lab, &edits, &bounds, ui.available_width() - table_px);
        self.bar(ui, &frame, &mut actions);
        if has_table {
            let room = ui.available_size();
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                let size = egui::vec2(room.x - table_px, room.y);
                let top_down = egui::Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(size, top_down, |ui| self.plots(ui, &frame, &mut layout, &mut actions));
                table::ui(ui, &frame, egui::vec2(table_px, room.y));
            });
        } else {
            self.plots(ui, &frame, &mut layout, &mut actions);
        }
        (self.edits, self.bounds) = (edits, Some(bounds));
        if layout != lab.shell.settings.plots {
            actions.push(PlotAction::Arrange(layout).into());
        }
        actions
    }

    /// The arrangement of the plots, for figures.
    pub fn arrangement(&self, layout: &PlotLayout) -> Arrangement {
        Arrangement { layout: layout.clone(), span: self.span, own_spans: self.own_spans.clone() }
    }

    /// Shows the whole of a new run.
    fn follow(&mut self, lab: &Lab) {
        let run = lab.plots.history.run();
        self.pause.take_if(|_| self.run != run);
        if self.run != run {
            self.own_spans.clear();
            (self.run, self.span, self.cursor_s, self.bounds) = (run, Span::Whole, None, None);
        }
        self.bounds.get_or_insert_with(|| bounds::of_metrics(lab.run.host.simulation()));
        self.edits.follow(lab);
    }

    fn frame<'a>(
        &self,
        lab: &'a Lab,
        edits: &'a Edits,
        bounds: &'a BTreeMap<String, Bounds>,
        available: f32,
    ) -> Frame<'a> {
        let (history, simulation) = (&lab.plots.history, lab.run.host.simulation());
        let layout = &lab.shell.settings.plots;
        let cards = layout.cards(history.topics());
        let most = ((available + BETWEEN_PX) / (LEAST_PX.x + BETWEEN_PX)) as usize;
        // All rows have about the same number of plots.
        let count = cards.len() + layout.of_robots.len();
        let rows = count.div_ceil(most.max(1)).max(1);
        let columns = count.div_ceil(rows).max(1);
        let width = (available + BETWEEN_PX) / columns as f32 - BETWEEN_PX - VALUES_PX;
        let width = width.max(LEAST_PX.x.min(available) - VALUES_PX).max(1.0);
        let time = simulation.time();
        let end_s = time.now_s().max(lab.run.host.live_end() as f64 * time.dt_s);
        // Beyond the last sample, the present values are shown.
        let newest_s = history.steps().last().map(|step| history.time_s(*step));
        let is_past = |at_s: &f64| newest_s.is_some_and(|newest_s| *at_s < (newest_s + end_s) / 2.0);
        let values = history.latest(simulation);
        Frame {
            lab,
            layout,
            cards,
            names: history.names().collect(),
            bounds,
            now_s: time.now_s(),
            end_s,
            latest: ValuesAt { step: time.step, time_s: time.now_s(), values },
            sample: self.cursor_s.filter(is_past).and_then(|at_s| history.nearest(at_s)),
            log: &edits.log,
            changes: edits.count,
            dragged: self.dragged.clone(),
            width,
            columns,
        }
    }

    /// Returns the time span of a plot.
    fn span_of(&mut self, card: &Card) -> &mut Span {
        match card.is_linked {
            true => &mut self.span,
            false => self.own_spans.entry(card.key().to_owned()).or_insert(self.span),
        }
    }

    /// Whether a plot shows less than the whole run.
    fn is_zoomed(&self) -> bool {
        self.span != Span::Whole || self.own_spans.values().any(|span| *span != Span::Whole)
    }

    /// Shows the whole run in all plots.
    fn show_whole(&mut self) {
        self.span = Span::Whole;
        self.own_spans.values_mut().for_each(|span| *span = Span::Whole);
    }

    fn plots(&mut self, ui: &mut Ui, frame: &Frame, layout: &mut PlotLayout, actions: &mut Vec<Action>) {
        let mut cursor_s = None;
        let count = frame.cards.len() + frame.layout.of_robots.len();
        if count == 0 {
            line(ui, frame.lab).into_iter().for_each(|action| actions.push(action));
        }
        let gap_px = ui.spacing().item_spacing.y;
        let rows = count.div_ceil(frame.columns).max(1) as f32;
        // A single row shrinks with its panel, so that the labels of its axes are not cut.
        let least_px = if rows > 1.0 { LEAST_PX.y } else { LEAST_ROW_PX };
        let height = ((ui.available_height() + gap_px) / rows - gap_px).max(least_px);
        let size = egui::vec2(frame.width + VALUES_PX, height);
        // In a plot the wheel zooms.
        let source = ScrollSource { mouse_wheel: self.cursor_s.is_none(), ..ScrollSource::default() };
        ScrollArea::vertical().auto_shrink(false).scroll_source(source).show(ui, |ui| {
            let places: Vec<usize> = (0..count).collect();
            for row in places.chunks(frame.columns) {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = BETWEEN_PX;
                    for place in row {
                        // Plots that are scrolled away are not drawn.
                        let rect = Rect::from_min_size(ui.cursor().min, size);
                        if !ui.is_rect_visible(rect) {
                            ui.allocate_rect(rect, Sense::hover());
                            continue;
                        }
                        let card = frame.cards.get(*place);
                        ui.allocate_ui_with_layout(size, egui::Layout::top_down(Align::Min), |ui| {
                            ui.spacing_mut().item_spacing.x = theme::GAP;
                            if let Some(card) = card {
                                head(ui, card, frame, layout, actions);
                                cursor_s = self.card(ui, card, frame, layout, actions).or(cursor_s);
                            } else {
                                let place = place - frame.cards.len();
                                robots::tile(ui, (place, &frame.layout.of_robots[place]), frame, layout, actions);
                            }
                        });
                        if let Some(card) = card {
                            drop_onto(ui, rect, card, frame, layout);
                        }
                    }
                });
            }
        });
        self.cursor_s = cursor_s;
    }

    /// Draws the plot and the legend beside it. Returns the time under the cursor.
    fn card(
        &mut self,
        ui: &mut Ui,
        card: &Card,
        frame: &Frame,
        layout: &mut PlotLayout,
        actions: &mut Vec<Action>,
    ) -> Option<f64> {
        let (width, height) = (frame.width + VALUES_PX, ui.available_height().max(0.0));
        let legend_px = if frame.has_legend(card) { legend::width_px(ui, card, frame, width) } else { 0.0 };
        let range_s = self.span_of(card).range_s(frame.end_s);
        let row = ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let size = egui::vec2(width - legend_px, height);
            let place = egui::Layout::top_down(Align::Min);
            let (response, transform) =
                ui.allocate_ui_with_layout(size, place, |ui| plot(ui, card, frame, range_s, size)).inner;
            self.handle(&response, &transform, card, frame, actions);
            self.context_menu(&response, card, frame, layout);
            if legend_px > 0.0 {
                legend(ui, card, frame, egui::vec2(legend_px, height), layout);
            }
            time_at(&response, &transform)
        });
        row.inner
    }

    /// Draws the context menu of a plot.
    fn context_menu(&mut self, response: &Response, card: &Card, frame: &Frame, layout: &mut PlotLayout) {
        if response.secondary_clicked() {
            self.menu_sample = frame.sample;
        }
        response.context_menu(|ui| {
            let moment = match self.menu_sample {
                Some(sample) if sample < frame.lab.plots.history.steps().len() => {
                    ValuesAt::of(&frame.lab.plots.history, sample)
                }
                _ => frame.latest.clone(),
            };
            table::copy_button(ui, &moment, frame);
            let mut has_table = layout.has_table;
            if ui.checkbox(&mut has_table, "Table of values").on_hover_text(table::HELP).changed() {
                layout.has_table = has_table;
            }
            head::link_box(ui, card, layout);
            let hint = "Shows the whole run again in all plots (double click in a plot)";
            if ui.button("Whole run").on_hover_text(hint).clicked() {
                self.show_whole();
                ui.close();
            }
        });
    }

    /// Handles the mouse in a plot.
    fn handle(
        &mut self,
        response: &Response,
        transform: &PlotTransform,
        card: &Card,
        frame: &Frame,
        actions: &mut Vec<Action>,
    ) {
        let end_s = frame.end_s;
        let is_shifted = response.ctx.input(|input| input.modifiers.shift) && self.dragged.is_none();
        if response.dragged_by(PointerButton::Middle) || (response.dragged_by(PointerButton::Primary) && is_shifted) {
            let by_s = -f64::from(response.drag_delta().x) * transform.dvalue_dpos()[0];
            self.span_of(card).pan(by_s, end_s);
        } else if response.dragged_by(PointerButton::Secondary) || response.drag_stopped_by(PointerButton::Secondary) {
            self.select(response, transform, card, end_s);
        }
        actions.extend(scrub(response, transform, frame, is_shifted));
        let wheel = response.ctx.input(|input| (input.smooth_scroll_delta().y / WHEEL).exp() * input.zoom_delta());
        if let Some(at_s) = time_at(response, transform)
            && wheel != 1.0
        {
            self.span_of(card).zoom(at_s, f64::from(wheel), end_s);
        }
        if response.double_clicked() {
            *self.span_of(card) = Span::Whole;
        }
    }
}

impl Plots {
    /// Zooms to the span of a drag.
    fn select(&mut self, response: &Response, transform: &PlotTransform, card: &Card, now_s: f64) {
        let pointer = response.ctx.input(|input| input.pointer.clone());
        let time_s = |at| transform.value_from_position(at).x;
        if let Some(at_s) = response.interact_pointer_pos().map(time_s) {
            let from_s = self.dragged.as_ref().map(|dragged| dragged.between_s[0]);
            let from_s = from_s.or_else(|| pointer.press_origin().map(time_s)).unwrap_or(at_s);
            let of = (!card.is_linked).then(|| card.key().to_owned());
            self.dragged = Some(DraggedSpan { of, between_s: [from_s, at_s] });
        }
        if response.drag_stopped()
            && let Some(DraggedSpan { between_s, .. }) = self.dragged.take()
        {
            let [one, other] = between_s.map(|at_s| transform.position_from_point_x(at_s));
            // A tiny drag selects nothing.
            if (one - other).abs() > NEAR {
                self.span_of(card).select(between_s, now_s);
            }
        }
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

/// Returns the time under the cursor.
fn time_at(response: &Response, transform: &PlotTransform) -> Option<f64> {
    response.hover_pos().map(|at| transform.value_from_position(at).x)
}

/// Draws the lines of one plot. Returns its response and the transform of its axes.
fn plot(ui: &mut Ui, card: &Card, frame: &Frame, range_s: [f64; 2], size_px: egui::Vec2) -> (Response, PlotTransform) {
    let (history, theme) = (&frame.lab.plots.history, frame.lab.shell.settings.theme);
    let sources = frame.sources();
    let [from_s, to_s] = range_s;
    let right_px = if card.right_unit().is_some() { VALUES_PX } else { 0.0 };
    let size_px = size_px - egui::vec2(right_px, 0.0);
    let mut curves = sources.curves(card, range_s, size_px.x - VALUES_PX);
    let left = sources.value_axis(card, &curves, false);
    let right = sources.value_axis(card, &curves, true);
    let [low, high] = left.ends;
    // The plot has one axis of values: those of the right axis are at the same heights on the left one.
    let [low_right, high_right] = right.ends;
    let to_left = |value: f64| low + (value - low_right) / (high_right - low_right) * (high - low);
    for curve in curves.iter_mut().filter(|curve| curve.is_right) {
        curve.runs.iter_mut().flatten().for_each(|point| point.y = to_left(point.y));
    }
    let axes = Axes::new(card.scale, range_s, size_px).with_values(left);
    // Each segment of a line costs several triangles.
    let px_per_unit = [f64::from(axes.area_px.x) / (to_s - from_s), f64::from(axes.area_px.y) / (high - low)];
    curves.iter_mut().flat_map(|curve| &mut curve.runs).for_each(|run| *run = simplified(run, px_per_unit));
    let gap_s = (to_s - from_s) / f64::from(axes.area_px.x / NEAR);
    let marks = edits::marks(frame.log, frame.lab.run.host.simulation().time().dt_s, range_s, gap_s);
    // Of lines with the same values, the lower ones are wider, so that they can be seen.
    let is_under = |lower: usize| curves[lower + 1..].iter().any(|upper| upper.runs == curves[lower].runs);
    // All plots share the time, so mouse and values are handled here.
    let shown = axes.plot(card.key(), theme).width(size_px.x).height(size_px.y).show(ui, |plot| {
        plot.set_plot_bounds_x(from_s..=to_s);
        plot.set_plot_bounds_y(low..=high);
        for mark in &marks {
            let stroke = Stroke::new(1.0, theme::paint(theme, Role::Dim.faint(0.6)));
            plot.vline(VLine::new("", mark.at_s).stroke(stroke).style(LineStyle::dashed_dense()));
        }
        for (place, Curve { paint, style, runs, .. }) in curves.iter().enumerate() {
            let width_px = if is_under(place) { UNDER_PX } else { LINE_PX };
            let stroke = Stroke::new(width_px, theme::paint(theme, *paint));
            for run in runs {
                plot.line(Line::new("", PlotPoints::Borrowed(run)).stroke(stroke).style(*style));
            }
        }
        if let Some(sample) = frame.sample {
            let at_s = history.time_s(history.steps()[sample]);
            plot.vline(VLine::new("", at_s).stroke(Stroke::new(1.0, theme::color(theme, Role::Text))));
        }
    });
    let area = *shown.transform.frame();
    let dragged = frame.dragged.as_ref().filter(|dragged| match &dragged.of {
        Some(key) => key == card.key(),
        None => card.is_linked,
    });
    if let Some(DraggedSpan { between_s, .. }) = dragged {
        let [one, other] = between_s.map(|at_s| shown.transform.position_from_point_x(at_s));
        let part = Rect::from_x_y_ranges(one.min(other)..=one.max(other), area.y_range()).intersect(area);
        ui.painter().rect_filled(part, 0.0, theme::color(theme, Role::Accent).gamma_multiply(0.15));
    }
    if frame.now_s < frame.end_s {
        future(ui, area, shown.transform.position_from_point_x(frame.now_s), theme);
    }
    axes.label_ends(ui, area, theme);
    if right_px > 0.0 {
        label_right(ui, area, (card.scale, right), theme);
    }
    let note = |at: Pos2, align: Align2, text: String| {
        ui.painter().text(at, align, text, theme::font(theme::SMALL_PX), theme::color(theme, Role::Dim));
    };
    if let Some(text) = head::beginning(card, history) {
        note(area.left_bottom() + egui::vec2(theme::TINY_GAP, -2.0), Align2::LEFT_BOTTOM, text);
    }
    if card.scale == Scale::Logarithmic && curves.iter().all(|curve| curve.runs.is_empty()) {
        note(area.center(), Align2::CENTER_CENTER, "No values above zero".into());
    }
    let name = |number| selection::robot_name(frame.lab.run.host.simulation(), number);
    let response = match near(&shown.response, &shown.transform, &marks) {
        Some(mark) => shown.response.on_hover_ui_at_pointer(|ui| {
            ui.weak(format!("at {:.3} s", mark.at_s));
            ui.label(RichText::new(mark.text(&name)).monospace());
        }),
        None => shown.response,
    };
    (response, shown.transform)
}

/// Draws the plot whose title was dragged onto this one in it when it is dropped; before that, shows what will happen.
fn drop_onto(ui: &Ui, rect: Rect, card: &Card, frame: &Frame, layout: &mut PlotLayout) {
    let Some(dragged) = DragAndDrop::payload::<DraggedPlot>(ui.ctx()) else { return };
    let Some(guest) = frame.cards.iter().find(|other| other.key() == dragged.0 && other.key() != card.key()) else {
        return;
    };
    let Some(at) = ui.ctx().pointer_latest_pos().filter(|at| rect.contains(*at) && ui.clip_rect().contains(*at)) else {
        return;
    };
    let refusal = guest.refusal(card);
    let theme = frame.lab.shell.settings.theme;
    let role = if refusal.is_some() { Role::Warning } else { Role::Accent };
    ui.painter().rect_stroke(rect, theme::CORNER_PX, Stroke::new(2.0, theme::color(theme, role)), StrokeKind::Inside);
    let is_fine = refusal.is_none();
    let text = refusal.unwrap_or_else(|| format!("Plot {} together with {}", guest.title(), card.title()));
    let layer = egui::LayerId::new(Order::Tooltip, egui::Id::new("dragged plot"));
    let painter = ui.ctx().layer_painter(layer);
    let galley = painter.layout_no_wrap(text, theme::font(theme::TEXT_PX), theme::color(theme, Role::Text));
    let screen = ui.ctx().content_rect();
    let left = (at.x + theme::PAD).min(screen.right() - galley.size().x - theme::PAD).max(theme::PAD);
    let place = Rect::from_min_size(egui::pos2(left, at.y - galley.size().y - theme::PAD), galley.size());
    painter.rect_filled(place.expand(theme::TINY_GAP), theme::CORNER_PX, theme::color(theme, Role::Arena));
    painter.galley(place.min, galley, theme::color(theme, Role::Text));
    if ui.input(|input| input.pointer.any_released()) {
        DragAndDrop::take_payload::<DraggedPlot>(ui.ctx());
        if is_fine {
            join(guest, card, layout);
        }
    }
}

/// Draws the lines of a plot in another one.
fn join(guest: &Card, host: &Card, layout: &mut PlotLayout) {
    guest.topics.iter().for_each(|topic| layout.add(topic.key, host.key()));
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

/// Returns the colour of a line by its place in the plot.
pub fn line_color(theme: Theme, place: usize) -> Color32 {
    theme::paint(theme, line_paint(place))
}
