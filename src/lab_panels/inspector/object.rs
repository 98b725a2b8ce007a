//! The inspector of objects: kind, pose, colour and buttons.

use bevy::math::DVec2;
use bevy_egui::egui::{Align, Ui};
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::{Family as _, Kind, Slot};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::step::{Arena, HasArena as _};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_picture::palette::{Role, Theme, hex};
use swarmarium_scene::scene::describe;
use swarmarium_simulation::edit::Edit;

use crate::inspector::line::{self, Cells, cell};
use crate::inspector::pose::NumberField;
use crate::inspector::{asked, does};
use crate::tools::grip::Grip;
use crate::tools::making;

fn object(lab: &Lab, place: usize) -> Option<&Slot<ObjectFamily>> {
    lab.run.host.simulation().scene_ahead().objects.get(place)
}

fn kind_of<'a>(lab: &'a Lab, object: &Slot<ObjectFamily>) -> Option<&'a Kind> {
    lab.run.host.simulation().kinds().of_value(ObjectFamily::NAME, object.value())
}

/// Returns the work of all pushes of an object so far (J), if robots can push it.
fn pushing_work_j(lab: &Lab, place: usize) -> Option<f64> {
    let world = lab.run.host.simulation().world();
    let Arena { space, agents, actors, .. } = world.arena();
    let object = actors.get(space.things.get(place)?.row?.checked_sub(agents.len())?)?;
    world.get::<FrictionWork>(*object).map(|work| work.0)
}

/// Draws one or several objects: pose and colour first, buttons last.
pub fn ui(ui: &mut Ui, lab: &Lab, places: &[usize], actions: &mut Vec<Action>) {
    let theme = lab.shell.settings.theme;
    if let [place] = places
        && let Some(object) = object(lab, *place)
    {
        if let Some(kind) = kind_of(lab, object) {
            does::said(ui, &format!("object {place}, {}", kind.name), &describe::about(kind));
        }
        if line::section(ui, theme, "Pose", "", "Position and heading of the object; drag a number or click to type") {
            pose(ui, lab, *place, actions);
        }
    }
    if let [place] = places
        && let Some(work_j) = pushing_work_j(lab, *place)
    {
        ui.weak(format!("Pushed with {work_j:.3} J")).on_hover_text("Work of all pushes so far against its friction");
    }
    let cells = Cells::next(ui).without_drawing();
    cell(ui, cells.name, Align::Min, |ui| ui.weak("Colour"));
    let place = cells.number.with_max_x(cells.unit.right());
    cell(ui, place, Align::Max, |ui| color(ui, lab, places, actions));
    if places.len() == 1 {
        ui.weak("Other parameters: see the panel Parameters");
    }
    let is_placed = |place: &usize| object(lab, *place).is_some_and(|object| object.common().placed);
    let are_placed = places.iter().any(is_placed);
    if are_placed {
        ui.weak("Placed by an object group: a restart places its objects again, without changes of single ones");
    }
    ui.add_space(theme::GAP);
    let text = if places.len() == 1 { "Remove object" } else { "Remove objects" };
    if let [place] = places
        && !are_placed
        && ui.button("Make object group").on_hover_text("Adds a group of such objects, which the next restart places at random in the whole arena; count, area and rules are in the panel Parameters").clicked()
        && let Some(object) = object(lab, *place)
    {
        actions.push(Action::Edit(making::group(lab, object)));
    }
    let hint = match are_placed {
        true => "Removes the selected objects; a restart places those of object groups again",
        false => "Removes the selected objects; they stay removed after a restart",
    };
    if ui.button(text).on_hover_text(hint).clicked() {
        // The last one first, so that the indices of those before stay valid.
        let edit = |place: &usize| Edit::Remove { path: format!("objects.{place}") };
        actions.extend(asked(places.iter().rev().map(edit).collect()));
    }
}

/// One number of the pose of an object.
struct PoseField {
    entry: NumberField,
    about: &'static str,
    get: fn(&Pose) -> f64,
    set: fn(&mut Pose, f64),
}

const PARTS: [PoseField; 3] = [
    PoseField {
        entry: NumberField { label: "Object x", name: "x", unit: " m", speed: 0.01 },
        about: "Position of the centre along x, in metres; drag it or click to type: 1/3, 30 cm, *1.5",
        get: |pose| pose.position_m.x,
        set: |pose, x_m| pose.position_m.x = x_m,
    },
    PoseField {
        entry: NumberField { label: "Object y", name: "y", unit: " m", speed: 0.01 },
        about: "Position of the centre along y, in metres; drag it or click to type: 1/3, 30 cm, *1.5",
        get: |pose| pose.position_m.y,
        set: |pose, y_m| pose.position_m.y = y_m,
    },
    PoseField {
        entry: NumberField { label: "Object heading", name: "Heading", unit: "°", speed: 0.5 },
        about: "Heading in degrees, anticlockwise from x; a change rotates the object about its centre",
        get: |pose| quantity::degrees(wrap_angle(pose.heading_rad)),
        set: |pose, heading_deg| pose.heading_rad = heading_deg.to_radians(),
    },
];

/// Draws the pose of an object as fields. A new pose has the same effect as a drag with the mouse.
fn pose(ui: &mut Ui, lab: &Lab, place: usize, actions: &mut Vec<Action>) {
    let grip = Grip::of(lab, &[Item::Object(place)], DVec2::ZERO);
    let [held] = &grip.held[..] else { return };
    let mut wanted = held.pose;
    let mut is_changed = false;
    for PoseField { entry, about, get, set } in &PARTS {
        let cells = Cells::next(ui);
        let (field, value) = entry.within(ui, &cells, Some(get(&held.pose)));
        field.on_hover_text(*about);
        if let Some(value) = value {
            set(&mut wanted, value);
            is_changed = true;
        }
    }
    if is_changed {
        actions.extend(asked(grip.moved(lab, |_| wanted)));
    }
}

/// Returns the colour that an object names; the dim colour if it has that of its kind or a random one.
fn rgb(theme: Theme, text: &str) -> [u8; 3] {
    theme.rgb(Role::named(text).unwrap_or(Role::Dim))
}

/// Draws the colour button of some objects.
fn color(ui: &mut Ui, lab: &Lab, places: &[usize], actions: &mut Vec<Action>) {
    let first = places.first().and_then(|place| object(lab, *place));
    let mut rgb = rgb(lab.shell.settings.theme, first.map_or("", |object| &object.common().color));
    let button = ui.color_edit_button_srgb(&mut rgb);
    named(&button, "Colour of objects");
    let is_changed = button.changed();
    button.on_hover_text("Sets the colour of these objects; grey if it is that of the kind");
    if is_changed {
        let value = format!("\"{}\"", hex(rgb));
        let edit = |place: &usize| Edit::Set { path: format!("objects.{place}.color"), value: value.clone() };
        actions.extend(asked(places.iter().map(edit).collect()));
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use bevy_egui::egui::Key;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_core::object::figure_of;
    use swarmarium_lab_testing::{do_steps, lab_of, type_into, window};
    use swarmarium_space::Form;

    use super::*;

    fn center_m(lab: &Lab, place: usize) -> DVec2 {
        figure_of(lab.run.host.simulation().world(), object(lab, place).unwrap()).unwrap().center_m
    }

    #[test]
    fn an_object_has_a_name_a_kind_and_a_place_that_can_be_typed() {
        let mut lab = lab_of("(objects: [Disc(), Disc(name: \"pillar\", center_m: (1.0, 2.0))])");
        let name =
            |place| swarmarium_lab_state::common::selection::name(lab.run.host.simulation(), Item::Object(place));
        assert_eq!([0, 1, 7].map(name), [Some("Disc 0".into()), Some("pillar".into()), None]);
        lab.select(Some(Item::Object(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("object 1, Disc");
        window.get_by_label("Remove object");
        type_into(&mut window, "Object x", "3.5", Key::Enter);
        assert_eq!(center_m(&lab.borrow(), 1), DVec2::new(3.5, 2.0));
    }

    #[test]
    fn walls_and_regions_are_moved_and_turned_by_numbers() {
        let wall = "Polygon(corners_m: [(1.0, 2.0), (3.0, 2.0), (3.0, 2.2), (1.0, 2.2)])";
        let region = "Region(area: Box(min_m: (5.0, 5.0), max_m: (7.0, 6.0)))";
        let mut lab = lab_of(&format!("(objects: [{wall}, {region}])"));
        lab.select(Some(Item::Object(0)));
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Object x", "4", Key::Enter);
        assert!(center_m(&lab.borrow(), 0).distance(DVec2::new(4.0, 2.1)) < 1e-9);
        type_into(&mut window, "Object heading", "90", Key::Enter);
        {
            let lab = lab.borrow();
            let wall = object(&lab, 0).unwrap();
            assert!((wall.common().heading_rad - FRAC_PI_2).abs() < 1e-9);
            let figure = figure_of(lab.run.host.simulation().world(), wall).unwrap();
            let Form::Polygon(corners) = &figure.forms[0] else { panic!("it is a polygon") };
            let (low, high) = swarmarium_space::polygon::bounds(corners);
            assert!((high - low).distance(DVec2::new(0.2, 2.0)) < 1e-9, "{corners:?}");
            assert!(figure.center_m.distance(DVec2::new(4.0, 2.1)) < 1e-9);
        }
        lab.borrow_mut().select(Some(Item::Object(1)));
        window.run_steps(3);
        type_into(&mut window, "Object y", "6.5", Key::Enter);
        assert!(center_m(&lab.borrow(), 1).distance(DVec2::new(6.0, 6.5)) < 1e-9);
    }

    #[test]
    fn an_object_that_acts_is_put_where_it_is_typed() {
        let mut lab = lab_of("(objects: [Disc(center_m: (1.0, 2.0), motion: Unicycle(), heading_rad: 1.0)])");
        lab.select(Some(Item::Object(0)));
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Object y", "4.5", Key::Enter);
        do_steps(&mut lab.borrow_mut(), 1);
        let lab = lab.borrow();
        let [logged] = lab.run.host.simulation().edits() else { panic!("one edit") };
        assert_eq!(logged.edit, Edit::MoveObject { object: 0, x_m: 1.0, y_m: 4.5, heading_rad: 1.0 });
    }

    #[test]
    fn named_colours_are_shown() {
        for theme in [Theme::Dark, Theme::Light] {
            assert_eq!(rgb(theme, "orange"), theme.rgb(Role::Group(1)));
            assert_eq!(rgb(theme, "accent"), theme.rgb(Role::Accent));
            assert_eq!(rgb(theme, "#0a0b0c"), [10, 11, 12]);
            assert_eq!(rgb(theme, ""), theme.rgb(Role::Dim));
        }
    }

    #[test]
    fn the_inspector_counts_several_selected_objects() {
        let mut lab = lab_of("(objects: [Disc(), Disc()])");
        lab.choose(vec![Item::Object(0), Item::Object(1)]);
        let (window, _) = window(lab);
        window.get_by_label("2 objects");
        window.get_by_label("Remove objects");
        assert!(window.query_by_label("Object x").is_none());
    }
}
