//! Files that are not scenes: one clear message each, no panic, no spike of memory.

use std::fs;

use super::Place;

/// A scene with one thing in it replaced.
fn scene(part: &str, bad: &str) -> String {
    let good = "Scene(
    groups: [(
        name: \"millers\",
        count: 6,
        body: Disc(radius_m: 0.1),
        sensors: [BinaryFov(range_m: 2.0)],
        controller: Binary(clear: (v_m_per_s: 0.3)),
    )],
)
";
    assert!(good.contains(part));
    good.replacen(part, bad, 1)
}

/// The message of `check` about a file.
fn refusal(text: impl AsRef<[u8]>) -> String {
    Place::new().refusal("bad.ron", text)
}

#[test]
fn unknown_field() {
    insta::assert_snapshot!(
        refusal(scene("count: 6", "cuont: 6")),
        @"bad.ron:4:9: groups[0].cuont: Group has no field `cuont`; did you mean `count`?"
    );
}

#[test]
fn unknown_kind() {
    insta::assert_snapshot!(
        refusal(scene("BinaryFov", "BinaryFow")),
        @"bad.ron:6:19: groups[0].sensors[0]: unknown sensor `BinaryFow`; did you mean `BinaryFov`?"
    );
}

#[test]
fn wrong_type() {
    insta::assert_snapshot!(
        refusal(scene("count: 6", "count: \"six\"")),
        @r#"bad.ron:4:16: groups[0].count: expected an integer from 0 to 1000000, found "six""#
    );
}

#[test]
fn not_a_number() {
    insta::assert_snapshot!(
        refusal(scene("range_m: 2.0", "range_m: NaN")),
        @"bad.ron:6:38: groups[0].sensors[0].range_m: expected a finite number, found `NaN`"
    );
}

#[test]
fn too_large_for_a_number() {
    insta::assert_snapshot!(
        refusal(scene("v_m_per_s: 0.3", "v_m_per_s: 1e999")),
        @"bad.ron:7:47: groups[0].controller.clear.v_m_per_s: expected a finite number, found 1e999"
    );
}

#[test]
fn negative_radius() {
    insta::assert_snapshot!(
        refusal(scene("radius_m: 0.1", "radius_m: -0.1")),
        @"bad.ron:5:30: groups[0].body.radius_m: expected a number from 0.000001 to 1000000, found -0.1"
    );
}

#[test]
fn a_sensor_that_is_not_there() {
    insta::assert_snapshot!(
        refusal(scene("Binary(clear", "Binary(sensor: 7, clear")),
        @"bad.ron:7:36: groups[0].controller.sensor: the controller listens to sensor 7, but there is only sensor 0"
    );
    let place = Place::new();
    insta::assert_snapshot!(
        place.expect(2, "check milling --set groups.millers.controller.sensor=7").stderr,
        @"error: milling:18:21: groups[0].controller.sensor: the controller listens to sensor 7, but there is only sensor 0"
    );
}

#[test]
fn too_many_agents() {
    insta::assert_snapshot!(
        refusal(scene("count: 6", "count: 4000000000")),
        @"bad.ron:4:16: groups[0].count: expected an integer from 0 to 1000000, found 4000000000"
    );
}

#[test]
fn ten_megabytes_of_brackets() {
    insta::assert_snapshot!(refusal("(".repeat(10 << 20)), @"bad.ron:1:65: more than 64 nested brackets");
}

#[test]
fn a_binary_file() {
    let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
    insta::assert_snapshot!(refusal(bytes), @"bad.ron:1:1: is not text: byte 0x00 at offset 0");
}

#[test]
fn a_missing_file() {
    let place = Place::new();
    insta::assert_snapshot!(place.expect(2, "check no.ron").stderr, @"error: no.ron: there is no such file");
    insta::assert_snapshot!(
        place.expect(2, "check miling").stderr,
        @"error: miling: there is no such file, and no shipped scene of this name; did you mean `milling`?"
    );
}

#[test]
fn a_folder() {
    let place = Place::new();
    fs::create_dir(place.path("folder.ron")).unwrap();
    insta::assert_snapshot!(place.expect(2, "check folder.ron").stderr, @"error: folder.ron: is a folder, not a file");
}

#[test]
fn a_script_or_a_file_of_another_simulator() {
    let place = Place::new();
    place.write("mine.luau", "function step() return 0, 0 end");
    place.write("world.sdf", "<sdf/>");
    insta::assert_snapshot!(
        place.expect(2, "check mine.luau").stderr,
        @"error: mine.luau: is a script, which a scene names as the controller of a group: `controller: Script(file: \"mine.luau\")`"
    );
    insta::assert_snapshot!(
        place.expect(2, "check world.sdf").stderr,
        @"error: world.sdf: is a file of Gazebo (SDF), which this program does not read; `list importers` names the files that it reads"
    );
}

#[test]
fn robots_that_start_beyond_the_walls_are_counted() {
    let place = Place::new();
    let spawn = "UniformBox(min_m: (0.4, 0.4), max_m: (24.0, 36.0), avoid_overlap: false)";
    place.write(
        "s.ron",
        format!("(arena: (size_m: (6.0, 4.0), boundary: Walls), groups: [(name: \"a\", count: 12, spawn: {spawn})])"),
    );
    let told = place.expect(0, "check s.ron").stderr;
    assert!(told.contains(" of 12 robots start beyond the walls of the arena, (0, 0) to (6, 4)"), "{told}");
}

#[test]
fn a_script_with_an_error_is_shown_with_its_line() {
    let place = Place::new();
    place.write("mine.luau", "function step(self, senses)\n    self.n++\n    return 0, 0\nend");
    place.write("s.ron", "(groups: [(name: \"a\", controller: Script(file: \"mine.luau\"))])");
    let told = place.expect(2, "check s.ron --color always").stderr;
    let told = anstream::adapter::strip_str(&told).to_string();
    insta::assert_snapshot!(told, @r"
    error: s.ron:1:35: groups[0].controller: mine.luau:2: Incomplete statement: expected assignment or a function call; Luau has no `++`: write `n += 1`
      2 |     self.n++
        |     ^
    ");
}

#[test]
fn a_file_of_an_unknown_kind() {
    let place = Place::new();
    place.write("world.txt", "<world/>");
    insta::assert_snapshot!(
        place.expect(2, "check world.txt").stderr,
        @"error: world.txt: cannot be read: expected a scene `.ron`, a shared scene `.swarm`, a ROS map `.yaml`, a RobotSwarmSimulator world `.yaml`, a pySimiam world `.xml`, a drawing `.svg`, a MORSE builder script `.py`, a MORSE configuration `.py`, a Stage world `.world`, an image of a ROS map `.pgm` or an ARGoS experiment `.argos`"
    );
}

#[test]
fn a_bad_override() {
    let place = Place::new();
    let said = place.expect(2, "check milling --set groups.millers.cuont=3 --set groups.millers.count=x");
    insta::assert_snapshot!(said.stderr, @"
    error: --set: groups.millers.cuont: `groups.millers` has no `cuont`; did you mean `count`?
    error: --set: groups.millers.count: expected an integer from 0 to 1000000, found `x`
    ");
}

#[test]
fn a_million_agents_are_checked_without_being_made() {
    let place = Place::new();
    place.write("many.ron", scene("count: 6", "count: 1000000"));
    assert_eq!(place.expect(0, "check many.ron").stdout, "many.ron: ok\n");
}

#[test]
fn every_file_is_checked() {
    let place = Place::new();
    place.write("bad.ron", "Scene(");
    place.write("good.ron", scene("6", "7"));
    let said = place.expect(2, "check bad.ron good.ron no.ron milling");
    assert_eq!(said.stdout, "good.ron: ok\nmilling: ok\n");
    assert!(said.stderr.contains("bad.ron") && said.stderr.contains("no.ron"), "{}", said.stderr);
}

#[test]
fn every_verb_refuses_a_bad_file_and_writes_nothing() {
    let place = Place::new();
    place.write("bad.ron", "Scene(");
    for verb in ["run bad.ron", "verify bad.ron", "convert bad.ron -o out.ron", "run milling --edits bad.ron"] {
        let said = place.expect(2, verb);
        assert!(said.stderr.contains("bad.ron") && said.stdout.is_empty(), "{verb}: {}", said.stderr);
    }
    assert_eq!(place.names("."), ["bad.ron"]);
}

/// Files that are large or deep when they are read, each with a part of the expected message.
fn large_and_deep() -> Vec<(&'static str, String, &'static str)> {
    let groups = |count: usize| {
        let names: String = (0..count).map(|number| format!("(name: \"g{number}\"),")).collect();
        format!("(groups: [{names}])")
    };
    let sensors = |groups: usize| {
        let group = |number| format!("(name: \"g{number}\", sensors: [{}]),", "BinaryFov(),".repeat(1000));
        format!("(groups: [{}])", (0..groups).map(group).collect::<String>())
    };
    let stream = "['morse.middleware.socket_datastream.SocketDatastreamManager', \
                  'morse.middleware.socket_datastream.SocketPublisher']";
    let streams: String = (0..100_000).map(|number| format!("'r{number}.pose': [{stream}],")).collect();
    let world = "type: RectangularWorld\nseed: 1\nsize: [9, 9]\n";
    let agent = "agents:\n- &a {type: MazeAgent, position: [1, 1], angle: 0, controller: {type: StaticController, output: [0, 0]}}\n";
    vec![
        ("a.ron", "(".repeat(10 << 20), "more than 64 nested brackets"),
        ("a.ron", groups(100_000), "expected at most 10000 groups, found 100000"),
        ("a.ron", groups(300_000), "expected at most 10000 groups, found 300000"),
        ("a.ron", sensors(500), "more than 50000 groups, sensors, objects"),
        ("a.ron", format!("(objects: [{}])", "Disc(),".repeat(300_000)), "more than 50000 groups, sensors, objects"),
        ("a.py", format!("component_datastream = {{{streams}}}"), "found 100000"),
        (
            "a.py",
            format!("component_datastream = {{'r.pose': [{}]}}", format!("{stream},").repeat(100_000)),
            "found 100000",
        ),
        ("a.yaml", format!("{world}{agent}{}", "- *a\n".repeat(40_000)), "at most 10000 agents and spawners"),
        ("a.yaml", format!("n: <{{ 1{} }}>\n", "+1".repeat(26_000)), "nested too deeply"),
        (
            "a.yaml",
            format!("n: 1\n<% if a %>\n{}<% endif %>\n", "<% elif a %>\n".repeat(17_500)),
            "the `type` of the world is missing",
        ),
        (
            "a.yaml",
            format!("type: RectangularWorld\nn: !np {}1\n", "-".repeat(90_000)),
            "the expression or its value is too large",
        ),
        (
            "a.yaml",
            format!("type: RectangularWorld\nn: !np {}1\n", "(".repeat(90_000)),
            "the expression or its value is too large",
        ),
        ("a.yaml", "- ".repeat(1_000_000), "nested deeper than 64 levels"),
        ("a.xml", "<robot>".repeat(1_000_000), "nested deeper than 256"),
        ("a.svg", "<g>".repeat(1_000_000), "nested deeper than 256"),
        ("a.py", format!("component_datastream = {}", "[".repeat(1_000_000)), "at most 64 lists and dictionaries"),
        ("a.ron", format!("(stop: (when: \"{}1\"))", "1+".repeat(26_000)), "at most 1000 characters"),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn bad_files_take_little_memory() {
    let place = Place::new();
    for (name, text, expected) in large_and_deep() {
        place.write(name, &text);
        // Address space, in KiB: the program itself with its threads takes a good part of it.
        let program = env!("CARGO_BIN_EXE_swarmarium");
        let limited = format!("ulimit -v 1000000; exec {program} check {name}");
        let output = std::process::Command::new("sh").args(["-c", &limited]).current_dir(place.path(".")).output();
        let said = super::Said::from(output.unwrap());
        let begin: String = text.chars().take(80).collect();
        assert_eq!(said.code, Some(2), "{name}: {begin}: {}", said.stderr);
        assert!(said.stderr.contains(expected), "{name}: {begin}: {}", said.stderr);
    }
}
