//! Spawners.

use bevy::math::DVec2;

use super::agent::{Agent, agent};
use super::fields::{FINITE, Fields, Key, Reader, Spot, as_number, limits};
use super::yaml::Value;
use crate::kind::{Open, SpawnerFamily};
use crate::scene::description::Group;
use crate::spawner::Facing;
use crate::spawner::point::Point;
use crate::spawner::uniform_box::UniformBox;
use crate::spawner::uniform_disc::UniformDisc;

const SPAWNERS: &[&str] = &["PointAgentSpawner", "UniformAgentSpawner", "UniformCircleAgentSpawner"];
const SPAWNERS_TO_COME: &[&str] = &["DonutAgentSpawner", "ExcelSpawner", "AgentSpawner"];
const KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("n"),
    Key::carried("agent"),
    Key::carried("facing"),
    Key::carried("avoid_overlap"),
    Key::missing("mode", "oneshot"),
    Key::dead("oneshot"),
    Key::dead("delay"),
    Key::seed(),
];
const BOX_KEYS: &[Key] = &[Key::carried("region"), Key::missing("holes", "")];
const DISC_KEYS: &[Key] = &[Key::carried("center"), Key::carried("radius")];

/// How far the corners of a region may be off those of a box, as in RobotSwarmSimulator.
const CORNER_TOLERANCE_M: f64 = 1e-6;

/// Reads a spawner as a group that it spawns; gives the name of its agents, too.
pub fn spawner(reader: &mut Reader, spot: &Spot) -> Option<(Option<String>, Group)> {
    let name = reader.type_name(spot, "spawner", SPAWNERS, SPAWNERS_TO_COME)?;
    let own_keys = match name {
        "UniformAgentSpawner" => BOX_KEYS,
        "UniformCircleAgentSpawner" => DISC_KEYS,
        _ => &[],
    };
    let fields = reader.fields(spot, &[KEYS, own_keys])?;
    let Some(agent_spot) = fields.get("agent") else {
        reader.problem(spot, "`agent` is missing");
        return None;
    };
    let agent = agent(reader, &agent_spot)?;
    let most = limits::<Group>("count").max as i128;
    let count = fields.get("n").map_or(1, |spot| reader.whole(&spot, 0, most));
    let facing = facing(reader, &fields, agent.heading_rad)?;
    reader.warning(spot, "poses are drawn from our own random streams: they differ from those of RobotSwarmSimulator");
    let spawn = place(reader, name, &fields, &agent, facing)?;
    Some((agent.name, Group { count: u32::try_from(count).ok()?, spawn, ..agent.group }))
}

fn place(r: &mut Reader, name: &str, fields: &Fields, agent: &Agent, facing: Facing) -> Option<Open<SpawnerFamily>> {
    let avoid_overlap = r.is_on_or(fields, "avoid_overlap", false);
    match name {
        "UniformAgentSpawner" => {
            let (min_m, max_m) = region(r, fields)?;
            r.slot(&fields.spot, UniformBox { min_m, max_m, facing, avoid_overlap })
        }
        "UniformCircleAgentSpawner" => {
            let (Some(center), Some(radius)) = (fields.get("center"), fields.get("radius")) else {
                r.problem(&fields.spot, "`center` and `radius` are needed");
                return None;
            };
            let center_m = r.pair(&center, limits::<UniformDisc>("center_m"));
            let radius_m = r.number(&radius, limits::<UniformDisc>("radius_m"));
            r.slot(&fields.spot, UniformDisc { center_m, radius_m, facing, avoid_overlap })
        }
        _ => r.slot(&fields.spot, Point { position_m: agent.position_m, facing, avoid_overlap }),
    }
}

/// Where the new agents look: as in their description, in a direction, at a point, or by a word.
fn facing(reader: &mut Reader, fields: &Fields, agent_heading_rad: f64) -> Option<Facing> {
    let Some(spot) = fields.get("facing") else {
        return Some(Facing::Heading { rad: agent_heading_rad });
    };
    let numbers = match &spot.node.value {
        Value::List(items) if items.len() == 2 => {
            return Some(Facing::Point { at_m: reader.pair(&spot, limits::<Facing>("at_m")) });
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

/// The box that two opposite or all four corners span.
fn region(reader: &mut Reader, fields: &Fields) -> Option<(DVec2, DVec2)> {
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
    let is_there = |corner: &DVec2| corners.iter().any(|other| other.abs_diff_eq(*corner, CORNER_TOLERANCE_M));
    let all = [min, max, DVec2::new(min.x, max.y), DVec2::new(max.x, min.y)];
    if corners.len() == 2 || (corners.len() == 4 && all.iter().all(is_there)) {
        return Some((min, max));
    }
    reader.problem(&spot, "only boxes can be imported yet: two or four corners, sides along x and y");
    None
}

/// Points as `[[x, y], …]`, or two of them as `[x0, y0, x1, y1]`.
fn corners(reader: &mut Reader, spot: &Spot) -> Vec<DVec2> {
    let limits = limits::<UniformBox>("min_m");
    let items = reader.items(Some(spot.clone()));
    if items.len() == 4 && items.iter().all(|item| as_number(item.node).is_some()) {
        return reader.numbers(spot, limits).chunks_exact(2).map(DVec2::from_slice).collect();
    }
    items.iter().map(|item| reader.pair(item, limits)).collect()
}
