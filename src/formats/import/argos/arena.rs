//! The arena of an experiment: its size, and everything that stands in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bevy::math::{DVec2, DVec3};
use roxmltree::Node;
use swarmarium_base::{files, math};
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::floor::FloorPicture;
use swarmarium_core::text::wording::shown;
use swarmarium_kinds::controller::script::argos::COLORS;
use swarmarium_space::arena::Arena;

use super::controllers::Controllers;
use super::reader::{Reader, point};
use super::{distribute, prototype, robots, text};
use crate::import::stand_in::{self, StandIn};
use crate::referenced_files;

/// Things that stand higher above the floor (m) than robots are tall.
const ABOVE_ROBOTS_M: f64 = 0.3;

/// A pose on the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position (m).
    pub at_m: DVec2,
    /// Heading (rad).
    pub heading_rad: f64,
    /// Height (m), which only lights use.
    pub z_m: f64,
}

/// A thing as a text of a scene, without its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ThingText {
    shape: Shape,
    /// Its other fields.
    fields: String,
}

/// The shape of a thing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// A rectangle with this size (m).
    Box(DVec2),
    /// A disc with this radius (m).
    Disc(f64),
    Light,
}

impl ThingText {
    /// A rectangle with a size (m), and its other fields.
    pub fn rectangle(size_m: DVec2, fields: String) -> Self {
        Self { shape: Shape::Box(size_m), fields }
    }

    /// A disc with a radius (m), and its other fields.
    pub fn disc(radius_m: f64, fields: String) -> Self {
        Self { shape: Shape::Disc(radius_m), fields }
    }

    /// Whether robots run into it.
    pub fn is_solid(&self) -> bool {
        self.shape != Shape::Light
    }

    /// The thing at a pose.
    pub fn at(&self, Pose { at_m, heading_rad, .. }: Pose) -> String {
        let fields = &self.fields;
        match self.shape {
            Shape::Box(size_m) => {
                let facing = math::direction(heading_rad);
                let half = size_m / 2.0;
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                let corners = corners.map(|(x, y)| point(at_m + facing.rotate(half * DVec2::new(x, y))));
                format!("Polygon(corners_m: [{}], heading_rad: {heading_rad:?}, {fields})", corners.join(", "))
            }
            Shape::Disc(radius_m) => {
                let at = point(at_m);
                format!("Disc(center_m: {at}, radius_m: {radius_m:?}, heading_rad: {heading_rad:?}, {fields})")
            }
            Shape::Light => format!("Light(position_m: {}, {fields})", point(at_m)),
        }
    }
}

/// Reads `<arena>`.
pub fn read<'d>(reader: &mut Reader, node: Node<'d, 'd>, controllers: &Controllers<'d>, media: &BTreeSet<String>) {
    // Elements that are not known are robots of plugins.
    reader.check_attributes(node, "arena", &["size", "center", "positional_grid_size", "pixel_per_meter"]);
    reader.attribute_left_out(node, "arena", "positional_grid_size", "it changes the speed only");
    reader.attribute_left_out(node, "arena", "pixel_per_meter", "the window chooses it");
    size(reader, node);
    light_heights(reader, node);
    let mut counts = BTreeMap::<&str, usize>::new();
    let all: Vec<Node<'d, 'd>> = node.children().filter(Node::is_element).collect();
    let paths: Vec<String> = all
        .iter()
        .map(|child| {
            let tag = child.tag_name().name();
            let count = counts.entry(tag).or_default();
            *count += 1;
            format!("arena.{}[{}]", shown(tag), *count - 1)
        })
        .collect();
    let floor = floor_first(reader, &all, &paths);
    reader.scene.objects.extend(floor);
    let is_in_file = |choice: &StandIn| node.descendants().any(|element| choice.is_for(element.tag_name().name()));
    let chosen = stand_in::usable(&reader.options.robots, &robots::ROBOTS, is_in_file, reader.report);
    let mut robots = robots::Robots::new(controllers, media, chosen);
    for (child, path) in all.iter().zip(&paths) {
        match child.tag_name().name() {
            "floor" | "distribute" => {}
            "box" | "cylinder" | "light" => {
                if let Some(thing) = thing(reader, *child, path) {
                    let pose = pose(reader, *child, path);
                    add(reader, *child, path, &thing, pose);
                }
            }
            "prototype" => prototype::read(reader, *child, path),
            _ => robots.one(reader, *child, path),
        }
    }
    // As in ARGoS, things with a place of their own come first.
    for (child, path) in all.iter().zip(&paths) {
        if child.has_tag_name("distribute") {
            distribute::read(reader, *child, path, &mut robots);
        }
    }
    robots.finish(reader);
}

/// The height of the lights, which sensors of light take for that of all.
fn light_heights(reader: &mut Reader, node: Node) {
    let heights: Vec<(Node, f64)> =
        node.children().filter_map(|child| Some((child, light_height(child)?.abs()))).collect();
    let Some((_, first)) = heights.first() else { return };
    reader.light_height_m = first.min(1e6);
    if let Some((other, _)) = heights.iter().find(|(_, height)| height != first) {
        let message = format!("sensors read all lights as {first:?} m above the floor, as the first one");
        reader.warn(*other, "arena.light", message);
    }
}

/// The height (m) of a light, or of the lights that an element distributes.
fn light_height(node: Node) -> Option<f64> {
    let position = match node.tag_name().name() {
        "light" => node.attribute("position"),
        "distribute" => {
            let child = |of: Node<'_, '_>, tag: &str| of.children().any(|child| child.has_tag_name(tag));
            let entity = node.children().find(|child| child.has_tag_name("entity"))?;
            let position = node.children().find(|child| child.has_tag_name("position"))?;
            let names = ["values", "center", "min", "mean"];
            names.into_iter().find_map(|name| position.attribute(name)).filter(|_| child(entity, "light"))
        }
        _ => None,
    };
    Some(text::vector(position?)?.z)
}

fn size(reader: &mut Reader, node: Node) {
    if node.attribute("size").is_none() {
        reader.warn(node, "arena", "without a `size`, it is 10 m wide");
    }
    let size = reader.vector(node, "arena", "size").unwrap_or(DVec3::splat(10.0));
    let center = reader.vector(node, "arena", "center").unwrap_or_default().truncate();
    let size = size.truncate();
    if !(size.min_element() > 0.0 && size.max_element() <= 1e6 && center.abs().max_element() <= 5e5) {
        reader.warn(node, "arena", "an arena is larger than 0 and at most 1000000 m wide: it is 10 m wide here");
        reader.scene.arena = Arena { corner_m: DVec2::splat(-5.0), ..Arena::default() };
        return;
    }
    reader.scene.arena = Arena { corner_m: center - size / 2.0, size_m: size, ..Arena::default() };
}

/// The pose in `<body>`, or in the element itself.
pub fn pose(reader: &mut Reader, node: Node, path: &str) -> Pose {
    let (body, path) = match reader.child(node, path, "body") {
        Some(body) => {
            let path = format!("{path}.body");
            reader.check(body, &path, &["position", "orientation"], &[]);
            (body, path)
        }
        None => (node, path.to_owned()),
    };
    if body.attribute("position").is_none() {
        reader.warn(body, &path, "without a `position`, it stands at the origin");
    }
    let at = reader.vector(body, &path, "position").unwrap_or_default();
    Pose { at_m: at.truncate(), heading_rad: reader.heading(body, &path, "orientation"), z_m: at.z }
}

/// Whether a solid thing at a height (m) is above all robots, with a note that it is left out.
pub fn is_above_robots(reader: &mut Reader, node: Node, path: &str, thing: &ThingText, z_m: f64) -> bool {
    let is_above = thing.is_solid() && z_m >= ABOVE_ROBOTS_M;
    if is_above {
        reader.left_out(node, path, &format!("it is {z_m:?} m above the floor, where no robot is"));
    }
    is_above
}

/// Adds a thing to the scene.
pub fn add(reader: &mut Reader, node: Node, path: &str, thing: &ThingText, pose: Pose) {
    if is_above_robots(reader, node, path, thing, pose.z_m) {
        return;
    }
    if let Some(object) = reader.scene_part::<Slot<ObjectFamily>>(node, path, &thing.at(pose)) {
        reader.scene.objects.push(object);
    }
}

/// A box, a cylinder or a light without its place.
pub fn thing(reader: &mut Reader, node: Node, path: &str) -> Option<ThingText> {
    let name = reader.quoted(node.attribute("id").unwrap_or_default());
    let elements = ["body", "leds", "controller"];
    match node.tag_name().name() {
        "box" => {
            reader.check(node, path, &["id", "size", "movable", "mass"], &elements);
            let Some(size) = reader.vector(node, path, "size") else {
                reader.left_out(node, path, "it has no `size`");
                return None;
            };
            let fields = format!("name: {name}{}", solid_fields(reader, node, path));
            Some(ThingText::rectangle(size.truncate(), fields))
        }
        "cylinder" => {
            reader.check(node, path, &["id", "radius", "height", "movable", "mass"], &elements);
            let Some(radius) = reader.number(node, path, "radius") else {
                reader.left_out(node, path, "it has no `radius`");
                return None;
            };
            let fields = format!("name: {name}{}", solid_fields(reader, node, path));
            Some(ThingText::disc(radius, fields))
        }
        _ => {
            reader.check(node, path, &["id", "position", "orientation", "color", "intensity", "medium"], &["body"]);
            reader.attribute_left_out(node, path, "medium", "all sensors see all lights");
            reader.attribute_left_out(node, path, "orientation", "a light shines equally in all directions");
            let intensity = reader.number(node, path, "intensity").unwrap_or(1.0);
            let color = color(reader, node, path, "color");
            Some(ThingText { shape: Shape::Light, fields: format!("name: {name}, intensity: {intensity:?}{color}") })
        }
    }
}

/// The fields of a solid thing for its mass and its LEDs.
fn solid_fields(reader: &mut Reader, node: Node, path: &str) -> String {
    let mut fields = String::new();
    match reader.flag(node, path, "movable") {
        Some(true) => fields = format!(", movable: {}", movable(reader, node, path)),
        Some(false) => reader.attribute_left_out(node, path, "mass", "nothing moves it"),
        None => reader.warn(node, path, "without `movable`, nothing moves it"),
    }
    if let Some(leds) = reader.child(node, path, "leds") {
        let path = format!("{path}.leds");
        reader.check(leds, &path, &["medium"], &["led"]);
        if let Some(first) = reader.child(leds, &path, "led") {
            reader.check(first, &path, &["offset", "anchor", "color", "intensity"], &[]);
            reader.attribute_left_out(first, &path, "offset", "a thing has one colour as a whole");
            fields += &color(reader, first, &path, "color");
        }
    }
    if let Some(controller) = reader.child(node, path, "controller") {
        reader.left_out(controller, path, "things have no controller here");
    }
    fields
}

/// The mass of a thing that robots push.
pub fn movable(reader: &mut Reader, node: Node, path: &str) -> String {
    reader.warn(
        node,
        path,
        "it is pushed against friction with the coefficient 0.5; ARGoS slows things down by a damping of its own",
    );
    match reader.number(node, path, "mass").filter(|mass| (1e-6..=1e9).contains(mass)) {
        Some(mass) => format!("Some((mass_kg: {mass:?}))"),
        None => {
            reader.warn(node, path, "without a `mass` from 1e-6 to 1e9 kg, it has 1 kg");
            "Some(())".into()
        }
    }
}

/// A field with a colour of ARGoS: a name, or `red,green,blue` from 0 to 255.
fn color(reader: &mut Reader, node: Node, path: &str, name: &str) -> String {
    let Some(text) = node.attribute(name) else { return String::new() };
    let text = text.trim();
    let in_numbers = || {
        let parts: Option<Vec<u8>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match parts.as_deref() {
            Some([red, green, blue] | [red, green, blue, _]) => Some([*red, *green, *blue]),
            _ => None,
        }
    };
    let named = COLORS.iter().find(|(name, _)| *name == text).map(|(_, color)| *color).or_else(in_numbers);
    match named {
        Some([0, 0, 0]) => String::new(),
        Some([red, green, blue]) => format!(", color: \"#{red:02x}{green:02x}{blue:02x}\""),
        None => {
            reader.attribute_left_out(node, path, name, &format!("`{}` is not a colour of ARGoS", shown(text)));
            String::new()
        }
    }
}

/// The floor, which comes first, so that it is drawn below everything else.
fn floor_first(reader: &mut Reader, all: &[Node], paths: &[String]) -> Option<Slot<ObjectFamily>> {
    let mut floors = all.iter().zip(paths).filter(|(child, _)| child.has_tag_name("floor"));
    let (node, path) = floors.next()?;
    for (other, path) in floors {
        reader.left_out(*other, path, "an arena has one floor");
    }
    reader.check(*node, path, &["id", "source", "pixels_per_meter", "path"], &[]);
    let (file, arena) = (node.attribute("path").unwrap_or_default(), reader.scene.arena.clone());
    match node.attribute("source") {
        Some("image") => {}
        Some("loop_functions") => {
            let reason = "the loop functions colour it, and they are a program in C++: the floor is white; a \
                          `FloorPicture` or a `Floor` gives it colours";
            reader.left_out(*node, path, reason);
            return None;
        }
        _ => {
            reader.left_out(*node, path, "expected a `source` that is `image` or `loop_functions`");
            return None;
        }
    }
    reader.attribute_left_out(*node, path, "pixels_per_meter", "the picture is stretched over the arena");
    let Some(found) = known_picture(reader, file) else {
        let message = format!(
            "its picture `{}` is not a `.png` file in the folder of the experiment or below it: the floor is white",
            shown(file)
        );
        reader.left_out(*node, path, &message);
        return None;
    };
    let mut picture = FloorPicture { file: found.clone(), ..FloorPicture::default() };
    if let Err(error) = referenced_files::floor::read(&mut picture, reader.folder) {
        reader.left_out(*node, path, &format!("its picture is not usable: {error}: the floor is white"));
        return None;
    }
    let (min, max) = (point(arena.corner_m), point(arena.corner_m + arena.size_m));
    let text = format!("FloorPicture(file: {}, min_m: {min}, max_m: {max})", reader.quoted(&found));
    reader.scene_part(*node, path, &text)
}

/// The name of a picture in the folder of the experiment: as it is written, or without its folders.
fn known_picture(reader: &Reader, file: &str) -> Option<String> {
    let name = Path::new(file).file_name()?.to_str()?;
    let is_png = |name: &&str| Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    let mut found = [file, name].into_iter().filter(is_png);
    found.find(|name| files::within(reader.folder, name).is_ok()).map(ToOwned::to_owned)
}
