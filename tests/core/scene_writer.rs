//! The writer of scenes, with the kinds that come with the program.

use swarmarium::prelude::*;
use swarmarium_scene::scene::reader::read;
use swarmarium_scene::scene::shipped;
use swarmarium_scene::scene::writer::{Style, write, write_named};

#[test]
fn default_fields_of_variants_are_not_written() {
    let recipe = Recipe::standard();
    let links = "links: [Stream(), Stream(port: 60001), Services(), Overlay(name: \"human\")]";
    let text = format!("(groups: [(name: \"g\", sensors: [Pose({links})])])");
    let scene: Scene = read(recipe.kinds(), "links", &text).unwrap();
    let short = write(recipe.kinds(), &scene, Style::Short);
    assert!(short.contains(links), "{short}");
    assert!(write(recipe.kinds(), &scene, Style::Full).contains("way: Natural"));
}

#[test]
fn optional_values_of_files_are_written_without_some() {
    let recipe = Recipe::standard();
    let text = shipped::get("milling").unwrap();
    let scene: Scene = read(recipe.kinds(), "milling", text).unwrap();
    let named = write_named(recipe.kinds(), &scene, None);
    assert!(named.contains("min: 1.0, max: 60.0") && !named.contains("Some("), "{named}");
}

#[test]
fn groups_are_written_with_the_name_of_their_robot() {
    let recipe = Recipe::standard();
    let (kinds, folder) = (recipe.kinds(), tempfile::tempdir().unwrap());
    let read_in = |text: &str| -> Scene {
        let name = folder.path().join("a.ron").display().to_string();
        read(kinds, &name, text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
    };
    let same = |text: &str| {
        let scene = read_in(text);
        let named = write_named(kinds, &scene, Some(folder.path()));
        assert_eq!(write(kinds, &read_in(&named), Style::Full), write(kinds, &scene, Style::Full), "{named}");
        named
    };
    let text = r##"Scene(
    groups: [
        (name: "a", robot: "quickbot", supervisor: "quickbot-full"),
        (
            name: "b",
            robot: "khepera3",
            supervisor: "k3-full",
            look: (color: "#55aaee"),
            controller: Supervisor(goal_m: (2.0, 1.0)),
        ),
        (name: "c", robot: "quickbot", controller: Human()),
        (name: "d", controller: Human()),
        (name: "e", supervisor: "k3-default"),
    ],
)"##;
    assert_eq!(same(text), text);
    // A robot of the folder comes first; one that does not fit is not named.
    std::fs::create_dir(folder.path().join("robots")).unwrap();
    std::fs::write(folder.path().join("robots/quickbot.ron"), "(body: Disc(radius_m: 0.3))").unwrap();
    let own = same("(groups: [(name: \"a\", robot: \"quickbot\", controller: Human())])");
    assert!(own.contains("Disc(radius_m: 0.3)") || own.contains("robot: \"quickbot\""), "{own}");
    // A usual value that replaces another one of the robot is written.
    let robot = "(body: Disc(radius_m: 0.3), collides: Detect, sensors: [BinaryFov(range_m: 0.5), Pose()])";
    std::fs::write(folder.path().join("robots/quickbot.ron"), robot).unwrap();
    let own = same("(groups: [(name: \"a\", robot: \"quickbot\", collides: Push)])");
    assert!(own.contains("robot: \"quickbot\"") && own.contains("collides: Push"), "{own}");
    for (name, text) in shipped::all() {
        let scene: Scene = read(kinds, name, text).unwrap();
        let named = write_named(kinds, &scene, None);
        let back: Scene = read(kinds, "", &named).unwrap_or_else(|problems| panic!("{problems}\n{named}"));
        assert_eq!(write(kinds, &back, Style::Full), write(kinds, &scene, Style::Full), "{name}: {named}");
    }
}
