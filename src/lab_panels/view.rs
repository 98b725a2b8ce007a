//! The panel View: overlays, colours and camera.

use bevy_egui::egui::{self, DragValue, RichText, ScrollArea, Ui};
use swarmarium_draw::{ColorBy, TrailLength};
use swarmarium_lab_state::action::{Action, ForecastAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::settings::FORECASTS_S;
use swarmarium_lab_state::common::{theme, widgets};
use swarmarium_picture::camera::Camera;

use crate::command_actions;

/// A part of the panel: name, and for each row the id of a command and a short label.
type Part = (&'static str, &'static [(CommandId, &'static str)]);

/// The overlays.
const PARTS: [Part; 3] = [
    (
        "Robots",
        &[
            (CommandId::ShowOrHideSensors, "Sensors"),
            (CommandId::ShowOrHideTrails, "Trails"),
            (CommandId::ShowOrHideForecasts, "Forecasts"),
            (CommandId::ShowOrHideIds, "IDs"),
            (CommandId::ShowOrHideNames, "Names"),
            (CommandId::ShowOrHideVelocities, "Velocities"),
            (CommandId::ShowOrHideCommands, "Commands"),
            (CommandId::ShowOrHideEstimates, "Estimates"),
            (CommandId::ShowOrHidePlans, "Plans"),
        ],
    ),
    (
        "Between robots",
        &[
            (CommandId::ShowOrHideLinks, "Links"),
            (CommandId::ShowOrHideConnections, "Connections"),
            (CommandId::ShowOrHideTheVoronoiDiagram, "Voronoi diagram"),
            (CommandId::ShowOrHideTheDelaunayTriangulation, "Delaunay triangulation"),
        ],
    ),
    (
        "Arena",
        &[
            (CommandId::ShowOrHideTheGrid, "Grid"),
            (CommandId::ShowOrHideGridLabels, "Grid labels"),
            (CommandId::ShowOrHideTheScaleBar, "Scale bar"),
            (CommandId::ShowOrHideMetrics, "Metrics"),
            (CommandId::ShowOrHideFields, "Fields"),
            (CommandId::ShowOrHideTheDensity, "Density"),
            (CommandId::ShowOrHideTheOccupancy, "Occupancy"),
        ],
    ),
];

/// Draws the panel. Returns the requested actions.
pub fn ui(ui: &mut Ui, lab: &Lab) -> Vec<Action> {
    let mut wanted = Vec::new();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        heading(ui, "Colour by");
        ui.horizontal_wrapped(|ui| colors(ui, lab.view.current.color_by, &mut wanted));
        heading(ui, "Camera");
        ui.horizontal_wrapped(|ui| camera(ui, lab, &mut wanted));
        heading(ui, "Overlays");
        for (name, rows) in PARTS {
            ui.weak(name);
            rows.iter().for_each(|(id, name)| row(ui, lab, *id, name, &mut wanted));
        }
        heading(ui, "Trails of all robots");
        ui.horizontal_wrapped(|ui| trail(ui, lab.view.current.trail, &mut wanted));
        heading(ui, "Forecasts");
        forecast(ui, lab.shell.settings.forecast_s, &mut wanted);
    });
    wanted
}

fn heading(ui: &mut Ui, name: &str) {
    ui.add_space(theme::TINY_GAP);
    ui.label(RichText::new(name).strong());
}

/// Draws a check box that runs a command, with its keys.
fn row(ui: &mut Ui, lab: &Lab, id: CommandId, name: &str, wanted: &mut Vec<Action>) {
    let command = id.command();
    let mut is_on = command_actions::is_on(command, lab).unwrap_or_default();
    ui.horizontal(|ui| {
        if ui.checkbox(&mut is_on, name).on_hover_text(command.tooltip(&lab.shell.keymap)).clicked() {
            wanted.extend(command_actions::action(command.id, lab));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.weak(command.keys_text(&lab.shell.keymap))
        });
    });
}

/// Draws the length of trails.
fn trail(ui: &mut Ui, length: TrailLength, wanted: &mut Vec<Action>) {
    let mut number = length.number();
    let (unit, hint) = match length {
        TrailLength::Seconds(_) => (" s", "Length of the trails that the window keeps, in simulated seconds"),
        TrailLength::Meters(_) => (" m", "Length of the trails that the window keeps, in metres"),
    };
    let present = Some(number);
    let field = DragValue::new(&mut number).range(TrailLength::RANGE).speed(0.1).suffix(unit);
    let field = widgets::quantity_field(ui, field, unit, present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Length of trails"));
    if field.on_hover_text(format!("{hint}, from 0.1 to 3600")).changed() {
        wanted.push(Action::View(ViewAction::TrailLength(match length {
            TrailLength::Seconds(_) => TrailLength::Seconds(number),
            TrailLength::Meters(_) => TrailLength::Meters(number),
        })));
    }
    let is_seconds = matches!(length, TrailLength::Seconds(_));
    for (is_it, name) in [(is_seconds, "Seconds"), (!is_seconds, "Metres")] {
        let hint = format!("Measures trails in {}", name.to_lowercase());
        if ui.selectable_label(is_it, name).on_hover_text(hint).clicked() && !is_it {
            wanted.push(Action::View(ViewAction::TrailLength(length.other())));
        }
    }
}

/// Draws the duration of forecasts.
fn forecast(ui: &mut Ui, mut duration_s: f64, wanted: &mut Vec<Action>) {
    let present = Some(duration_s);
    let field = DragValue::new(&mut duration_s).range(FORECASTS_S).speed(0.1).suffix(" s");
    let field = widgets::quantity_field(ui, field, "s", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Duration of forecasts"));
    let hint = "Duration of the dashed paths while a slider is held, in simulated seconds, from 1 to 600";
    if field.on_hover_text(hint).changed() {
        wanted.push(ForecastAction::SetDuration(duration_s).into());
    }
}

/// Draws the choice of colours.
fn colors(ui: &mut Ui, now: ColorBy, wanted: &mut Vec<Action>) {
    for (color_by, _, name) in ColorBy::ALL {
        let hint = format!("Colours robots by {}, with a legend (Q: next colours)", name.to_lowercase());
        if ui.selectable_label(now.is_like(color_by), name).on_hover_text(hint).clicked() {
            wanted.push(Action::View(ViewAction::ColorBy(color_by)));
        }
    }
    if let ColorBy::Reading(mut slot) = now {
        let present = slot;
        let field = DragValue::new(&mut slot).range(0..=255).speed(0.05).prefix("sensor ");
        let field = widgets::whole_field(ui, field, "", present);
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Sensor of the colours"));
        let hint = "Slot of the sensor whose first number colours the robots, from 0 to 255";
        if field.on_hover_text(hint).changed() {
            wanted.push(Action::View(ViewAction::ColorBy(ColorBy::Reading(slot))));
        }
    }
}

/// Draws the width of the view and the buttons that fit it.
fn camera(ui: &mut Ui, lab: &Lab, wanted: &mut Vec<Action>) {
    let Camera { screen_px, pixels_per_m, .. } = lab.view.current.camera;
    let mut span_m = screen_px.x / pixels_per_m;
    let before_m = span_m;
    let field = DragValue::new(&mut span_m).range(1e-3..=1e6).speed(before_m * 0.005).suffix(" m");
    let field = widgets::quantity_field(ui, field.max_decimals(2), "m", Some(before_m));
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Width of the view"));
    let hint = "Width of the view in metres, from 0.001 to 1000000";
    if field.on_hover_text(hint).changed() && span_m != before_m {
        wanted.push(Action::View(ViewAction::Span(span_m)));
    }
    for (id, name) in [
        (CommandId::ShowTheWholeArena, "All"),
        (CommandId::ShowTheSelection, "Selection"),
        (CommandId::FollowOrStay, "Follow"),
    ] {
        let command = id.command();
        let is_on = command_actions::is_on(command, lab).unwrap_or_default();
        if ui.selectable_label(is_on, name).on_hover_text(command.tooltip(&lab.shell.keymap)).clicked() {
            wanted.extend(command_actions::action(id, lab));
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Key, Modifiers};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_draw::Overlay;
    use swarmarium_lab_state::common::command::COMMANDS;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{click, lab_on, window};

    use super::*;

    #[test]
    fn every_row_of_the_view_panel_is_a_toggle_command() {
        let lab = lab_on("milling");
        for (id, _) in PARTS.iter().flat_map(|(_, rows)| *rows) {
            let command = id.command();
            assert!(command_actions::is_on(command, &lab).is_some(), "{}", command.title);
            assert!(!command.keys.is_empty(), "{}", command.title);
        }
        let named = COMMANDS.iter().filter_map(|command| match command_actions::action(command.id, &lab) {
            Some(Action::View(ViewAction::Overlay(overlay))) => Some(overlay),
            _ => None,
        });
        let named: Vec<Overlay> = named.collect();
        // Trails and connections have their own actions; labels are for videos.
        let others = [Overlay::Title, Overlay::Clock, Overlay::Seed, Overlay::Connections, Overlay::Trails];
        let mut all = Overlay::NAMED.into_iter().map(|(overlay, _)| overlay).chain([Overlay::Metrics]);
        assert!(all.all(|overlay| named.contains(&overlay) != others.contains(&overlay)), "{named:?}");
    }

    #[test]
    fn check_boxes_of_the_view_panel_and_keys_do_the_same() {
        let mut lab = lab_on("milling");
        lab.show_panel(Pane::View);
        lab.shell.settings.layout.close(Pane::Parameters);
        let (mut window, lab) = window(lab);
        window.set_size([1280.0, 1600.0].into());
        window.run_steps(3);
        window.get_by_label("Density").click();
        window.run_steps(3);
        assert!(lab.borrow().view.current.overlays.shows(Overlay::Density));
        window.key_press(Key::H);
        window.run_steps(3);
        assert!(!lab.borrow().view.current.overlays.shows(Overlay::Density));
        window.get_by_label("Id").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().view.current.color_by, ColorBy::Id);
        for expected in [ColorBy::Heading, ColorBy::Group] {
            window.key_press(Key::Q);
            window.run_steps(3);
            assert_eq!(lab.borrow().view.current.color_by, expected);
        }
        window.get_by_label("Metres").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().view.current.trail, TrailLength::default().other());
        click(&mut window, "View panel");
        assert!(!lab.borrow().shell.shows_panel(Pane::View));
        window.key_press_modifiers(Modifiers::SHIFT, Key::V);
        window.run_steps(3);
        assert!(lab.borrow().shell.shows_panel(Pane::View));
    }
}
