//! Where the robots of a measurement stand at first.

use bevy::math::DVec2;
use swarmarium::prelude::*;
use swarmarium::scene::{reader, shipped};
use swarmarium::spawner::Spawning;
use swarmarium::spawner::scattered::Scattered;

/// A scene of `bench/` with so many robots, `per_m2` of them in a walled square around the origin.
///
/// # Panics
/// When there is no such scene.
pub fn scene(name: &str, robots: usize, per_m2: f64) -> Scene {
    let text = shipped::get(&format!("bench/{name}")).unwrap_or_else(|| panic!("there is no scene bench/{name}"));
    let scene = reader::read(Recipe::standard().kinds(), name, text);
    let mut scene: Scene = scene.unwrap_or_else(|problems| panic!("{problems}"));
    let half_m = (robots.max(1) as f64 / per_m2).sqrt() / 2.0;
    let edge_m = DVec2::splat(half_m - 0.15);
    scene.arena = Arena {
        corner_m: DVec2::splat(-half_m),
        size_m: DVec2::splat(2.0 * half_m),
        walls: Walls::Walled,
        ..Default::default()
    };
    scene.groups[0].count = robots as u32;
    let spawner = Scattered { min_m: -edge_m, max_m: edge_m, ..Default::default() };
    scene.groups[0].spawn = Open::new(spawner).with(Spawning { avoid_overlap: false, ..Default::default() });
    scene
}

/// A simulation of [`scene`], on one thread.
///
/// # Panics
/// As there.
pub fn simulation(name: &str, robots: usize, per_m2: f64) -> Simulation {
    Simulation::new(&scene(name, robots, per_m2)).unwrap_or_else(|problems| panic!("{problems}"))
}
