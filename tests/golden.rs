//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 9] = [
    ("scenes/milling.ron", 0xc18ca55df459154c),
    ("scenes/aggregation.ron", 0x438ee8bc1cf405a6),
    ("scenes/obstacles.ron", 0xf51857bb49ce28d6),
    ("scenes/playground.ron", 0x8ee6594fddf85fc4),
    ("scenes/flocking-radio.ron", 0x29992a702aaffa65),
    ("scenes/rendezvous.ron", 0x4ff30c596dc05b7d),
    ("scenes/formation-lossy.ron", 0xae5cf69c88dcd2de),
    ("scenes/formation-faults.ron", 0x2fdb8063ea8afe10),
    ("scenes/template.ron", 0xd4bda419f16d65b4),
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
