//! The strip under both worlds: the first step at which they differ, and the metrics of both.

use bevy_egui::egui::{self, Align, Label, Layout, RichText, ScrollArea, Stroke, Ui};
use egui_plot::{Line, LineStyle, PlotPoint, PlotPoints};
use swarmarium_host::clock::host::Difference;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Action, CompareAction, SelectionAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::dots;
use swarmarium_lab_state::compare::Other;
use swarmarium_lab_state::plots::axis::{Scale, range, value_text};
use swarmarium_lab_state::plots::curve::{extremes, runs};
use swarmarium_lab_state::plots::history::History;
use swarmarium_picture::palette::{Role, Theme};

use crate::plots::Axes;

/// Height of the row of controls, in points.
const BAR_PX: f32 = 30.0;

/// Minimum and default height of the strip with plots, in points.
const WITH_PLOTS_PX: [f32; 2] = [124.0, 176.0];

/// Height of the strip with plots as a fraction of the height of the view, between the limits above.
const PART: f32 = 0.42;

/// Below this height of the view, the strip has no plots, in points.
const LOW_PX: f32 = 250.0;

/// Below this width, the strip moves most of its controls into a menu, in points.
const WIDE_PX: f32 = 640.0;

/// Width and height of the button of this menu, in points.
const MENU_PX: (f32, f32) = (18.0, 22.0);

/// Height of a text row above a plot, in points.
const ROW_PX: f32 = 18.0;

/// Width of a value column, in points.
const COLUMN_PX: f32 = 96.0;

/// Width of the narrowest plot, in points; its values are above it.
const NARROWEST_PX: f32 = 3.0 * COLUMN_PX + 2.0 * theme::GAP;

/// Maximum number of pairs of points in a line; a pair is the minimum and the maximum of some neighbours.
const MOST_PAIRS: f32 = 300.0;

/// Returns the height of the strip for a height of the view, in points.
pub fn height_px(view_px: f32) -> f32 {
    let [least, usual] = WITH_PLOTS_PX;
    if view_px < LOW_PX { BAR_PX } else { (PART * view_px).clamp(least, usual) }
}

/// Draws the strip.
pub fn ui(ui: &mut Ui, lab: &Lab, other: &Other, actions: &mut Vec<Action>) {
    let has_curves = ui.available_height() > 2.0 * BAR_PX;
    ui.horizontal(|ui| bar(ui, lab, other, has_curves, actions));
    if has_curves {
        curves(ui, lab, other);
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

fn bar(ui: &mut Ui, lab: &Lab, other: &Other, has_curves: bool, actions: &mut Vec<Action>) {
    let is_wide = ui.available_width() >= WIDE_PX;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.button("End comparison").on_hover_text(crate::compare::end_hint(lab)).clicked() {
            actions.push(Action::Compare(CompareAction::End));
        }
        let mut controls = |ui: &mut Ui| controls(ui, lab, other, has_curves, actions);
        if is_wide {
            controls(ui);
        } else {
            let hint = "Opens the menu of the comparison: keep B, parameters, cameras, difference";
            dots(ui, lab.shell.settings.theme, MENU_PX, "Menu of the comparison", hint, controls);
        }
        if let Some(difference) = other.branch.as_ref().and_then(|branch| branch.difference().flatten()) {
            first_difference(ui, lab, difference, actions);
        }
        // The text takes the rest of the row, from the left.
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let hint = "The last step after which all robots had the same poses in both worlds";
            ui.add(Label::new(theme::number(difference_in_words(other))).truncate()).on_hover_text(hint);
        });
    });
}

/// Draws all controls except the one that ends the comparison.
fn controls(ui: &mut Ui, lab: &Lab, other: &Other, has_curves: bool, actions: &mut Vec<Action>) {
    let buttons = [
        ("Keep B", CommandId::KeepB, CompareAction::Keep),
        ("Parameters…", CommandId::ChooseWhatIsCompared, CompareAction::Choose),
    ];
    // A comparison of branches has no parameters.
    let is_shown = |action: &CompareAction| other.branch.is_none() || *action != CompareAction::Choose;
    for (name, id, action) in buttons.into_iter().filter(|(.., action)| is_shown(action)) {
        let hint = id.command().tooltip(&lab.shell.keymap);
        if ui.button(name).on_hover_text(hint).clicked() {
            actions.push(Action::Compare(action));
        }
    }
    let hint = "Shows B with the camera of A; otherwise each world has its own camera";
    if ui.selectable_label(other.is_linked, "Linked cameras").on_hover_text(hint).clicked() {
        actions.push(Action::Compare(CompareAction::Link));
    }
    let hint = "Plots the difference B − A of each metric instead of both values";
    if has_curves && ui.selectable_label(lab.compare.shows_difference, "B − A").on_hover_text(hint).clicked() {
        actions.push(Action::Compare(CompareAction::Difference));
    }
}

/// Draws the first difference of two branches. A click goes to its step and selects the robot.
fn first_difference(ui: &mut Ui, lab: &Lab, difference: Difference, actions: &mut Vec<Action>) {
    let Difference { step, agent } = difference;
    let name = agent.map(|agent| selection::robot_name(lab.run.host.simulation(), agent));
    let text = name.map_or("Go there".into(), |name| format!("First to differ: {name}"));
    let hint = format!(
        "Goes to step {}, the first after which the branches differ, and selects the first robot that differs",
        grouped(step)
    );
    if ui.button(text).on_hover_text(hint).clicked() {
        actions.push(TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() }).into());
        actions.extend(agent.map(|agent| Action::Selection(SelectionAction::Select(Some(Item::Agent(agent))))));
    }
}

/// Draws the metrics that both worlds have.
fn curves(ui: &mut Ui, lab: &Lab, other: &Other) {
    let (history, of_b) = (&lab.plots.history, &other.history);
    let (latest, latest_b) = (history.latest(lab.run.host.simulation()), of_b.latest(other.simulation()));
    let names: Vec<&str> = of_b.names().collect();
    let topics = history.topics();
    let parts = topics
        .iter()
        .filter(|topic| !topic.is_pin)
        .flat_map(|topic| topic.parts.iter().map(move |(part, series)| (topic, part.as_str(), *series)));
    let columns: Vec<&str> = history.names().collect();
    let found: Vec<_> = parts
        .filter_map(|(topic, part, a)| {
            let b = names.iter().position(|name| columns.get(a) == Some(name))?;
            Some((topic, part, [a, b]))
        })
        .collect();
    if found.is_empty() {
        ui.weak("The scene has no metrics to compare");
        return;
    }
    let gap = ui.spacing().item_spacing.x;
    let count = found.len() as f32;
    let width = ((ui.available_width() - gap * (count - 1.0)) / count).max(NARROWEST_PX);
    let size = egui::vec2(width, ui.available_height());
    ScrollArea::horizontal().id_salt("metrics of both").auto_shrink(false).show(ui, |ui| {
        ui.horizontal_top(|ui| {
            for (topic, part, [a, b]) in found {
                ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
                    let name = format!("{} {part}", topic.name);
                    numbers(ui, lab.shell.settings.theme, name.trim(), topic.unit, [latest[a], latest_b[b]]);
                    let id = (topic.key, part);
                    match lab.compare.shows_difference {
                        true => plot(ui, lab, id, &[thinned(difference([samples(history, a), samples(of_b, b)]))]),
                        false => plot(ui, lab, id, &[points(history, a), points(of_b, b)]),
                    }
                });
            }
        });
    });
}

/// Draws name and unit, and below them both values and their difference in columns.
pub fn numbers(ui: &mut Ui, theme: Theme, name: &str, unit: &str, [a, b]: [f64; 2]) {
    ui.spacing_mut().interact_size.y = ROW_PX;
    ui.spacing_mut().item_spacing = [theme::GAP, 0.0].into();
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.weak(unit);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(Label::new(name).truncate()));
        });
    });
    let of_unit = if unit.is_empty() { String::new() } else { format!(", in {unit}") };
    let columns = [
        ("A", value_text(a), A, "current value in A"),
        ("B", value_text(b), B, "current value in B"),
        ("B − A", difference_text(b - a), Role::Text, "current difference"),
    ];
    ui.horizontal(|ui| {
        for (word, value, role, what) in columns {
            let word = RichText::new(word).size(theme::SMALL_PX).color(theme::color(theme, role));
            column(ui, word, theme::number(value).size(theme::SMALL_PX), &format!("{name}: {what}{of_unit}"));
        }
    });
}

/// Draws a label at the left and a value at the right of a column.
fn column(ui: &mut Ui, word: RichText, value: RichText, hint: &str) {
    let size = egui::vec2(COLUMN_PX, ROW_PX);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = theme::TINY_GAP;
        ui.set_min_size(size);
        ui.label(word).on_hover_text(hint);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(value).on_hover_text(hint));
    });
}

/// Formats a difference with its sign: `+0.25`.
fn difference_text(difference: f64) -> String {
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{:>9}", format!("{sign}{}", value_text(difference).trim_start()))
}

/// The colours of A and B; the line of B is also dashed.
const A: Role = Role::Accent;

const B: Role = Role::Group(1);

fn plot(ui: &mut Ui, lab: &Lab, id: (&str, &str), curves: &[Vec<PlotPoint>]) {
    let theme = lab.shell.settings.theme;
    let [low, high] = range(curves.iter().flatten().map(|point| point.y));
    // As in the plots of one world, the axis spans at least one second.
    let now_s = lab.run.host.simulation().time().now_s().max(1.0);
    let axes = Axes::new(Scale::Linear, [0.0, now_s], ui.available_size());
    let shown = axes.plot(("both", id), theme).show(ui, |plot| {
        plot.set_plot_bounds_x(0.0..=now_s);
        plot.set_plot_bounds_y(low..=high);
        for (place, points) in curves.iter().enumerate() {
            let is_b = place == 1;
            let color = theme::color(theme, if is_b { B } else { A });
            let line = Line::new("", PlotPoints::Borrowed(points)).stroke(Stroke::new(1.5, color));
            plot.line(if is_b { line.style(LineStyle::dashed_dense()) } else { line });
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
        assert_eq!(difference_text(0.5), "   +0.500");
        assert_eq!(difference_text(-0.5), value_text(-0.5));
        assert_eq!(difference_text(f64::NAN), value_text(f64::NAN));
    }

    #[test]
    fn plots_shrink_with_the_view_and_low_views_have_none() {
        assert_eq!([200.0, 260.0, 600.0].map(height_px), [BAR_PX, 124.0, 176.0]);
        assert!((height_px(350.0) - 147.0).abs() < 1e-3);
    }
}
