//! The strip under both worlds: the first step at which they differ, and the metrics of both.

use bevy_egui::egui::{
    self, Align, Label, Layout, RichText, ScrollArea, Stroke, TextStyle, TextWrapMode, Ui, WidgetText,
};
use egui_plot::{Line, LineStyle, PlotPoint, PlotPoints};
use swarmarium_host::clock::host::Difference;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Action, CompareAction, SelectionAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::dots;
use swarmarium_lab_state::compare::Other;
use swarmarium_lab_state::plots::axis::{Scale, range, value_text};
use swarmarium_lab_state::plots::curve::{extremes, runs};
use swarmarium_lab_state::plots::history::History;
use swarmarium_lab_state::plots::topic::Topic;

use crate::plots::{Axes, BETWEEN_PX, line_color};

/// Height of the row of controls, in points.
const BAR_PX: f32 = 30.0;

/// Minimum and default height of the strip with plots, in points.
const WITH_PLOTS_PX: [f32; 2] = [124.0, 176.0];

/// Height of the strip with plots as a fraction of the height of the view, between the limits above.
const PART: f32 = 0.42;

/// Below this height of the view, the strip has only its row of controls, in points.
const LOW_PX: f32 = 250.0;

/// Width and height of the button of the menu, in points.
const MENU_PX: (f32, f32) = (18.0, 22.0);

/// Height of a row of values, in points.
const ROW_PX: f32 = 18.0;

/// The largest number of rows of the table of values; more of them scroll.
const MOST_ROWS: usize = 3;

/// Width of a value column, in points.
const COLUMN_PX: f32 = 96.0;

/// Width from which the values above a plot include the difference, in points.
const WITH_DIFFERENCE_PX: f32 = 3.0 * COLUMN_PX + 2.0 * theme::GAP;

/// Width of the narrowest plot, in points; both values are above it.
const NARROWEST_PX: f32 = 2.0 * COLUMN_PX + theme::GAP;

/// Maximum number of pairs of points in a line; a pair is the minimum and the maximum of some neighbours.
const MOST_PAIRS: f32 = 300.0;

/// The content of the strip below its row of controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing, in a low view.
    Nothing,
    /// A table of so many metrics: the panel Plots shows the curves of both worlds.
    Values(usize),
    /// A plot of each metric.
    Plots,
}

impl Content {
    /// Chooses the content for a height of the view, in points. Curves that the panel Plots shows are not drawn twice.
    pub fn of(lab: &Lab, other: &Other, view_px: f32) -> Self {
        match () {
            () if view_px < LOW_PX => Self::Nothing,
            () if lab.compare.shows_difference || !lab.shell.shows_panel(Pane::Plots) => Self::Plots,
            () => Self::Values(compared(lab, other).len()),
        }
    }

    /// Returns the height of the strip for a height of the view, both in points.
    pub fn height_px(self, view_px: f32) -> f32 {
        let [least, usual] = WITH_PLOTS_PX;
        match self {
            Self::Nothing => BAR_PX,
            Self::Values(rows) => BAR_PX + ROW_PX * (1 + rows.clamp(1, MOST_ROWS)) as f32 + theme::TINY_GAP,
            Self::Plots => (PART * view_px).clamp(least, usual),
        }
    }
}

/// Draws the strip.
pub fn ui(ui: &mut Ui, lab: &Lab, other: &Other, content: Content, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| bar(ui, lab, other, content, actions));
    match content {
        Content::Nothing => {}
        Content::Values(_) => values(ui, lab, other),
        Content::Plots => curves(ui, lab, other),
    }
}

/// Formats the first step at which the worlds differ.
fn difference_in_words(other: &Other) -> String {
    if let Some(progress) = other.branch.as_ref().and_then(|branch| branch.search_progress()) {
        return format!("Comparing branches: {} of {} steps", grouped(progress.done), grouped(progress.steps));
    }
    match other.differs_at() {
        Some(0) => "Different from the start".into(),
        Some(step) => format!("Identical until step {}", grouped(step - 1)),
        None => format!("Identical, {} steps", grouped(other.compared_steps())),
    }
}

/// Returns the width of a button with this text, with the gap beside it, in points.
fn button_px(ui: &Ui, text: &str) -> f32 {
    text_px(ui, RichText::new(text)) + 2.0 * ui.spacing().button_padding.x + ui.spacing().item_spacing.x
}

pub(super) fn text_px(ui: &Ui, text: RichText) -> f32 {
    let galley = WidgetText::from(text).into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body);
    galley.size().x
}

/// The text of the button that ends the comparison.
const END: &str = "End comparison";

fn bar(ui: &mut Ui, lab: &Lab, other: &Other, content: Content, actions: &mut Vec<Action>) {
    let status = difference_in_words(other);
    let found = other.branch.as_ref().and_then(|branch| branch.difference().flatten());
    let found = found.map(|difference| (difference, first_text(lab, difference)));
    // The text is shown in full; controls that do not fit beside it are in a menu.
    let status_px = text_px(ui, theme::number(&status)) + ui.spacing().item_spacing.x;
    let found_px = found.as_ref().map_or(0.0, |(_, text)| button_px(ui, text));
    let left = ui.available_width() - status_px - found_px - button_px(ui, END);
    let names: Vec<&str> = control_names(other, content).collect();
    let is_wide = left >= names.iter().map(|name| button_px(ui, name)).sum::<f32>();
    let menu_px = MENU_PX.0 + ui.spacing().item_spacing.x;
    let has_end = is_wide || left >= menu_px;
    let mut room_px = if is_wide { left } else { left - menu_px };
    let fits = |name: &&&str| {
        room_px -= button_px(ui, name);
        room_px >= 0.0
    };
    let (shown, others) = names.split_at(names.iter().take_while(fits).count());
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if has_end {
            end(ui, lab, actions);
        }
        controls(ui, lab, other, shown, actions);
        if !is_wide {
            let hint = "Opens the menu of the comparison, with the controls that lack room";
            dots(ui, lab.shell.settings.theme, MENU_PX, "Menu of the comparison", hint, |ui| {
                controls(ui, lab, other, others, actions);
                if !has_end {
                    end(ui, lab, actions);
                }
            });
        }
        if let Some((difference, text)) = found {
            first_difference(ui, lab, difference, &text, actions);
        }
        // The text takes the rest of the row, from the left.
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let hint = format!("{status}: the last step after which all robots had the same poses in both worlds");
            let label = Label::new(theme::number(status)).truncate().show_tooltip_when_elided(false);
            ui.add(label).on_hover_text(hint);
        });
    });
}

fn end(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    if ui.button(END).on_hover_text(crate::compare::end_hint(lab)).clicked() {
        actions.push(Action::Compare(CompareAction::End));
    }
}

/// Returns the names of the controls that are shown.
fn control_names(other: &Other, content: Content) -> impl Iterator<Item = &'static str> {
    let is_shown = move |name: &&str| match *name {
        // A comparison of branches has no parameters.
        PARAMETERS => other.branch.is_none(),
        DIFFERENCE => content != Content::Nothing,
        _ => true,
    };
    [KEEP, PARAMETERS, CAMERAS, DIFFERENCE].into_iter().filter(is_shown)
}

const KEEP: &str = "Keep B";

const PARAMETERS: &str = "Parameters…";

const CAMERAS: &str = "Linked cameras";

const DIFFERENCE: &str = "Plot B − A";

/// Draws controls by their names.
fn controls(ui: &mut Ui, lab: &Lab, other: &Other, names: &[&str], actions: &mut Vec<Action>) {
    for name in names {
        let (action, is_on, hint) = match *name {
            KEEP => (CompareAction::Keep, None, CommandId::KeepB.command().tooltip(&lab.shell.keymap)),
            PARAMETERS => {
                (CompareAction::Choose, None, CommandId::ChooseWhatIsCompared.command().tooltip(&lab.shell.keymap))
            }
            CAMERAS => {
                let hint = "Shows B with the camera of A; otherwise each world has its own camera";
                (CompareAction::Link, Some(other.is_linked), hint.into())
            }
            _ => {
                let hint = "Plots the difference B − A of each metric";
                (CompareAction::Difference, Some(lab.compare.shows_difference), hint.into())
            }
        };
        let control = match is_on {
            Some(is_on) => ui.selectable_label(is_on, *name),
            None => ui.button(*name),
        };
        if control.on_hover_text(hint).clicked() {
            actions.push(Action::Compare(action));
        }
    }
}

/// Returns the text of the button that shows the first difference of two branches.
fn first_text(lab: &Lab, Difference { agent, .. }: Difference) -> String {
    let name = agent.map(|agent| selection::robot_name(lab.run.host.simulation(), agent));
    name.map_or("Go there".into(), |name| format!("First to differ: {name}"))
}

/// Draws the first difference of two branches. A click goes to its step and selects the robot.
fn first_difference(ui: &mut Ui, lab: &Lab, difference: Difference, text: &str, actions: &mut Vec<Action>) {
    let Difference { step, agent } = difference;
    let hint = format!(
        "Goes to step {}, the first after which the branches differ, and selects the first robot that differs",
        grouped(step)
    );
    if ui.button(text).on_hover_text(hint).clicked() {
        actions.push(TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() }).into());
        actions.extend(agent.map(|agent| Action::Selection(SelectionAction::Select(Some(Item::Agent(agent))))));
    }
}

/// A metric that both worlds have.
struct Compared<'a> {
    /// The metric and its part, as an id.
    id: (&'a str, String),
    name: String,
    unit: &'static str,
    /// The series in A and in B.
    series: [usize; 2],
}

/// Returns the metrics that both worlds have.
fn compared<'a>(lab: &'a Lab, other: &Other) -> Vec<Compared<'a>> {
    let history = &lab.plots.history;
    let names: Vec<&str> = other.history.names().collect();
    let columns: Vec<&str> = history.names().collect();
    let topics = history.topics().into_iter().filter(|topic| !topic.is_pin);
    let parts = topics.flat_map(|topic| {
        let Topic { key, unit, name, parts, .. } = topic;
        parts.into_iter().map(move |(part, a)| (key, unit, name.clone(), part, a))
    });
    let of = |(key, unit, name, part, a): (&'a str, &'static str, String, String, usize)| {
        let b = names.iter().position(|name| columns.get(a) == Some(name))?;
        let name = format!("{name} {part}").trim().to_owned();
        Some(Compared { id: (key, part), name, unit, series: [a, b] })
    };
    parts.filter_map(of).collect()
}

/// The present values of all series in both worlds.
struct Latest([Vec<f64>; 2]);

impl Latest {
    fn of(lab: &Lab, other: &Other) -> Self {
        Self([lab.plots.history.latest(lab.run.host.simulation()), other.history.latest(other.simulation())])
    }

    fn of_both(&self, compared: &Compared) -> [f64; 2] {
        let Self([a, b]) = self;
        let [of_a, of_b] = compared.series;
        [a[of_a], b[of_b]]
    }
}

/// The message of a comparison without metrics.
const NO_METRICS: &str = "The scene has no metrics to compare";

/// Draws a table with the values of the metrics in both worlds.
fn values(ui: &mut Ui, lab: &Lab, other: &Other) {
    let found = compared(lab, other);
    if found.is_empty() {
        ui.weak(NO_METRICS);
        return;
    }
    let latest = Latest::of(lab, other);
    ui.spacing_mut().interact_size.y = ROW_PX;
    ui.spacing_mut().item_spacing = [theme::GAP, 0.0].into();
    ui.spacing_mut().scroll.floating = false;
    ScrollArea::vertical().id_salt("values of both").auto_shrink(false).show(ui, |ui| {
        let name_px = (ui.available_width() - WITH_DIFFERENCE_PX - theme::GAP).clamp(40.0, 220.0);
        row(
            ui,
            name_px,
            |_| {},
            |ui, world| {
                ui.weak(world.name());
            },
        );
        for compared in &found {
            let both = latest.of_both(compared);
            let (name, unit) = (compared.name.as_str(), compared.unit);
            let title = |ui: &mut Ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.weak(unit);
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(Label::new(name).truncate()));
                });
            };
            row(ui, name_px, title, |ui, world| {
                let value = theme::number(world.value_text(both)).size(theme::SMALL_PX);
                ui.label(value).on_hover_text(world.hint(name, unit));
            });
        }
    });
}

/// Draws a row of the table of values.
fn row(ui: &mut Ui, name_px: f32, title: impl FnOnce(&mut Ui), mut value: impl FnMut(&mut Ui, Column)) {
    ui.horizontal(|ui| {
        let size = egui::vec2(name_px, ROW_PX);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_size(size);
            title(ui);
        });
        for column in Column::ALL {
            let size = egui::vec2(COLUMN_PX, ROW_PX);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.set_min_size(size);
                value(ui, column);
            });
        }
    });
}

/// Draws the curves of the metrics that both worlds have.
fn curves(ui: &mut Ui, lab: &Lab, other: &Other) {
    let (history, of_b) = (&lab.plots.history, &other.history);
    let found = compared(lab, other);
    if found.is_empty() {
        ui.weak(NO_METRICS);
        return;
    }
    let latest = Latest::of(lab, other);
    let count = found.len() as f32;
    let width = ((ui.available_width() - BETWEEN_PX * (count - 1.0)) / count).max(NARROWEST_PX);
    ui.spacing_mut().scroll.floating = false;
    ScrollArea::horizontal().id_salt("metrics of both").auto_shrink(false).show(ui, |ui| {
        let size = egui::vec2(width, ui.available_height());
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = BETWEEN_PX;
            for compared in &found {
                let [a, b] = compared.series;
                ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
                    numbers(ui, &compared.name, compared.unit, latest.of_both(compared));
                    match lab.compare.shows_difference {
                        true => {
                            let line = thinned(difference([samples(history, a), samples(of_b, b)]));
                            plot(ui, lab, &compared.id, &[line]);
                        }
                        false => plot(ui, lab, &compared.id, &[points(history, a), points(of_b, b)]),
                    }
                });
            }
        });
    });
}

/// A column of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    A,
    B,
    Difference,
}

impl Column {
    const ALL: [Self; 3] = [Self::A, Self::B, Self::Difference];

    fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::Difference => "B − A",
        }
    }

    /// Formats the value of the column for the values in A and B.
    fn value_text(self, [a, b]: [f64; 2]) -> String {
        match self {
            Self::A => value_text(a),
            Self::B => value_text(b),
            Self::Difference => difference_text([a, b]),
        }
    }

    fn hint(self, name: &str, unit: &str) -> String {
        let what = match self {
            Self::A => "current value in A, whose curve is solid",
            Self::B => "current value in B, whose curve is dashed",
            Self::Difference => "current difference",
        };
        let of_unit = if unit.is_empty() { String::new() } else { format!(", in {unit}") };
        format!("{name}: {what}{of_unit}")
    }
}

/// Draws name and unit, and below them both values in columns, and their difference if there is room.
pub fn numbers(ui: &mut Ui, name: &str, unit: &str, both: [f64; 2]) {
    ui.spacing_mut().interact_size.y = ROW_PX;
    ui.spacing_mut().item_spacing = [theme::GAP, 0.0].into();
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.weak(unit);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(Label::new(name).truncate()));
        });
    });
    let count = if ui.available_width() >= WITH_DIFFERENCE_PX { 3 } else { 2 };
    ui.horizontal(|ui| {
        for column in &Column::ALL[..count] {
            let size = egui::vec2(COLUMN_PX, ROW_PX);
            let hint = column.hint(name, unit);
            let place = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = theme::TINY_GAP;
                ui.set_min_size(size);
                ui.label(RichText::new(column.name()).size(theme::SMALL_PX));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.label(theme::number(column.value_text(both)).size(theme::SMALL_PX));
                });
            });
            place.response.on_hover_text(hint);
        }
    });
}

/// Formats the difference of B from A with its sign: `+0.25`; zero if both values are shown with the same digits.
fn difference_text([a, b]: [f64; 2]) -> String {
    let difference = if value_text(a) == value_text(b) && a.is_finite() { 0.0 } else { b - a };
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{:>9}", format!("{sign}{}", value_text(difference).trim_start()))
}

/// Draws the lines of A and B, which look like those of the panel Plots: of one colour, and dashed in B.
fn plot(ui: &mut Ui, lab: &Lab, id: &(&str, String), curves: &[Vec<PlotPoint>]) {
    let theme = lab.shell.settings.theme;
    let [low, high] = range(curves.iter().flatten().map(|point| point.y));
    // As in the plots of one world, the axis spans at least one second.
    let now_s = lab.run.host.simulation().time().now_s().max(1.0);
    let axes = Axes::new(Scale::Linear, [0.0, now_s], ui.available_size());
    let shown = axes.plot(("both", id), theme).show(ui, |plot| {
        plot.set_plot_bounds_x(0.0..=now_s);
        plot.set_plot_bounds_y(low..=high);
        for (place, points) in curves.iter().enumerate() {
            let stroke = Stroke::new(1.5, line_color(theme, 0));
            let line = Line::new("", PlotPoints::Borrowed(points)).stroke(stroke);
            plot.line(if place == 1 { line.style(LineStyle::dashed_dense()) } else { line });
        }
    });
    axes.label_ends(ui, *shown.transform.frame(), theme);
}

/// Returns the points of the line of a series from the start.
fn points(history: &History, series: usize) -> Vec<PlotPoint> {
    let range_s = [0.0, f64::INFINITY];
    runs(history, series, range_s, MOST_PAIRS, (f64::INFINITY, f64::NAN), Scale::Linear).concat()
}

/// Returns the finite values of a series after the last step of each bucket.
fn samples(history: &History, series: usize) -> impl Iterator<Item = PlotPoint> {
    let samples = history.steps().iter().zip(history.series(series)).filter(|(_, value)| value.is_finite());
    samples.map(|(step, value)| PlotPoint::new(history.time_s(*step), *value))
}

/// Returns the difference B − A at times where both have a value.
fn difference([a, b]: [impl Iterator<Item = PlotPoint>; 2]) -> Vec<PlotPoint> {
    let b: Vec<PlotPoint> = b.collect();
    let of = |point: PlotPoint| {
        let place = b.binary_search_by(|other| other.x.total_cmp(&point.x)).ok()?;
        Some(PlotPoint::new(point.x, b[place].y - point.y))
    };
    a.filter_map(of).collect()
}

/// Returns the minimum and the maximum of each group of neighbours, in at most [`MOST_PAIRS`] groups.
fn thinned(points: Vec<PlotPoint>) -> Vec<PlotPoint> {
    let together = (points.len() as f32 / MOST_PAIRS).ceil().max(1.0) as usize;
    points.chunks(together.next_power_of_two()).flat_map(|points| extremes(points.iter().copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_taken_where_both_have_a_value() {
        let curve = |points: &'static [[f64; 2]]| points.iter().map(|[x, y]| PlotPoint::new(*x, *y));
        let found = difference([curve(&[[1.0, 5.0], [2.0, 6.0], [4.0, 1.0]]), curve(&[[2.0, 7.5], [4.0, 1.0]])]);
        assert_eq!(found.iter().map(|point| [point.x, point.y]).collect::<Vec<_>>(), [[2.0, 1.5], [4.0, 0.0]]);
    }

    #[test]
    fn a_long_difference_line_keeps_its_peaks() {
        let mut all: Vec<PlotPoint> = (0..4000).map(|x| PlotPoint::new(f64::from(x), 0.0)).collect();
        (all[17].y, all[3001].y) = (5.0, -5.0);
        let found = thinned(all);
        assert!(found.len() < 700 && found.windows(2).all(|pair| pair[0].x < pair[1].x));
        assert!([[17.0, 5.0], [3001.0, -5.0]].iter().all(|peak| found.iter().any(|known| [known.x, known.y] == *peak)));
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!(difference_text([0.0, 0.5]), "   +0.500");
        assert_eq!(difference_text([0.5, 0.0]), value_text(-0.5));
        assert_eq!(difference_text([0.0, f64::NAN]), value_text(f64::NAN));
        assert_eq!(difference_text([0.27, 0.27 + 5e-16]), value_text(0.0), "the digits are the same");
        assert_eq!(difference_text([1e-6, 2e-6]), " +1.00e-6");
    }

    #[test]
    fn the_height_follows_the_content() {
        let height_px = |view_px| Content::Plots.height_px(view_px);
        assert_eq!([260.0, 600.0].map(height_px), [124.0, 176.0]);
        assert!((height_px(350.0) - 147.0).abs() < 1e-3);
        let table_px = |rows| Content::Values(rows).height_px(600.0);
        assert!(table_px(1) < table_px(3) && table_px(3) == table_px(9) && table_px(9) < 124.0);
    }
}
