//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 5] = [
    ("scenes/milling.ron", 0x3858ae38b174b020),
    ("scenes/aggregation.ron", 0xe6e115f0fe639d16),
    ("scenes/obstacles.ron", 0xe84c8921f60b5795),
    ("scenes/playground.ron", 0xa19ccb0e94f7eaf3),
    ("scenes/template.ron", 0xf2152081041ddf1d),
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
