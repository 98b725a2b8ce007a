//! Agents with their sensors and controllers.

use bevy::math::DVec2;

use super::fields::{Fields, Key, Reader, Spot, as_number, limits};
use super::object::Hull;
use super::sensor::sensor;
use super::yaml::Value;
use crate::agent::motion::stationary::Static;
use crate::controller::Drive;
use crate::controller::binary::Binary;
use crate::controller::bits::{Bits, Entry};
use crate::controller::constant::Constant;
use crate::kind::{ControllerFamily, Open};
use crate::scene::description::{Group, Placement};

const AGENTS: &[&str] = &["MazeAgent", "StaticAgent"];
const AGENTS_TO_COME: &[&str] = &["DiffDriveAgent"];
const AGENT_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("name"),
    Key::carried("position"),
    Key::carried("angle"),
    Key::carried("agent_radius"),
    Key::carried("controller"),
    Key::carried("sensors"),
    Key::missing("collides", "3|DetectAndCorrect"),
    Key::carried("team"),
    Key::carried("points"),
    Key::carried("anchor_point"),
    Key::missing("delay", ""),
    Key::missing("idiosyncrasies", ""),
    Key::missing("stop_at_goal", ""),
    Key::missing("catastrophic_collisions", ""),
    Key::missing("track_io", ""),
    Key::dead("grounded"),
    Key::dead("stop_on_collision"),
    Key::looks("body_color"),
    Key::looks("body_filled"),
    Key::looks("debug"),
    Key::looks("trace_length"),
    Key::looks("trace_color"),
    Key::seed(),
];

const CONTROLLERS: &[&str] = &["BinaryController", "MultibitBinaryController", "StaticController", "Controller"];
const CONTROLLERS_TO_COME: &[&str] =
    &["WaypointPIDController", "HumanController", "LevyController", "AgentMethodController"];
const BINARY_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("a"),
    Key::carried("b"),
    Key::carried("sensor_id"),
    Key::carried("sense_avg_time"),
];
const BITS_KEYS: &[Key] =
    &[Key::carried("type"), Key::carried("outputs"), Key::carried("default_output"), Key::carried("sensor_ids")];
const STATIC_KEYS: &[Key] = &[Key::carried("type"), Key::carried("output")];
const LIST_KEYS: &[Key] = &[Key::carried("type"), Key::carried("controller")];

/// A group for one description of an agent, and the pose in that description.
pub struct Agent {
    /// The group, named and placed by nobody yet.
    pub group: Group,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The position.
    pub position_m: DVec2,
    /// The heading.
    pub heading_rad: f64,
}

/// Reads an agent.
pub fn agent(reader: &mut Reader, spot: &Spot) -> Option<Agent> {
    let is_static = reader.type_name(spot, "agent", AGENTS, AGENTS_TO_COME)? == "StaticAgent";
    let fields = reader.fields(spot, &[AGENT_KEYS])?;
    let position = fields.get("position");
    let sensor_spots = reader.items(fields.get("sensors"));
    let sensors = sensor_spots.iter().filter_map(|spot| sensor(reader, spot)).collect();
    let controller = match fields.get("controller") {
        Some(spot) => controller(reader, &spot, sensor_spots.len()),
        None => constant(reader, spot, Drive::default()),
    };
    let hull = Hull::read(reader, &fields);
    let motion = match is_static {
        true => reader.slot(spot, Static {})?,
        false => Group::default().motion,
    };
    let position_m = position.map_or(DVec2::ZERO, |spot| reader.pair(&spot, limits::<Placement>("x_m")));
    Some(Agent {
        name: fields.get("name").and_then(|spot| spot.node.text().map(str::to_string)),
        position_m: position_m + hull.moves_by_m(),
        heading_rad: reader.number_or(&fields, "angle", 0.0, limits::<Placement>("heading_rad")),
        group: Group {
            team: text(&fields, "team"),
            body: hull.body,
            motion,
            sensors,
            controller: controller?,
            ..Default::default()
        },
    })
}

fn text(fields: &Fields, name: &str) -> String {
    fields.get(name).and_then(|spot| spot.node.text().map(str::to_string)).unwrap_or_default()
}

fn controller(reader: &mut Reader, spot: &Spot, sensors: usize) -> Option<Open<ControllerFamily>> {
    match reader.type_name(spot, "controller", CONTROLLERS, CONTROLLERS_TO_COME)? {
        "BinaryController" => {
            let fields = reader.fields(spot, &[BINARY_KEYS])?;
            let sensor = sensor_id(reader, &fields, sensors)?;
            let [clear, detected] = outputs(reader, &fields)?;
            let last = limits::<Binary>("majority_of").max as i128;
            let majority_of = fields.get("sense_avg_time").map_or(1, |spot| reader.whole(&spot, 1, last));
            let majority_of = u32::try_from(majority_of).unwrap_or(1);
            reader.slot(spot, Binary { sensor, clear, detected, majority_of })
        }
        "MultibitBinaryController" => bits(reader, spot, sensors),
        "StaticController" => {
            let fields = reader.fields(spot, &[STATIC_KEYS])?;
            let output = fields.get("output").map_or(Some(Drive::default()), |output| drive(reader, &output));
            constant(reader, spot, output?)
        }
        _ => {
            let fields = reader.fields(spot, &[LIST_KEYS])?;
            let sensor = sensor_id(reader, &fields, sensors)?;
            let list = fields.get("controller").unwrap_or_else(|| spot.clone());
            let [clear, detected] = two_drives(reader, &list, "`[v0, w0, v1, w1]`")?;
            reader.slot(spot, Binary { sensor, clear, detected, majority_of: 1 })
        }
    }
}

/// `outputs` is a map from bits, as a number or as text in base two, to `[v, w]`, or a list in the order of the bits.
fn bits(reader: &mut Reader, spot: &Spot, sensors: usize) -> Option<Open<ControllerFamily>> {
    let fields = reader.fields(spot, &[BITS_KEYS])?;
    let last = (sensors as i128 - 1).max(0);
    let ids = reader.items(fields.get("sensor_ids"));
    let ids = ids.iter().filter_map(|spot| u32::try_from(reader.whole(spot, 0, last)).ok()).collect();
    let Some(outputs) = fields.get("outputs") else {
        reader.problem(&fields.spot, "`outputs` is missing: expected `{0: [v, w], 1: [v, w], …}`");
        return None;
    };
    let table = entries(reader, &outputs)?;
    let otherwise = match fields.get("default_output") {
        Some(spot) => drive(reader, &spot)?,
        None => Drive::default(),
    };
    reader.slot(spot, Bits { sensors: ids, table, otherwise })
}

fn entries(reader: &mut Reader, outputs: &Spot) -> Option<Vec<Entry>> {
    let spots: Vec<_> = match &outputs.node.value {
        Value::List(_) => (0..).zip(reader.items(Some(outputs.clone()))).collect(),
        _ => reader.numbered(outputs),
    };
    let entries = spots.iter().map(|(bits, spot)| Some(Entry { bits: *bits, drive: drive(reader, spot)? }));
    // All problems are told, not the first alone.
    let entries: Vec<_> = entries.collect();
    entries.into_iter().collect()
}

fn constant(reader: &mut Reader, spot: &Spot, drive: Drive) -> Option<Open<ControllerFamily>> {
    reader.slot(spot, Constant { v_m_per_s: drive.v_m_per_s, turn_rad_per_s: drive.turn_rad_per_s })
}

/// The sensor that decides: an agent without it would crash in RobotSwarmSimulator.
fn sensor_id(reader: &mut Reader, fields: &Fields, sensors: usize) -> Option<u32> {
    if sensors == 0 {
        reader.problem(&fields.spot, "the controller needs a sensor, but the agent has none");
        return None;
    }
    let last = (sensors as i128 - 1).min(limits::<Binary>("sensor").max as i128);
    let id = fields.get("sensor_id").map_or(0, |spot| reader.whole(&spot, 0, last));
    u32::try_from(id).ok()
}

/// What a `BinaryController` does without and with a detection: `a` and `b`, two rows, or four numbers in `a`.
fn outputs(reader: &mut Reader, fields: &Fields) -> Option<[Drive; 2]> {
    let Some(a) = fields.get("a") else {
        reader.problem(&fields.spot, "`a` is missing: expected `a: [v, w]` without and `b: [v, w]` with a detection");
        return None;
    };
    if let Some(b) = fields.get("b") {
        if let (Some(v), Some(w)) = (as_number(a.node), as_number(b.node)) {
            let about = format!(
                "`a` and `b` are single numbers, which RobotSwarmSimulator refuses: taken as a speed and a turn rate, \
                 [{v}, {}] without and [{v}, {w}] with a detection",
                -w
            );
            reader.warning(&a, about);
            let [clear, detected] = [-1.0, 1.0].map(|sign| {
                let Drive { v_m_per_s, turn_rad_per_s } = drive_of(reader, &a, &b);
                Drive { v_m_per_s, turn_rad_per_s: sign * turn_rad_per_s }
            });
            return Some([clear, detected]);
        }
        let (clear, detected) = (drive(reader, &a), drive(reader, &b));
        return Some([clear?, detected?]);
    }
    if matches!(&a.node.value, Value::List(rows) if rows.len() == 2) {
        let [clear, detected] = reader.exactly(&a, "two rows")?.map(|row| drive(reader, &row));
        return Some([clear?, detected?]);
    }
    let [detected, clear] = two_drives(reader, &a, "`[v, w]` and a `b`, `[[v0, w0], [v1, w1]]` or `[v1, w1, v0, w0]`")?;
    reader.warning(&a, "the first half is for a detection, as in RobotSwarmSimulator; its documentation differs");
    Some([clear, detected])
}

fn drive(reader: &mut Reader, spot: &Spot) -> Option<Drive> {
    let [v, w] = reader.exactly(spot, "`[v, w]`")?;
    Some(drive_of(reader, &v, &w))
}

fn two_drives(reader: &mut Reader, spot: &Spot, what: &str) -> Option<[Drive; 2]> {
    let [v0, w0, v1, w1] = reader.exactly(spot, what)?;
    Some([drive_of(reader, &v0, &w0), drive_of(reader, &v1, &w1)])
}

fn drive_of(reader: &mut Reader, v: &Spot, w: &Spot) -> Drive {
    Drive {
        v_m_per_s: reader.number(v, limits::<Drive>("v_m_per_s")),
        turn_rad_per_s: reader.number(w, limits::<Drive>("turn_rad_per_s")),
    }
}
