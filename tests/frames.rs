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
    ("scenes/flocking-radio.ron", 0xa6368289defd14bb),
    ("scenes/formation.ron", 0xc9ace422eef3d241),
    ("scenes/formation-faults.ron", 0xa65c66d7fe05ea3c),
    ("scenes/formation-lossy.ron", 0x094cfd05d075b87c),
    ("scenes/formation-p-only.ron", 0xc6211477d59d033f),
    ("scenes/levy_search.ron", 0xe730410051f10121),
    ("scenes/milling.ron", 0xadb4384b43767f7d),
    ("scenes/mixed_teams.ron", 0x61369f5769da3879),
    ("scenes/morse-reference.ron", 0xc12403b998a97829),
    ("scenes/morse-swarm.ron", 0x999481d7ea06f169),
    ("scenes/obstacles.ron", 0xce8424e5ba21e61a),
    ("scenes/playground.ron", 0x330bdd1f4b1a5bc0),
    ("scenes/predators_and_evaders.ron", 0xe9165dbd62b001de),
    ("scenes/rendezvous.ron", 0x8acb7c5eaf02e0f4),
    ("scenes/simiam-labyrinth.ron", 0x393f3c2d43286210),
    ("scenes/simiam-slalom.ron", 0x1e671e0bbaacceae),
    ("scenes/simiam-swarm.ron", 0xf14aced5c8aa02b9),
    ("scenes/simiam-week1.ron", 0x579b22b305b1d61b),
    ("scenes/simiam-week2.ron", 0x8732fd4bf58ebf06),
    ("scenes/simiam-week3.ron", 0xba0e055fb21b07d4),
    ("scenes/simiam-week4.ron", 0x7530ad8ce344a2fe),
    ("scenes/simiam-week5.ron", 0xa866ecaa4ba623db),
    ("scenes/simiam-week6.ron", 0x96ab1d02512a02f3),
    ("scenes/simiam-week7.ron", 0x30f4789e5ba2e399),
    ("scenes/site_traversal.ron", 0x183ff1d7a13f553c),
    ("scenes/template.ron", 0x47269e6bd353af61),
    ("scenes/wall_following.ron", 0x909c570a8d46ed39),
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
