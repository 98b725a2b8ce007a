//! Spawners.

use bevy::math::DVec2;
use bevy::reflect::Reflect;
use swarmarium_core::kind::Slot;
use swarmarium_core::motion::stationary::Static;
use swarmarium_core::spawner::point::Point;
use swarmarium_core::spawner::{Facing, SpawnerFamily, Spawning};
use swarmarium_kinds::spawner::annulus::Annulus;
use swarmarium_kinds::spawner::polygon::Polygon;
use swarmarium_kinds::spawner::uniform_box::UniformBox;
use swarmarium_kinds::spawner::uniform_disc::UniformDisc;
use swarmarium_scene::scene::description::Group;

use super::agent::{Agent, agent};
use super::fields::{FINITE, Fields, Key, Reader, Spot, as_number, limits};
use super::yaml::Value;

const SPAWNERS: &[&str] =
    &["PointAgentSpawner", "UniformAgentSpawner", "UniformCircleAgentSpawner", "DonutAgentSpawner", "ExcelSpawner"];
pub(super) const KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("n"),
    Key::carried("agent"),
    Key::missing("mode", "oneshot"),
    Key::dead("oneshot"),
    Key::dead("delay"),
    Key::seed(),
];
/// The keys of all spawners except tables.
const AREA_KEYS: &[Key] = &[Key::carried("facing"), Key::carried("avoid_overlap")];
const REGION_KEYS: &[Key] = &[Key::carried("region"), Key::carried("holes")];
const RING_KEYS: &[Key] = &[Key::carried("center"), Key::carried("inner_radius"), Key::carried("outer_radius")];
const TABLE_KEYS: &[Key] = &[
    Key::carried("file_name"),
    Key::carried("sheet"),
    Key::missing("load_args", ""),
    Key::dead("facing"),
    Key::dead("avoid_overlap"),
];
const DISC_KEYS: &[Key] = &[Key::carried("center"), Key::carried("radius")];

/// The spawner that places all agents at one point.
const POINT: &str = "PointAgentSpawner";

/// The most agents of a stand-in that start around a point without overlap.
const MAX_APART: u32 = 1_000;

/// The tolerance for the corners of a box, as in RobotSwarmSimulator.
const CORNER_TOLERANCE_M: f64 = 1e-6;

/// Reads a spawner as its agent, with the group that it spawns.
pub fn spawner(reader: &mut Reader, spot: &Spot) -> Option<Agent> {
    let stand_in = stand_in(spot);
    let has_agent = spot.node.get("agent").is_some();
    let instead = match (has_agent, stand_in) {
        (false, _) => "It is left out: it has no `agent`".to_owned(),
        (true, POINT) => "Its agents start around the `position` of their `agent`, without overlap".to_owned(),
        (true, stand_in) => format!("It is read as a `{stand_in}`, whose fields it has"),
    };
    let known = reader.type_or_own(spot, "spawner", SPAWNERS, &instead)?;
    if known.is_none() && !has_agent {
        return None;
    }
    let name = known.unwrap_or(stand_in);
    let own_keys = match name {
        "UniformAgentSpawner" => REGION_KEYS,
        "UniformCircleAgentSpawner" => DISC_KEYS,
        "DonutAgentSpawner" => RING_KEYS,
        "ExcelSpawner" => TABLE_KEYS,
        _ => &[],
    };
    let common_keys = if name == "ExcelSpawner" { &[] } else { AREA_KEYS };
    let fields = match known {
        Some(_) => reader.fields(spot, &[KEYS, common_keys, own_keys])?,
        None => reader.open(spot)?,
    };
    let Some(agent_spot) = fields.get("agent") else {
        reader.problem(spot, "`agent` is missing");
        return None;
    };
    let agent = agent(reader, &agent_spot)?;
    let most = limits::<Group>("count").max as i128;
    let count = fields.get("n").map(|spot| reader.whole(&spot, 0, most));
    let count = count.map(u32::try_from).transpose().ok()?;
    let is_table = name == "ExcelSpawner";
    let facing = match is_table {
        true => Facing::Heading { rad: agent.heading_rad },
        false => facing(reader, &fields, agent.heading_rad)?,
    };
    // RobotSwarmSimulator does not push agents that do not move.
    let is_static = agent.group.motion.value().is::<Static>();
    // To place many robots apart around one point takes the square of their number.
    let is_apart = known.is_none() && name == POINT && count.unwrap_or(1) <= MAX_APART;
    let avoid_overlap = !is_table && reader.is_on_or(&fields, "avoid_overlap", is_apart) && !is_static;
    let spawn = if is_table {
        let table = super::table::table(reader, &fields, &agent, count)?;
        reader.slot(spot, table)?
    } else {
        spawn_area(reader, name, &fields, &agent)?
    };
    // In RobotSwarmSimulator, agents of a ring face towards or away from the position in their description, not its center.
    let at_m = agent.position_m;
    let is_ring = name == "DonutAgentSpawner";
    let facing = match (facing, only_place(spawn.value())) {
        (Facing::Towards, _) if is_ring => Facing::Point { at_m, random_at_m: None },
        (Facing::Away, _) if is_ring => Facing::AwayFrom { at_m, random_at_m: None },
        // Agents at the position in their description have random headings there, wherever they face.
        (Facing::Point { at_m: point, .. }, Some(_)) => Facing::Point { at_m: point, random_at_m: Some(at_m) },
        (Facing::Towards, Some(place)) if place != at_m => Facing::Point { at_m: place, random_at_m: Some(at_m) },
        (Facing::Away, Some(place)) if place != at_m => Facing::AwayFrom { at_m: place, random_at_m: Some(at_m) },
        _ => facing,
    };
    let spawn = spawn.with(Spawning { facing, avoid_overlap, ..Default::default() });
    Some(Agent { group: Group { count: count.unwrap_or(1), spawn, ..agent.group }, ..agent })
}

/// The spawner that stands for one of a user's own class: the one whose fields it has.
fn stand_in(spot: &Spot) -> &'static str {
    let has = |field: &str| spot.node.get(field).is_some();
    match () {
        () if has("file_name") => "ExcelSpawner",
        () if has("region") => "UniformAgentSpawner",
        () if has("inner_radius") || has("outer_radius") => "DonutAgentSpawner",
        () if has("center") && has("radius") => "UniformCircleAgentSpawner",
        () => POINT,
    }
}

/// The place of all agents of a spawner, if there is only one.
fn only_place(spawner: &dyn Reflect) -> Option<DVec2> {
    let disc = spawner.downcast_ref::<UniformDisc>().filter(|disc| disc.radius_m == 0.0).map(|disc| disc.center_m);
    let one_box = spawner.downcast_ref::<UniformBox>().filter(|area| area.min_m == area.max_m).map(|area| area.min_m);
    let ring =
        spawner.downcast_ref::<Annulus>().filter(|ring| ring.outer_radius_m == 0.0 && ring.inner_radius_m == 0.0);
    spawner
        .downcast_ref::<Point>()
        .map(|point| point.position_m)
        .or(disc)
        .or(one_box)
        .or(ring.map(|ring| ring.center_m))
}

/// Reads the area of a spawner.
fn spawn_area(reader: &mut Reader, name: &str, fields: &Fields, agent: &Agent) -> Option<Slot<SpawnerFamily>> {
    match name {
        "UniformAgentSpawner" => region(reader, fields),
        "UniformCircleAgentSpawner" => {
            let (Some(center), Some(radius)) = (fields.get("center"), fields.get("radius")) else {
                reader.problem(&fields.spot, "`center` and `radius` are needed");
                return None;
            };
            let center_m = reader.pair(&center, limits::<UniformDisc>("center_m"));
            let radius_m = reader.number(&radius, limits::<UniformDisc>("radius_m"));
            reader.slot(&fields.spot, UniformDisc { center_m, radius_m, ..UniformDisc::default() })
        }
        "DonutAgentSpawner" => {
            let center = fields.get("center").map(|spot| reader.pair(&spot, limits::<Annulus>("center_m")));
            let ring = Annulus {
                center_m: center.unwrap_or(DVec2::splat(5.0)),
                inner_radius_m: reader.number_or(fields, "inner_radius", 4.0, limits::<Annulus>("inner_radius_m")),
                outer_radius_m: reader.number_or(fields, "outer_radius", 6.0, limits::<Annulus>("outer_radius_m")),
                classic: true,
            };
            reader.spawner_slot(&fields.spot, ring)
        }
        _ => reader.slot(&fields.spot, Point { position_m: agent.position_m }),
    }
}

/// Reads the facing of new agents: that of their description, a heading, a point, or a word.
fn facing(reader: &mut Reader, fields: &Fields, agent_heading_rad: f64) -> Option<Facing> {
    let Some(spot) = fields.get("facing") else {
        return Some(Facing::Heading { rad: agent_heading_rad });
    };
    let numbers = match &spot.node.value {
        Value::List(items) if items.len() == 2 => {
            let at_m = reader.pair(&spot, limits::<Facing>("at_m"));
            return Some(Facing::Point { at_m, random_at_m: None });
        }
        Value::List(_) => reader.numbers(&spot, FINITE),
        _ if as_number(spot.node).is_some() => vec![reader.number(&spot, FINITE)],
        _ => Vec::new(),
    };
    match (spot.node.text(), numbers[..].first()) {
        (_, Some(&rad)) if numbers.len() == 1 => Some(Facing::Heading { rad }),
        (Some("random"), _) => Some(Facing::Random),
        (Some("towards"), _) => Some(Facing::Towards),
        (Some("away"), _) => Some(Facing::Away),
        _ => {
            reader.problem(&spot, "expected `random`, `towards`, `away`, a heading or a point `[x, y]`");
            None
        }
    }
}

/// Reads a region: a box if two opposite or all four corners span one and it has no holes, otherwise a polygon.
fn region(reader: &mut Reader, fields: &Fields) -> Option<Slot<SpawnerFamily>> {
    let Some(spot) = fields.get("region") else {
        reader.problem(&fields.spot, "`region` is missing");
        return None;
    };
    let corners = corners(reader, &spot);
    let (Some(min), Some(max)) =
        (corners.iter().copied().reduce(DVec2::min), corners.iter().copied().reduce(DVec2::max))
    else {
        reader.problem(&spot, "expected a list of corners");
        return None;
    };
    let holes_m = holes(reader, fields);
    let is_given = |corner: &DVec2| corners.iter().any(|other| other.abs_diff_eq(*corner, CORNER_TOLERANCE_M));
    let all = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    let is_box = corners.len() == 2 || (corners.len() == 4 && all.iter().all(is_given));
    match (is_box, holes_m.is_empty()) {
        (true, true) => reader.slot(&spot, UniformBox { min_m: min, max_m: max }),
        (true, false) => reader.spawner_slot(&spot, Polygon { corners_m: all.to_vec(), holes_m }),
        (false, _) => reader.spawner_slot(&spot, Polygon { corners_m: corners, holes_m }),
    }
}

/// Reads the corners of each hole. A single hole can be a list of corners.
fn holes(reader: &mut Reader, fields: &Fields) -> Vec<Vec<DVec2>> {
    let holes = reader.items(fields.get("holes"));
    let is_point =
        |item: &Spot| matches!(&item.node.value, Value::List(xy) if xy.iter().any(|x| as_number(x).is_some()));
    match (holes.iter().any(is_point), fields.get("holes")) {
        (true, Some(single)) => vec![corners(reader, &single)],
        _ => holes.iter().map(|hole| corners(reader, hole)).collect(),
    }
}

/// Reads points as `[[x, y], …]`, or two points as `[x0, y0, x1, y1]`.
fn corners(reader: &mut Reader, spot: &Spot) -> Vec<DVec2> {
    let limits = limits::<UniformBox>("min_m");
    let items = reader.items(Some(spot.clone()));
    if items.len() == 4 && items.iter().all(|item| as_number(item.node).is_some()) {
        return reader.numbers(spot, limits).chunks_exact(2).map(DVec2::from_slice).collect();
    }
    items.iter().map(|item| reader.pair(item, limits)).collect()
}
