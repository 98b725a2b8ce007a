//! Objects: what they are and where, and what can be done with them.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy_egui::egui::{Color32, Ui};

use super::asked;
use super::pose::Entry;
use crate::agent::motion::stationary::Static;
use crate::edit::Edit;
use crate::kind::describe;
use crate::kind::{Family as _, Kind, ObjectFamily, Open};
use crate::lab::parameters::named;
use crate::lab::{Action, Lab, selection};
use crate::scene::path;
use crate::step::CurrentSpace;

fn object(lab: &Lab, place: usize) -> Option<&Open<ObjectFamily>> {
    lab.host.simulation().scene_ahead().objects.get(place)
}

fn kind_of<'a>(lab: &'a Lab, object: &Open<ObjectFamily>) -> Option<&'a Kind> {
    lab.host.simulation().kinds().of_value(ObjectFamily::NAME, object.value())
}

/// Draws one object, or several at once.
pub fn ui(ui: &mut Ui, lab: &Lab, places: &[usize], actions: &mut Vec<Action>) {
    if let [place] = places
        && let Some(object) = object(lab, *place)
    {
        if let Some(kind) = kind_of(lab, object) {
            ui.weak(format!("object {place}, {}", kind.name)).on_hover_text(describe::about(kind));
        }
        position(ui, lab, *place, object, actions);
    }
    ui.horizontal(|ui| {
        color(ui, lab, places, actions);
        let text = if places.len() == 1 { "Remove object" } else { "Remove objects" };
        if ui.button(text).on_hover_text("Takes it out of the world; a reset keeps that").clicked() {
            // The last one first: the places of those before stay what they are.
            let edit = |place: &usize| Edit::Remove { path: format!("objects.{place}") };
            actions.extend(asked(places.iter().rev().map(edit).collect()));
        }
    });
    if places.len() == 1 {
        ui.weak("Its parameters are below");
    }
}

/// Where an object is, to be dragged and typed.
fn position(ui: &mut Ui, lab: &Lab, place: usize, object: &Open<ObjectFamily>, actions: &mut Vec<Action>) {
    let moves = !object.common().motion.value().is::<Static>();
    let lies_at = middle(lab, object);
    let now = lab.host.simulation().world().resource::<CurrentSpace>().things.get(place).map(|thing| thing.position);
    let known = if moves { now } else { lies_at.as_ref().map(|(_, at_m)| *at_m) };
    let Some(at_m) = known else { return };
    let mut wanted_m = at_m;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        for (label, prefix, value) in [("Object x", "x ", &mut wanted_m.x), ("Object y", "y ", &mut wanted_m.y)] {
            let (field, wanted) = Entry { label, prefix, unit: " m", speed: 0.01 }.ui(ui, Some(*value));
            *value = wanted.unwrap_or(*value);
            field.on_hover_text("Position of its middle in metres; drag it or click to type");
        }
    });
    if wanted_m == at_m {
        return;
    }
    // Walls hold what moves inside, as they do while it is dragged.
    let DVec2 { x, y } = if moves { selection::confined_m(lab.host.simulation(), wanted_m, 0.0) } else { wanted_m };
    actions.push(Action::Edit(match lies_at {
        Some((path, _)) if !moves => {
            Edit::Set { path: format!("objects.{place}.{path}"), value: format!("({x:?}, {y:?})") }
        }
        _ => Edit::MoveObject { object: place as u32, x_m: x, y_m: y, heading_rad: heading_rad(lab, place) },
    }));
}

/// The parameter that says where an object lies: the first point of its kind.
fn middle(lab: &Lab, object: &Open<ObjectFamily>) -> Option<(String, DVec2)> {
    let leaves = path::leaves(lab.host.simulation().kinds(), object.value());
    leaves.into_iter().find_map(|leaf| {
        let at_m = leaf.value.downcast_ref::<DVec2>()?;
        // A point within a list is one of many.
        (!leaf.path.contains('.')).then(|| (leaf.path.clone(), *at_m))
    })
}

/// Where a moving object looks.
fn heading_rad(lab: &Lab, place: usize) -> f64 {
    let world = lab.host.simulation().world();
    let Some(mut query) = world.try_query::<(&crate::id::StableId, &crate::agent::Pose)>() else { return 0.0 };
    let id = crate::id::StableId::object(place as u32);
    query.iter(world).find(|(known, _)| **known == id).map_or(0.0, |(_, pose)| pose.heading_rad)
}

/// The colour of all of them.
fn color(ui: &mut Ui, lab: &Lab, places: &[usize], actions: &mut Vec<Action>) {
    let first = places.first().and_then(|place| object(lab, *place)).map(|object| object.common().color.clone());
    let known = first.and_then(|text| Color32::from_hex(&text).ok()).unwrap_or(Color32::GRAY);
    let mut rgb = [known.r(), known.g(), known.b()];
    let button = ui.color_edit_button_srgb(&mut rgb);
    named(&button, "Colour of objects");
    let is_changed = button.changed();
    button.on_hover_text("Gives them a colour; grey where they have that of their kind");
    if is_changed {
        let [red, green, blue] = rgb;
        let value = format!("\"#{red:02x}{green:02x}{blue:02x}\"");
        let edit = |place: &usize| Edit::Set { path: format!("objects.{place}.color"), value: value.clone() };
        actions.extend(asked(places.iter().map(edit).collect()));
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Key};
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::lab::selection::Item;
    use crate::lab::testing::{lab_of, window};

    #[test]
    fn an_object_has_a_name_a_kind_and_a_place_that_can_be_typed() {
        let mut lab = lab_of("(objects: [Disc(), Disc(name: \"pillar\", center_m: (1.0, 2.0))])");
        let name = |place| selection::name(lab.host.simulation(), Item::Object(place));
        assert_eq!([0, 1, 7].map(name), [Some("Disc 0".into()), Some("pillar".into()), None]);
        lab.select(Some(Item::Object(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("object 1, Disc");
        window.get_by_label("Remove object");
        window.get_by_label("Object x").focus();
        window.run_steps(2);
        window.event(Event::Text("3.5".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        let lab = lab.borrow();
        let (path, at_m) = middle(&lab, object(&lab, 1).unwrap()).unwrap();
        assert_eq!((path.as_str(), at_m), ("center_m", DVec2::new(3.5, 2.0)));
    }

    #[test]
    fn several_objects_are_counted() {
        let mut lab = lab_of("(objects: [Disc(), Disc()])");
        lab.choose(vec![Item::Object(0), Item::Object(1)]);
        let (window, _) = window(lab);
        window.get_by_label("2 objects");
        window.get_by_label("Remove objects");
        assert!(window.query_by_label("Object x").is_none());
    }
}
