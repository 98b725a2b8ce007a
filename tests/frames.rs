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
    ("scenes/aggregation.ron", 0x2c40941ed649c52a),
    ("scenes/collective_perception.ron", 0x3bb0c26a09fc07a1),
    ("scenes/cyclic_pursuit.ron", 0xd85e31f67302339d),
    ("scenes/dispersal.ron", 0x9bab10602afd990c),
    ("scenes/flocking-radio.ron", 0x0283155d77ab9303),
    ("scenes/foraging.ron", 0x117db49e86d5bc49),
    ("scenes/formation.ron", 0x84f100fe1c985fa3),
    ("scenes/formation-faults.ron", 0xd2097c1b46f9a648),
    ("scenes/formation-lossy.ron", 0x4fd584eab916c9a4),
    ("scenes/formation-p-only.ron", 0x523f26359a74d5ea),
    ("scenes/levy_search.ron", 0x136ae51ebbdfdeb1),
    ("scenes/milling.ron", 0x0dd3d7a53946dfc7),
    ("scenes/mixed_teams.ron", 0x33d1defdfd48ff7a),
    ("scenes/morse-reference.ron", 0x6f6270efaa3bb7b2),
    ("scenes/morse-swarm.ron", 0x7f98572d8a482b11),
    ("scenes/obstacles.ron", 0xeec08d485e406906),
    ("scenes/parking_cars.ron", 0x80f1c523ca287bce),
    ("scenes/pheromone_trails.ron", 0x18e95fe2fdc258e5),
    ("scenes/phototaxis.ron", 0x4ea6ccd33e5a3f64),
    ("scenes/playground.ron", 0x753a7f25f8a8ea72),
    ("scenes/predators_and_evaders.ron", 0x13272635eb01bc71),
    ("scenes/random_obstacle_course.ron", 0x7e7de71c0d9feda5),
    ("scenes/rendezvous.ron", 0x509e86057e94a5a1),
    ("scenes/script-fireflies.ron", 0xc7607bee236f94a8),
    ("scenes/script-flock.ron", 0x0e3b8a38c2fd0c9f),
    ("scenes/script-foraging.ron", 0x1c2e95217de3e2fa),
    ("scenes/script-gradient.ron", 0x1365e174b7f8744c),
    ("scenes/script-line.ron", 0x220ac896be8bf811),
    ("scenes/script-milling.ron", 0xdb2061e086956531),
    ("scenes/script-orbit.ron", 0x1381c39fbace2ff9),
    ("scenes/script-pattern.ron", 0x4890086e7ead0d5a),
    ("scenes/simiam-labyrinth.ron", 0x6b9b3b9563ce2e2a),
    ("scenes/simiam-slalom.ron", 0x2be808a9e619fd8e),
    ("scenes/simiam-swarm.ron", 0x28f12bd56b92b0c2),
    ("scenes/simiam-week1.ron", 0x34f4d1462b15070d),
    ("scenes/simiam-week2.ron", 0x4a318dc8d37bd03f),
    ("scenes/simiam-week3.ron", 0xdadf5da7e9898f4b),
    ("scenes/simiam-week4.ron", 0xad13f833f8936ced),
    ("scenes/simiam-week5.ron", 0x71bae4f1d1a031b7),
    ("scenes/simiam-week6.ron", 0xe36e9cef52347ec6),
    ("scenes/simiam-week7.ron", 0x5261acf6cbf9a2b5),
    ("scenes/site_traversal.ron", 0xab6f1bdd986be2af),
    ("scenes/template.ron", 0xd6ab0a00670fa458),
    ("scenes/transport.ron", 0xeefb12b31f9d85af),
    ("scenes/wall_following.ron", 0xefaaddddbdce73fb),
    ("scenes/papers/boids.ron", 0x8e436b6e2bfbd690),
    ("scenes/papers/boids-script.ron", 0xcbf834e2a8fffece),
    ("scenes/papers/couzin.ron", 0x2ba887830a4d6ebe),
    ("scenes/papers/formation.ron", 0x0ed1a8449a8adf89),
    ("scenes/papers/gauci.ron", 0xf685e31640688330),
    ("scenes/papers/kilobots.ron", 0xa5f9069da780d880),
    ("scenes/papers/kuramoto.ron", 0x521a7963d3871151),
    ("scenes/papers/mills.ron", 0x02fb31f0924e089e),
    ("scenes/papers/olfati-saber.ron", 0xfc9930e847f1c60d),
    ("scenes/papers/swarmalators.ron", 0x71fc6f835260ed59),
    ("scenes/papers/valentini.ron", 0x16cbd65cef3fa8a0),
    ("scenes/papers/vicsek.ron", 0x24dd54fda480146e),
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
