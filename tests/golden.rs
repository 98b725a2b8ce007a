//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 9] = [
    ("scenes/milling.ron", 0x74507103905722dd),
    ("scenes/aggregation.ron", 0x16f3f00f6f59585c),
    ("scenes/obstacles.ron", 0xec09af9bc6a747cb),
    ("scenes/playground.ron", 0x7b2bccad9954359f),
    ("scenes/flocking-radio.ron", 0x420052e56694b642),
    ("scenes/rendezvous.ron", 0xfb3ce3aa03999e0a),
    ("scenes/formation-lossy.ron", 0x0),
    ("scenes/formation-faults.ron", 0x0),
    ("scenes/template.ron", 0x9764f91bf17be3f4),
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
