//! Objects: scenery, detection regions, drawings; and hulls, which agents can have as well.

use std::collections::BTreeMap;

use bevy::math::DVec2;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math;
use swarmarium_core::agent::body::{Anchor, Body};
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::drawing::TOLERANCE_M;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::region::{Area, Region};
use swarmarium_core::object::{ObjectFamily, Presence, form_problem};
use swarmarium_space::{Form, polygon};
use swarmarium_svg::only_outline;

use super::fields::{Fields, Key, Reader, Spot, hex, limits};
use super::static_objects::{StaticObject, static_objects};
use super::yaml::Value;

const OBJECTS: &[&str] = &["StaticObject", "DetectionRegion"];
pub(super) const OBJECT_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("name"),
    Key::carried("team"),
    Key::carried("position"),
    Key::carried("angle"),
    Key::carried("agent_radius"),
    Key::carried("points"),
    Key::carried("anchor_point"),
    Key::carried("body_color"),
    Key::carried("body_filled"),
    Key::carried("target_teams"),
    Key::carried("target_name"),
    // In RobotSwarmSimulator, objects neither push nor are pushed.
    Key::dead("collides"),
    Key::dead("collide_walls"),
    Key::dead("grounded"),
    Key::dead("controller"),
    Key::dead("sensors"),
    Key::looks("debug"),
    Key::seed(),
];
/// The keys that give an object a place or a form.
const PLACE_KEYS: [&str; 3] = ["position", "points", "agent_radius"];
const STAND_IN: &str = "It is read as a `StaticObject` with the place and the form that its fields give";
const WITHOUT_PLACE: &str = "It is left out: it has no `position`, `points` or `agent_radius` for a stand-in";
const DRAWING_KEYS: &[Key] = &[Key::carried("svg_to_static_objects")];

/// The radius that RobotSwarmSimulator gives an agent of radius zero, which is its default.
const DEFAULT_RADIUS_M: f64 = 0.5;

/// Reads an entry of `objects`: one object, or those of a drawing.
pub fn objects(reader: &mut Reader, spot: &Spot) -> Vec<Slot<ObjectFamily>> {
    let is_drawing = matches!(&spot.node.value, Value::Map(entries)
        if entries.iter().any(|(key, _)| key.text() == Some("svg_to_static_objects")));
    if is_drawing {
        return drawing_objects(reader, spot);
    }
    let has_place = PLACE_KEYS.iter().any(|key| spot.node.get(key).is_some());
    let instead = if has_place { STAND_IN } else { WITHOUT_PLACE };
    let Some(known) = reader.type_or_own(spot, "object", OBJECTS, instead) else { return Vec::new() };
    if known.is_none() && !has_place {
        return Vec::new();
    }
    let name = known.unwrap_or(OBJECTS[0]);
    let fields = if known.is_some() { reader.fields(spot, &[OBJECT_KEYS]) } else { reader.open(spot) };
    let Some(fields) = fields else { return Vec::new() };
    let hull = Hull::read(reader, &fields);
    let position = fields.get("position").map(|spot| reader.pair(&spot, limits::<Placement>("x_m")));
    let heading_rad = reader.number_or(&fields, "angle", 0.0, limits::<Placement>("heading_rad"));
    let (center_m, facing) = (position.unwrap_or_default() + hull.position_offset_m(), math::direction(heading_rad));
    let presence = Presence {
        name: fields.text("name").unwrap_or_default(),
        team: fields.text("team").unwrap_or_default(),
        // RobotSwarmSimulator only draws the `objects` of a world: no agent touches or senses them.
        blocks: false,
        sensed: false,
        color: reader.color(&fields, "body_color"),
        filled: reader.is_on_or(&fields, "body_filled", false),
        ..Presence::default()
    };
    let radius_m = hull.body.radius_m();
    let object = if name == "DetectionRegion" {
        let area = Area::Disc { center_m, radius_m };
        let teams = teams(reader, &fields);
        reader.slot(spot, Region { area, teams, group: fields.text("target_name").unwrap_or_default() })
    } else {
        match hull.body.corners_m() {
            None => reader.slot(spot, Disc { center_m, radius_m }),
            Some(corners) => {
                let shift = hull.body.shift_m();
                let corners_m: Vec<_> =
                    corners.iter().map(|corner| center_m + facing.rotate(*corner + shift)).collect();
                if is_far(&Form::Polygon(corners_m.clone())) {
                    reader.problem(spot, FAR);
                }
                reader.slot(spot, Polygon { corners_m })
            }
        }
    };
    object.map(|object| object.with(presence)).into_iter().collect()
}

/// Reads the objects of a drawing.
fn drawing_objects(reader: &mut Reader, spot: &Spot) -> Vec<Slot<ObjectFamily>> {
    let fields = reader.fields(spot, &[DRAWING_KEYS]);
    let Some(drawing) = fields.and_then(|fields| fields.get("svg_to_static_objects")) else { return Vec::new() };
    let Some(svg) = drawing.node.text() else {
        reader.problem(&drawing, "expected the text of an SVG drawing, as `!include` of a `.svg` file gives it");
        return Vec::new();
    };
    match static_objects(svg, TOLERANCE_M) {
        Err(error) => {
            reader.problem(&drawing, error.to_string());
            Vec::new()
        }
        Ok((found, ignored)) => {
            warn_of_ignored(reader, &drawing, &ignored);
            found.into_iter().filter_map(|object| shape_object(reader, &drawing, object)).collect()
        }
    }
}

/// Warns of the elements of a drawing that are ignored.
fn warn_of_ignored(reader: &mut Reader, spot: &Spot, ignored: &BTreeMap<String, u32>) {
    if !ignored.is_empty() {
        let named: Vec<_> = ignored.iter().map(|(name, count)| format!("{count} `<{name}>`")).collect();
        reader
            .warning(spot, format!("only polygons, rectangles and circles are objects, ignored {}", named.join(", ")));
    }
}

/// The problem of a form beyond the limits of scenes.
const FAR: &str = "is farther than 1000000 m from the origin";

/// Whether a form is beyond the limits of scenes.
fn is_far(form: &Form) -> bool {
    let is_far = |point: &DVec2| point.abs().max_element() > MAX_LENGTH_M;
    match form {
        Form::Disc { center, radius } => is_far(center) || *radius > MAX_LENGTH_M,
        Form::Polygon(corners) => corners.iter().any(is_far),
    }
}

/// The object of a shape of a drawing.
fn shape_object(reader: &mut Reader, spot: &Spot, shape: StaticObject) -> Option<Slot<ObjectFamily>> {
    let StaticObject { form, team, fill, line, .. } = shape;
    if let Some(problem) = form_problem(&form) {
        reader.problem(spot, format!("line {line}: {problem}"));
        return None;
    }
    if is_far(&form) {
        reader.problem(spot, format!("line {line}: {FAR}"));
        return None;
    }
    let color = fill.map(hex).unwrap_or_default();
    let presence = Presence { team, blocks: false, sensed: false, color, ..Presence::default() };
    let object = match form {
        Form::Disc { center, radius } => reader.slot(spot, Disc { center_m: center, radius_m: radius }),
        Form::Polygon(corners_m) => reader.slot(spot, Polygon { corners_m }),
    };
    object.map(|object| object.with(presence))
}

/// The body that `agent_radius`, `points` and `anchor_point` describe.
pub struct Hull {
    /// The body.
    pub body: Body,
    /// Whether the position moves by the anchor, so that the hull stays in the place of its drawing.
    is_in_place: bool,
}

impl Hull {
    /// Reads a hull. Without points, it is a disc.
    pub fn read(reader: &mut Reader, fields: &Fields) -> Self {
        let radius_m = reader.number_or(fields, "agent_radius", 0.0, Limits::between(0.0, MAX_LENGTH_M));
        let disc = Body::Disc { radius_m: if radius_m == 0.0 { DEFAULT_RADIUS_M } else { radius_m } };
        let corners_m = fields.get("points").map(|spot| points(reader, &spot)).unwrap_or_default();
        if corners_m.is_empty() {
            return Self { body: disc, is_in_place: false };
        }
        let (anchor, is_in_place) = match fields.get("anchor_point") {
            Some(spot) => anchor(reader, &spot, &corners_m),
            None => (Anchor::Origin, false),
        };
        Self { body: Body::Polygon { corners_m, file: String::new(), anchor }, is_in_place }
    }

    /// The offset from the position in the file to that in the scene.
    pub fn position_offset_m(&self) -> DVec2 {
        if self.is_in_place { -self.body.shift_m() } else { DVec2::ZERO }
    }
}

/// Reads a list of points, or the text of an SVG drawing with exactly one outline.
fn points(reader: &mut Reader, spot: &Spot) -> Vec<DVec2> {
    let corners = match &spot.node.value {
        Value::List(_) => {
            let items = reader.items(Some(spot.clone()));
            items.iter().map(|item| reader.pair(item, limits::<Placement>("x_m"))).collect()
        }
        _ => match spot.node.text().map(|svg| only_outline(svg, TOLERANCE_M)) {
            Some(Ok(corners)) => corners,
            Some(Err(error)) => {
                reader.problem(spot, error.to_string());
                return Vec::new();
            }
            None => Vec::new(),
        },
    };
    if let Some(problem) = form_problem(&Form::Polygon(corners.clone())).filter(|_| !corners.is_empty()) {
        reader.problem(spot, problem);
        return Vec::new();
    }
    corners
}

/// Reads an anchor: `[dx, dy]`, or a word with `centroid` or `center`, and with `inplace` if the hull stays in its place.
fn anchor(reader: &mut Reader, spot: &Spot, corners: &[DVec2]) -> (Anchor, bool) {
    if matches!(&spot.node.value, Value::List(_)) {
        return (Anchor::Offset { by_m: reader.pair(spot, limits::<Placement>("x_m")) }, false);
    }
    let word = spot.node.text().unwrap_or_default();
    let anchor = if word.contains("centroid") {
        Anchor::Centroid
    } else if word.contains("center") {
        reader.warning(spot, "the middle of the hull's box; RobotSwarmSimulator shifts it by the position once more");
        let (low, high) = polygon::bounds(corners);
        Anchor::Offset { by_m: -low.midpoint(high) }
    } else {
        reader.problem(spot, "expected `[dx, dy]`, `centroid` or `center`, with or without `inplace`");
        Anchor::Origin
    };
    (anchor, word.contains("inplace"))
}

/// Reads the teams that a region detects. RobotSwarmSimulator takes each letter of a text as a team.
pub fn teams(reader: &mut Reader, fields: &Fields) -> Vec<String> {
    let Some(spot) = fields.get("target_teams") else { return Vec::new() };
    if matches!(&spot.node.value, Value::List(items) if items.is_empty()) {
        reader.warning(&spot, "with an empty list, every team counts here, and none in RobotSwarmSimulator");
    }
    match spot.node.text() {
        Some(team) => {
            let about = format!(
                "each letter of a text is a team, as in RobotSwarmSimulator: write `[{team}]` for a single team"
            );
            reader.warning(&spot, about);
            team.chars().map(String::from).collect()
        }
        None => reader.items(Some(spot)).iter().filter_map(|item| item.node.text().map(str::to_owned)).collect(),
    }
}
