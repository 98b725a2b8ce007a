//! Prototypes: things that consist of boxes, cylinders and spheres.

use bevy::math::DVec2;
use roxmltree::Node;
use swarmarium_base::math;

use super::arena::{self, Pose, ThingText};
use super::reader::Reader;

/// Reads `<prototype>`: the links of one that nothing moves, or the only link of one that robots push.
pub fn read(reader: &mut Reader, node: Node, path: &str) {
    let parts = ["body", "links", "joints", "devices", "controller"];
    reader.check(node, path, &["id", "movable"], &parts);
    for (part, reason) in [
        ("joints", "links stand at their places"),
        ("devices", "prototypes are things without devices here"),
        ("controller", "things have no controller here"),
    ] {
        if let Some(found) = reader.child(node, path, part) {
            reader.left_out(found, path, reason);
        }
    }
    let Some(links) = reader.child(node, path, "links") else {
        return reader.left_out(node, path, "it has no `<links>`");
    };
    reader.check(links, &format!("{path}.links"), &["ref"], &["link"]);
    let all: Vec<Node> = links.children().filter(|child| child.has_tag_name("link")).collect();
    let is_movable = reader.flag(node, path, "movable").unwrap_or(false);
    if is_movable && all.len() > 1 {
        return reader.left_out(node, path, "robots push things of one part only");
    }
    let pose = arena::pose(reader, node, path);
    for link in all {
        let path = format!("{path}.links.link");
        reader.check(
            link,
            &path,
            &["id", "geometry", "size", "radius", "height", "mass"],
            &["position", "orientation"],
        );
        let Some(thing) = thing(reader, (node, link), &path, is_movable) else { continue };
        let at = place(reader, link, &path, pose);
        arena::add(reader, link, &path, &thing, at);
    }
}

/// A link of a prototype as a thing.
fn thing(reader: &mut Reader, (node, link): (Node, Node), path: &str, is_movable: bool) -> Option<ThingText> {
    let name = reader.quoted(node.attribute("id").unwrap_or_default());
    let movable = if is_movable { format!(", movable: {}", arena::movable(reader, link, path)) } else { String::new() };
    let fields = format!("name: {name}{movable}");
    let geometry = link.attribute("geometry").unwrap_or_default();
    let size = reader.vector(link, path, "size");
    let radius = reader.number(link, path, "radius");
    match (geometry, size, radius) {
        ("box", Some(size), _) => Some(ThingText::rectangle(size.truncate(), fields)),
        ("cylinder" | "sphere", _, Some(radius)) => Some(ThingText::disc(radius, fields)),
        _ => {
            reader.left_out(link, path, "expected a box with a size, or a cylinder or sphere with a radius");
            None
        }
    }
}

/// The pose of a link of a prototype at a pose.
fn place(reader: &mut Reader, link: Node, path: &str, pose: Pose) -> Pose {
    let position = reader.child(link, path, "position");
    let offset = position.and_then(|node| reader.vector(node, path, "offset")).unwrap_or_default();
    let orientation = reader.child(link, path, "orientation");
    let turn = orientation.map(|node| reader.heading(node, path, "offset")).unwrap_or_default();
    let offset_m: DVec2 = math::direction(pose.heading_rad).rotate(offset.truncate());
    Pose { at_m: pose.at_m + offset_m, heading_rad: pose.heading_rad + turn, z_m: pose.z_m + offset.z }
}
