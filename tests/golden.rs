//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 5] = [
    ("scenes/milling.ron", 0x8a0e82bc85c523e4),
    ("scenes/aggregation.ron", 0xaf313d709d040d9d),
    ("scenes/obstacles.ron", 0xfd01421a40812556),
    ("scenes/playground.ron", 0xad20068ef67a30fc),
    ("scenes/template.ron", 0xd3cfe495fcb79594),
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
