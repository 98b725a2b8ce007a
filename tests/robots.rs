//! Robots that groups use by name.

use std::fs;

use swarmarium_formats::load::load;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::origins::Origin;
use swarmarium_scene::scene::presets::{self, ROBOTS};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, path, reader};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::scene_of;

fn scene_with(name: &str, more: &str) -> String {
    format!("(groups: [(name: \"g\", robot: \"{name}\", at: [(1.0, 1.0, 0.0), (3.0, 1.0, 0.0)], {more})])")
}

#[test]
fn every_robot_that_comes_with_the_program_runs_and_says_where_its_numbers_come_from() {
    assert!(ROBOTS.all().count() >= 5);
    for (name, text) in ROBOTS.all() {
        assert!(text.contains("// Source") && !presets::about(text).is_empty(), "{name}");
        let scene = scene_of(&scene_with(name, ""));
        let mut simulation = Simulation::new(&scene).unwrap_or_else(|problems| panic!("{name}: {problems}"));
        let before: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
        simulation.step(50);
        assert!(simulation.agents().zip(before).all(|(agent, before)| agent.pose != before), "{name} moves");
    }
}

#[test]
fn fields_of_a_group_override_its_robot() {
    let scene = scene_of(&scene_with("epuck", "body: Disc(radius_m: 0.5), look: (filled: false)"));
    let group = &scene.groups[0];
    assert_eq!(group.body.radius_m(), 0.5);
    assert_eq!(group.sensors.len(), 1);
    assert_eq!(group.look.color.as_str(), "yellow", "parts of the look add up");
    assert!(!group.look.filled, "parts of the look add up");
    let kinds = Recipe::standard().kinds().clone();
    for style in [Style::Full, Style::Short] {
        let text = write(&kinds, &scene, style);
        assert!(!text.contains("epuck"));
        let again: Scene = reader::read(&kinds, "again.ron", &text).unwrap();
        assert_eq!(write(&kinds, &again, Style::Full), write(&kinds, &scene, Style::Full));
    }
}

#[test]
fn robot_files_beside_the_scene_are_found_and_their_mistakes_have_a_place() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("robots")).unwrap();
    let robot = |text: &str| fs::write(place.path().join("robots/mine.ron"), text).unwrap();
    let file = place.path().join("scene.ron");
    fs::write(&file, scene_with("mine", "")).unwrap();
    let kinds = Recipe::standard().kinds().clone();
    let open = || load(&kinds, file.to_str().unwrap(), &[]);

    robot("(\n    body: Disc(radius_m: 0.3),\n)");
    let loaded = open().unwrap();
    assert_eq!(loaded.scene.groups[0].body.radius_m(), 0.3);
    let trail = path::trail(&kinds, &loaded.scene, "groups.g.body.radius_m").unwrap();
    assert_eq!(loaded.origins.at(&trail).origin, Origin::Robot);
    let trail = path::trail(&kinds, &loaded.scene, "groups.g.count").unwrap();
    assert_eq!(loaded.origins.at(&trail).origin, Origin::Default);

    let refused = |text: &str| {
        robot(text);
        open().unwrap_err().to_string()
    };
    let error = refused("(\n    body: Disc(radius_m: -1.0),\n    motoin: Unicycle(),\n)");
    assert!(error.contains("scene.ron:1:30: groups[0].robot: the robot cannot be used"), "{error}");
    assert!(error.contains("robots/mine.ron:2:26: body.radius_m: expected"), "{error}");
    assert!(error.contains("robots/mine.ron:3:5: motoin:") && error.contains("did you mean `motion`"), "{error}");
    for alien in ["(count: 3)", "(name: \"x\")", "(robot: \"epuck\")", "(team: \"a\", body: Disc(radius_m: 1.0))", "3"]
    {
        let error = refused(alien);
        assert!(error.contains("mine.ron:1:1") || error.contains("mine.ron:1:2"), "{alien}: {error}");
    }
}

#[test]
fn unknown_robots_are_refused_with_place_and_nearest_name() {
    let kinds = Recipe::standard().kinds().clone();
    let read = |text: &str| reader::read::<Scene>(&kinds, "s.ron", text).unwrap_err().to_string();
    let error = read(&scene_with("epukc", "controller: Constant(v: 1.0)"));
    assert!(error.contains("s.ron:1:30: groups[0].robot: there is no robot `epukc`"), "{error}");
    assert!(error.contains("did you mean `epuck`") && error.contains("groups[0].controller.v:"), "{error}");
    for outside in ["../secret", "/etc/passwd", "a/../../b"] {
        assert!(read(&scene_with(outside, "")).contains("there is no robot"), "{outside}");
    }
    assert!(read("(groups: [(name: \"g\", robot: 3)])").contains("expected the name of a robot in quotes, found 3"));
    assert!(read("(groups: [(name: \"g\", robot: \"epuck\", robot: \"epuck\")])").contains("is written twice"));
}
