//! Agents.

use bevy::math::DVec2;
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::did_you_mean;
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::look::Look;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::Drive;
use swarmarium_core::kind::Slot;
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::motion::holonomic::Holonomic;
use swarmarium_core::motion::moving::{Factor, MotionVariation};
use swarmarium_core::motion::stationary::Static;
use swarmarium_core::motion::unicycle::Unicycle;
use swarmarium_core::motion::{MotionFamily, Moving};
use swarmarium_core::sensor::{ComponentSettings, SensorFamily};
use swarmarium_core::service::note::Note;
use swarmarium_kinds::sensor::overlap::Overlap;
use swarmarium_scene::scene::description::Group;
use swarmarium_space::Collides;

use super::fields::{Fields, Key, Reader, Spot, Wheels, limits};
use super::object::{Hull, teams};
use super::scalar::Scalar;
use super::sensor::sensor;
use super::yaml::Value;
use super::{controller, external};

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
pub(super) const AGENT_KEYS: &[Key] = &[
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
/// A `MazeAgent` and a `DiffDriveAgent` ignore the key; a `UnicycleAgent` crashes with it.
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

/// The warning about a controller of a user's own class.
const EXTERNAL: &str = "It is read as a Python class: an external program controls the agent through its component \
                        `controller`; its parameters are in `metadata`";
/// Keys that describe the behaviour of an agent of a user's own class.
const OF_CLASS: [&str; 2] = ["type", "controller"];
/// The group that one description of an agent makes, and the pose in that description.
pub struct Agent {
    /// The group, without a name and a placement.
    pub group: Group,
    /// The name, if it has one.
    pub name: Option<String>,
    /// Whether the name is a text in Python: `name: 1` is a number.
    pub is_text: bool,
    /// The position.
    pub position_m: DVec2,
    /// The heading.
    pub heading_rad: f64,
    /// The parameters of users' own classes, for the external program that replaces the classes.
    pub notes: Vec<Note>,
}

/// Reads an agent. An agent of a user's own class becomes a `MazeAgent` that an external program controls.
pub fn agent(reader: &mut Reader, spot: &Spot) -> Option<Agent> {
    let instead = "It is read as a Python class: it moves as a `MazeAgent` that an external program controls through its \
                   component `controller`; its other parameters are in `metadata`";
    let known = reader.type_or_own(spot, "agent", AGENTS, instead)?;
    let class = known.unwrap_or("MazeAgent");
    let own = match class {
        "MazeAgent" | "StaticAgent" | "Agent" => MAZE_KEYS,
        "DiffDriveAgent" | "DifferentialDriveAgent" => WHEEL_KEYS,
        "StaticObject" => OBJECT_KEYS,
        "DetectionRegion" => REGION_KEYS,
        _ => UNICYCLE_KEYS,
    };
    let fields = if known.is_some() { reader.fields(spot, &[own, AGENT_KEYS])? } else { reader.open(spot)? };
    let position = fields.get("position");
    let sensor_spots = if is_object(class) { Vec::new() } else { reader.items(fields.get("sensors")) };
    let mut sensors: Vec<_> = sensor_spots.iter().filter_map(|spot| sensor(reader, spot)).collect();
    if matches!(class, "StaticAgent" | "Agent") && !sensors.is_empty() {
        reader.warning(&sensor_spots[0], format!("does not read: a `{class}` has no step in RobotSwarmSimulator"));
        sensors = sensors.into_iter().map(never_reading).collect();
    }
    let hull = Hull::read(reader, &fields);
    let motion = motion(reader, &fields, class, &hull.body)?;
    let mut notes = Vec::new();
    let mut controller = match fields.get("controller").filter(|_| !is_object(class)) {
        _ if known.is_none() => {
            let carried: Vec<_> = AGENT_KEYS.iter().map(Key::name).filter(|key| !OF_CLASS.contains(key)).collect();
            notes.extend(external::notes_except(reader, spot, "", &carried));
            external::controller(reader, spot, &motion)
        }
        Some(spot) => match reader.type_or_own(&spot, "controller", controller::CLASSES, EXTERNAL)? {
            None => {
                notes.extend(external::notes_except(reader, &spot, "controller", &[]));
                external::controller(reader, &spot, &motion)
            }
            Some(_) if class == "DroneAgent" => controller::velocity(reader, &spot),
            Some(name) => controller::read(reader, &spot, name, sensor_spots.len()),
        },
        None => controller::constant(reader, spot, Drive::default()),
    };
    reader.wheels = None;
    let is_external = controller.as_ref().is_some_and(external::is_external);
    if is_external || sensors.iter().any(external::is_external_sensor) {
        let slots = sensor_spots.iter().zip(&sensors).enumerate();
        for (slot, (spot, _)) in slots.filter(|(_, (_, sensor))| external::is_external_sensor(sensor)) {
            notes.extend(external::notes_except(reader, spot, &format!("sensor_{slot}"), &[]));
        }
        // The classes see the description of their agent.
        notes.extend(external::notes_except(reader, spot, "config", &["controller", "sensors"]));
        external::connect(reader, spot, &mut sensors, controller.as_mut());
    }
    if class == "DetectionRegion" {
        let names = fields.text("target_name").into_iter().collect();
        let overlap = Overlap { teams: teams(reader, &fields), names };
        sensors.extend(reader.slot::<SensorFamily, _>(spot, overlap));
    }
    let collides = collides(reader, &fields, class);
    let position_m = position.map_or(DVec2::ZERO, |spot| reader.converted_pair(&spot, limits::<Placement>("x_m")));
    Some(Agent {
        name: fields.text("name"),
        is_text: fields.is_text("name"),
        position_m: position_m + hull.position_offset_m(),
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

/// A sensor that keeps its reading from before the first step.
fn never_reading(sensor: Slot<SensorFamily>) -> Slot<SensorFamily> {
    let common = ComponentSettings { active: false, ..sensor.common().clone() };
    sensor.with(common)
}

/// Whether a class is that of an object, which can stand among the agents.
fn is_object(class: &str) -> bool {
    matches!(class, "StaticObject" | "DetectionRegion")
}

/// Reads how the agent reacts to an overlap with another: a name, a number (in a list in files that RobotSwarmSimulator
/// saved), or true or false for 1 or 0.
fn collides(reader: &mut Reader, fields: &Fields, class: &str) -> Collides {
    let default = match class {
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

/// Reads the motion model of an agent.
///
/// In RobotSwarmSimulator, a `DiffDriveAgent` moves as a `MazeAgent` before it moves itself; here it moves once.
fn motion(reader: &mut Reader, fields: &Fields, class: &str, body: &Body) -> Option<Slot<MotionFamily>> {
    let spot = &fields.spot;
    let motion = match class {
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
            // The wheels can be as fast as the limits of commands allow.
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
    if is_object(class) {
        return motion;
    }
    let last = limits::<Moving>("delay_steps").max as i128;
    let delay = fields.get("delay").map_or(0, |spot| reader.whole(&spot, 0, last));
    let moving = Moving {
        delay_steps: u32::try_from(delay).unwrap_or_default(),
        stop_on_collision: matches!(class, "UnicycleAgent" | "DroneAgent")
            && reader.is_on_or(fields, "stop_on_collision", false),
        stop_at_goal: reader.is_on_or(fields, "stop_at_goal", false),
        catastrophic_collisions: reader.is_on_or(fields, "catastrophic_collisions", false),
        motion_variation: motion_variation(reader, fields),
        ..Default::default()
    };
    Some(motion?.with(moving))
}

/// Reads `idiosyncrasies`: `false`, or a map with two means and two standard deviations.
fn motion_variation(reader: &mut Reader, fields: &Fields) -> MotionVariation {
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
    let (mean, std_dev) = (pair("mean", 1.0, "mean"), pair("sd", 0.0, "std_dev"));
    MotionVariation {
        variant: Variant::Classic,
        speed: Factor { mean: mean.x, std_dev: std_dev.x },
        turn: Factor { mean: mean.y, std_dev: std_dev.y },
    }
}

/// Reads the colours and the trail, whose length is in steps in RobotSwarmSimulator.
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

/// Whether descriptions of agents have a key.
pub fn is_agent_key(name: &str) -> bool {
    AGENT_KEYS.iter().any(|key| key.name() == name)
}
