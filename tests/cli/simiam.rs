//! Worlds of pySimiam and drawings as a user has them.

use std::fs;

use super::Place;

const ROBOT: &str = "<robot type=\"QuickBot\"><supervisor type=\"QuickBotDefaultSupervisor\"/>\n\
    <pose x=\"0\" y=\"0\" theta=\"0.5\"/></robot>";
const DRAWING: &str = "<svg><g><path d='M 10,20 30,20' robot='QuickBot' supervisor='week4.QBAvoidSupervisor'/>\n\
    <rect x='-100' y='-100' width='10' height='200' fill='navy'/><g><circle r='5'/></g></g></svg>";

#[test]
fn a_world_opens_everywhere() {
    let place = Place::new();
    place.write("w.xml", format!("<simulation>{ROBOT}</simulation>"));
    place.expect(0, "check w.xml");
    place.expect(0, "run w.xml --steps 50 -o run");
    place.expect(0, "verify w.xml --steps 20 --quiet");
    place.expect(0, "convert w.xml -o w.ron");
    let hash = |file: &str| {
        place.expect(0, &format!("run {file} --steps 50 -o b --overwrite --quiet"));
        place.json("b/manifest.json")["final_state_hash"].clone()
    };
    assert_eq!(hash("w.xml"), hash("w.ron"));
    // The name of a scene, which is that of its file, is part of its state.
    fs::create_dir(place.path("again")).unwrap();
    place.expect(0, "convert w.ron -o again/w.xml");
    place.expect(0, "convert again/w.xml -o again/w.ron");
    assert_eq!(hash("again/w.ron"), hash("w.ron"));
}

#[test]
fn a_drawing_becomes_a_world_and_a_scene() {
    let place = Place::new();
    place.write("d.svg", DRAWING);
    let said = place.expect(0, "convert d.svg -o d.xml").stderr;
    insta::assert_snapshot!(said, @"d.svg:1:1: warning: 1 nested group ignored; --all-groups takes it");
    insta::assert_snapshot!(place.read("d.xml"), @r##"
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="QuickBot">
            <supervisor type="week4.QBAvoidSupervisor"/>
            <pose x="0.1" y="-0.2" theta="0.0"/>
        </robot>
        <obstacle color="#000080">
            <pose x="-1.0" y="1.0" theta="0.0"/>
            <geometry>
                <point x="0.0" y="0.0"/>
                <point x="0.09999999999999998" y="0.0"/>
                <point x="0.09999999999999998" y="-2.0"/>
                <point x="0.0" y="-2.0"/>
            </geometry>
        </obstacle>
    </simulation>
    "##);
    place.expect(0, "convert d.svg -o d.ron --quiet");
    assert_eq!(place.expect(0, "convert d.svg -o all.ron --all-groups").stderr, "");
    assert_eq!(place.read("all.ron").matches("Polygon(").count(), place.read("d.ron").matches("Polygon(").count() + 1);
    place.expect(0, "run d.svg --steps 5 -o run");
    place.write("other.svg", DRAWING.replace("QuickBot'", "Mine'"));
    assert!(place.expect(2, "check other.svg").stderr.contains("unknown robot `Mine`"));
    assert!(place.expect(0, "convert other.svg -o other.xml").stderr.contains("warning: unknown robot `Mine`"));
    assert!(place.read("other.xml").contains("<robot type=\"Mine\">"));
}

#[test]
fn lenient_is_a_flag_of_all_verbs() {
    let place = Place::new();
    place.write("w.xml", format!("<simulation><light/>\n{ROBOT}</simulation>"));
    let said = place.expect(2, "check w.xml").stderr;
    insta::assert_snapshot!(
        said,
        @"w.xml:1:13: unknown element `<light>` in `<simulation>`; there is app, robot, obstacle and marker; --lenient ignores it"
    );
    for verb in ["check w.xml", "run w.xml --steps 1 -o run", "convert w.xml -o w.ron", "convert w.xml -o v.xml"] {
        let said = place.expect(0, &format!("{verb} --lenient")).stderr;
        assert!(said.contains("w.xml:1:13: warning: unknown element `<light>`"), "{verb}: {said}");
    }
}

#[test]
fn files_that_are_no_worlds_are_refused() {
    let place = Place::new();
    fs::create_dir(place.path("folder.xml")).unwrap();
    for (name, content) in [
        ("empty.xml", &b""[..]),
        ("latin.xml", b"<simulation a='\xe9'/>"),
        ("utf16.xml", b"\xff\xfe<\0s\0"),
        ("nul.xml", b"<simulation>\0</simulation>"),
        ("packed.svg", b"\x1f\x8b\x08\0"),
        ("empty.svg", b""),
        ("page.svg", b"<html/>"),
    ] {
        place.write(name, content);
        let said = place.expect(2, &format!("check {name}"));
        assert!(said.stderr.starts_with(name) && said.stderr.lines().count() == 1, "{name}: {}", said.stderr);
    }
    place.expect(2, "check folder.xml");
    place.expect(2, "check missing.xml");
}

#[test]
fn what_does_not_fit_into_a_world_is_said() {
    let place = Place::new();
    let said = place.expect(2, "convert milling -o world.xml").stderr;
    assert!(said.contains("no robot of pySimiam has this body"), "{said}");
    assert!(!place.has("world.xml"));
}
