//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;
use swarmarium::kinds::FromScene as _;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 11] = [
    ("scenes/milling.ron", 0x19692b7786a63efc),
    ("scenes/aggregation.ron", 0xeeb4550eee6562e6),
    ("scenes/obstacles.ron", 0x0f64b0bb7b718da5),
    ("scenes/playground.ron", 0x739bc314bc2cba39),
    ("scenes/flocking-radio.ron", 0xce9503c2194ba9fc),
    ("scenes/rendezvous.ron", 0xd27225e23df815c3),
    ("scenes/formation-lossy.ron", 0x4e6c29d4621e0980),
    ("scenes/formation-faults.ron", 0xa773c284ac0b726e),
    ("scenes/simiam-labyrinth.ron", 0x123ef66efa53b4c2),
    ("scenes/simiam-swarm.ron", 0x32939d2a3d9e0be4),
    ("scenes/template.ron", 0x0e52766b348626d7),
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
