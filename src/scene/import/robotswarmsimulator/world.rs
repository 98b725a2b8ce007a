//! The world: the scene as a whole.

use std::collections::HashMap;

use super::agent::agent;
use super::fields::{Fields, Key, Reader, Spot, as_whole, limits};
use super::spawner::spawner;
use crate::kind::{MetricFamily, Open};
use crate::metric::aggregation::Aggregation;
use crate::metric::average_speed::AverageSpeed;
use crate::metric::circliness::Circliness;
use crate::metric::group_rotation::GroupRotation;
use crate::metric::scatter::Scatter;
use crate::scene::description::{Arena, FirstReadings, Group, Order, Placement, Scene, Time, Walls};

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
    Key::missing("metadata", ""),
    Key::dead("collide_walls"),
    Key::dead("detectable_walls"),
    Key::dead("padding"),
    Key::dead("n_agents"),
    Key::dead("init_type"),
    Key::dead("agent_sensing_range"),
    Key::looks("show_walls"),
    Key::looks("background_color"),
];

const METRICS: &[&str] =
    &["AverageSpeedBehavior", "GroupRotationBehavior", "Circliness", "Aggregation", "ScatterBehavior"];
const METRICS_TO_COME: &[&str] = &[
    "Metric",
    "SubGroupBehavior",
    "GeneElementDifference",
    "AngularMomentumBehavior",
    "SensorRotation",
    "PercentageAtGoal",
    "AgentsAtGoal",
    "EntityLen",
    "AndMetrics",
    "StepsUntil",
    "AnyAgent",
    "JinjaMetric",
    "TotalCollisionsBehavior",
    "RadialVarianceMetric",
    "Fatness",
    "Fatness2",
    "Tangentness",
    "RoutRin",
    "InstantLSQCircularity",
    "InstantHyperLSQCircularity",
    "InstantRiemannCircularity",
    "InstantLMCircularity",
    "InstantPrattSVDCircularity",
    "InstantTaubinSVDCircularity",
    "InstantHyperSVDCircularity",
    "InstantKMHCircularity",
    "DistanceSizeRatio",
    "DelaunayDiffusion",
    "InteragentDispersion",
    "ExplodingDispersion",
];
const METRIC_KEYS: &[Key] = &[Key::carried("type"), Key::missing("name", ""), Key::missing("history", "")];
const CIRCLINESS_KEYS: &[Key] = &[Key::carried("avg_history_max")];
const SCATTER_KEYS: &[Key] = &[Key::carried("regularize")];

/// Reads a world. The result counts only when the reader noted no problem.
pub fn world(reader: &mut Reader, root: &Spot, name: &str) -> Option<Scene> {
    reader.type_name(root, "world", WORLDS, &[])?;
    let fields = reader.fields(root, &[WORLD_KEYS])?;
    stop_at(reader, &fields);
    reader.dt_s = reader.number_or(&fields, "time_step", 1.0 / 60.0, limits::<Time>("dt_s"));
    let scene = Scene {
        name: name.to_string(),
        about: "A world of RobotSwarmSimulator.".to_string(),
        seed: seed(reader, &fields),
        arena: arena(reader, &fields),
        time: Time { dt_s: reader.dt_s, ..Default::default() },
        order: Order::Sequential,
        first_readings: FirstReadings::Zero,
        groups: groups(reader, &fields),
        metrics: reader.items(fields.get("metrics")).iter().filter_map(|spot| metric(reader, spot)).collect(),
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

/// Scenes do not say when to stop; whoever runs them does.
fn stop_at(reader: &mut Reader, fields: &Fields) {
    let Some(spot) = fields.get("stop_at") else { return };
    match as_whole(spot.node) {
        Some(last) => {
            let steps = last.saturating_add(1).max(0);
            reader.warning(
                &spot,
                format!("a scene has no end: `run --steps {steps}` stops where RobotSwarmSimulator does"),
            );
        }
        None => reader.warning(&spot, "expressions cannot be imported yet, ignored"),
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

fn metric(reader: &mut Reader, spot: &Spot) -> Option<Open<MetricFamily>> {
    let name = reader.type_name(spot, "metric", METRICS, METRICS_TO_COME)?;
    let own_keys = match name {
        "Circliness" => CIRCLINESS_KEYS,
        "ScatterBehavior" => SCATTER_KEYS,
        _ => &[],
    };
    let fields = reader.fields(spot, &[METRIC_KEYS, own_keys])?;
    if let Some(difference) = difference(name) {
        reader.warning(spot, difference);
    }
    match name {
        "AverageSpeedBehavior" => reader.slot(spot, AverageSpeed::default()),
        "GroupRotationBehavior" => reader.slot(spot, GroupRotation::default()),
        "Aggregation" => reader.slot(spot, Aggregation::default()),
        "Circliness" => {
            let most = limits::<Circliness>("window_steps").max as i128;
            let window = fields.get("avg_history_max").map_or(100, |spot| reader.whole(&spot, 1, most));
            reader.slot(spot, Circliness { window_steps: u32::try_from(window).ok()? })
        }
        _ => {
            let regularized = reader.is_on_or(&fields, "regularize", true);
            reader.slot(spot, Scatter { regularized })
        }
    }
}

/// In what a metric of ours differs from that of the original.
fn difference(name: &str) -> Option<&'static str> {
    match name {
        "AverageSpeedBehavior" | "GroupRotationBehavior" => {
            Some("in metres per second here, in metres per step in RobotSwarmSimulator")
        }
        "Aggregation" => Some("the mean over all agents here, that of the first agent in RobotSwarmSimulator"),
        _ => None,
    }
}
