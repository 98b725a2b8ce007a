//! Things and robots that an experiment distributes.

use std::f64::consts::TAU;

use bevy::math::{DVec2, DVec3};
use roxmltree::Node;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::spawner::SpawnerFamily;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::ObjectGroup;

use super::arena::{self, Pose, ThingText};
use super::reader::{Reader, point};
use super::robots::Robots;

/// The most places of a grid along an axis.
const MAX_LAYOUT: f64 = 1e6;
/// The box around a normal distribution in standard deviations, beyond which no place is drawn.
const REACH_SD: f64 = 12.0;

/// Numbers that a distribution gives to one entity after another.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// The same for all.
    Constant(DVec3),
    /// One after another, as many as are needed at most.
    Listed(Vec<DVec3>),
    /// Uniform between two corners.
    Uniform(DVec3, DVec3),
    /// Normal: mean and standard deviation.
    Gaussian(DVec3, DVec3),
}

/// The places and headings of a group of entities.
pub enum Places {
    /// Listed poses.
    Listed(Vec<Pose>),
    /// Drawn poses.
    Drawn {
        /// The spawner, as a text of a scene.
        spawner: String,
        /// The smallest height (m) of a uniform distribution, or the mean height of a normal one.
        z_m: f64,
    },
}

/// Reads `<distribute>`.
pub fn read<'d>(reader: &mut Reader, node: Node<'d, 'd>, path: &str, robots: &mut Robots<'_, 'd>) {
    reader.check(node, path, &[], &["position", "orientation", "entity"]);
    let Some(entity) = reader.child(node, path, "entity") else {
        return reader.left_out(node, path, "it has no `<entity>`");
    };
    let entity_path = format!("{path}.entity");
    let mut kinds = entity.children().filter(Node::is_element);
    let Some(kind) = kinds.next() else { return reader.left_out(node, path, "there is nothing in `<entity>`") };
    for other in kinds {
        reader.left_out(other, &entity_path, "ARGoS distributes only the first entity");
    }
    reader.check(entity, &entity_path, &["quantity", "max_trials", "base_num"], &[kind.tag_name().name()]);
    let trials = "each entity takes the first free of up to 1,000 drawn places, and the scene is refused without one";
    reader.attribute_left_out(entity, &entity_path, "max_trials", trials);
    let Some(quantity) = reader.whole(entity, &entity_path, "quantity") else {
        return reader.left_out(node, path, "`<entity>` has no `quantity`");
    };
    let Some(position) = numbers(reader, node, path, "position", quantity) else { return };
    let Some(orientation) = numbers(reader, node, path, "orientation", quantity) else { return };
    let first = reader.whole(entity, &entity_path, "base_num").unwrap_or(0);
    let kind_path = format!("{path}.{}", shown(kind.tag_name().name()));
    match kind.tag_name().name() {
        "box" | "cylinder" | "light" => {
            let Some(thing) = arena::thing(reader, kind, &kind_path) else { return };
            if let Some(body) = reader.child(kind, &kind_path, "body") {
                reader.left_out(body, &kind_path, "the distribution gives poses");
            }
            let places = places(reader, node, path, quantity, (&position, &orientation), thing.is_solid());
            things(reader, kind, &kind_path, &thing, quantity, places);
        }
        "floor" | "prototype" => {
            reader.left_out(node, path, "only boxes, cylinders, lights and robots are distributed");
        }
        _ => {
            let places = places(reader, node, path, quantity, (&position, &orientation), true);
            robots.many(reader, kind, &kind_path, (quantity, first), places);
        }
    }
}

/// Reads `<position>` or `<orientation>`.
fn numbers(reader: &mut Reader, node: Node, path: &str, tag: &str, quantity: u32) -> Option<Numbers> {
    let Some(found) = reader.child(node, path, tag) else {
        reader.left_out(node, path, &format!("it has no `<{tag}>`"));
        return None;
    };
    let path = format!("{path}.{tag}");
    let method = found.attribute("method").unwrap_or_default();
    let names: &[&str] = match method {
        "uniform" => &["min", "max"],
        "gaussian" => &["mean", "std_dev"],
        "constant" => &["values"],
        "grid" => &["center", "distances", "layout"],
        _ => {
            let reason = format!("expected the method uniform, gaussian, constant or grid, found `{}`", shown(method));
            reader.left_out(node, &path, &reason);
            return None;
        }
    };
    reader.check(found, &path, &[&["method"][..], names].concat(), &[]);
    let values: Vec<DVec3> = names.iter().filter_map(|name| reader.vector(found, &path, name)).collect();
    if values.len() < names.len() {
        reader.left_out(node, &path, &format!("the method `{method}` needs {}", names.join(", ")));
        return None;
    }
    Some(match (method, &values[..]) {
        ("uniform", [min, max]) => {
            if !min.cmple(*max).all() {
                reader.warn(found, &path, "`min` is above `max`, which ARGoS refuses: they are swapped here");
            }
            Numbers::Uniform(min.min(*max), max.max(*min))
        }
        ("gaussian", [mean, sd]) => Numbers::Gaussian(*mean, sd.abs()),
        ("constant", [value]) => Numbers::Constant(*value),
        (_, [center, distances, layout]) => {
            let layout = [layout.x, layout.y, layout.z].map(|count| count.clamp(1.0, MAX_LAYOUT) as usize);
            let most = layout.iter().fold(1_usize, |most, count| most.saturating_mul(*count));
            if tag == "position" && most < quantity as usize {
                reader.warn(found, &path, format!("the layout has {most} places: ARGoS refuses the others"));
            }
            let count = reader.take_places(found, &path, most.min(quantity as usize));
            Numbers::Listed(grid(*center, *distances, layout, count))
        }
        _ => return None,
    })
}

/// The places of a grid in the order of ARGoS: from the largest x to the smallest, then line by line to smaller y.
fn grid(center: DVec3, distances: DVec3, layout: [usize; 3], count: usize) -> Vec<DVec3> {
    let extent = |axis: usize| (layout[axis] as f64 - 1.0) * 0.5;
    let first = center + distances * DVec3::new(extent(0), extent(1), extent(2));
    let place = |number: usize| {
        let index = [number % layout[0], number / layout[0] % layout[1], number / (layout[0] * layout[1])];
        first - distances * DVec3::new(index[0] as f64, index[1] as f64, index[2] as f64)
    };
    (0..count).map(place).collect()
}

/// The places of entities: listed if ARGoS draws none, otherwise a spawner.
fn places(
    reader: &mut Reader,
    node: Node,
    path: &str,
    quantity: u32,
    (position, orientation): (&Numbers, &Numbers),
    is_solid: bool,
) -> Places {
    let listed = match position {
        Numbers::Constant(at) if quantity <= 1 || !is_solid => {
            vec![*at; reader.take_places(node, path, quantity as usize)]
        }
        Numbers::Constant(at) => {
            reader.warn(node, path, "only one entity has room at one place: ARGoS refuses the others");
            vec![*at]
        }
        Numbers::Listed(all) => all.clone(),
        Numbers::Uniform(..) | Numbers::Gaussian(..) => Vec::new(),
    };
    check_tilt(reader, node, path, orientation);
    let is_drawn = matches!(position, Numbers::Uniform(..) | Numbers::Gaussian(..));
    let headings: Option<Vec<f64>> = match orientation {
        Numbers::Constant(degrees) => Some(vec![degrees.x.to_radians()]),
        Numbers::Listed(all) if is_drawn => {
            reader.warn(node, path, "with places that are drawn, all entities have the first orientation of the grid");
            Some(all.first().map(|degrees| degrees.x.to_radians()).into_iter().collect())
        }
        Numbers::Listed(all) => Some(all.iter().map(|degrees| degrees.x.to_radians()).collect()),
        Numbers::Uniform(..) | Numbers::Gaussian(..) => None,
    };
    if let (Some(headings), false) = (&headings, is_drawn) {
        let heading = |number: usize| headings.get(number.min(headings.len().saturating_sub(1))).copied();
        let pose = |(number, at): (usize, &DVec3)| Pose {
            at_m: at.truncate(),
            heading_rad: heading(number).unwrap_or_default(),
            z_m: at.z,
        };
        return Places::Listed(listed.iter().enumerate().map(pose).collect());
    }
    let facing = match (headings, orientation) {
        (Some(headings), _) => format!("Heading(rad: {:?})", headings.first().copied().unwrap_or_default()),
        (None, Numbers::Uniform(min, max)) if max.x - min.x >= 360.0 => "Random".into(),
        (None, Numbers::Uniform(min, max)) => {
            let [from, to] = [min.x, max.x].map(|degrees| degrees.to_radians().clamp(-1e3 * TAU, 1e3 * TAU));
            format!("Range(from_rad: {from:?}, to_rad: {to:?})")
        }
        (None, Numbers::Gaussian(mean, sd)) => {
            format!("Normal(mean_rad: {:?}, sd_rad: {:?})", mean.x.to_radians(), sd.x.to_radians())
        }
        (None, _) => "Random".into(),
    };
    let rules = if is_solid { "if_full: Fail" } else { "avoid_overlap: false" };
    let z_m = match position {
        Numbers::Uniform(least, _) => least.z,
        Numbers::Gaussian(mean, _) => mean.z,
        Numbers::Constant(_) | Numbers::Listed(_) => listed.first().map_or(0.0, |at| at.z),
    };
    let spawner = match position {
        Numbers::Uniform(min, max) => {
            let (min, max) = (point(min.truncate()), point(max.truncate()));
            format!("UniformBox(min_m: {min}, max_m: {max}, facing: {facing}, {rules})")
        }
        Numbers::Gaussian(mean, sd) => {
            let (mean, sd) = (mean.truncate(), sd.truncate());
            let reach = (sd * REACH_SD).max(DVec2::splat(1e-9));
            let (min, max) = (point(mean - reach), point(mean + reach));
            let (mean, sd) = (point(mean), point(sd));
            format!(
                "Gaussian(center_m: {mean}, sd_m: {sd}, min_m: Some({min}), max_m: Some({max}), facing: {facing}, {rules})"
            )
        }
        Numbers::Constant(_) | Numbers::Listed(_) => {
            let row = |at: &DVec3| format!("(x_m: {:?}, y_m: {:?})", at.x, at.y);
            let rows: Vec<String> = listed.iter().map(row).collect();
            format!("Table(rows: [{}], facing: {facing}, avoid_overlap: false)", rows.join(", "))
        }
    };
    Places::Drawn { spawner, z_m }
}

/// Warns of orientations that are not on the floor.
fn check_tilt(reader: &mut Reader, node: Node, path: &str, orientation: &Numbers) {
    let is_flat = |degrees: &DVec3| degrees.y.rem_euclid(360.0) == 0.0 && degrees.z.rem_euclid(360.0) == 0.0;
    let are_flat = match orientation {
        Numbers::Constant(value) => is_flat(value),
        Numbers::Listed(all) => all.iter().all(is_flat),
        Numbers::Uniform(min, max) => min.y == max.y && min.z == max.z && is_flat(min),
        Numbers::Gaussian(mean, sd) => sd.y == 0.0 && sd.z == 0.0 && is_flat(mean),
    };
    if !are_flat {
        reader.warn(node, path, "of an orientation, only the rotation about z counts");
    }
}

/// Adds things at their places: one by one where they are listed, otherwise as a group.
fn things(reader: &mut Reader, node: Node, path: &str, thing: &ThingText, quantity: u32, places: Places) {
    match places {
        Places::Listed(poses) => {
            for pose in poses {
                arena::add(reader, node, path, thing, pose);
            }
        }
        Places::Drawn { spawner, z_m } => {
            if arena::is_above_robots(reader, node, path, thing, z_m) {
                return;
            }
            let Some(object) = reader.scene_part::<Slot<ObjectFamily>>(node, path, &thing.at(Pose::default())) else {
                return;
            };
            let Some(spawn) = reader.scene_part::<Slot<SpawnerFamily>>(node, path, &spawner) else { return };
            let name = reader.unique(node.attribute("id").unwrap_or_else(|| node.tag_name().name()));
            let mut object = object;
            // Each object gets the name of the group and its number.
            object.common_mut().name.clear();
            reader.scene.object_groups.push(ObjectGroup { name, count: quantity, object, spawn });
        }
    }
}
