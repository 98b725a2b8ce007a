//! Functions that several tests share.

use std::fs;
use std::path::{Path, PathBuf};

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::{Scene, reader, shipped};
use swarmarium_simulation::{Recipe, Simulation};

pub mod choices;
pub mod edits;
pub mod files;
pub mod hosts;

/// A file of this checkout.
pub fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The text of a file of this checkout.
pub fn text(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A JSON file of recorded facts.
pub fn facts(file: &str) -> Value {
    serde_json::from_str(&text(&format!("tests/data/{file}"))).unwrap()
}

/// A scene of this checkout.
pub fn scene(file: &str) -> Scene {
    scene_of(&text(file))
}

/// A scene from its text.
pub fn scene_of(text: &str) -> Scene {
    reader::read(Recipe::standard().kinds(), "test.ron", text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// A shipped scene by its name.
pub fn shipped_scene(name: &str) -> Scene {
    let text = shipped::get(name).unwrap_or_else(|| panic!("no shipped scene {name}"));
    reader::read(Recipe::standard().kinds(), name, text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The simulation of a scene from its text.
pub fn simulation_of(text: &str) -> Simulation {
    Simulation::new(&scene_of(text)).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The hashes of the steps from the next one on.
pub fn hashes(simulation: &mut Simulation, steps: u64) -> Vec<u64> {
    (0..steps)
        .map(|_| {
            simulation.step(1);
            simulation.hash().0
        })
        .collect()
}

/// The positions of all agents.
pub fn positions(simulation: &Simulation) -> Vec<DVec2> {
    simulation.agents().map(|agent| agent.pose.position_m).collect()
}

/// A JSON number.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Numbers of a JSON list.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The shipped scenes, by file, without those that measure speed.
pub fn shipped_scenes() -> Vec<String> {
    shipped::all().map(|(name, _)| format!("scenes/{name}.ron")).collect()
}

/// A shipped scene with another seed, after some simulated time.
pub fn after(name: &str, seed: u64, time_s: f64) -> Simulation {
    let mut scene = scene(&format!("scenes/{name}.ron"));
    scene.seed = seed;
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step((time_s / scene.time.dt_s).round() as u64);
    simulation
}

/// The value in a column of `metrics.csv`, now.
pub fn metric(simulation: &Simulation, column: &str) -> f64 {
    let columns = simulation.metric_columns();
    let place = columns.iter().position(|name| name == column);
    simulation.metrics()[place.unwrap_or_else(|| panic!("no {column} in {columns:?}"))]
}
