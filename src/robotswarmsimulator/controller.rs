//! Controllers of agents.

use bevy::math::DVec2;
use swarmarium_base::limits::Limits;
use swarmarium_base::variant::Variant;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::controller::{ControllerFamily, Drive};
use swarmarium_core::driving::Keys;
use swarmarium_core::kind::Slot;
use swarmarium_kinds::controller::binary::Binary;
use swarmarium_kinds::controller::bits::{Bits, Entry};
use swarmarium_kinds::controller::human::Human;
use swarmarium_kinds::controller::levy::{Levy, Style};
use swarmarium_kinds::controller::table::Table;
use swarmarium_kinds::controller::velocity::Velocity;
use swarmarium_kinds::controller::waypoint::{Pid, Waypoint};

use super::fields::{Fields, Key, Reader, Spot, Wheels, as_number, limits};
use super::sensor::in_unit;
use super::yaml::{Node, Value};

/// The classes that can be imported.
pub const CLASSES: &[&str] = &[
    "BinaryController",
    "MultibitBinaryController",
    "StaticController",
    "Controller",
    "WaypointPIDController",
    "HumanController",
    "LevyController",
];
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
const WAYPOINT_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("sensor_id"),
    Key::carried("static_waypoint"),
    Key::carried("speed_pid"),
    Key::carried("steer_pid"),
];
const PID_KEYS: &[Key] = &[
    Key::carried("p"),
    Key::carried("i"),
    Key::carried("d"),
    Key::carried("imax"),
    Key::carried("min"),
    Key::carried("max"),
];
const HUMAN_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("joystick"),
    Key::carried("keys"),
    Key::carried("speed_range"),
    Key::carried("turn_range"),
    Key::carried("key_speed_mult"),
    Key::carried("key_turn_mult"),
    Key::missing("joy_speed_map", ""),
    Key::missing("joy_turn_map", ""),
    Key::missing("joy_deadzone", "0.1"),
    Key::missing("trigger_deadzone", "0.03"),
];
const LEVY_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("velocity"),
    Key::carried("angular_velocity"),
    Key::carried("levy_constant"),
    Key::carried("curving"),
    Key::carried("timeout"),
    Key::carried("timeout_steps"),
    Key::carried("step_scale"),
    Key::seed(),
];

/// Reads a controller of a class of RobotSwarmSimulator, for an agent with a number of sensors.
pub fn read(reader: &mut Reader, spot: &Spot, name: &str, sensors: usize) -> Option<Slot<ControllerFamily>> {
    if reader.wheels.is_some() && matches!(name, "WaypointPIDController" | "HumanController" | "LevyController") {
        reader.warning(spot, "its numbers are taken for a speed and a turn rate; there they are speeds of wheels");
    }
    match name {
        "BinaryController" => {
            let fields = reader.fields(spot, &[BINARY_KEYS])?;
            let sensor = sensor_id(reader, &fields, sensors)?;
            let [clear, detected] = outputs(reader, &fields)?;
            let last = limits::<Binary>("vote_readings").max as i128;
            let vote_readings = fields.get("sense_avg_time").map_or(1, |spot| reader.whole(&spot, 1, last));
            let vote_readings = u32::try_from(vote_readings).unwrap_or(1);
            reader.slot(spot, Binary { sensor, clear, detected, vote_readings })
        }
        "MultibitBinaryController" => bits(reader, spot, sensors),
        "StaticController" => {
            let fields = reader.fields(spot, &[STATIC_KEYS])?;
            let output = fields.get("output").map_or(Some(Drive::default()), |output| drive(reader, &output));
            constant(reader, spot, output?)
        }
        "WaypointPIDController" => waypoint(reader, spot, sensors),
        "HumanController" => human(reader, spot),
        "LevyController" => levy(reader, spot),
        _ => {
            let fields = reader.fields(spot, &[LIST_KEYS])?;
            let sensor = sensor_id(reader, &fields, sensors)?;
            let list = fields.get("controller").unwrap_or_else(|| spot.clone());
            if let Value::List(items) = &list.node.value
                && items.len() > 4
            {
                let items = reader.items(Some(list.clone()));
                if !items.len().is_multiple_of(2) {
                    reader.problem(&list, "expected a speed and a turn rate for each state, found an odd number");
                    return None;
                }
                let commands = items.chunks_exact(2).map(|pair| drive_of(reader, &pair[0], &pair[1])).collect();
                return reader.slot(spot, Table { commands, ..Default::default() });
            }
            let [clear, detected] = two_drives(reader, &list, "`[v0, w0, v1, w1, …]`")?;
            reader.slot(spot, Binary { sensor, clear, detected, vote_readings: 1 })
        }
    }
}

fn waypoint(reader: &mut Reader, spot: &Spot, sensors: usize) -> Option<Slot<ControllerFamily>> {
    let fields = reader.fields(spot, &[WAYPOINT_KEYS])?;
    let point = fields.get("static_waypoint").map(|spot| reader.pair(&spot, limits::<Waypoint>("points_m")));
    let sensor = match (fields.get("sensor_id"), point) {
        (Some(_), _) => Some(sensor_id(reader, &fields, sensors)?),
        (None, Some(_)) => None,
        (None, None) => {
            reader.problem(&fields.spot, "needs a `static_waypoint` or a `sensor_id`");
            return None;
        }
    };
    let (speed, steering) = (pid(reader, fields.get("speed_pid")), pid(reader, fields.get("steer_pid")));
    let (points_m, within_m) = (point.into_iter().collect(), 0.0);
    let variant = Variant::Classic;
    reader.slot(spot, Waypoint { points_m, within_m, sensor, speed, steering, variant, repeat: false })
}

fn pid(reader: &mut Reader, spot: Option<Spot>) -> Pid {
    let Some((spot, fields)) = spot.and_then(|spot| Some((spot.clone(), reader.fields(&spot, &[PID_KEYS])?))) else {
        return Pid::default();
    };
    let mut number = |name, default| reader.number_or(&fields, name, default, limits::<Pid>("p"));
    let (p, i, d) = (number("p", 0.0), number("i", 0.0), number("d", 0.0));
    let i_max = Some(reader.number_or(&fields, "imax", 0.0, limits::<Pid>("i_max")));
    let mut bound = |name| fields.get(name).map(|spot| reader.number(&spot, limits::<Pid>("p")));
    let (min, max) = (bound("min"), bound("max"));
    if i != 0.0 || d != 0.0 {
        reader.warning(&spot, "`i` and `d` have no effect in RobotSwarmSimulator; with `variant: Corrected` they have");
    }
    Pid { p, i, d, i_max, min, max }
}

fn human(reader: &mut Reader, spot: &Spot) -> Option<Slot<ControllerFamily>> {
    let fields = reader.fields(spot, &[HUMAN_KEYS])?;
    let keys = match fields.get("keys") {
        None => Keys::Wasd,
        Some(spot) => match spot.node.text().unwrap_or_default().to_lowercase().as_str() {
            "wasd" => Keys::Wasd,
            "arrowkeys" | "arrows" => Keys::Arrows,
            "ijkl" => Keys::Ijkl,
            "none" => Keys::Off,
            _ => {
                reader.problem(&spot, "expected `wasd`, `arrowkeys`, `ijkl` or `None`");
                return None;
            }
        },
    };
    let mut range = |name, default: f64| match fields.get(name) {
        Some(spot) => reader.pair(&spot, limits::<Drive>("v_m_per_s")),
        None => DVec2::new(-default, default),
    };
    let (v, turn) = (range("speed_range", 0.3), range("turn_range", 1.5));
    if v.x > 0.0 || v.y < 0.0 || turn.x > 0.0 || turn.y < 0.0 {
        reader.problem(spot, "the ranges of speed and turn must contain 0");
        return None;
    }
    // The change of the command in a step while a key is held.
    let dt_s = reader.dt_s;
    let mut ramp = |name, default| reader.number_or(&fields, name, default, Limits::between(0.0, 1e6 * dt_s)) / dt_s;
    let (v_ramp_m_per_s2, turn_ramp_rad_per_s2) = (ramp("key_speed_mult", 0.01), ramp("key_turn_mult", 0.1));
    // RobotSwarmSimulator counts gamepads from 0.
    let last = limits::<Human>("gamepad").max as i128 - 1;
    let gamepad = fields.get("joystick").map_or(0, |spot| reader.whole(&spot, 0, last) + 1);
    let human = Human {
        keys,
        gamepad: u32::try_from(gamepad).unwrap_or(0),
        min_v_m_per_s: v.x,
        max_v_m_per_s: v.y,
        min_turn_rad_per_s: turn.x,
        max_turn_rad_per_s: turn.y,
        v_ramp_m_per_s2,
        turn_ramp_rad_per_s2,
        ..Default::default()
    };
    reader.slot(spot, human)
}

fn levy(reader: &mut Reader, spot: &Spot) -> Option<Slot<ControllerFamily>> {
    let fields = reader.fields(spot, &[LEVY_KEYS])?;
    for name in ["velocity", "angular_velocity"] {
        if fields.get(name).is_none() {
            reader.problem(spot, format!("`{name}` is missing"));
            return None;
        }
    }
    let dt_s = reader.dt_s;
    let mut number = |name, default, field| reader.number_or(&fields, name, default, limits::<Levy>(field));
    let (v_m_per_s, turn_rad_per_s) =
        (number("velocity", 0.0, "v_m_per_s"), number("angular_velocity", 0.0, "turn_rad_per_s"));
    let step_m = number("step_scale", 1.0, "step_m");
    let max_duration_s = match fields.get("timeout_steps") {
        Some(spot) => reader.number(&spot, in_unit(limits::<Levy>("max_duration_s"), dt_s)) * dt_s,
        None => number("timeout", 5.0, "max_duration_s"),
    };
    let exponent = fields.get("levy_constant").map(|spot| reader.number(&spot, limits::<Levy>("exponent")));
    let style = if reader.is_on_or(&fields, "curving", false) { Style::Curving } else { Style::Straight };
    // The unit of curves is 100 steps.
    let (curve_s, variant) = (100.0 * dt_s, Variant::Classic);
    reader.warning(spot, "its random numbers are our own: there they cannot be had again");
    let levy = Levy {
        v_m_per_s,
        turn_rad_per_s,
        style,
        exponent,
        step_m,
        curve_s,
        max_duration_s,
        variant,
        ..Levy::default()
    };
    reader.slot(spot, levy)
}

/// Reads the controller of a `DroneAgent`, whose command has three numbers.
pub fn velocity(reader: &mut Reader, spot: &Spot) -> Option<Slot<ControllerFamily>> {
    if spot.node.get("type").and_then(Node::text) != Some("StaticController") {
        reader.warning(spot, "a `DroneAgent` only takes a `StaticController` with three numbers: it stands");
        return reader.slot(spot, Velocity::default());
    }
    let fields = reader.fields(spot, &[STATIC_KEYS])?;
    let Some(output) = fields.get("output") else { return reader.slot(spot, Velocity::default()) };
    let parts = reader.exactly::<3>(&output, "`[dx, dy, dtheta]`")?;
    let [x_m_per_s, y_m_per_s, turn_rad_per_s] = parts.map(|part| reader.number(&part, limits::<Drive>("v_m_per_s")));
    reader.slot(spot, Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s })
}

/// Reads a `MultibitBinaryController`. Its `outputs` are a map from bits, as a number or as text in base two, to `[v, w]`, or a list in the order of the bits.
fn bits(reader: &mut Reader, spot: &Spot, sensors: usize) -> Option<Slot<ControllerFamily>> {
    let fields = reader.fields(spot, &[BITS_KEYS])?;
    let ids = reader.items(fields.get("sensor_ids"));
    let ids = ids.iter().map(|spot| reader.index(spot, sensors)).collect();
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

/// Reads the commands for bits.
fn entries(reader: &mut Reader, outputs: &Spot) -> Option<Vec<Entry>> {
    let spots: Vec<_> = match &outputs.node.value {
        Value::List(_) => (0..).zip(reader.items(Some(outputs.clone()))).collect(),
        _ => reader.entries_by_bits(outputs),
    };
    let entries = spots.iter().map(|(bits, spot)| Some(Entry { bits: *bits, drive: drive(reader, spot)? }));
    // Reads all entries before it stops, so that all problems are reported.
    let entries: Vec<_> = entries.collect();
    entries.into_iter().collect()
}

/// A controller with a constant command.
pub fn constant(reader: &mut Reader, spot: &Spot, drive: Drive) -> Option<Slot<ControllerFamily>> {
    reader.slot(spot, Constant { v_m_per_s: drive.v_m_per_s, turn_rad_per_s: drive.turn_rad_per_s })
}

/// Reads the sensor of a controller, without which RobotSwarmSimulator would crash. Its number can count from the end.
fn sensor_id(reader: &mut Reader, fields: &Fields, sensors: usize) -> Option<u32> {
    if sensors == 0 {
        reader.problem(&fields.spot, "the controller needs a sensor, but the agent has none");
        return None;
    }
    Some(fields.get("sensor_id").map_or(0, |spot| reader.index(&spot, sensors)))
}

/// Reads the commands of a `BinaryController` without and with a detection: `a` and `b`, two rows, or four numbers in `a`.
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

/// Reads a command.
fn drive(reader: &mut Reader, spot: &Spot) -> Option<Drive> {
    let [v, w] = reader.exactly(spot, "`[v, w]`")?;
    Some(drive_of(reader, &v, &w))
}

/// Reads two commands from one list.
fn two_drives(reader: &mut Reader, spot: &Spot, expected: &str) -> Option<[Drive; 2]> {
    let [v0, w0, v1, w1] = reader.exactly(spot, expected)?;
    Some([drive_of(reader, &v0, &w0), drive_of(reader, &v1, &w1)])
}

/// Reads the two numbers of a command: a speed and a turn rate, or the speeds of two wheels.
fn drive_of(reader: &mut Reader, v: &Spot, w: &Spot) -> Drive {
    let numbers =
        [(v, "v_m_per_s"), (w, "turn_rad_per_s")].map(|(spot, field)| reader.converted(spot, limits::<Drive>(field)));
    reader.wheels.map_or(Drive { v_m_per_s: numbers[0], turn_rad_per_s: numbers[1] }, |wheels| wheels.drive(numbers))
}

impl Wheels {
    /// The command of a `DiffDriveAgent` for the speeds of its wheels. A faster left wheel increases its heading.
    fn drive(self, [left, right]: [f64; 2]) -> Drive {
        Drive {
            v_m_per_s: self.wheel_radius_m / 2.0 * (left + right),
            turn_rad_per_s: (left - right) / (2.0 * self.radius_m),
        }
    }
}
