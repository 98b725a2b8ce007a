//! The plots at the bottom: every metric and every pinned number over time, side by side.
//!
//! All of them show the same part of time. The value under the cursor is told for all at once, and thin lines mark
//! where something was edited.

use bevy_egui::egui::{
    self, Align, Button, Color32, Label, Layout, PointerButton, Rect, Response, RichText, ScrollArea, Sense, Stroke,
    TextEdit, Ui, WidgetInfo, WidgetType,
};
use egui_plot::{Line, LineStyle, Plot, PlotPoints, PlotTransform, VLine};

use super::dialogs::Ask;
use super::reload::counted;
use super::{Action, Lab, theme};
use crate::draw::{Role, Theme};

mod axis;
mod curve;
mod edits;
mod formula;
mod history;
mod pin;
mod span;

pub use axis::{range, value_text};
pub use history::History;
pub use pin::Pin;

use axis::{marks, plain};
use edits::Mark;
use history::Topic;
use span::Span;

/// The narrowest plot, in points.
const NARROWEST: f32 = 200.0;
/// Width of the axis of values, in points.
const AXIS: f32 = 44.0;
/// Marks of edits are at least so far from each other, and tell what they are when the cursor is as near, in points.
const NEAR: f32 = 4.0;
/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL: f32 = 250.0;

/// The plots.
#[derive(Default)]
pub struct Plots {
    span: Span,
    /// The time under the cursor, in seconds.
    cursor_s: Option<f64>,
    /// The run that the span belongs to.
    run: u64,
    /// The path that is typed.
    path: String,
    /// Why it was not pinned.
    refused: Option<String>,
    edits: Edits,
}

/// How many edits there were. They are counted as they come, for there may be many.
#[derive(Default)]
struct Edits {
    seen: usize,
    count: usize,
}

/// What all plots of a frame share.
struct Frame<'a> {
    lab: &'a Lab,
    topics: Vec<Topic<'a>>,
    now_s: f64,
    range_s: [f64; 2],
    latest: Vec<f64>,
    /// The sample under the cursor.
    sample: Option<usize>,
    marks: Vec<Mark<'a>>,
    /// Width of a plot without its axis, in points.
    width: f32,
}

impl Plots {
    /// Draws them; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        self.follow(lab);
        let frame = self.frame(lab, ui.available_width());
        self.bar(ui, &frame, &mut actions);
        self.plots(ui, &frame, &mut actions);
        actions
    }

    /// A new run is seen whole.
    fn follow(&mut self, lab: &Lab) {
        let (run, log) = (lab.history.run(), lab.host.simulation().edits());
        if self.run != run || log.len() < self.edits.seen {
            (self.run, self.span, self.cursor_s, self.edits) = (run, Span::Whole, None, Edits::default());
        }
        self.edits.count += edits::count(&log[self.edits.seen..]);
        self.edits.seen = log.len();
    }

    fn frame<'a>(&self, lab: &'a Lab, available: f32) -> Frame<'a> {
        let (history, simulation) = (&lab.history, lab.host.simulation());
        let topics = history.topics();
        let count = topics.len().max(1) as f32;
        let width = ((available - 2.0 * theme::PAD * (count - 1.0)) / count).max(NARROWEST) - AXIS;
        let time = simulation.time();
        let range_s = self.span.range_s(time.now_s());
        let gap_s = (range_s[1] - range_s[0]) / f64::from(width / NEAR);
        // Beyond the last sample there is the value of now.
        let newest_s = history.steps().last().map(|step| history.time_s(*step));
        let is_past = |at_s: &f64| newest_s.is_some_and(|newest_s| *at_s < (newest_s + time.now_s()) / 2.0);
        Frame {
            lab,
            topics,
            now_s: time.now_s(),
            range_s,
            latest: history.latest(simulation),
            sample: self.cursor_s.filter(is_past).and_then(|at_s| history.nearest(at_s)),
            marks: edits::marks(simulation.edits(), time.dt_s, range_s, gap_s),
            width,
        }
    }

    /// What the values are of, and what can be done with all plots.
    fn bar(&mut self, ui: &mut Ui, frame: &Frame, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            ui.spacing_mut().button_padding.y = 2.0;
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                for (name, hint, ask) in [
                    ("Export PNG", "Saves a picture of the plots as they are", Ask::ExportPng),
                    ("Export CSV", "Saves the values of all plots as a table, one row per sample", Ask::ExportCsv),
                ] {
                    if ui.button(name).on_hover_text(hint).clicked() {
                        actions.push(Action::Ask(ask));
                    }
                }
                self.field(ui, frame.lab, actions);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| self.told(ui, frame));
            });
        });
    }

    fn field(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let field = TextEdit::singleline(&mut self.path).desired_width(180.0).hint_text("agents.0.x_m");
        let field = ui.add(field).on_hover_text(pin::HELP);
        let label = ui.label("Pin a value").on_hover_text(pin::HELP);
        let field = field.labelled_by(label.id);
        if field.changed() {
            self.refused = None;
        }
        if !field.lost_focus() || !ui.input(|input| input.key_pressed(egui::Key::Enter)) || self.path.trim().is_empty()
        {
            return;
        }
        self.refused = lab.history.pin(lab.host.simulation(), &self.path).err();
        if self.refused.is_none() {
            actions.push(Action::Pin(std::mem::take(&mut self.path)));
        }
        // The next one can be typed at once, or this one mended.
        field.request_focus();
    }

    /// The time that the values are of, and what there is to know of them; or why a path was refused.
    fn told(&mut self, ui: &mut Ui, frame: &Frame) {
        let Frame { lab, sample, now_s, .. } = frame;
        let at_s = sample.map_or(*now_s, |sample| lab.history.time_s(lab.history.steps()[sample]));
        let word = if sample.is_some() { "at " } else { "now" };
        let hint = "The simulated time of the values, in seconds: that under the cursor, or now";
        ui.label(theme::number(format!("{word} {at_s:>10.3} s"))).on_hover_text(hint);
        let hint = "Shows the whole run again (double click in a plot)";
        if self.span != Span::Whole && ui.button("Whole run").on_hover_text(hint).clicked() {
            self.span = Span::Whole;
        }
        if let Some(refused) = &self.refused {
            let text = RichText::new(format!("⚠ {refused}")).color(theme::color(lab.settings.theme, Role::Warning));
            ui.add(Label::new(text).truncate());
            return;
        }
        if lab.history.stride() > 1 {
            let hint = "Samples that are kept; the older ones between are left out, so that long runs fit into memory";
            ui.weak(lab.history.sampling()).on_hover_text(hint);
        }
        if self.edits.count > 0 {
            let hint = "Dashed lines mark where something was changed; hover one to see what";
            ui.weak(counted(self.edits.count)).on_hover_text(hint);
        }
    }

    fn plots(&mut self, ui: &mut Ui, frame: &Frame, actions: &mut Vec<Action>) {
        let mut cursor_s = None;
        if frame.topics.is_empty() {
            ui.weak("Nothing to plot: the scene has no metrics, and nothing is pinned");
        }
        ui.spacing_mut().item_spacing.x = 2.0 * theme::PAD;
        let size = egui::vec2(frame.width + AXIS, ui.available_height());
        ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                for topic in &frame.topics {
                    // Those that are scrolled away cost nothing.
                    let rect = Rect::from_min_size(ui.cursor().min, size);
                    if !ui.is_rect_visible(rect) {
                        ui.allocate_rect(rect, Sense::hover());
                        continue;
                    }
                    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
                        head(ui, topic, frame, actions);
                        let (response, transform) = plot(ui, topic, frame);
                        self.handle(&response, &transform, frame);
                        cursor_s = cursor_s.or(time_at(&response, &transform));
                    });
                }
            });
        });
        self.cursor_s = cursor_s;
    }

    /// What the mouse asks for.
    fn handle(&mut self, response: &Response, transform: &PlotTransform, frame: &Frame) {
        let now_s = frame.now_s;
        if response.dragged_by(PointerButton::Primary) {
            let by_s = -f64::from(response.drag_delta().x) * transform.dvalue_dpos()[0];
            self.span.pan(by_s, now_s);
        }
        let wheel = response.ctx.input(|input| (input.smooth_scroll_delta().y / WHEEL).exp() * input.zoom_delta());
        if let Some(at_s) = time_at(response, transform)
            && wheel != 1.0
        {
            self.span.zoom(at_s, f64::from(wheel), now_s);
        }
        if response.double_clicked() {
            self.span = Span::Whole;
        }
    }
}

/// The time under the cursor.
fn time_at(response: &Response, transform: &PlotTransform) -> Option<f64> {
    response.hover_pos().map(|at| transform.value_from_position(at).x)
}

/// Name, value and unit.
fn head(ui: &mut Ui, topic: &Topic, frame: &Frame, actions: &mut Vec<Action>) {
    let history = &frame.lab.history;
    let value = |series: usize| match frame.sample {
        Some(sample) => history.series(series)[sample],
        None => frame.latest[series],
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SMALL_GAP;
        ui.spacing_mut().interact_size.y = 18.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if topic.is_pin && unpin(ui, topic.key) {
                actions.push(Action::Pin(topic.key.into()));
            }
            ui.weak(topic.unit);
            for (index, (part, series)) in topic.parts.iter().enumerate().rev() {
                ui.label(theme::number(value_text(value(*series))));
                ui.colored_label(line_color(frame.lab.settings.theme, index), *part);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let what = if topic.is_pin { "pinned value" } else { "metric" };
                let hint = format!("The {what} {}, after {}", topic.key, history.sampling());
                ui.add(Label::new(&topic.name).truncate()).on_hover_text(hint);
            });
        });
    });
}

fn unpin(ui: &mut Ui, path: &str) -> bool {
    let name = format!("Unpin {path}");
    let button = ui.add(Button::new(RichText::new("✖").size(theme::SMALL_PX)).frame(false));
    button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    button.on_hover_text(format!("Takes {path} out of the plots")).clicked()
}

/// The lines of one plot; its response, and where things are in it.
fn plot(ui: &mut Ui, topic: &Topic, frame: &Frame) -> (Response, PlotTransform) {
    let (history, theme) = (&frame.lab.history, frame.lab.settings.theme);
    let [from_s, to_s] = frame.range_s;
    let parts = topic.parts.iter().enumerate();
    let runs = parts.map(|(index, (_, series))| {
        let now = (frame.now_s, frame.latest[*series]);
        (line_color(theme, index), curve::runs(history, *series, frame.range_s, frame.width, now))
    });
    let runs: Vec<_> = runs.collect();
    // Marks that stand too near to each other fade.
    let wanted = f64::from((frame.width / 110.0).clamp(1.0, 4.0));
    let [low, high] = range(runs.iter().flat_map(|(_, runs)| runs).flatten().map(|point| point.y));
    let shown = Plot::new(topic.key)
        .show_background(false)
        .show_grid([false, true])
        .grid_color(theme::color(theme, Role::Grid))
        .grid_spacing(12.0..=28.0)
        .x_grid_spacer(move |input| axis::inner(marks(&input, wanted), &input, [0.0, 0.06]))
        .y_grid_spacer(|input| axis::inner(marks(&input, 3.0), &input, [0.07, 0.0]))
        .x_axis_formatter(|mark, _| format!("{} s", plain(mark.value)))
        .y_axis_formatter(|mark, _| plain(mark.value))
        .y_axis_min_width(AXIS)
        // The time is that of all plots, so that mouse and values are handled here.
        .show_x(false)
        .show_y(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show(ui, |plot| {
            plot.set_plot_bounds_x(from_s..=to_s);
            plot.set_plot_bounds_y(low..=high);
            for mark in &frame.marks {
                let stroke = Stroke::new(1.0, theme::paint(theme, Role::Dim.faint(0.6)));
                plot.vline(VLine::new("", mark.at_s).stroke(stroke).style(LineStyle::dashed_dense()));
            }
            for (color, runs) in &runs {
                for run in runs {
                    plot.line(Line::new("", PlotPoints::Borrowed(run)).stroke(Stroke::new(1.5, *color)));
                }
            }
            if let Some(sample) = frame.sample {
                let at_s = history.time_s(history.steps()[sample]);
                plot.vline(VLine::new("", at_s).stroke(Stroke::new(1.0, theme::color(theme, Role::Text))));
            }
        });
    let response = match near(&shown.response, &shown.transform, &frame.marks) {
        Some(mark) => shown.response.on_hover_ui_at_pointer(|ui| {
            ui.weak(format!("at {:.3} s", mark.at_s));
            ui.label(RichText::new(mark.text()).monospace());
        }),
        None => shown.response,
    };
    (response, shown.transform)
}

/// The mark under the cursor.
fn near<'a>(response: &Response, transform: &PlotTransform, marks: &'a [Mark]) -> Option<&'a Mark<'a>> {
    let at = response.hover_pos()?.x;
    let off = |mark: &Mark| (transform.position_from_point_x(mark.at_s) - at).abs();
    marks.iter().min_by(|a, b| off(a).total_cmp(&off(b))).filter(|mark| off(mark) <= NEAR)
}

fn line_color(theme: Theme, index: usize) -> Color32 {
    theme::color(theme, if index == 0 { Role::Accent } else { Role::Group(index as u32) })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use egui::{Event, Key, Modifiers, MouseWheelUnit, TouchPhase};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::edit::Edit;
    use crate::lab::testing::{do_steps, lab_of, lab_on, window};

    fn type_in(window: &mut Harness, path: &str) {
        window.get_by_label("Pin a value").focus();
        window.run_steps(2);
        window.get_by_label("Pin a value").type_text(path);
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
    }

    fn pins(lab: &Lab) -> Vec<String> {
        lab.history.pins().map(Into::into).collect()
    }

    /// Puts the cursor into the first plot, a part of its width from the left.
    fn hover(window: &mut Harness, lab: &RefCell<Lab>, part: f32) {
        let at = place(&lab.borrow(), part);
        window.hover_at(at);
        window.run_steps(4);
    }

    fn place(lab: &Lab, part: f32) -> egui::Pos2 {
        let count = lab.history.topics().len() as f32;
        let left = lab.plots_px.left() + theme::PAD;
        let width = (lab.plots_px.width() - 2.0 * theme::PAD * count) / count;
        egui::pos2(left + AXIS + part * (width - AXIS), lab.plots_px.center().y + 10.0)
    }

    fn wheel(window: &mut Harness, points: f32) {
        window.event(Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: egui::vec2(0.0, points),
            phase: TouchPhase::Move,
            modifiers: Modifiers::NONE,
        });
        window.run_steps(20);
    }

    #[test]
    fn a_path_that_is_typed_is_pinned_and_taken_out_again() {
        let (mut window, lab) = window(lab_on("milling"));
        type_in(&mut window, "agents.0.x_m");
        assert_eq!(pins(&lab.borrow()), ["agents.0.x_m"]);
        window.get_by_label("Agent 0 x");
        let x_m = lab.borrow().host.simulation().agent(0).unwrap().pose.position_m.x;
        assert!(window.query_all_by_label(&value_text(x_m)).count() > 0);
        type_in(&mut window, "agents.0.y_m");
        assert_eq!(pins(&lab.borrow()), ["agents.0.x_m", "agents.0.y_m"]);
        window.get_by_label("Unpin agents.0.x_m").click();
        window.run_steps(3);
        assert_eq!(pins(&lab.borrow()), ["agents.0.y_m"]);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused_in_place() {
        let (mut window, lab) = window(lab_on("milling"));
        type_in(&mut window, "agents.0.xm");
        window.get_by_label("⚠ `agents.0` has no `xm`, did you mean `x_m`?");
        assert_eq!((pins(&lab.borrow()), lab.borrow().notices.iter().count()), (vec![], 0));
        // It is mended, not typed again.
        window.key_press(Key::Backspace);
        window.run_steps(2);
        assert!(window.query_by_label_contains("did you mean").is_none());
        type_in(&mut window, "_m");
        assert_eq!(pins(&lab.borrow()), ["agents.0.x_m"]);
        type_in(&mut window, "agents[0].x_m");
        window.get_by_label("⚠ `agents[0].x_m` is pinned already");
        assert_eq!(pins(&lab.borrow()).len(), 1);
    }

    #[test]
    fn values_are_those_under_the_cursor() {
        let mut before = lab_on("milling");
        do_steps(&mut before, 400);
        let (mut window, lab) = window(before);
        let shown = |window: &Harness, step: u64| {
            let lab = lab.borrow();
            let row = lab.history.steps().iter().position(|known| *known == step).unwrap();
            window.query_all_by_label(&value_text(lab.history.series(0)[row])).count() > 0
        };
        window.get_by_label_contains("now ");
        assert!(shown(&window, 400));
        hover(&mut window, &lab, 0.5);
        let told = {
            let told = window.get_all_by_label_contains("at ").filter_map(|node| node.value());
            told.into_iter().find(|text| text.starts_with("at ")).unwrap()
        };
        let at_s: f64 = told.trim_start_matches("at").trim_end_matches('s').trim().parse().unwrap();
        let dt_s = lab.borrow().host.simulation().time().dt_s;
        let step = (at_s / dt_s).round() as u64;
        assert!((150..250).contains(&step), "{told}");
        assert!(shown(&window, step) && !shown(&window, 400));
        window.remove_cursor();
        window.run_steps(3);
        window.get_by_label_contains("now ");
    }

    #[test]
    fn changes_are_counted_and_told() {
        let mut before = lab_on("milling");
        do_steps(&mut before, 200);
        for value in ["1.5", "1.6"] {
            let edit = Edit::Set { path: "groups.0.sensors.0.range_m".into(), value: value.into() };
            before.host.apply(edit).unwrap();
            do_steps(&mut before, 1);
        }
        do_steps(&mut before, 198);
        let (mut window, lab) = window(before);
        window.get_by_label("2 changes");
        hover(&mut window, &lab, 0.5);
        window.run_steps(4);
        window.get_by_label("groups.0.sensors.0.range_m = 1.6");
        lab.borrow_mut().reset(None);
        window.run_steps(2);
        assert!(window.query_by_label_contains("change").is_none());
    }

    #[test]
    fn the_wheel_zooms_and_a_reset_shows_the_whole_run_again() {
        let mut before = lab_on("milling");
        do_steps(&mut before, 400);
        let (mut window, lab) = window(before);
        let is_zoomed = |window: &Harness| window.query_by_label("Whole run").is_some();
        hover(&mut window, &lab, 0.5);
        assert!(!is_zoomed(&window));
        wheel(&mut window, 200.0);
        assert!(is_zoomed(&window));
        window.get_by_label("Whole run").click();
        window.run_steps(3);
        assert!(!is_zoomed(&window));
        hover(&mut window, &lab, 0.5);
        wheel(&mut window, 200.0);
        lab.borrow_mut().reset(None);
        window.run_steps(3);
        assert!(!is_zoomed(&window));
    }

    #[test]
    fn without_anything_to_plot_it_says_so() {
        let (mut window, lab) = window(lab_of("()"));
        window.get_by_label("Nothing to plot: the scene has no metrics, and nothing is pinned");
        type_in(&mut window, "seed");
        assert_eq!(pins(&lab.borrow()), ["seed"]);
        assert!(window.query_by_label_contains("Nothing to plot").is_none());
    }

    #[test]
    fn no_value_and_no_size_breaks_it() {
        let mut before = lab_on("milling");
        let series = before.history.names().count();
        let values = [f64::NAN, 1e300, -1e300, f64::INFINITY, f64::MAX, f64::MIN, 0.0, 1e-300, 7.0];
        (1..).zip(values.iter().cycle()).take(3000).for_each(|(step, value)| {
            before.history.push(step, vec![*value; series]);
        });
        let (mut window, lab) = window(before);
        hover(&mut window, &lab, 0.3);
        for size in [egui::vec2(1280.0, 800.0), egui::vec2(300.0, 200.0), egui::vec2(40.0, 40.0)] {
            window.set_size(size);
            window.run_steps(3);
        }
    }

    #[test]
    fn many_plots_are_scrolled() {
        let mut before = lab_on("milling");
        for agent in 0..5 {
            for field in ["x_m", "y_m", "speed_m_per_s"] {
                before.pin(&format!("agents.{agent}.{field}"));
            }
        }
        let (window, lab) = window(before);
        assert_eq!(pins(&lab.borrow()).len(), 15);
        window.get_by_label("Circliness");
        // What is scrolled away is not drawn.
        assert!(window.query_by_label("Agent 4 speed").is_none());
    }
}
