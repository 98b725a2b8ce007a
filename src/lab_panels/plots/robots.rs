//! Plots over robots at the shown moment: a distribution, or one number over another. Selected robots are marked, and a
//! click selects robots.

use std::collections::HashSet;

use bevy_egui::egui::{self, Align, Align2, Button, Label, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, Ui};
use bevy_egui::egui::{Layout, WidgetInfo, WidgetType};
use egui_plot::{PlotPoint, PlotTransform};
use swarmarium_core::text::wording::count;
use swarmarium_lab_state::action::{Action, SelectionAction};
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::settings::{PlotLayout, RobotPlot};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{dots, named};
use swarmarium_lab_state::plots::axis::{Scale, ValueAxis, value_text};
use swarmarium_lab_state::plots::robots::{Histogram, RobotChoice, RobotValues, choices, choices_of, title};
use swarmarium_picture::palette::Role;

use crate::plots::Frame;
use crate::plots::axes::Axes;

/// The largest distance from a point at which the pointer is on it, in points.
const NEAR_PX: f32 = 10.0;

/// The gap between two bars, in points.
const BAR_GAP_PX: f32 = 1.0;

/// Returns a value with its unit.
fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", value_text(value).trim_start()).trim_end().to_owned()
}

/// Draws a plot over robots with its head.
pub(super) fn tile(
    ui: &mut Ui,
    plot: (usize, &RobotPlot),
    frame: &Frame,
    layout: &mut PlotLayout,
    actions: &mut Vec<Action>,
) {
    let simulation = frame.lab.run.host.simulation();
    let names = choices_of(simulation, plot.1);
    let values = RobotValues::of(simulation, plot.1);
    head(ui, plot, frame, (&names, &values), layout);
    let area = ui.available_size();
    if values.robots.is_empty() {
        let why = if simulation.count() == 0 { "No robots" } else { "No robot has this value" };
        ui.add_sized(area, Label::new(RichText::new(why).weak()));
        return;
    }
    match plot.1 {
        RobotPlot::Distribution(_) => distribution(ui, plot.0, frame, (&names, &values), actions),
        RobotPlot::Scatter(..) => scatter(ui, plot.0, frame, (&names, &values), actions),
    }
}

fn head(
    ui: &mut Ui,
    (place, plot): (usize, &RobotPlot),
    frame: &Frame,
    (names, values): (&[RobotChoice], &RobotValues),
    layout: &mut PlotLayout,
) {
    let theme = frame.lab.shell.settings.theme;
    let title = title(plot, names);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SMALL_GAP;
        ui.spacing_mut().interact_size.y = 18.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = ui.add(Button::new(RichText::new("✖").size(theme::SMALL_PX)).frame(false));
            button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("Remove {title}")));
            if button.on_hover_text("Removes this plot").clicked() {
                layout.of_robots.remove(place);
            }
            let name = format!("Menu of {title}");
            dots(ui, theme, (14.0, 18.0), &name, "Opens the menu of this plot", |ui| {
                menu(ui, (place, plot), frame, layout);
            });
            ui.weak(values.count_text()).on_hover_text("The robots that have the value at the shown moment");
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let hint = format!(
                    "{} over robots at the shown moment; selected robots are marked",
                    plot.paths().join(" and ")
                );
                ui.add(Label::new(title.as_str()).truncate()).on_hover_text(hint);
            });
        });
    });
}

/// Draws the menu of a plot: the choice of its values.
fn menu(ui: &mut Ui, (place, plot): (usize, &RobotPlot), frame: &Frame, layout: &mut PlotLayout) {
    let all = choices(frame.lab.run.host.simulation());
    let paths = plot.paths();
    let sides: &[&str] = if paths.len() == 1 { &["Value"] } else { &["Horizontal value", "Vertical value"] };
    for (side, (name, path)) in sides.iter().zip(&paths).enumerate() {
        let menu = ui.menu_button(*name, |ui| {
            theme::entries(ui, |ui| {
                for choice in &all {
                    let unit = if choice.unit.is_empty() { "no unit" } else { choice.unit };
                    let hint = format!("Plots {} of each robot, in {unit}", choice.path);
                    let entry = ui.selectable_label(choice.path == **path, &choice.name);
                    named(&entry, &format!("{name}: {}", choice.name));
                    if entry.on_hover_text(hint).clicked() {
                        layout.of_robots[place] = plot.with_path(side, &choice.path);
                        ui.close();
                    }
                }
            });
        });
        menu.response.on_hover_text("Chooses a number that each robot has: its state or a reading of a sensor");
    }
}

/// Draws the axes of a plot, and returns its response and the transform of its axes.
fn axes(ui: &mut Ui, id: usize, frame: &Frame, x: ValueAxis, y: ValueAxis) -> (Response, PlotTransform) {
    let axes = Axes::new(Scale::Linear, x.ends, ui.available_size()).with_values(y).across(x);
    let shown = axes.plot(("plot of robots", id), frame.lab.shell.settings.theme).show(ui, |plot| {
        plot.set_plot_bounds_x(x.ends[0]..=x.ends[1]);
        plot.set_plot_bounds_y(y.ends[0]..=y.ends[1]);
    });
    (shown.response.interact(Sense::click()), shown.transform)
}

/// Draws the unit of the horizontal axis in the lower right corner.
fn unit_below(ui: &Ui, area: Rect, frame: &Frame, unit: &str) {
    let at = area.right_bottom() + egui::vec2(-theme::TINY_GAP, -2.0);
    let color = theme::color(frame.lab.shell.settings.theme, Role::Dim);
    ui.painter().text(at, Align2::RIGHT_BOTTOM, unit, theme::font(theme::SMALL_PX), color);
}

/// Returns the numbers of the selected robots.
fn selected(frame: &Frame) -> HashSet<u32> {
    let number = |item: &Item| if let Item::Agent(number) = item { Some(*number) } else { None };
    frame.lab.view.selection.items.iter().filter_map(number).collect()
}

fn distribution(
    ui: &mut Ui,
    id: usize,
    frame: &Frame,
    (names, values): (&[RobotChoice], &RobotValues),
    actions: &mut Vec<Action>,
) {
    let Some(histogram) = Histogram::of(values) else { return };
    let chosen = selected(frame);
    let theme = frame.lab.shell.settings.theme;
    let unit = names.first().map_or("", |name| name.unit);
    let [x, y] = histogram.axes(values);
    let (response, transform) = axes(ui, id, frame, x, y);
    let (area, painter) = (*transform.frame(), ui.painter_at(*transform.frame()));
    let at = |x: f64, y: f64| transform.position_from_point(&PlotPoint::new(x, y));
    let pointed = response.hover_pos().filter(|at| area.contains(*at)).and_then(|at| {
        let bar = (transform.value_from_position(at).x - histogram.start) / histogram.width;
        (bar >= 0.0).then_some(bar as usize).filter(|bar| *bar < histogram.bars.len())
    });
    for (place, robots) in histogram.bars.iter().enumerate() {
        let [left, right] = histogram.ends(place);
        let selected = robots.iter().filter(|robot| chosen.contains(robot)).count();
        let bar = |height: usize| {
            let (low, high) = (at(left, 0.0), at(right, height as f64));
            Rect::from_two_pos(low, egui::pos2((high.x - BAR_GAP_PX).max(low.x + 1.0), high.y))
        };
        let faint = if pointed == Some(place) { 0.9 } else { 0.55 };
        painter.rect_filled(bar(robots.len()), 0.0, theme::paint(theme, Role::Accent.faint(faint)));
        // Selected robots are the lower part of a bar, with a frame.
        if selected > 0 {
            painter.rect_filled(bar(selected), 0.0, theme::color(theme, Role::Group(1)));
            let stroke = Stroke::new(1.0, theme::color(theme, Role::Text));
            painter.rect_stroke(bar(selected), 0.0, stroke, egui::StrokeKind::Inside);
        }
    }
    let marked = values.robots.iter().filter(|(robot, _)| chosen.contains(robot));
    for (_, [value, _]) in marked {
        let tip = at(*value, 0.0);
        let corners = vec![tip, tip + egui::vec2(-4.0, -7.0), tip + egui::vec2(4.0, -7.0)];
        painter.add(Shape::convex_polygon(corners, theme::color(theme, Role::Text), Stroke::NONE));
    }
    unit_below(ui, area, frame, unit);
    let Some(bar) = pointed else { return };
    let robots = &histogram.bars[bar];
    if response.clicked() && !robots.is_empty() {
        actions.push(SelectionAction::Choose(robots.iter().copied().map(Item::Agent).collect()).into());
    }
    let [from, to] = histogram.ends(bar).map(|end| with_unit(end, unit));
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(format!("{from} to {to}: {} of {}", robots.len(), count(values.robots.len(), "robot")));
        ui.weak("A click selects these robots");
    });
}

fn scatter(
    ui: &mut Ui,
    id: usize,
    frame: &Frame,
    (names, values): (&[RobotChoice], &RobotValues),
    actions: &mut Vec<Action>,
) {
    let theme = frame.lab.shell.settings.theme;
    let simulation = frame.lab.run.host.simulation();
    let (response, transform) = axes(ui, id, frame, values.axis(0), values.axis(1));
    let (area, painter) = (*transform.frame(), ui.painter_at(*transform.frame()));
    let at = |values: &[f64; 2]| transform.position_from_point(&PlotPoint::new(values[0], values[1]));
    let every = values.every();
    let color = theme::paint(theme, Role::Accent.faint(0.8));
    for (_, values) in values.robots.iter().step_by(every) {
        painter.circle_filled(at(values), 2.5, color);
    }
    let chosen = selected(frame);
    for (_, values) in values.robots.iter().filter(|(robot, _)| chosen.contains(robot)) {
        painter.circle(
            at(values),
            4.5,
            theme::color(theme, Role::Group(1)),
            Stroke::new(1.5, theme::color(theme, Role::Text)),
        );
    }
    let units: Vec<&str> = names.iter().map(|name| name.unit).collect();
    unit_below(ui, area, frame, units.first().copied().unwrap_or_default());
    if let Some(unit) = units.get(1) {
        let at = area.left_top() + egui::vec2(theme::TINY_GAP, 1.0);
        let color = theme::color(theme, Role::Dim);
        ui.painter().text(at, Align2::LEFT_TOP, *unit, theme::font(theme::SMALL_PX), color);
    }
    if every > 1 {
        let text = format!("1 of {every} robots");
        let color = theme::color(theme, Role::Dim);
        ui.painter().text(area.right_top(), Align2::RIGHT_TOP, text, theme::font(theme::SMALL_PX), color);
    }
    let distance = |pointer: Pos2, values: &[f64; 2]| at(values).distance(pointer);
    let nearest = response.hover_pos().and_then(|pointer| {
        let robots = values.robots.iter().map(|(robot, values)| (distance(pointer, values), *robot, *values));
        robots.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, ..)| *distance <= NEAR_PX)
    });
    let Some((_, robot, [x, y])) = nearest else {
        if response.clicked() {
            actions.push(SelectionAction::Select(None).into());
        }
        return;
    };
    if response.clicked() {
        actions.push(SelectionAction::Select(Some(Item::Agent(robot))).into());
    }
    response.on_hover_ui_at_pointer(|ui| {
        ui.strong(selection::robot_name(simulation, robot));
        for (name, value) in names.iter().zip([x, y]) {
            ui.label(format!("{}: {}", name.name, with_unit(value, name.unit)));
        }
        ui.weak("A click selects the robot");
    });
}
