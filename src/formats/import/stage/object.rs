//! Models other than robots, as objects.

use bevy::math::DVec2;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::movable::Movable;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_core::text::wording::shown;
use swarmarium_space::polygon;

use super::color;
use super::robot::FIDUCIAL_TEAM;
use super::shape::{self, Shape};
use super::values::{Pose, Reader};

/// The properties of models that scenes express.
const PROPERTIES: [&str; 11] = [
    "name",
    "color",
    "color_rgba",
    "obstacle_return",
    "ranger_return",
    "laser_return",
    "fiducial_return",
    "gripper_return",
    "ctrl",
    "mass",
    "z",
];
/// The colour of models without one of their own, as in Stage.
const COLOR: &str = "#ff0000";

/// The colour of a model.
pub fn color(reader: &mut Reader, model: usize) -> String {
    if let Some((_, name)) = reader.text(model, "color").filter(|(_, name)| !name.is_empty()) {
        let color = color::named(&name);
        if color.is_none() {
            reader.warn_of(model, "color", format!("`{}` is not a colour: red is used, as in Stage", shown(&name)));
        }
        return color.unwrap_or_else(|| COLOR.to_owned());
    }
    match reader.numbers(model, "color_rgba").as_deref() {
        Some([red, green, blue, ..]) => color::of_parts([*red, *green, *blue]),
        _ => COLOR.to_owned(),
    }
}

/// Objects with the corners of the area that they cover.
#[derive(Default)]
pub struct Objects {
    /// Marks on the floor, which robots neither touch nor sense.
    pub marks: Vec<Slot<ObjectFamily>>,
    /// All others.
    pub obstacles: Vec<Slot<ObjectFamily>>,
    /// Corners of all areas.
    pub corners_m: Vec<DVec2>,
    /// Names of objects with the controllers that they have in Stage.
    pub controllers: Vec<(String, String)>,
}

/// Adds the object of a model, without its children.
pub fn add(reader: &mut Reader, model: usize, pose: Pose, has_fiducials: bool, objects: &mut Objects) {
    let Shape { size_m, origin, outlines_m, image, boundary_m, .. } = shape::shape(reader, model, true);
    let body = pose.of_part(origin);
    let name = reader.text(model, "name").map(|(_, name)| name).unwrap_or_default();
    let blocks = reader.flag(model, "obstacle_return", true);
    // Early versions have `laser_return`, of which 0 means invisible.
    let sensed = match reader.number(model, "ranger_return") {
        Some(number) => number >= 0.0,
        None => reader.flag(model, "laser_return", true),
    };
    let is_image = image.is_some();
    if !blocks && sensed && (is_image || !boundary_m.is_empty()) {
        let message = "robots drive through this map, as in Stage: remove `obstacle_return 0`, or set `blocks: true`";
        reader.warn_of(model, "obstacle_return", message);
    }
    let can_move = reader.flag(model, "gripper_return", false) && blocks;
    let movable = match can_move && !is_image {
        true => {
            let mass_kg = reader.number(model, "mass").filter(|mass| *mass > 0.0);
            Some(Movable { mass_kg: mass_kg.unwrap_or(Movable::default().mass_kg), ..Movable::default() })
        }
        false => None,
    };
    let has_fiducial = reader.flag(model, "fiducial_return", false) && has_fiducials;
    for control in super::robot::controllers(reader, model) {
        let what = shown(&control);
        reader.warn_of(model, "ctrl", format!("`{what}` is a plug-in of Stage: it is only kept in `metadata`"));
        objects.controllers.push((name.clone(), control));
    }
    let presence = Presence {
        name,
        team: if has_fiducial { FIDUCIAL_TEAM.to_owned() } else { String::new() },
        blocks,
        sensed,
        color: color(reader, model),
        heading_rad: body.heading_rad,
        movable,
        ..Presence::default()
    };
    let half = size_m / 2.0;
    let corners = [-half, half, DVec2::new(half.x, -half.y), DVec2::new(-half.x, half.y)];
    objects.corners_m.extend(corners.map(|corner| body.point(corner)));
    let kept = if blocks || sensed { &mut objects.obstacles } else { &mut objects.marks };
    if let Some(image) = image {
        kept.push(Slot::new(image.filling(size_m, body)).with(presence.clone()));
    }
    for outline in outlines_m {
        let corners_m: Vec<DVec2> = outline.into_iter().map(|corner| body.point(corner)).collect();
        if polygon::signed_area(&corners_m).abs() > 1e-12 {
            kept.push(Slot::new(Polygon { corners_m }).with(presence.clone()));
        }
    }
    for wall in boundary_m {
        let corners_m = wall.into_iter().map(|corner| body.point(corner)).collect();
        let presence = Presence { movable: None, ..presence.clone() };
        kept.push(Slot::new(Polygon { corners_m }).with(presence));
    }
    reader.note_lost(model, &[PROPERTIES.as_slice(), &shape::PROPERTIES].concat());
}
