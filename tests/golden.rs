//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium_formats::standard::FromScene as _;
use swarmarium_simulation::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 14] = [
    ("scenes/milling.ron", 0xbe06b49ea0c60ce3),
    ("scenes/aggregation.ron", 0x390aab42eee82bae),
    ("scenes/obstacles.ron", 0x1a698020520f3fc0),
    ("scenes/playground.ron", 0xf2716ec9a6ca51f5),
    ("scenes/flocking-radio.ron", 0x2080d378c18c2226),
    ("scenes/rendezvous.ron", 0x62d74526dfd46896),
    ("scenes/formation-lossy.ron", 0xc5ade3129731f399),
    ("scenes/formation-faults.ron", 0x37e2eaff83825dc0),
    ("scenes/simiam-labyrinth.ron", 0xa0b8180947b7184e),
    ("scenes/simiam-swarm.ron", 0x0125e4bb123494a8),
    ("scenes/script-flock.ron", 0x780fbab508f7ecbe),
    ("scenes/script-fireflies.ron", 0xd756b760451b3416),
    ("scenes/script-foraging.ron", 0x423b35291e3283ca),
    ("scenes/template.ron", 0xdd84935a9fce982f),
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
