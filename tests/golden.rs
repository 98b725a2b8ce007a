//! One hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of results is meant, put the number that the failure prints into `GOLDEN`, and say why in the commit.

use swarmarium_formats::standard::FromScene as _;
use swarmarium_simulation::Simulation;

use crate::support::scene;

const STEPS: u64 = 300;

const GOLDEN: [(&str, u64); 21] = [
    ("scenes/milling.ron", 0x9a59fd16a4e5dfb1),
    ("scenes/aggregation.ron", 0x390aab42eee82bae),
    ("scenes/obstacles.ron", 0x1a698020520f3fc0),
    ("scenes/playground.ron", 0xf2716ec9a6ca51f5),
    ("scenes/flocking-radio.ron", 0xab1e157e1dec1b40),
    ("scenes/rendezvous.ron", 0x62d74526dfd46896),
    ("scenes/formation-lossy.ron", 0xc5ade3129731f399),
    ("scenes/formation-faults.ron", 0x37e2eaff83825dc0),
    ("scenes/simiam-labyrinth.ron", 0xa0b8180947b7184e),
    ("scenes/simiam-swarm.ron", 0x0125e4bb123494a8),
    ("scenes/script-flock.ron", 0x4f870a99241eccef),
    ("scenes/script-fireflies.ron", 0x04ab4b47d28c4171),
    ("scenes/script-foraging.ron", 0x2f100a9c285cb7cc),
    ("scenes/papers/boids.ron", 0xca584ec6b4e397ba),
    ("scenes/papers/kilobots.ron", 0x647d07886670fdd8),
    ("scenes/papers/vicsek.ron", 0xf81ebcf18866a115),
    ("scenes/papers/couzin.ron", 0x4217a446d53abbeb),
    ("scenes/papers/swarmalators.ron", 0x805a5acc52f79788),
    ("scenes/papers/kuramoto.ron", 0xf5a69133f4896a1b),
    ("scenes/papers/valentini.ron", 0x0ea18b5d90aedc36),
    ("scenes/template.ron", 0xd631eef42ee7aeb3),
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
