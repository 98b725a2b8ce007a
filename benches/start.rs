//! Where the robots of a measurement stand at first.

use swarmarium::bench;
use swarmarium::prelude::*;

/// A scene of `bench/` with so many robots, as crowded as it is.
///
/// # Panics
/// When there is no such scene.
pub fn scene(name: &str, robots: usize) -> Scene {
    let scene = bench::sized(Recipe::standard().kinds(), &format!("bench/{name}"), robots as u32);
    scene.unwrap_or_else(|problems| panic!("{problems}"))
}

/// A simulation of [`scene`], on one thread.
///
/// # Panics
/// As there.
pub fn simulation(name: &str, robots: usize) -> Simulation {
    Simulation::new(&scene(name, robots)).unwrap_or_else(|problems| panic!("{problems}"))
}
