//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 11] = [
    ("scenes/milling.ron", 0x59a779e455a22580),
    ("scenes/aggregation.ron", 0x470a7ba531d38d55),
    ("scenes/obstacles.ron", 0x5bcb11e7f4b80c42),
    ("scenes/playground.ron", 0xc5504db4e9896ef3),
    ("scenes/flocking-radio.ron", 0x10a9350223303c9f),
    ("scenes/rendezvous.ron", 0xdc99deeb440a70c0),
    ("scenes/formation-lossy.ron", 0x05ff5731205ca4f8),
    ("scenes/formation-faults.ron", 0x0ebba8da28fba1f1),
    ("scenes/simiam-labyrinth.ron", 0x03a08ea2ca7db733),
    ("scenes/simiam-swarm.ron", 0xc83de75e925cffcd),
    ("scenes/template.ron", 0x1693939b1d4d35f7),
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
