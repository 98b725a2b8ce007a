//! Files that RobotSwarmSimulator's `save_yaml` wrote. They lack the `type` of objects, which Python knew by their class.

use super::fields::{Reader, Spot};
use super::yaml::{Node, Value};

/// Fields of a `RectangularWorld` that identify a saved world.
const WORLD_FIELDS: [&str; 3] = ["size", "agents", "spawners"];
/// The fields of agents that drive.
const MOVING_AGENT_FIELDS: [&str; 6] =
    ["stop_on_collision", "catastrophic_collisions", "idiosyncrasies", "delay", "track_io", "trace_length"];
/// All fields of the agents of RobotSwarmSimulator.
const AGENT_FIELDS: [&str; 26] = [
    "position",
    "angle",
    "name",
    "controller",
    "grounded",
    "collides",
    "sensors",
    "team",
    "seed",
    "agent_radius",
    "body_color",
    "body_filled",
    "points",
    "anchor_point",
    "debug",
    "stop_on_collision",
    "stop_at_goal",
    "catastrophic_collisions",
    "trace_length",
    "trace_color",
    "track_io",
    "idiosyncrasies",
    "delay",
    "wheel_radius",
    "target_teams",
    "target_name",
];

/// Adds the types of a saved world that its fields identify. Returns any other file as it is.
pub fn add_types(reader: &mut Reader, mut root: Node) -> Node {
    if root.get("type").is_some() || WORLD_FIELDS.iter().filter(|field| root.get(field).is_some()).count() < 2 {
        return root;
    }
    let spot = Spot { node: &root, path: String::new() };
    reader.warning(&spot, "no `type`: read as a saved `RectangularWorld`, with types inferred from its fields");
    let Value::Map(entries) = &mut root.value else { return root };
    for (key, value) in entries.iter_mut() {
        let place = format!("{}[]", key.text().unwrap_or_default());
        let Value::List(items) = &mut value.value else { continue };
        for item in items {
            match place.as_str() {
                "agents[]" => add_object_type(reader, item, &place, "StaticAgent"),
                "objects[]" => add_object_type(reader, item, &place, "StaticObject"),
                "spawners[]" => {
                    let Value::Map(entries) = &mut item.value else { continue };
                    let agents = entries.iter_mut().filter(|(key, _)| key.text() == Some("agent"));
                    agents.for_each(|(_, agent)| add_object_type(reader, agent, "spawners[].agent", "StaticAgent"));
                }
                _ => {}
            }
        }
    }
    add_type(&mut root, "RectangularWorld");
    root
}

/// Adds the type of an agent or an object; a field that no class has is a problem.
fn add_object_type(reader: &mut Reader, node: &mut Node, path: &str, otherwise: &str) {
    let Value::Map(entries) = &node.value else { return };
    let has = |field: &str| entries.iter().any(|(key, _)| key.text() == Some(field));
    if has("type") || has("svg_to_static_objects") {
        return;
    }
    let unknown = entries.iter().find_map(|(key, _)| key.text().filter(|key| !AGENT_FIELDS.contains(key)));
    if let Some(field) = unknown {
        let message = format!("the `type` is missing, and no class of RobotSwarmSimulator has the field `{field}`");
        reader.problem(&Spot { node, path: path.to_owned() }, message);
        return;
    }
    let name = if has("wheel_radius") {
        "DiffDriveAgent"
    } else if has("target_teams") || has("target_name") {
        "DetectionRegion"
    } else if MOVING_AGENT_FIELDS.iter().any(|field| has(field)) {
        "MazeAgent"
    } else {
        otherwise
    };
    add_type(node, name);
}

/// Adds a `type` to a map.
fn add_type(node: &mut Node, name: &str) {
    let place = node.place;
    if let Value::Map(entries) = &mut node.value {
        entries.push((Node::quoted("type", place), Node::quoted(name, place)));
    }
}
