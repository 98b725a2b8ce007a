//! Helpers of the tests of spawners.

use bevy::math::DVec2;
use swarmarium_base::id::StableId;
use swarmarium_core::random::Seed;
use swarmarium_core::spawner::Spawner;

/// The places of a spawner for a number of agents, always the same.
pub fn places(spawner: &impl Spawner, count: u32) -> Vec<DVec2> {
    let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
    let mut placer = spawner.placer();
    (0..count).map(|number| placer(number, &mut random).position_m).collect()
}

/// Whether counts are consistent with equally likely classes (chi-square test, level 0.001).
pub fn is_even(counts: &[u32]) -> bool {
    let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let deviation: f64 = counts.iter().map(|count| (f64::from(*count) - mean).powi(2) / mean).sum();
    // The quantile by Wilson and Hilferty (1931).
    let free = (counts.len() - 1) as f64;
    let spread = 2.0 / (9.0 * free);
    deviation < free * (1.0 - spread + 3.09 * spread.sqrt()).powi(3)
}
