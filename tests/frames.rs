//! What frames look like: one hash for each shipped scene, the same in debug and release and on every machine.
//!
//! When a change of looks is meant, put the numbers that the failure prints into `GOLDEN`, and say why in the commit.

use bevy::math::DVec2;
use swarmarium::Simulation;
use swarmarium::draw::{Overlay, View};
use swarmarium::kinds::FromScene as _;
use swarmarium::picture::palette::{GroupColors, Theme};
use swarmarium::scene::Scene;
use swarmarium::video::{Painter, Style};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{scene, shipped_scenes};

const STEPS: u64 = 100;
const SIZE: (u16, u16) = (320, 240);

const GOLDEN: [(&str, u64); 30] = [
    ("scenes/aggregation.ron", 0x06ff68c75ff2d244),
    ("scenes/cyclic_pursuit.ron", 0x7bf45c12174fb8d4),
    ("scenes/dispersal.ron", 0x8746cafde65d9ca7),
    ("scenes/flocking-radio.ron", 0xfe3009d970e00cea),
    ("scenes/formation.ron", 0x08bdcd79c49178f3),
    ("scenes/formation-faults.ron", 0x776921d6be071e3c),
    ("scenes/formation-lossy.ron", 0xa4f19f4a88dfad34),
    ("scenes/formation-p-only.ron", 0x61a9f85de54db243),
    ("scenes/levy_search.ron", 0xb9aed4a520d5f75b),
    ("scenes/milling.ron", 0xadb4384b43767f7d),
    ("scenes/mixed_teams.ron", 0x61369f5769da3879),
    ("scenes/morse-reference.ron", 0xeab247c88713491f),
    ("scenes/morse-swarm.ron", 0x999481d7ea06f169),
    ("scenes/obstacles.ron", 0x6cb2d3f74cdc54fd),
    ("scenes/playground.ron", 0x22d9db8718f8a7a6),
    ("scenes/predators_and_evaders.ron", 0xde12facd6e8715e2),
    ("scenes/rendezvous.ron", 0x880898ccde759da2),
    ("scenes/simiam-labyrinth.ron", 0x6f6879aba51440a0),
    ("scenes/simiam-slalom.ron", 0xba19c0c1686f0e45),
    ("scenes/simiam-swarm.ron", 0xb68c6918598811b1),
    ("scenes/simiam-week1.ron", 0x2d28bf79b0dda3ed),
    ("scenes/simiam-week2.ron", 0xd263570d89750f68),
    ("scenes/simiam-week3.ron", 0x5ae3c3426d4dfb43),
    ("scenes/simiam-week4.ron", 0x506092e0c0a94f7b),
    ("scenes/simiam-week5.ron", 0xe1ee5b32e6ca46d3),
    ("scenes/simiam-week6.ron", 0x9f2a57f3de16b3ec),
    ("scenes/simiam-week7.ron", 0x95d0522a4d63065a),
    ("scenes/site_traversal.ron", 0x183ff1d7a13f553c),
    ("scenes/template.ron", 0x98532e9a3714bca5),
    ("scenes/wall_following.ron", 0x1a1d1012b82c9978),
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
    let (readme, videos) = (include_str!("../README.md"), include_str!("../docs/video.md"));
    for file in shipped_scenes().iter().filter(|file| !file.ends_with("template.ron")) {
        let name = file.trim_start_matches("scenes/").trim_end_matches(".ron");
        let bytes = std::fs::read(format!("docs/gallery/{name}.gif")).unwrap_or_default();
        assert!(bytes.starts_with(b"GIF89a"), "docs/gallery.sh {name} makes the loop that is missing");
        for (text, path) in [(readme, "docs/gallery"), (videos, "gallery")] {
            assert!(text.contains(&format!("({path}/{name}.gif)")), "{name}");
        }
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
