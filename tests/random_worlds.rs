//! Random RobotSwarmSimulator worlds, recorded by `tests/data/robotswarmsimulator/record_random.py`.

use std::collections::BTreeMap;

use serde::Deserialize;
use swarmarium_formats::import;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_kinds::sensor::binary_fov::BinaryFov;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::text;

/// A line of a file.
#[derive(Deserialize)]
struct Recorded {
    seed: u64,
    world: String,
    steps: u64,
    asked: u64,
    poses: BTreeMap<u64, Vec<[f64; 3]>>,
    readings: BTreeMap<u64, String>,
    metrics: BTreeMap<u64, Vec<Option<f64>>>,
}

/// The reasons of differences, which docs/reference/compatibility/robotswarmsimulator.md gives.
const BIT: &str = "a reading is a bit above 0.5, and there at any number but 0, such as a negative angle";
const CORNERS: &str = "the place of an object with corners is its centre, and there the origin of its points";

const ROUNDING: &str =
    "a metric that is 0 but for rounding counts as true within `AndMetrics` where it is not exactly 0";

/// Worlds that differ, with the reason: theme and seed.
const KNOWN: [(&str, u64, &str); 5] = [
    ("catastrophes", 16, CORNERS),
    ("mixed", 14, BIT),
    ("mixed", 86, CORNERS),
    ("targets", 21, ROUNDING),
    ("targets", 23, CORNERS),
];

#[test]
fn random_worlds_follow_the_recorded_runs() {
    let (mut worlds, mut differences, mut known) = (0, Vec::new(), 0);
    for theme in ["catastrophes", "mixed", "one_robot", "spawned", "targets"] {
        for line in text(&format!("tests/data/robotswarmsimulator/random/{theme}.jsonl")).lines() {
            let recorded: Recorded = serde_json::from_str(line).unwrap();
            let is_known = KNOWN.iter().any(|(known, seed, _)| (*known, *seed) == (theme, recorded.seed));
            worlds += 1;
            match (difference(&recorded), is_known) {
                (None, false) => {}
                (Some(_), true) => known += 1,
                (None, true) => differences.push(format!("{theme} {}: no longer differs", recorded.seed)),
                (Some(found), false) => {
                    differences.push(format!("{theme} {}: {found}\n{}", recorded.seed, recorded.world));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} of {worlds} worlds\n{}", differences.len(), differences.join("\n"));
    assert!(worlds >= 300 && known == KNOWN.len());
}

/// The first difference between a recorded run and that of the imported world.
fn difference(recorded: &Recorded) -> Option<String> {
    let scene = match import::import(Recipe::standard().kinds(), "world.yaml", &recorded.world) {
        Ok(imported) => imported.scene,
        Err(problems) => return Some(format!("refused: {problems}")),
    };
    let views: Vec<Vec<bool>> = (scene.groups.iter())
        .map(|group| group.sensors.iter().map(|sensor| sensor.value().is::<BinaryFov>()).collect())
        .collect();
    let mut simulation = match Simulation::new(&scene) {
        Ok(simulation) => simulation,
        Err(problems) => return Some(format!("is not a scene: {problems}")),
    };
    let (mut shown, mut metrics) = (String::new(), BTreeMap::new());
    while simulation.steps() <= recorded.steps {
        let step = simulation.steps();
        for (agent, pose) in simulation.agents().zip(recorded.poses.get(&step).into_iter().flatten()) {
            let found = [agent.pose.position_m.x, agent.pose.position_m.y, agent.pose.heading_rad];
            if found.iter().zip(pose).any(|(ours, theirs)| !is_close(*ours, *theirs, 1e-9)) {
                return Some(format!("step {step}: {} is at {found:?}, not at {pose:?}", agent.name()));
            }
        }
        let read = simulation.agents().map(|agent| {
            let views = &views[agent.member.group as usize];
            let read = agent.readings().zip(views).filter(|(_, is_view)| **is_view);
            read.flat_map(|(reading, _)| reading).map(f64::to_string).collect::<String>()
        });
        let read = read.collect::<Vec<_>>().join(" ");
        if let Some(recorded) = recorded.readings.get(&step) {
            shown.clone_from(recorded);
        }
        if read != shown {
            return Some(format!("step {step}: the readings are {read:?}, not {shown:?}"));
        }
        if recorded.metrics.contains_key(&step) {
            metrics.insert(step, simulation.metrics());
        }
        let has_ended = simulation.is_at_end() || step == recorded.asked;
        if has_ended != (step == recorded.steps) {
            return Some(format!("step {step}: the run {}", if has_ended { "ends" } else { "goes on" }));
        }
        simulation.step(1);
    }
    if simulation.agents().count() != recorded.poses[&0].len() {
        return Some(format!("{} agents, not {}", simulation.agents().count(), recorded.poses[&0].len()));
    }
    // Metrics within others have columns, too: each recorded metric is a column after that of the one before it.
    let columns = simulation.metric_columns();
    let entries = recorded.world.split_once("\nmetrics:\n").map_or("", |(_, entries)| entries);
    let mut place = 0;
    for (index, entry) in entries.lines().enumerate().filter(|_| !metrics.is_empty()) {
        // The bisection of this fit ends earlier there.
        let within = if entry.contains("KMH") { 1e-7 } else { 1e-9 };
        let theirs: Vec<f64> = recorded.metrics.values().map(|values| values[index].unwrap_or(f64::NAN)).collect();
        let ours = |column: usize| metrics.values().map(move |values| values[column]);
        let fits = |column: &usize| ours(*column).zip(&theirs).all(|(ours, theirs)| is_close(ours, *theirs, within));
        let Some(found) = (place..columns.len()).find(fits) else {
            let rest: Vec<_> = (place..columns.len()).map(|at| (&columns[at], ours(at).collect::<Vec<_>>())).collect();
            return Some(format!("`{entry}` is {theirs:?} and none of {rest:?}"));
        };
        place = found + 1;
    }
    None
}

/// Whether two numbers agree; `NaN` is not a value.
fn is_close(ours: f64, theirs: f64, within: f64) -> bool {
    (ours.is_nan() && theirs.is_nan()) || (ours - theirs).abs() <= within * theirs.abs().max(1.0)
}
