//! The world: the scene as a whole.

use std::collections::HashMap;

use super::agent::agent;
use super::fields::{Fields, Key, Reader, Spot, as_number, limits};
use super::metric::Metrics;
use super::spawner::spawner;
use crate::scene::description::{
    Arena, Collisions, Draws, FirstReadings, Group, Order, Placement, Scene, Stop, Time, Viewing, Walls, YAxis,
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
    Key::carried("stop_at"),
    Key::missing("goals", ""),
    Key::missing("flags", ""),
    Key::looks("metadata"),
    Key::dead("collide_walls"),
    Key::dead("detectable_walls"),
    Key::dead("padding"),
    Key::dead("n_agents"),
    Key::dead("init_type"),
    Key::dead("agent_sensing_range"),
    Key::looks("show_walls"),
    Key::looks("background_color"),
];

/// Reads a world. The result counts only when the reader noted no problem.
pub fn world(reader: &mut Reader, root: &Spot, name: &str) -> Option<Scene> {
    reader.type_name(root, "world", WORLDS, &[])?;
    let fields = reader.fields(root, &[WORLD_KEYS])?;
    reader.dt_s = reader.number_or(&fields, "time_step", 1.0 / 60.0, limits::<Time>("dt_s"));
    let metrics = Metrics::read(reader, fields.get("metrics"));
    let scene = Scene {
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
        ..Default::default()
    };
    for object in reader.items(fields.get("objects")) {
        reader.problem(&object, "objects cannot be imported yet");
    }
    Some(scene)
}

fn arena(reader: &mut Reader, fields: &Fields) -> Arena {
    let size_m = fields.get("size").map(|spot| reader.pair(&spot, limits::<Arena>("size_m")));
    // RobotSwarmSimulator draws walls, but nothing ever touches them.
    Arena { size_m: size_m.unwrap_or([5.0, 5.0].into()), walls: Walls::Open }
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
    for spot in reader.items(fields.get("agents")) {
        let Some(agent) = agent(reader, &spot) else { continue };
        let (x_m, y_m, heading_rad) = (agent.position_m.x, agent.position_m.y, agent.heading_rad);
        let at = vec![Placement { x_m, y_m, heading_rad }];
        groups.push(Group { name: names.unique(agent.name, "agent"), at, ..agent.group });
    }
    for spot in reader.items(fields.get("spawners")) {
        let Some((name, group)) = spawner(reader, &spot) else { continue };
        groups.push(Group { name: names.unique(name, "spawned"), ..group });
    }
    groups
}

/// The names of groups so far, with how often each was asked for.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    /// A name that no group has yet, and that can stand in a path: `a0`, then `a0-2`.
    fn unique(&mut self, name: Option<String>, otherwise: &str) -> String {
        let name = name.unwrap_or_default();
        let fits = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let base = if name.is_empty() { otherwise.to_string() } else { name.chars().map(fits).collect() };
        let mut unique = base.clone();
        while self.0.contains_key(&unique) {
            let asked = self.0.entry(base.clone()).or_insert(1);
            *asked += 1;
            unique = format!("{base}-{asked}");
        }
        self.0.insert(unique.clone(), 1);
        unique
    }
}
