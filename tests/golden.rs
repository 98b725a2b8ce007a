//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 9] = [
    ("scenes/milling.ron", 0xdfdbe67cbf5d6c92),
    ("scenes/aggregation.ron", 0x2368c28f065d5e4e),
    ("scenes/obstacles.ron", 0xa092a035a84a661c),
    ("scenes/playground.ron", 0x632f2d36db732457),
    ("scenes/flocking-radio.ron", 0xe69b5cb5a06f807f),
    ("scenes/rendezvous.ron", 0xf60be36c4a3f1134),
    ("scenes/formation-lossy.ron", 0x2243715c4f6110c2),
    ("scenes/formation-faults.ron", 0x48c2378092e5591a),
    ("scenes/template.ron", 0x9f3f0eb91bee8a84),
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
