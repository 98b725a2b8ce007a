//! Worlds of pySimiam and drawings as a user has them.

use std::fs;

use super::{Place, rows};

const ROBOT: &str = "<robot type=\"QuickBot\"><supervisor type=\"QuickBotDefaultSupervisor\"/>\n\
    <pose x=\"0\" y=\"0\" theta=\"0.5\"/></robot>";
const DRAWING: &str = "<svg><g><path d='M 10,20 30,20' robot='QuickBot' supervisor='week4.QBAvoidSupervisor'/>\n\
    <rect x='-100' y='-100' width='10' height='200' fill='navy'/><g><circle r='5'/></g></g></svg>";

#[test]
fn every_verb_opens_a_world_of_simiam() {
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
    insta::assert_snapshot!(said, @"
    warning: d.svg:1:1: 1 nested group ignored; --all-groups takes it
    d.xml: written
    ");
    insta::assert_snapshot!(place.read("d.xml"), @r##"
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="QuickBot">
            <supervisor type="week4.QBAvoidSupervisor"/>
            <pose x="0.1" y="-0.2" theta="0"/>
        </robot>
        <obstacle color="#000080">
            <pose x="-1" y="1" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0.1" y="0"/>
                <point x="0.1" y="-2"/>
                <point x="0" y="-2"/>
            </geometry>
        </obstacle>
    </simulation>
    "##);
    place.expect(0, "convert d.svg -o d.ron --quiet");
    assert_eq!(place.expect(0, "convert d.svg -o all.ron --all-groups").stderr, "all.ron: written\n");
    assert_eq!(place.read("all.ron").matches("Polygon(").count(), place.read("d.ron").matches("Polygon(").count() + 1);
    place.expect(0, "run d.svg --steps 5 -o run");
    place.write("other.svg", DRAWING.replace("QuickBot'", "Mine'"));
    let said = place.expect(0, "check other.svg").stderr;
    assert!(said.contains("pySimiam has no robot `Mine`. It is read as a `quickbot`"), "{said}");
    let said = place.expect(0, "check other.svg --robot Mine=khepera3").stderr;
    assert!(!said.contains("no robot `Mine`"), "{said}");
    let said = place.expect(2, "check other.svg --robot Mine=atrv").stderr;
    assert!(said.contains("expected CLASS=ROBOT with the robot khepera3, quickbot, "), "{said}");
    assert!(place.expect(0, "convert other.svg -o other.xml").stderr.contains("unknown robot `Mine`"));
    assert!(place.read("other.xml").contains("<robot type=\"Mine\">"));
}

#[test]
fn drawings_are_read_in_the_encoding_that_they_name() {
    let place = Place::new();
    let drawing = |encoding: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n<svg><g id=\"W\u{e4}nde\"><path d=\"M 1 1\"/><rect width=\"9\" height=\"9\"/></g></svg>"
        )
    };
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let utf_16 =
        |text: &str, bytes_of: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes_of).collect() };
    place.write("utf8.svg", drawing("UTF-8"));
    place.expect(0, "convert utf8.svg -o utf8.xml --quiet");
    for (name, bytes) in [
        ("latin.svg", latin(&drawing("ISO-8859-1"))),
        ("windows.svg", latin(&drawing("windows-1252"))),
        ("marked.svg", format!("\u{feff}{}", drawing("UTF-8")).into_bytes()),
        ("little.svg", utf_16(&format!("\u{feff}{}", drawing("UTF-16")), u16::to_le_bytes)),
        ("big.svg", utf_16(&format!("\u{feff}{}", drawing("UTF-16")), u16::to_be_bytes)),
        ("bare.svg", utf_16(&drawing("UTF-16LE"), u16::to_le_bytes)),
    ] {
        place.write(name, bytes);
        place.expect(0, &format!("convert {name} -o out.xml --overwrite"));
        assert_eq!(place.read("out.xml"), place.read("utf8.xml"), "{name}");
        place.expect(0, &format!("check {name}"));
    }
}

#[test]
fn lenient_import_of_a_drawing_leaves_out_broken_shapes_only() {
    let place = Place::new();
    place.write(
        "d.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:inkscape='http://www.inkscape.org/namespaces/inkscape'>\n\
        <g inkscape:label='Walls'><rect id='one' width='-5' height='1'/>\n<path id='two' d='M 0 0 L 5 x'/>\n\
        <polygon id='three' points='0,0 1,1 2'/><rect id='four' width='1em' height='1'/>\n\
        <path id='robot' inkscape:robot='QuickBot' d='M 10,20 C 15,20 25,20 30,20'/><rect id='fine' width='5' height='5'/></g>\n\
        <g inkscape:label='Old' style='display:none'><rect width='1' height='1'/></g></svg>",
    );
    let said = place.expect(0, "convert d.svg -o d.xml").stderr;
    insta::assert_snapshot!(said, @r"
    warning: d.svg:2:27: one: `width` is below 0: ignored
    warning: d.svg:3:1: two: the path cannot be read: invalid number at position 11: ignored
    warning: d.svg:4:1: three: `points` has an odd number of coordinates: ignored
    warning: d.svg:4:41: four: `width` is not a length: `1em`, which depends on a font: ignored
    warning: d.svg:6:1: Old: is hidden, with 1 shape: ignored
    d.xml: written
    ");
    let world = place.read("d.xml");
    assert_eq!(world.matches("<robot").count(), 1, "{world}");
    assert_eq!(world.matches("<obstacle").count(), 1, "{world}");
    assert!(world.contains("<robot type=\"QuickBot\""), "{world}");
}

#[test]
fn drawings_in_metres_have_their_scale() {
    let place = Place::new();
    place.write(
        "d.svg",
        "<svg viewBox='0 0 5 5'><g><rect x='1' y='2' width='3' height='0.1'/><path d='M 1 1 H 2'/></g></svg>",
    );
    place.expect(0, "convert d.svg -o d.xml --scale 1");
    let world = place.read("d.xml");
    assert!(world.contains("<pose x=\"1\" y=\"-2\" theta=\"0\"/>"), "{world}");
    assert!(world.contains("<point x=\"3\" y=\"-0.1\"/>"), "{world}");
    for verb in ["check d.svg", "run d.svg --steps 1 -o run"] {
        place.expect(0, &format!("{verb} --scale 1"));
    }
    let said = place.expect(2, "convert d.svg -o e.xml --scale 0").stderr;
    assert!(said.contains("expected metres from 1e-6 to 1000000.0"), "{said}");
}

#[test]
fn a_scene_of_a_world_names_its_robot_and_its_supervisor() {
    let place = Place::new();
    place.write("w.xml", format!("<simulation>{ROBOT}</simulation>"));
    place.expect(0, "convert w.xml -o w.ron");
    let scene = place.read("w.ron");
    assert!(scene.contains("robot: \"quickbot\",") && scene.contains("supervisor: \"quickbot-default\","), "{scene}");
    assert!(!scene.contains("states:") && !scene.contains("Infrared(") && scene.lines().count() < 25, "{scene}");
}

#[test]
fn all_verbs_accept_the_lenient_flag() {
    let place = Place::new();
    place.write("w.xml", format!("<simulation><light/>\n{ROBOT}</simulation>"));
    let said = super::unlabelled(&place.expect(2, "check w.xml").stderr);
    insta::assert_snapshot!(
        said,
        @"w.xml:1:13: unknown element `<light>` in `<simulation>`; known: app, robot, obstacle and marker; --lenient ignores it"
    );
    for verb in ["check w.xml", "run w.xml --steps 1 -o run", "convert w.xml -o w.ron", "convert w.xml -o v.xml"] {
        let said = place.expect(0, &format!("{verb} --lenient")).stderr;
        assert!(said.contains("warning: w.xml:1:13: unknown element `<light>`"), "{verb}: {said}");
    }
}

#[test]
fn files_that_are_not_worlds_of_simiam_are_refused() {
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
        assert!(
            said.stderr.starts_with(&format!("error: {name}")) && said.stderr.lines().count() == 1,
            "{name}: {}",
            said.stderr
        );
    }
    place.expect(2, "check folder.xml");
    place.expect(2, "check missing.xml");
}

#[test]
fn converting_to_a_world_names_what_the_format_cannot_hold() {
    let place = Place::new();
    let said = place.expect(2, "convert milling -o world.xml").stderr;
    assert!(said.contains("no robot of pySimiam has this body"), "{said}");
    assert!(!place.has("world.xml"));
}

/// The commonest drawing of a maze.
const MAZE: &str = "<svg xmlns='http://www.w3.org/2000/svg'><g fill='none' stroke='#102030' stroke-width='4'>\n\
    <line x1='0' y1='0' x2='100' y2='0'/><line x1='100' y1='0' x2='100' y2='100'/>\n\
    <path d='M 0 0 V 100 H 60 M 20 20 L 20 60'/><polyline points='50,0 50,50'/>\n\
    <path id='bot' d='M 30,80 L 40,80' robot='QuickBot' supervisor='week4.QBAvoidSupervisor'/></g></svg>";

#[test]
fn the_lines_of_a_drawing_are_walls_by_choice() {
    let place = Place::new();
    place.write("m.svg", MAZE);
    let said = place.expect(0, "convert m.svg -o m.xml").stderr;
    assert!(said.contains("2 lines (`<line>`) are not objects: ignored; --strokes makes walls of lines"), "{said}");
    assert!(said.contains("1 line (`<polyline>`) is not an object"), "{said}");
    // As in svg2world, a path of more points is an obstacle.
    let counts = |world: &str| (world.matches("<robot").count(), world.matches("<obstacle").count());
    assert_eq!(counts(&place.read("m.xml")), (1, 1));
    let said = place.expect(0, "convert m.svg -o walls.xml --strokes 0.02").stderr;
    assert_eq!(said, "walls.xml: written\n");
    let walls = place.read("walls.xml");
    assert_eq!(counts(&walls), (1, 6), "{walls}");
    assert!(walls.contains("<obstacle color=\"#102030\">"), "{walls}");
    // The first wall: half a width longer at both ends.
    assert!(walls.contains("<pose x=\"-0.01\" y=\"-0.01\" theta=\"0\"/>"), "{walls}");
    assert!(walls.contains("<point x=\"1.02\" y=\"0.02\"/>"), "{walls}");
    place.expect(0, "convert m.svg -o drawn.xml --strokes drawn");
    assert!(place.read("drawn.xml").contains("<pose x=\"-0.02\" y=\"-0.02\" theta=\"0\"/>"));
    place.expect(0, "run m.svg --strokes 0.02 --steps 10 -o run");
    let said = place.expect(2, "check m.svg --strokes 0").stderr;
    assert!(said.contains("expected a width from 0.001 to 1000.0 m, such as 0.02, or `drawn`"), "{said}");
}

#[test]
fn paths_of_two_points_that_state_no_robot_are_robots_with_a_note() {
    let place = Place::new();
    place.write("p.svg", "<svg><g><path d='M 0 0 H 100'/><path d='M 0 20 H 100'/></g></svg>");
    let said = place.expect(0, "convert p.svg -o p.xml").stderr;
    assert!(said.contains("2 paths of two points without `robot` became robots of the class `Khepera3`"), "{said}");
    assert_eq!(place.read("p.xml").matches("<robot").count(), 2);
    place.expect(0, "convert p.svg -o walls.xml --strokes 0.01");
    let walls = place.read("walls.xml");
    assert_eq!(walls.matches("<robot").count(), 0);
    assert_eq!(walls.matches("<obstacle").count(), 2);
}

/// A world of Sim.I.Am, the simulator in MATLAB.
const MATLAB: &str = "<simulation>\n  <app type=\"ControlApp\" />\n  <robot type=\"QuickBot\">\n\
    <supervisor type=\"quickbot.QBSupervisor\" /><pose x=\"0\" y=\"0\" theta=\"0\" />\n\
    <driver ip=\"192.168.1.101\" port=\"5005\" type=\"net\" options=\"none\" />\n  </robot>\n  <obstacle>\n\
    <pose x=\"0.7\" y=\"0.5\" theta=\"0.3\" /><geometry><point x=\"0\" y=\"0\" /><point x=\"0.3\" y=\"0\" />\
    <point x=\"0.3\" y=\"0.2\" /><point x=\"0\" y=\"0.2\" /></geometry></obstacle>\n</simulation>";

#[test]
fn robots_of_matlab_worlds_drive() {
    let place = Place::new();
    place.write("m.xml", MATLAB);
    let said = place.expect(0, "check m.xml").stderr;
    assert!(said.lines().count() == 1 && said.contains("(1, 1) is taken"), "{said}");
    place.expect(0, "run m.xml --duration 30 --trace --quiet -o run");
    let trace = rows(&place.read("run/trace.csv"));
    let [x_m, y_m] = [4, 5].map(|column| trace.last().unwrap()[column].parse::<f64>().unwrap());
    assert!((x_m - 1.0).abs() < 0.1 && (y_m - 1.0).abs() < 0.1, "{x_m} {y_m}");
    place.expect(0, "convert m.xml -o m.ron");
    place.expect(0, "convert m.ron -o again.xml");
    assert!(place.read("again.xml").contains("<supervisor type=\"quickbot.QBSupervisor\"/>"));
}

#[test]
fn python_class_names_of_a_world_survive_convert() {
    let place = Place::new();
    let robot = |class: &str, supervisor: &str, x: usize| {
        format!(
            "<robot type=\"{class}\"><supervisor type=\"{supervisor}\"/><pose x=\"{x}\" y=\"0\" theta=\"0\"/></robot>\n"
        )
    };
    let classes = [
        ("QuickBot", "week7_solved.QBFullSupervisor"),
        ("QuickBot", "week7.QBFullSupervisor"),
        ("quickbot.QuickBot", "week3_solved.QBGTGSupervisorX"),
        ("qb_realtime.QuickBot", "qb_realtime_pwmtest.PWMTest"),
        ("Khepera3", "khepera3.K3Supervisor"),
        ("khepera3.Khepera3", "K3DefaultSupervisor"),
        ("UltraBot", "ultrabot.UltraFullSupervisor"),
        ("ultrabot.UltraBot", "week6_solved.QBWallSupervisor"),
    ];
    let robots: String =
        classes.iter().enumerate().map(|(x, (class, supervisor))| robot(class, supervisor, x)).collect();
    place.write("a.xml", format!("<simulation>{robots}</simulation>"));
    place.expect(0, "convert a.xml -o a.ron --robot UltraBot=khepera3");
    assert_eq!(place.expect(0, "convert a.ron -o b.xml").stderr, "b.xml: written\n");
    let written = place.read("b.xml");
    let types: Vec<&str> = written.split("type=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let expected: Vec<&str> = classes.iter().flat_map(|(class, supervisor)| [*class, *supervisor]).collect();
    assert_eq!(types, expected);
    // A robot with another supervisor is another class, with a warning.
    place.write(
        "c.ron",
        place.read("a.ron").replacen("supervisor: \"quickbot-full\"", "supervisor: \"quickbot-avoid\"", 1),
    );
    let said = place.expect(0, "convert c.ron -o c.xml").stderr;
    let expected = "warning: c.ron: groups[0].controller: is written as `week4.QBAvoidSupervisor`: it is no \
                    longer `week7_solved.QBFullSupervisor`, which `metadata` states";
    assert!(said.contains(expected), "{said}");
    place.write("d.ron", place.read("a.ron").replacen("name: \"quickbot\",", "name: \"robin\",", 1));
    let said = place.expect(0, "convert d.ron -o d.xml").stderr;
    let expected = "warning: d.ron: metadata: `quickbot.controller.type` is not written: there is no such group";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_robot_without_a_supervisor_gives_one_message() {
    let place = Place::new();
    place.write("w.xml", "<simulation>\n<robot type='Khepera3'><pose x='1' y='0' theta='0'/></robot>\n</simulation>");
    assert_eq!(
        place.expect(2, "check w.xml").stderr.trim_end(),
        "error: w.xml:2:1: robot[0]: `<robot>` has no `<supervisor>`"
    );
    place.write("w.xml", "<simulation>\n<robot><supervisor/><pose x='1' y='0' theta='0'/></robot>\n</simulation>");
    let said = place.expect(2, "check w.xml").stderr;
    assert_eq!(said.lines().count(), 2, "{said}");
}
