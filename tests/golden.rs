//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;
use swarmarium::kinds::FromScene as _;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 11] = [
    ("scenes/milling.ron", 0x42b7adfec9827ab9),
    ("scenes/aggregation.ron", 0x6c5fb3d0fae9d1fe),
    ("scenes/obstacles.ron", 0xcba26075ca2f5674),
    ("scenes/playground.ron", 0x49477b71be383710),
    ("scenes/flocking-radio.ron", 0x5b1647578b9287ab),
    ("scenes/rendezvous.ron", 0x219a31288c88146b),
    ("scenes/formation-lossy.ron", 0x8596b0b1c6b36250),
    ("scenes/formation-faults.ron", 0x3cbb9b051789b6ea),
    ("scenes/simiam-labyrinth.ron", 0x098191aec34b09d0),
    ("scenes/simiam-swarm.ron", 0xcd007440a4ad55ad),
    ("scenes/template.ron", 0x6ffe7db1a42e9e6d),
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
