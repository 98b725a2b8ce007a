//! The world: the scene as a whole.

use swarmarium_base::limits::MAX_GROUPS;
use swarmarium_base::names::Names;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::object::region::Region;
use swarmarium_core::service::note::Note;
use swarmarium_core::spawner::table::Table;
use swarmarium_core::step::order::Order;
use swarmarium_core::text::wording::shown;
use swarmarium_kinds::sensor::overlap::Overlap;
use swarmarium_kinds::sensor::targeter::Targeter;
use swarmarium_picture::camera::YAxis;
use swarmarium_scene::scene::description::{
    Group, InitialReadings, OverlapResolution, RandomSource, Scene, Stop, Time, Viewing,
};
use swarmarium_space::arena::Arena;

use super::agent::{Agent, agent};
use super::fields::{Fields, Key, Reader, Spot, as_number, limits};
use super::metric::Metrics;
use super::sensor::NOT_A_TEXT;
use super::spawner::spawner;
use super::yaml::{Node, Value};
use super::{external, jinja, object};

const WORLDS: &[&str] = &["RectangularWorld"];
pub(super) const WORLD_KEYS: &[Key] = &[
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

/// Whether the file is a world. Otherwise, a problem says which part of a world it is.
fn is_world(reader: &mut Reader, root: &Spot) -> bool {
    let Value::Map(entries) = &root.node.value else {
        reader.problem(root, "not a world: expected a map with `type: RectangularWorld`");
        return false;
    };
    let has = |field: &str| entries.iter().any(|(key, _)| key.text() == Some(field));
    let message = match root.node.get("type").map(Node::text) {
        Some(Some(name)) if WORLDS.contains(&name) => return true,
        Some(Some(_)) if ["agents", "spawners", "objects"].iter().any(|field| has(field)) => {
            let instead = "It is read as a `RectangularWorld`: what its class adds is left out";
            return reader.type_or_own(root, "world", WORLDS, instead).is_some();
        }
        Some(Some(name)) if ["controller", "agent_radius", "body_color", "radius"].iter().any(|field| has(field)) => {
            format!("`{name}` is an agent, not a world: a world includes this file, as in `agent: !include …`")
        }
        Some(name) => {
            let near = name.map(|name| did_you_mean(name, WORLDS.iter().copied())).unwrap_or_default();
            let name = shown(name.unwrap_or("?"));
            format!("`{name}` is not a world{near}: expected `type: RectangularWorld`, with `agents` or `spawners`")
        }
        None => {
            let fields: Vec<_> = entries.iter().take(4).filter_map(|(key, _)| key.text()).collect();
            let fields = fields.iter().map(|field| format!("`{}`", shown(field))).collect::<Vec<_>>().join(", ");
            format!(
                "the `type` of the world is missing: a file with {fields} can only be a part of one that includes it"
            )
        }
    };
    reader.problem(root, message);
    false
}

/// Reads a world. The result is valid only if the reader noted no problem.
pub fn world(reader: &mut Reader, root: &Spot, name: &str) -> Option<Scene> {
    is_world(reader, root).then_some(())?;
    let fields = reader.fields(root, &[WORLD_KEYS])?;
    reader.dt_s = reader.number_or(&fields, "time_step", 1.0 / 60.0, limits::<Time>("dt_s"));
    let mut metadata = metadata(reader, &fields);
    let (groups, names) = groups(reader, &fields, &mut metadata);
    let has_own_classes = groups.iter().any(external::is_in);
    let mut objects = Vec::new();
    for spot in reader.items(fields.get("objects")) {
        let made = object::objects(reader, &spot);
        if has_own_classes && made.len() == 1 {
            // The classes see the description of the object.
            metadata.extend(external::notes_except(reader, &spot, &format!("objects.{}", objects.len()), &[]));
        }
        objects.extend(made);
    }
    let named = |name: &str| names.scene_names(name);
    let mut metrics = Metrics::read(reader, &fields, &groups, &named);
    let stop = stop(reader, &fields, &mut metrics);
    let metrics = metrics.slots;
    let mut scene = Scene {
        name: name.to_string(),
        about: "A RobotSwarmSimulator world.".to_string(),
        seed: seed(reader, &fields),
        arena: arena(reader, &fields),
        time: Time { dt_s: reader.dt_s, ..Default::default() },
        order: Order::Sequential,
        initial_readings: InitialReadings::Zero,
        random_source: RandomSource::Classic,
        overlap_resolution: OverlapResolution::Classic,
        groups,
        stop,
        view: Viewing { y_axis: YAxis::Down, ..Viewing::default() },
        metrics,
        objects,
        metadata,
        ..Default::default()
    };
    names.resolve(&mut scene);
    external::open_sockets(&mut scene);
    Some(scene)
}

/// The name of the agents of a group in the file.
enum FileName {
    Given {
        name: String,
        /// Whether it is a text in Python.
        is_text: bool,
    },
    /// Their numbers, for the agents of a spawner.
    Number,
    None,
}

/// The names of the agents in the file, which several groups can share.
struct AgentNames {
    /// The name in the file and that of the group.
    groups: Vec<(FileName, String)>,
}

impl AgentNames {
    /// The names in the scene for a name in the file: groups, or single robots of spawners.
    fn scene_names(&self, name: &str) -> Vec<String> {
        self.of_type(name, None)
    }

    /// As [`scene_names`](Self::scene_names), of only those names that are texts in Python, or only those that are not.
    fn of_type(&self, name: &str, text: Option<bool>) -> Vec<String> {
        let is_number = name.parse::<u32>().is_ok_and(|number| number.to_string() == name);
        let fits = |is_text: bool| text.is_none_or(|text| text == is_text);
        let scene_name = |(known, group): &(FileName, String)| match known {
            FileName::Given { name: known, is_text } => (known == name && fits(*is_text)).then(|| group.clone()),
            FileName::Number => (is_number && fits(true)).then(|| format!("{group}-{name}")),
            FileName::None => None,
        };
        self.groups.iter().filter_map(scene_name).collect()
    }

    /// Replaces the names that sensors detect by the names in the scene.
    fn resolve(&self, scene: &mut Scene) {
        let sensors = scene.groups.iter_mut().flat_map(|group| &mut group.sensors);
        for sensor in sensors.map(|sensor| sensor.value_mut()) {
            if let Some(overlap) = sensor.downcast_mut::<Overlap>() {
                let names: Vec<String> = overlap.names.iter().flat_map(|name| self.scene_names(name)).collect();
                // A name without an agent stays: no robot of the scene has it either.
                if !names.is_empty() {
                    overlap.names = names;
                }
            } else if let Some(targeter) = sensor.downcast_mut::<Targeter>().filter(|it| !it.sight.name.is_empty()) {
                let name = &mut targeter.sight.name;
                let number = name.strip_suffix(NOT_A_TEXT);
                let mut names = self.of_type(number.unwrap_or(name), Some(number.is_none()));
                // Objects keep their names. A name that nothing has in the file may be that of a group in the scene.
                let is_of_object = scene.objects.iter().any(|object| object.common().name == *name);
                if is_of_object || names.is_empty() {
                    names.push(if is_of_object { name.clone() } else { format!("nothing called {name}") });
                }
                match <[String; 1]>::try_from(names) {
                    Ok([only]) => *name = only,
                    Err(names) => {
                        name.clear();
                        targeter.names = names;
                    }
                }
            }
        }
        for region in scene.objects.iter_mut().filter_map(|object| object.value_mut().downcast_mut::<Region>()) {
            if let Some(group) = self.scene_names(&region.group).into_iter().next() {
                region.group = group;
            }
        }
    }
}

fn metadata(reader: &mut Reader, fields: &Fields) -> Vec<Note> {
    let Some(spot) = fields.get("metadata") else { return Vec::new() };
    external::notes(reader, &spot, vec![(String::new(), spot.node)])
}

fn arena(reader: &mut Reader, fields: &Fields) -> Arena {
    let size_m = fields.get("size").map(|spot| reader.pair(&spot, limits::<Arena>("size_m")));
    let background = reader.rgb(fields.get("background_color"), "`[red, green, blue]`");
    // RobotSwarmSimulator draws walls, but agents pass through them.
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

/// Reads the condition for the end. Before each step, RobotSwarmSimulator compares the number of completed steps with it.
fn stop(reader: &mut Reader, fields: &Fields, metrics: &mut Metrics) -> Stop {
    let Some(spot) = fields.get("stop_at") else { return Stop::default() };
    match (as_number(spot.node), spot.node.text()) {
        // RobotSwarmSimulator makes no step at all.
        (Some(last), _) if last < 0.0 => Stop { when: "step >= 0".into(), ..Default::default() },
        (Some(last), _) => Stop { steps: (last.floor() as u64).saturating_add(1), ..Default::default() },
        (None, Some(text)) => {
            if let Err(error) = jinja::expression(text.trim()) {
                reader.problem(&spot, format!("not an expression of Jinja: {error}"));
                return Stop::default();
            }
            match metrics.condition(reader, &spot) {
                Ok(when) => Stop { when, ..Default::default() },
                Err(error) => {
                    reader.warning(&spot, format!("cannot be imported, ignored: {error}"));
                    Stop::default()
                }
            }
        }
        (None, None) => {
            reader.problem(&spot, "expected a number or an expression");
            Stop::default()
        }
    }
}

/// Reads the agents, then those of the spawners: the order in which RobotSwarmSimulator steps them. Adds the notes of the
/// agents to those of the world.
fn groups(reader: &mut Reader, fields: &Fields, notes: &mut Vec<Note>) -> (Vec<Group>, AgentNames) {
    if has_too_many(reader, fields) {
        return (Vec::new(), AgentNames { groups: Vec::new() });
    }
    let (mut names, mut known) = (Names::default(), AgentNames { groups: Vec::new() });
    let mut groups = Vec::new();
    let mut add = |agent: Agent, (otherwise, unnamed), at| {
        let name = unique(&mut names, agent.name.clone(), otherwise);
        let prefixed = |note: Note| Note { name: format!("{name}.{}", note.name), ..note };
        notes.extend(agent.notes.into_iter().map(prefixed));
        // The agents of a table have no names.
        let unnamed = if agent.group.spawn.value().is::<Table>() { FileName::None } else { unnamed };
        let is_text = agent.is_text;
        known.groups.push((agent.name.map_or(unnamed, |name| FileName::Given { name, is_text }), name.clone()));
        groups.push(Group { name, at, ..agent.group });
    };
    for spot in reader.items(fields.get("agents")) {
        let Some(agent) = agent(reader, &spot) else { continue };
        let (x_m, y_m, heading_rad) = (agent.position_m.x, agent.position_m.y, agent.heading_rad);
        add(agent, ("agent", FileName::None), vec![Placement { x_m, y_m, heading_rad }]);
    }
    for spot in reader.items(fields.get("spawners")) {
        let Some(agent) = spawner(reader, &spot) else { continue };
        add(agent, ("spawned", FileName::Number), Vec::new());
    }
    if groups.is_empty() {
        let is_old = ["n_agents", "init_type"].iter().any(|key| fields.get(key).is_some());
        let old = if is_old { "; version 1.2.5 ignores the old keys `n_agents` and `init_type`, too" } else { "" };
        reader.warning(&fields.spot, format!("a world without agents: nothing in it moves{old}"));
    }
    (groups, known)
}

/// Whether the world has more agents and spawners than a scene can have groups, which is a problem.
fn has_too_many(reader: &mut Reader, fields: &Fields) -> bool {
    let length = |list: &str| match fields.get(list).map(|spot| &spot.node.value) {
        Some(Value::List(items)) => items.len(),
        _ => 0,
    };
    let found = length("agents") + length("spawners");
    if found > MAX_GROUPS {
        let message = format!(
            "expected at most {MAX_GROUPS} agents and spawners, found {found}: one spawner with `n` makes many agents"
        );
        reader.problem(&fields.spot, message);
    }
    found > MAX_GROUPS
}

/// A name that no group has yet, and that can stand in a path: `a0`, then `a0-2`.
fn unique(names: &mut Names, name: Option<String>, otherwise: &str) -> String {
    let fits = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = name.unwrap_or_default().chars().map(fits).collect();
    names.unique(if name.is_empty() { otherwise } else { &name }, '-')
}
