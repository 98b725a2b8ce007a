//! The world: the scene as a whole.

use super::agent::agent;
use super::fields::{Fields, Key, Reader, Spot, as_number, limits};
use super::metric::Metrics;
use super::object::{OBJECTS, objects};
use super::scalar::Scalar;
use super::spawner::spawner;
use super::yaml::{Node, Value};
use crate::kind::{ObjectFamily, Open};
use crate::names::Names;
use crate::scene::description::{
    Arena, Collisions, Draws, FirstReadings, Group, Note, Order, Placement, Scene, Stop, Time, Viewing, YAxis,
};

const WORLDS: &[&str] = &["RectangularWorld"];
const WORLD_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("size"),
    Key::carried("time_step"),
    Key::carried("seed"),
    Key::carried("agents"),
    Key::carried("spawners"),
    Key::carried("metrics"),
    Key::carried("objects"),
    Key::carried("metadata"),
    Key::carried("background_color"),
    Key::carried("stop_at"),
    Key::missing("goals", ""),
    Key::note("flags"),
    Key::dead("collide_walls"),
    Key::dead("detectable_walls"),
    Key::dead("padding"),
    Key::dead("n_agents"),
    Key::dead("init_type"),
    Key::dead("agent_sensing_range"),
    Key::looks("show_walls"),
];

/// Reads a world. The result counts only when the reader noted no problem.
pub fn world(reader: &mut Reader, root: &Spot, name: &str) -> Option<Scene> {
    reader.type_name(root, "world", WORLDS, &[])?;
    let fields = reader.fields(root, &[WORLD_KEYS])?;
    reader.dt_s = reader.number_or(&fields, "time_step", 1.0 / 60.0, limits::<Time>("dt_s"));
    let metrics = Metrics::read(reader, fields.get("metrics"));
    Some(Scene {
        name: name.to_string(),
        about: "A world of RobotSwarmSimulator.".to_string(),
        seed: seed(reader, &fields),
        arena: arena(reader, &fields),
        time: Time { dt_s: reader.dt_s, ..Default::default() },
        order: Order::Sequential,
        first_readings: FirstReadings::Zero,
        draws: Draws::Classic,
        collisions: Collisions::Classic,
        groups: groups(reader, &fields),
        stop: stop(reader, &fields, &metrics),
        view: Viewing { y_axis: YAxis::Down, ..Viewing::default() },
        metrics: metrics.found,
        objects: all_objects(reader, &fields),
        metadata: metadata(reader, &fields),
        ..Default::default()
    })
}

/// The objects, and after them those that stand among the agents.
fn all_objects(reader: &mut Reader, fields: &Fields) -> Vec<Open<ObjectFamily>> {
    let mut spots = reader.items(fields.get("objects"));
    for spot in reader.items(fields.get("agents")).into_iter().filter(is_object) {
        reader.warning(&spot, "is an object here: sensors do not see it, and metrics do not count it");
        spots.push(spot);
    }
    spots.iter().flat_map(|spot| objects(reader, spot)).collect()
}

fn is_object(spot: &Spot) -> bool {
    let Value::Map(entries) = &spot.node.value else { return false };
    let mut types = entries.iter().filter(|(key, _)| key.text() == Some("type"));
    types.any(|(_, value)| value.text().is_some_and(|name| OBJECTS.contains(&name)))
}

/// The longest that the names of all notes may be together, in bytes.
const MAX_NAMES: usize = 1 << 20;

/// Notes; of those within one another, the names are joined by points.
fn metadata(reader: &mut Reader, fields: &Fields) -> Vec<Note> {
    let (mut notes, mut named) = (Vec::new(), 0);
    let mut open: Vec<(String, &Node)> =
        fields.get("metadata").map(|spot| (String::new(), spot.node)).into_iter().collect();
    while let Some((name, node)) = open.pop() {
        // Each name holds those around it.
        named += match &node.value {
            Value::Map(entries) => entries.iter().map(|(key, _)| name.len() + key.text().map_or(0, str::len)).sum(),
            Value::List(items) => items.len() * (name.len() + 8),
            Value::Scalar { .. } | Value::Computed(_) => 0,
        };
        if named > MAX_NAMES {
            reader.problem(&fields.spot, format!("the names in `metadata` are longer than {MAX_NAMES} bytes together"));
            return Vec::new();
        }
        let inner = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        match &node.value {
            Value::Map(entries) => {
                let named = entries.iter().rev().map(|(key, value)| (inner(key.text().unwrap_or("?")), value));
                open.extend(named);
            }
            Value::List(items) => {
                open.extend(items.iter().enumerate().rev().map(|(index, item)| (inner(&index.to_string()), item)));
            }
            Value::Scalar { text, .. } => notes.push(Note { name, text: text.clone() }),
            Value::Computed(Scalar::Int(number)) => notes.push(Note { name, text: number.to_string() }),
            Value::Computed(Scalar::Float(number)) => notes.push(Note { name, text: number.to_string() }),
            Value::Computed(Scalar::Bool(truth)) => notes.push(Note { name, text: truth.to_string() }),
            Value::Computed(Scalar::Null | Scalar::Text) => {}
        }
    }
    notes
}

fn arena(reader: &mut Reader, fields: &Fields) -> Arena {
    let size_m = fields.get("size").map(|spot| reader.pair(&spot, limits::<Arena>("size_m")));
    let background = reader.rgb(fields.get("background_color"), "`[red, green, blue]`");
    // RobotSwarmSimulator draws walls, but nothing ever touches them.
    Arena { size_m: size_m.unwrap_or([5.0, 5.0].into()), background, ..Arena::default() }
}

fn seed(reader: &mut Reader, fields: &Fields) -> u64 {
    let default = Scene::default().seed;
    let Some(spot) = fields.get("seed") else {
        let message = format!("no `seed`: RobotSwarmSimulator takes a new one for every run; the scene has {default}");
        reader.warning(&fields.spot, message);
        return default;
    };
    u64::try_from(reader.whole(&spot, 0, u64::MAX.into())).unwrap_or(default)
}

/// RobotSwarmSimulator looks before a step whether the number of those done is beyond the one given.
fn stop(reader: &mut Reader, fields: &Fields, metrics: &Metrics) -> Stop {
    let Some(spot) = fields.get("stop_at") else { return Stop::default() };
    match (as_number(spot.node), spot.node.text()) {
        // So it does no step at all.
        (Some(last), _) if last < 0.0 => Stop { when: "step >= 0".into(), ..Default::default() },
        (Some(last), _) => Stop { steps: (last.floor() as u64).saturating_add(1), ..Default::default() },
        (None, Some(text)) => match metrics.expression(text, &[], &[]) {
            Ok(when) => Stop { when, ..Default::default() },
            Err(why) => {
                reader.warning(&spot, format!("cannot be imported, ignored: {why}"));
                Stop::default()
            }
        },
        (None, None) => {
            reader.warning(&spot, "is no number and no expression, ignored");
            Stop::default()
        }
    }
}

/// The agents one by one, then those of the spawners: the order in which RobotSwarmSimulator steps them.
fn groups(reader: &mut Reader, fields: &Fields) -> Vec<Group> {
    let mut names = Names::default();
    let mut groups = Vec::new();
    for spot in reader.items(fields.get("agents")).into_iter().filter(|spot| !is_object(spot)) {
        let Some(agent) = agent(reader, &spot) else { continue };
        let (x_m, y_m, heading_rad) = (agent.position_m.x, agent.position_m.y, agent.heading_rad);
        let at = vec![Placement { x_m, y_m, heading_rad }];
        groups.push(Group { name: unique(&mut names, agent.name, "agent"), at, ..agent.group });
    }
    for spot in reader.items(fields.get("spawners")) {
        let Some((name, group)) = spawner(reader, &spot) else { continue };
        groups.push(Group { name: unique(&mut names, name, "spawned"), ..group });
    }
    groups
}

/// A name that no group has yet, and that can stand in a path: `a0`, then `a0-2`.
fn unique(names: &mut Names, name: Option<String>, otherwise: &str) -> String {
    let fits = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = name.unwrap_or_default().chars().map(fits).collect();
    names.unique(if name.is_empty() { otherwise } else { &name }, '-')
}
