//! Agents with their sensors and controllers.

use bevy::math::DVec2;
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::did_you_mean;
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::look::Look;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::controller::{ControllerFamily, Drive};
use swarmarium_core::driving::Keys;
use swarmarium_core::kind::Slot;
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::motion::holonomic::Holonomic;
use swarmarium_core::motion::moving::{Factor, MotionVariation};
use swarmarium_core::motion::stationary::Static;
use swarmarium_core::motion::unicycle::Unicycle;
use swarmarium_core::motion::{MotionFamily, Moving};
use swarmarium_core::scene::description::Group;
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::service::note::Note;
use swarmarium_kinds::controller::binary::Binary;
use swarmarium_kinds::controller::bits::{Bits, Entry};
use swarmarium_kinds::controller::human::Human;
use swarmarium_kinds::controller::levy::{Levy, Style};
use swarmarium_kinds::controller::table::Table;
use swarmarium_kinds::controller::velocity::Velocity;
use swarmarium_kinds::controller::waypoint::{Pid, Waypoint};
use swarmarium_kinds::sensor::overlap::Overlap;
use swarmarium_space::Collides;

use super::external;
use super::fields::{Fields, Key, Reader, Spot, Wheels, as_number, limits};
use super::object::{Hull, teams};
use super::scalar::Scalar;
use super::sensor::{in_unit, sensor};
use super::yaml::Value;

const AGENTS: &[&str] = &[
    "MazeAgent",
    "StaticAgent",
    "Agent",
    "UnicycleAgent",
    "DiffDriveAgent",
    "DifferentialDriveAgent",
    "DroneAgent",
    "StaticObject",
    "DetectionRegion",
];
const AGENT_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("name"),
    Key::carried("position"),
    Key::carried("angle"),
    Key::carried("agent_radius"),
    Key::carried("controller"),
    Key::carried("sensors"),
    Key::carried("collides"),
    Key::carried("team"),
    Key::carried("points"),
    Key::carried("anchor_point"),
    Key::carried("delay"),
    Key::carried("idiosyncrasies"),
    Key::carried("stop_at_goal"),
    Key::carried("catastrophic_collisions"),
    Key::missing("track_io", ""),
    Key::dead("grounded"),
    Key::carried("body_color"),
    Key::carried("body_filled"),
    Key::looks("debug"),
    Key::carried("trace_length"),
    Key::carried("trace_color"),
    Key::seed(),
];
/// A `MazeAgent` ignores it; a `UnicycleAgent` crashes.
const MAZE_KEYS: &[Key] = &[Key::dead("stop_on_collision")];
const UNICYCLE_KEYS: &[Key] = &[Key::carried("stop_on_collision")];
const WHEEL_KEYS: &[Key] = &[Key::dead("stop_on_collision"), Key::carried("wheel_radius")];
/// Objects among the agents have neither a controller nor sensors.
const OBJECT_KEYS: &[Key] = &[Key::dead("controller"), Key::dead("sensors"), Key::dead("collide_walls")];
const REGION_KEYS: &[Key] = &[
    Key::carried("target_teams"),
    Key::carried("target_name"),
    Key::dead("controller"),
    Key::dead("sensors"),
    Key::dead("collide_walls"),
];
/// The values of `collides` in RobotSwarmSimulator: name, number and counterpart.
const COLLIDES: [(&str, i128, Collides); 3] =
    [("Disabled", 0, Collides::Off), ("Detect", 1, Collides::Detect), ("DetectAndCorrect", 3, Collides::Push)];

const CONTROLLERS: &[&str] = &[
    "BinaryController",
    "MultibitBinaryController",
    "StaticController",
    "Controller",
    "WaypointPIDController",
    "HumanController",
    "LevyController",
];
/// The replacement of a controller of a user's own class.
const LED: &str =
    "an external program controls the agent through its component `controller`; its parameters are in `metadata`";
/// Keys that describe the behaviour of an agent of a user's own class.
const OF_CLASS: [&str; 2] = ["type", "controller"];
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
    /// The parameters of users' own classes, for the program that replaces them.
    pub notes: Vec<Note>,
}

/// Reads an agent. An agent of a user's own class becomes a `MazeAgent` that an external program controls.
pub fn agent(reader: &mut Reader, spot: &Spot) -> Option<Agent> {
    let instead = "it moves as a `MazeAgent` that an external program controls through its component `controller`; its \
                   other parameters are in `metadata`";
    let known = reader.type_or_own(spot, "agent", AGENTS, instead)?;
    let make = known.unwrap_or("MazeAgent");
    let own = match make {
        "MazeAgent" | "StaticAgent" | "Agent" => MAZE_KEYS,
        "DiffDriveAgent" | "DifferentialDriveAgent" => WHEEL_KEYS,
        "StaticObject" => OBJECT_KEYS,
        "DetectionRegion" => REGION_KEYS,
        _ => UNICYCLE_KEYS,
    };
    let fields = if known.is_some() { reader.fields(spot, &[own, AGENT_KEYS])? } else { reader.open(spot)? };
    let position = fields.get("position");
    let sensor_spots = if is_object(make) { Vec::new() } else { reader.items(fields.get("sensors")) };
    let mut sensors: Vec<_> = sensor_spots.iter().filter_map(|spot| sensor(reader, spot)).collect();
    let hull = Hull::read(reader, &fields);
    let motion = motion(reader, &fields, make, &hull.body)?;
    let mut notes = Vec::new();
    let controller = match fields.get("controller").filter(|_| !is_object(make)) {
        _ if known.is_none() => {
            let carried: Vec<_> = AGENT_KEYS.iter().map(Key::name).filter(|key| !OF_CLASS.contains(key)).collect();
            notes.extend(external::notes_but(reader, spot, "", &carried));
            external::controller(reader, spot, &motion)
        }
        Some(spot) => match reader.type_or_own(&spot, "controller", CONTROLLERS, LED)? {
            None => {
                notes.extend(external::notes_but(reader, &spot, "controller", &[]));
                external::controller(reader, &spot, &motion)
            }
            Some(_) if make == "DroneAgent" => velocity(reader, &spot),
            Some(name) => controller(reader, &spot, name, sensor_spots.len()),
        },
        None => constant(reader, spot, Drive::default()),
    };
    reader.wheels = None;
    let is_led = controller.as_ref().is_some_and(external::is_led);
    if is_led || sensors.iter().any(external::is_written) {
        let slots = sensor_spots.iter().zip(&sensors).enumerate();
        for (slot, (spot, _)) in slots.filter(|(_, (_, sensor))| external::is_written(sensor)) {
            notes.extend(external::notes_but(reader, spot, &format!("sensor_{slot}"), &[]));
        }
        external::connect(reader, spot, &mut sensors);
    }
    if make == "DetectionRegion" {
        let names = fields.text("target_name").into_iter().collect();
        let overlap = Overlap { teams: teams(reader, &fields), names };
        sensors.extend(reader.slot::<SensorFamily, _>(spot, overlap));
    }
    let collides = collides(reader, &fields, make);
    let position_m = position.map_or(DVec2::ZERO, |spot| reader.pair(&spot, limits::<Placement>("x_m")));
    Some(Agent {
        name: fields.text("name"),
        position_m: position_m + hull.moves_by_m(),
        heading_rad: reader.number_or(&fields, "angle", 0.0, limits::<Placement>("heading_rad")),
        group: Group {
            team: fields.text("team").unwrap_or_default(),
            look: look(reader, &fields),
            body: hull.body,
            collides,
            motion,
            sensors,
            controller: controller?,
            ..Default::default()
        },
        notes,
    })
}

/// Whether a class is that of an object, which can stand among the agents.
fn is_object(make: &str) -> bool {
    matches!(make, "StaticObject" | "DetectionRegion")
}

/// Reads how the agent reacts to an overlap with another: a name, a number (in a list in files that RobotSwarmSimulator
/// saved), or true or false for 1 or 0.
fn collides(reader: &mut Reader, fields: &Fields, make: &str) -> Collides {
    let default = match make {
        "Agent" => Collides::Off,
        "StaticObject" | "DetectionRegion" => Collides::Detect,
        _ => Collides::Push,
    };
    let Some(spot) = fields.get("collides") else { return default };
    let node = match &spot.node.value {
        Value::List(items) if items.len() == 1 => &items[0],
        _ => spot.node,
    };
    let found = match (node.scalar(), node.text()) {
        (Scalar::Int(number), _) => COLLIDES.iter().find(|(_, known, _)| *known == number),
        (Scalar::Bool(on), _) => COLLIDES.iter().find(|(_, known, _)| *known == i128::from(on)),
        (Scalar::Text, Some(text)) => COLLIDES.iter().find(|(name, ..)| *name == text),
        _ => None,
    };
    if found.is_none() {
        let near = did_you_mean(node.text().unwrap_or_default(), COLLIDES.map(|(name, ..)| name));
        let can_be = "`Disabled` (0, false), `Detect` (1, true) or `DetectAndCorrect` (3)";
        reader.problem(&spot, format!("expected {can_be}{near}"));
    }
    found.map_or(default, |(.., collides)| *collides)
}

/// How the agent moves.
///
/// A `DiffDriveAgent` there also moves as a `MazeAgent` before it moves itself; here it moves once.
fn motion(reader: &mut Reader, fields: &Fields, make: &str, body: &Body) -> Option<Slot<MotionFamily>> {
    let spot = &fields.spot;
    let motion = match make {
        "MazeAgent" | "UnicycleAgent" => reader.slot(spot, Unicycle {}),
        "StaticAgent" | "Agent" | "StaticObject" | "DetectionRegion" => reader.slot(spot, Static {}),
        "DroneAgent" => {
            reader.warning(spot, "a `DroneAgent` crashes in RobotSwarmSimulator; its numbers are taken per second");
            reader.slot(spot, Holonomic::default())
        }
        _ => {
            let wheel_radius_m = reader.number_or(fields, "wheel_radius", 0.01, Limits::POSITIVE);
            let radius_m = body.radius_m();
            reader.wheels = Some(Wheels { wheel_radius_m, radius_m });
            reader.warning(spot, "moves once per step here, and twice in RobotSwarmSimulator, first as a `MazeAgent`");
            // Fast enough for all commands that are allowed.
            reader.slot(
                spot,
                DifferentialDrive {
                    axle_m: 2.0 * radius_m,
                    max_wheel_m_per_s: 1e6,
                    wheel_radius_m,
                    ..Default::default()
                },
            )
        }
    };
    if is_object(make) {
        return motion;
    }
    let last = limits::<Moving>("delay_steps").max as i128;
    let delay = fields.get("delay").map_or(0, |spot| reader.whole(&spot, 0, last));
    let moving = Moving {
        delay_steps: u32::try_from(delay).unwrap_or_default(),
        stop_on_collision: make != "MazeAgent" && reader.is_on_or(fields, "stop_on_collision", false),
        stop_at_goal: reader.is_on_or(fields, "stop_at_goal", false),
        catastrophic_collisions: reader.is_on_or(fields, "catastrophic_collisions", false),
        idiosyncrasy: idiosyncrasy(reader, fields),
        ..Default::default()
    };
    Some(motion?.with(moving))
}

/// `false`, or a map with two means and two standard deviations.
fn idiosyncrasy(reader: &mut Reader, fields: &Fields) -> MotionVariation {
    let Some(spot) = fields.get("idiosyncrasies").filter(|spot| matches!(spot.node.value, Value::Map(_))) else {
        return MotionVariation::default();
    };
    let Some(fields) = reader.fields(&spot, &[&[Key::carried("mean"), Key::carried("sd")]]) else {
        return MotionVariation::default();
    };
    let mut pair = |name, default: f64, field| match fields.get(name) {
        Some(spot) => reader.pair(&spot, limits::<Factor>(field)),
        None => DVec2::splat(default),
    };
    let (mean, spread) = (pair("mean", 1.0, "mean"), pair("sd", 0.0, "spread"));
    MotionVariation {
        variant: Variant::Classic,
        speed: Factor { mean: mean.x, spread: spread.x },
        turn: Factor { mean: mean.y, spread: spread.y },
    }
}

/// Colours, and the trail, whose length is in steps there.
fn look(reader: &mut Reader, fields: &Fields) -> Look {
    let last = limits::<Look>("trail_s").max / reader.dt_s;
    let trail = fields.get("trace_length").map_or(0, |spot| reader.whole(&spot, 0, last as i128));
    Look {
        color: reader.color(fields, "body_color"),
        filled: reader.is_on_or(fields, "body_filled", true),
        trail_s: trail as f64 * reader.dt_s,
        trail_color: reader.color(fields, "trace_color"),
    }
}

fn controller(reader: &mut Reader, spot: &Spot, name: &str, sensors: usize) -> Option<Slot<ControllerFamily>> {
    if reader.wheels.is_some() && matches!(name, "WaypointPIDController" | "HumanController" | "LevyController") {
        reader.warning(spot, "its numbers are taken for a speed and a turn rate; there they are speeds of wheels");
    }
    match name {
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
            reader.slot(spot, Binary { sensor, clear, detected, majority_of: 1 })
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
    let mut end = |name| fields.get(name).map(|spot| reader.number(&spot, limits::<Pid>("p")));
    let (min, max) = (end("min"), end("max"));
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
    // What a key adds in a step.
    let dt_s = reader.dt_s;
    let mut ramp = |name, default| reader.number_or(&fields, name, default, Limits::between(0.0, 1e6 * dt_s)) / dt_s;
    let (v_ramp_m_per_s2, turn_ramp_rad_per_s2) = (ramp("key_speed_mult", 0.01), ramp("key_turn_mult", 0.1));
    // There they count from 0.
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
    let longest_s = match fields.get("timeout_steps") {
        Some(spot) => reader.number(&spot, in_unit(limits::<Levy>("longest_s"), dt_s)) * dt_s,
        None => number("timeout", 5.0, "longest_s"),
    };
    let exponent = fields.get("levy_constant").map(|spot| reader.number(&spot, limits::<Levy>("exponent")));
    let style = if reader.is_on_or(&fields, "curving", false) { Style::Curving } else { Style::Straight };
    // Its curves have a unit of 100 steps.
    let (curve_s, variant) = (100.0 * dt_s, Variant::Classic);
    reader.warning(spot, "its random numbers are our own: there they cannot be had again");
    reader.slot(spot, Levy { v_m_per_s, turn_rad_per_s, style, exponent, step_m, curve_s, longest_s, variant })
}

/// The controller of a `DroneAgent`, which has three numbers.
fn velocity(reader: &mut Reader, spot: &Spot) -> Option<Slot<ControllerFamily>> {
    reader.type_name(spot, "controller of a `DroneAgent`", &["StaticController"], &[])?;
    let fields = reader.fields(spot, &[STATIC_KEYS])?;
    let Some(output) = fields.get("output") else { return reader.slot(spot, Velocity::default()) };
    let parts = reader.exactly::<3>(&output, "`[dx, dy, dtheta]`")?;
    let [x_m_per_s, y_m_per_s, turn_rad_per_s] = parts.map(|part| reader.number(&part, limits::<Drive>("v_m_per_s")));
    reader.slot(spot, Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s })
}

/// `outputs` is a map from bits, as a number or as text in base two, to `[v, w]`, or a list in the order of the bits.
fn bits(reader: &mut Reader, spot: &Spot, sensors: usize) -> Option<Slot<ControllerFamily>> {
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

fn constant(reader: &mut Reader, spot: &Spot, drive: Drive) -> Option<Slot<ControllerFamily>> {
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

/// The two numbers of a command: speed and turn rate, or those of two wheels.
fn drive_of(reader: &mut Reader, v: &Spot, w: &Spot) -> Drive {
    let numbers =
        [(v, "v_m_per_s"), (w, "turn_rad_per_s")].map(|(spot, field)| reader.number(spot, limits::<Drive>(field)));
    reader.wheels.map_or(Drive { v_m_per_s: numbers[0], turn_rad_per_s: numbers[1] }, |wheels| wheels.drive(numbers))
}

impl Wheels {
    /// What a `DiffDriveAgent` should do: the faster left wheel turns it to where angles grow.
    fn drive(self, [left, right]: [f64; 2]) -> Drive {
        Drive {
            v_m_per_s: self.wheel_radius_m / 2.0 * (left + right),
            turn_rad_per_s: (left - right) / (2.0 * self.radius_m),
        }
    }
}
