//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 4] = [
    ("scenes/milling.ron", 0xc9d9b04d929438af),
    ("scenes/aggregation.ron", 0x49b9fcfe3878919e),
    ("scenes/obstacles.ron", 0x6eba1f4372f89c3a),
    ("scenes/template.ron", 0xebfb49a84cf28bb3),
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
