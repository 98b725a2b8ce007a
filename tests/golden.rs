//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 9] = [
    ("scenes/milling.ron", 0x51b083088e857f93),
    ("scenes/aggregation.ron", 0x7bbe79ca8123f588),
    ("scenes/obstacles.ron", 0xc6766e3031093454),
    ("scenes/playground.ron", 0x9f05c5a8b5dd019f),
    ("scenes/flocking-radio.ron", 0xcf34f1a8193d1b56),
    ("scenes/rendezvous.ron", 0x837bd5f311840423),
    ("scenes/formation-lossy.ron", 0x60f9826d161b9952),
    ("scenes/formation-faults.ron", 0x35ea56f436e0dbef),
    ("scenes/template.ron", 0x5a848e295ea40e33),
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
