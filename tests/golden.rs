//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 5] = [
    ("scenes/milling.ron", 0x6a6798e4dd4ddaa0),
    ("scenes/aggregation.ron", 0x1bfd821fb27fa469),
    ("scenes/obstacles.ron", 0x316a9bd4364454ce),
    ("scenes/playground.ron", 0x4c776e8bda0b8598),
    ("scenes/template.ron", 0x0fee551dcccc6058),
];

#[test]
fn shipped_scenes_keep_their_golden_hashes() {
    let found = GOLDEN.map(|(file, _)| {
        let mut simulation = Simulation::new(&scene(file)).unwrap();
        simulation.step(STEPS);
        (file, simulation.hash().0)
    });
    let lines: String = found.iter().map(|(file, hash)| format!("    (\"{file}\", {hash:#018x}),\n")).collect();
    assert!(found == GOLDEN, "results changed; if that was meant, tests/golden.rs should say\n{lines}");
}
