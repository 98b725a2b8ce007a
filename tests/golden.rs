//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 11] = [
    ("scenes/milling.ron", 0xf8645956e2a4854b),
    ("scenes/aggregation.ron", 0xb8f2847bfed4f0bc),
    ("scenes/obstacles.ron", 0x9f4a5a5e3ab46bc8),
    ("scenes/playground.ron", 0xe2779d975fd23bdc),
    ("scenes/flocking-radio.ron", 0x1159e01b4b95d00c),
    ("scenes/rendezvous.ron", 0x9885b4309332e75e),
    ("scenes/formation-lossy.ron", 0x6b89416b3d7cb2b3),
    ("scenes/formation-faults.ron", 0x8cd1b72173703bb8),
    ("scenes/simiam-labyrinth.ron", 0x4389c35b5c13042c),
    ("scenes/simiam-swarm.ron", 0xc5fc756c066970a8),
    ("scenes/template.ron", 0x96c979ddf42afc0e),
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
