//! Origins of the values of loaded scenes.

use crate::standard::Standard as _;
use swarmarium_scene::scene::origins::{Mark, Origin};
use swarmarium_scene::scene::writer::{Line, write_with_origins};
use swarmarium_scene::scene::{Scene, path, shipped};
use swarmarium_simulation::simulation::Recipe;

use super::*;

fn mark(loaded: &Loaded, at: &str) -> Mark {
    loaded.origins.at(&path::trail(Recipe::standard().kinds(), &loaded.scene, at).unwrap())
}

fn origin(loaded: &Loaded, at: &str) -> Origin {
    mark(loaded, at).origin
}

#[test]
fn values_are_written_in_the_file_or_defaults() {
    let loaded = load(Recipe::standard().kinds(), "milling", &[]).unwrap();
    for written in ["name", "seed", "arena.boundary", "arena.size_m", "arena.size_m.x", "groups.millers.body.radius_m"]
    {
        assert_eq!(origin(&loaded, written), Origin::Written, "{written}");
    }
    assert_eq!(origin(&loaded, "groups.millers.controller.clear.v_m_per_s"), Origin::Written);
    assert_eq!(origin(&loaded, "metrics.0"), Origin::Written);
    for left_out in ["order", "groups.millers.team", "groups.millers.at", "initial_readings"] {
        assert_eq!(origin(&loaded, left_out), Origin::Default, "{left_out}");
    }
}

#[test]
fn overrides_are_marked_with_the_previous_values() {
    let set = |path: &str, value: &str| Override { path: path.into(), value: value.into() };
    let overrides = [
        set("seed", "3"),
        set("groups.millers.name", "turners"),
        set("groups.turners.body", "Disc()"),
        set("arena.size_m.x", "12"),
        set("order", "Simultaneous"),
    ];
    let loaded = load(Recipe::standard().kinds(), "milling", &overrides).unwrap();
    let overridden = |before: &str| Mark { origin: Origin::Overridden, before: Some(before.into()) };
    assert_eq!(mark(&loaded, "seed"), overridden("7"));
    assert_eq!(mark(&loaded, "groups.0.name"), overridden("\"millers\""));
    assert_eq!(mark(&loaded, "arena.size_m.x"), overridden("10.0"));
    assert_eq!(origin(&loaded, "arena.size_m.y"), Origin::Written);
    assert_eq!(origin(&loaded, "groups.turners.body"), Origin::Overridden);
    assert_eq!(origin(&loaded, "groups.turners.body.radius_m"), Origin::Default);
    assert_eq!(mark(&loaded, "order"), overridden("Simultaneous"), "also when it changes nothing");
}

#[test]
fn every_value_of_every_shipped_scene_has_an_origin() {
    let recipe = Recipe::standard();
    for (name, _) in shipped::all() {
        let loaded = load(recipe.kinds(), name, &[]).unwrap();
        for leaf in path::leaves(recipe.kinds(), &loaded.scene) {
            let origin = origin(&loaded, &leaf.path);
            let is_known = matches!(origin, Origin::Written | Origin::Default | Origin::Robot);
            assert!(is_known, "{name}: {}", leaf.path);
        }
    }
}

#[test]
fn scenes_without_a_file_come_from_a_program() {
    let loaded = Loaded::from(Scene::default());
    assert_eq!(origin(&loaded, "seed"), Origin::Program);
}

#[test]
fn overrides_of_a_constant_are_marked_at_the_constant() {
    let file = tempfile::Builder::new().suffix(".ron").tempfile().unwrap();
    std::fs::write(
        file.path(),
        "(constants: [(name: \"SIDE\", value: 2, about: \"x\")], seed: 5,
          groups: [(name: \"g\", spawn: UniformSquare(side_m: SIDE))])",
    )
    .unwrap();
    let recipe = Recipe::standard();
    let loaded = |path: &str| -> Loaded {
        let one = Override { path: path.into(), value: "3".into() };
        load(recipe.kinds(), &file.path().display().to_string(), &[one]).unwrap()
    };
    for (path, is_field) in [("SIDE", false), ("groups.g.spawn.side_m", true)] {
        let Loaded { scene, origins, .. } = loaded(path);
        let lines = write_with_origins(recipe.kinds(), &scene, &scene, &origins);
        let marks = |text: &str| lines.iter().find(|line| line.text.contains(text)).and_then(Line::comment);
        assert_eq!(marks("value: 3").as_deref(), Some("// overridden by --set or --seed, instead of 2"), "{path}");
        let of_field = origins.at(&path::trail(recipe.kinds(), &scene, "groups.g.spawn.side_m").unwrap()).origin;
        assert_eq!(of_field, if is_field { Origin::Overridden } else { Origin::Written });
        assert!(lines.iter().any(|line| line.text.contains("side_m: SIDE")));
    }
}

#[test]
fn every_imported_ending_is_opened_and_suggested() {
    let folder = tempfile::tempdir().unwrap();
    for ending in import::extensions() {
        let path = folder.path().join(format!("arena.{ending}"));
        std::fs::write(&path, "no arena").unwrap();
        let wrong = folder.path().join("arena.xyz").display().to_string();
        assert!(near(&wrong).contains(&format!("arena.{ending}`?")), "{ending}: {}", near(&wrong));
        // It is read by its importer, which refuses it, and not as a scene.
        let refused = load(Recipe::standard().kinds(), &path.display().to_string(), &[]).unwrap_err().to_string();
        assert!(!refused.contains("expected a scene"), "{refused}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn files_of_bytes_have_a_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.pgm");
    std::fs::write(&path, b"P5 2 2 255\n\x00\xff\xff\xff").unwrap();
    let loaded = load(Recipe::standard().kinds(), &path.display().to_string(), &[]).unwrap();
    assert_eq!(fingerprint_of_file(&path), Some(loaded.fingerprint));
    std::fs::write(&path, b"P5 2 2 255\n\x00\x00\xff\xff").unwrap();
    assert_ne!(fingerprint_of_file(&path), Some(loaded.fingerprint));
    assert_eq!(fingerprint_of_file(&folder.path().join("none.ron")), None);
}
