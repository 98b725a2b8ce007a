//! Python classes of users, which external programs replace through named components.

use swarmarium_core::actuator::{Actuator, ActuatorFamily};
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::external::External;
use swarmarium_core::kind::Slot;
use swarmarium_core::motion::MotionFamily;
use swarmarium_core::motion::holonomic::Holonomic;
use swarmarium_core::sensor::{ComponentSettings, SensorFamily};
use swarmarium_core::service::Link;
use swarmarium_core::service::note::Note;
use swarmarium_kinds::actuator::motion_vw::MotionVw;
use swarmarium_kinds::actuator::motion_xyw::MotionXyw;
use swarmarium_kinds::controller::bits::Bits;
use swarmarium_kinds::sensor::external::External as ExternalSensor;
use swarmarium_kinds::sensor::pose::Pose;
use swarmarium_scene::scene::description::{Group, Pacing, Scene, Sockets};

use super::fields::{Reader, Spot};
use super::scalar::Scalar;
use super::yaml::{Node, Value};

/// The name of the component that controls an agent.
const CONTROLLER: &str = "controller";
/// The name of the component that reports the pose of an agent.
const POSE: &str = "pose";

/// The text of a note without a value.
const NULL: &str = "null";

/// The largest total length of the names of notes, in bytes.
const MAX_NAMES: usize = 1 << 20;

/// The controller of an agent that an external program controls, with the same numbers as in RobotSwarmSimulator.
pub fn controller(reader: &mut Reader, spot: &Spot, motion: &Slot<MotionFamily>) -> Option<Slot<ControllerFamily>> {
    let actuator = if motion.value().is::<Holonomic>() {
        actuator(reader, spot, MotionXyw::default())
    } else {
        actuator(reader, spot, MotionVw::default())
    };
    reader.slot(spot, External { actuators: vec![actuator?] })
}

fn actuator<K: Actuator>(reader: &mut Reader, spot: &Spot, kind: K) -> Option<Slot<ActuatorFamily>> {
    let actuator = reader.slot::<ActuatorFamily, K>(spot, kind)?;
    Some(actuator.with(ComponentSettings { name: CONTROLLER.into(), links: links(), ..ComponentSettings::default() }))
}

/// A sensor whose reading an external program writes.
pub fn sensor(reader: &mut Reader, spot: &Spot) -> Option<Slot<SensorFamily>> {
    reader.slot(spot, ExternalSensor::default())
}

/// Publishes the sensors of an agent, named after their slots, and its pose, which is none of the sensors of its controller.
pub fn connect(
    reader: &mut Reader,
    spot: &Spot,
    sensors: &mut Vec<Slot<SensorFamily>>,
    controller: Option<&mut Slot<ControllerFamily>>,
) {
    let bits = controller.and_then(|controller| controller.value_mut().downcast_mut::<Bits>());
    if let Some(bits) = bits.filter(|bits| bits.sensors.is_empty()) {
        bits.sensors = (0..sensors.len() as u32).collect();
    }
    for (slot, sensor) in sensors.iter_mut().enumerate() {
        let common = sensor.common().clone();
        // A sensor with links takes its first reading one step later.
        let phase_s = (common.phase_s - reader.dt_s).max(0.0);
        let common = ComponentSettings { name: format!("sensor_{slot}"), links: links(), phase_s, ..common };
        *sensor = sensor.clone().with(common);
    }
    let pose = reader.slot::<SensorFamily, Pose>(spot, Pose::default());
    sensors.extend(pose.map(|pose| {
        pose.with(ComponentSettings { name: POSE.into(), links: links(), ..ComponentSettings::default() })
    }));
}

/// The links of a component: a stream and services.
fn links() -> Vec<Link> {
    let (via, class, way, port, options) = Default::default();
    vec![Link::Stream { via, class, way, port, options }, Link::default()]
}

/// Opens the sockets of a scene if an external program controls an agent or writes a reading in it.
pub fn open_sockets(scene: &mut Scene) {
    if scene.groups.iter().any(is_in) {
        scene.sockets = Sockets { services: 4000, streams: 60000, all: 4001 };
        scene.time.pacing = Pacing::External { port: Pacing::PORT, min_clients: 0 };
    }
}

/// Whether an external program controls the agents of a group or writes readings of theirs.
pub fn is_in(group: &Group) -> bool {
    is_external(&group.controller) || group.sensors.iter().any(is_external_sensor)
}

/// Whether an external program controls an agent.
pub fn is_external(controller: &Slot<ControllerFamily>) -> bool {
    controller.value().is::<External>()
}

/// Whether an external program writes the reading of a sensor.
pub fn is_external_sensor(sensor: &Slot<SensorFamily>) -> bool {
    sensor.value().is::<ExternalSensor>()
}

/// The entries of a map, except some keys, as notes whose names begin with `name`.
pub fn notes_except(reader: &mut Reader, spot: &Spot, name: &str, except: &[&str]) -> Vec<Note> {
    let Value::Map(entries) = &spot.node.value else { return Vec::new() };
    let noted = entries.iter().filter(|(key, _)| !key.text().is_some_and(|key| except.contains(&key)));
    let noted = noted.map(|(key, value)| (join(name, key.text().unwrap_or("?")), value));
    notes(reader, spot, noted.collect())
}

/// Notes for named values. Dots join the names of nested values.
pub fn notes(reader: &mut Reader, spot: &Spot, mut open: Vec<(String, &Node)>) -> Vec<Note> {
    let (mut notes, mut named) = (Vec::new(), 0);
    open.reverse();
    while let Some((name, node)) = open.pop() {
        // Each name contains the names of the values around it.
        named += match &node.value {
            Value::Map(entries) => entries.iter().map(|(key, _)| name.len() + key.text().map_or(0, str::len)).sum(),
            Value::List(items) => items.len() * (name.len() + 8),
            Value::Scalar { .. } | Value::Computed(_) => 0,
        };
        if named > MAX_NAMES {
            reader.problem(
                spot,
                format!("the names of the notes in `metadata` are longer than {MAX_NAMES} bytes together"),
            );
            return Vec::new();
        }
        match &node.value {
            Value::Map(entries) => {
                let named = entries.iter().rev().map(|(key, value)| (join(&name, key.text().unwrap_or("?")), value));
                open.extend(named);
            }
            Value::List(items) => {
                open.extend(
                    items.iter().enumerate().rev().map(|(index, item)| (join(&name, &index.to_string()), item)),
                );
            }
            // YAML has several words for these values.
            Value::Scalar { text, .. } => notes.push(Note {
                name,
                text: match node.scalar() {
                    Scalar::Bool(truth) => truth.to_string(),
                    Scalar::Null => NULL.into(),
                    _ => text.clone(),
                },
            }),
            Value::Computed(Scalar::Int(number)) => notes.push(Note { name, text: number.to_string() }),
            Value::Computed(Scalar::Float(number)) => notes.push(Note { name, text: number.to_string() }),
            Value::Computed(Scalar::Bool(truth)) => notes.push(Note { name, text: truth.to_string() }),
            Value::Computed(Scalar::Null) => notes.push(Note { name, text: NULL.into() }),
            Value::Computed(Scalar::Text) => {}
        }
    }
    notes
}

fn join(name: &str, key: &str) -> String {
    if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
}
