//! The pixels of frames: one hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of looks is meant, put the numbers that the failure prints into `GOLDEN`, and say why in the commit.

use bevy::math::DVec2;
use swarmarium_draw::{Overlay, View};
use swarmarium_formats::standard::FromScene as _;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::Simulation;
use swarmarium_video::{Painter, Style};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{scene, shipped_scenes};

const STEPS: u64 = 100;
const SIZE: (u16, u16) = (320, 240);

const GOLDEN: [(&str, u64); 57] = [
    ("scenes/aggregation.ron", 0x314473cabc909c57),
    ("scenes/collective_perception.ron", 0xf5409951f80279af),
    ("scenes/cyclic_pursuit.ron", 0xc282f78baf60b031),
    ("scenes/dispersal.ron", 0x2b2544428e35715c),
    ("scenes/flocking-radio.ron", 0x811ac987af8fca41),
    ("scenes/foraging.ron", 0x2a33e12ef9b68375),
    ("scenes/formation.ron", 0xfb39caf3937ec64f),
    ("scenes/formation-faults.ron", 0xa2f592b1879d9dec),
    ("scenes/formation-lossy.ron", 0x3c02c07b737321db),
    ("scenes/formation-p-only.ron", 0x42def7f1341a5efc),
    ("scenes/levy_search.ron", 0x2838b9e9085a5138),
    ("scenes/milling.ron", 0x18ef74a081a7d632),
    ("scenes/mixed_teams.ron", 0x529622c72858f910),
    ("scenes/morse-reference.ron", 0x59d8c174f30d4110),
    ("scenes/morse-swarm.ron", 0x3ed895adfd74fe50),
    ("scenes/obstacles.ron", 0xaa4f6367fc827736),
    ("scenes/parking_cars.ron", 0x9bfff428242b47ef),
    ("scenes/pheromone_trails.ron", 0xadd6539d809ef184),
    ("scenes/phototaxis.ron", 0x137b6a2cb04feb82),
    ("scenes/playground.ron", 0x9277ab602a607d36),
    ("scenes/predators_and_evaders.ron", 0x6f70ad696cdf9805),
    ("scenes/random_obstacle_course.ron", 0x7132b97c3bc80687),
    ("scenes/rendezvous.ron", 0x8b1f243f5e174178),
    ("scenes/script-fireflies.ron", 0xd5cbd790dd5e90ed),
    ("scenes/script-flock.ron", 0x6827470df2a0e4b2),
    ("scenes/script-foraging.ron", 0xf13d4fedad82efc1),
    ("scenes/script-gradient.ron", 0xc3ab925e827867e1),
    ("scenes/script-line.ron", 0xd9e6d47cce29cd73),
    ("scenes/script-milling.ron", 0x0f49da0abbf1704f),
    ("scenes/script-orbit.ron", 0x75af490050d07442),
    ("scenes/script-pattern.ron", 0x257bc903e094825f),
    ("scenes/simiam-labyrinth.ron", 0x31b5ad873c5c0d99),
    ("scenes/simiam-slalom.ron", 0xba19c0c1686f0e45),
    ("scenes/simiam-swarm.ron", 0xb68c6918598811b1),
    ("scenes/simiam-week1.ron", 0x30ebf147bf44e02a),
    ("scenes/simiam-week2.ron", 0x5108ee0a88a85568),
    ("scenes/simiam-week3.ron", 0x861f283e82ca99c1),
    ("scenes/simiam-week4.ron", 0xcb84f7b2ba28b2f5),
    ("scenes/simiam-week5.ron", 0xb20fc144767eb9d1),
    ("scenes/simiam-week6.ron", 0xc6c53335621afff0),
    ("scenes/simiam-week7.ron", 0x3d551a3b9c6fd4a5),
    ("scenes/site_traversal.ron", 0x4fbcb65d5245736c),
    ("scenes/template.ron", 0x2761ce2344fdd054),
    ("scenes/transport.ron", 0x1b4e9d1ff9742bb0),
    ("scenes/wall_following.ron", 0x592150c45127d868),
    ("scenes/papers/boids.ron", 0xe0ada996fbdc65c8),
    ("scenes/papers/boids-script.ron", 0x9d97aee515a6da1c),
    ("scenes/papers/couzin.ron", 0xe150d50d9ce1666f),
    ("scenes/papers/formation.ron", 0x37e7717e74441795),
    ("scenes/papers/gauci.ron", 0x2f9ff5ab0af9d70e),
    ("scenes/papers/kilobots.ron", 0x9ad637eb3d04443f),
    ("scenes/papers/kuramoto.ron", 0xf2624ca1e4a8dd81),
    ("scenes/papers/mills.ron", 0x5ad23e306d9583b3),
    ("scenes/papers/olfati-saber.ron", 0xbeeb5107bd59d466),
    ("scenes/papers/swarmalators.ron", 0xefb5ebf6054de891),
    ("scenes/papers/valentini.ron", 0x9af08d61736d425f),
    ("scenes/papers/vicsek.ron", 0x20fa5736b11f7707),
];

fn painted(scene: &Scene) -> Vec<u8> {
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.step(STEPS);
    let mut view = View::fit(scene, DVec2::new(f64::from(SIZE.0), f64::from(SIZE.1)));
    view.overlays = view
        .overlays
        .with(Overlay::Title)
        .with(Overlay::Clock)
        .with(Overlay::Seed)
        .with(Overlay::Values)
        .with(Overlay::Links)
        .with(Overlay::Ids)
        .with(Overlay::Velocities)
        .with(Overlay::Metrics);
    let style = Style { theme: Theme::Dark, groups: GroupColors::OkabeIto, transparent: false, scale: 1.0 };
    Painter::new(SIZE.0, SIZE.1, style).paint(&simulation.picture(&view), &view.camera).rgba.to_vec()
}

#[test]
fn shipped_scenes_keep_their_golden_frames() {
    let found: Vec<(String, u64)> =
        shipped_scenes().into_iter().map(|file| (file.clone(), xxh3_64(&painted(&scene(&file))))).collect();
    let lines: String = found.iter().map(|(file, hash)| format!("    (\"{file}\", {hash:#018x}),\n")).collect();
    let same = found.len() == GOLDEN.len()
        && found.iter().zip(GOLDEN).all(|((file, hash), golden)| (file.as_str(), *hash) == golden);
    assert!(same, "frames changed; if that was meant, tests/frames.rs should say\n{lines}");
}

#[test]
fn every_shipped_scene_has_a_loop_in_the_gallery() {
    for file in shipped_scenes().iter().filter(|file| !file.ends_with("template.ron")) {
        let name = file.trim_start_matches("scenes/").trim_end_matches(".ron");
        let bytes = std::fs::read(format!("docs/gallery/{name}.gif")).unwrap_or_default();
        assert!(bytes.starts_with(b"GIF89a"), "docs/gallery.sh {name} makes the loop that is missing");
    }
}

#[test]
fn no_frame_is_blank() {
    for file in shipped_scenes() {
        let rgba = painted(&scene(&file));
        let mut colors: Vec<[u8; 4]> = rgba.as_chunks::<4>().0.to_vec();
        colors.sort_unstable();
        let colors: Vec<&[[u8; 4]]> = colors.chunk_by(|a, b| a == b).collect();
        let most = colors.iter().map(|same| same.len()).max().unwrap();
        let all = usize::from(SIZE.0) * usize::from(SIZE.1);
        assert!(
            colors.len() > 20 && most < all * 95 / 100,
            "{file}: {} colours, {most} of {all} pixels alike",
            colors.len()
        );
    }
}
