//! Messages about arguments: what is expected, in words of the program, and the nearest command or file that works.

use super::Place;

/// The first line of the message about arguments that are refused.
#[track_caller]
fn refusal(place: &Place, arguments: &[&str]) -> String {
    let said: super::Said = place.command("").args(arguments).output().unwrap().into();
    assert_eq!(said.code, Some(2), "{arguments:?}\n{}\n{}", said.stdout, said.stderr);
    assert!(said.stdout.is_empty(), "{arguments:?}");
    let line = said.stderr.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or_else(|| panic!("{arguments:?}: {line}")).to_owned()
}

/// As [`refusal`], of words without blanks in a folder of its own.
#[track_caller]
fn refused(arguments: &str) -> String {
    refusal(&Place::new(), &arguments.split(' ').collect::<Vec<_>>())
}

#[test]
fn numbers_are_explained_without_words_of_a_parser() {
    let flags = [
        "run milling --steps",
        "run milling --seed",
        "run milling --threads",
        "run milling --seeds 1..=3 --jobs",
        "record milling -o a.mp4 --frames",
        "serve milling --port",
        "serve milling --steps",
        "verify milling --steps",
        "open milling --keyframes-mb",
        "sweep milling --repeat",
        "sweep milling --series",
        "sweep milling --steps",
        "sweep submit milling.sweep --slurm --chunk",
        "sweep submit milling.sweep --slurm --max-parallel",
        "sweep submit milling.sweep --slurm --cpus",
    ];
    for flag in flags {
        for value in ["1e3", "abc", "99999999999999999999", "-1", "1.5"] {
            let told = refused(&format!("{flag} {value}"));
            let name = flag.split(' ').next_back().unwrap();
            let expected = if value.len() == 20 { "expected at most " } else { "expected an integer " };
            assert!(told.starts_with(&format!("{name}: {expected}")), "{flag} {value}: {told}");
            assert!(told.ends_with(&format!(", found `{value}`")), "{flag} {value}: {told}");
        }
    }
    insta::assert_snapshot!(
        refused("run milling --steps 1e3"),
        @"--steps: expected an integer ≥ 1, found `1e3`"
    );
    for flag in ["run milling", "record milling -o a.mp4", "serve milling", "sweep milling --repeat 2"] {
        for value in ["-3", "0", "-3s", "soon"] {
            let told = refused(&format!("{flag} --duration {value}"));
            let expected = format!("--duration: expected seconds > 0, such as 60, 90s or 2m, found `{value}`");
            assert_eq!(told, expected, "{flag} {value}");
        }
    }
    assert!(refused("run milling --duration 0.001").starts_with("--duration: 0.001 s are shorter than a step"));
}

#[test]
fn a_name_in_place_of_a_verb_names_the_verb() {
    let place = Place::new();
    let open = "is not a command: did you mean `swarmarium open";
    assert_eq!(refusal(&place, &["milling"]), format!("`milling` {open} milling`?"));
    for name in ["world.yaml", "nofile.ron"] {
        assert_eq!(refusal(&place, &[name]), format!("{name}: there is no such file"));
    }
    assert!(refusal(&place, &["milling.sweep"]).ends_with("`swarmarium sweep milling.sweep`?"));
    // A file is opened: its options are those of `open`.
    place.write("my.ron", "(name: \"m\")");
    let refused = refusal(&place, &["my.ron", "--screenshot", "a.png", "--paused"]);
    assert_eq!(refused, "--screenshot and --paused exclude each other");
    for unknown in ["fly", "frobnicate"] {
        let told = refusal(&place, &[unknown]);
        assert!(told.starts_with(&format!("`{unknown}` is not a command: expected open, run, sweep, ")), "{told}");
        assert!(told.contains(", check, convert, ") && told.ends_with(" or man"), "{told}");
    }
}

#[test]
fn a_missing_file_is_named_with_the_nearest_one() {
    let place = Place::new();
    place.write("my.ron", "(name: \"m\")");
    place.write("world.yaml", "");
    let told = |arguments: &[&str]| refusal(&place, arguments);
    insta::assert_snapshot!(
        told(&["run", "my"]),
        @"my: there is no such file, and no shipped scene of this name; did you mean `my.ron`?"
    );
    insta::assert_snapshot!(
        told(&["run", "milling.ron"]),
        @"milling.ron: there is no such file: the shipped scene is called `milling`"
    );
    insta::assert_snapshot!(
        told(&["check", "worlds.yaml"]),
        @"worlds.yaml: there is no such file; did you mean `world.yaml`?"
    );
    insta::assert_snapshot!(
        told(&["check", "miling.ron"]),
        @"miling.ron: there is no such file; did you mean `milling`?"
    );
    // The file comes before the display.
    insta::assert_snapshot!(told(&["open", "nofile.ron"]), @"nofile.ron: there is no such file");
    insta::assert_snapshot!(
        told(&["sweep", "my", "--repeat", "2"]),
        @"my: there is no such file, and no shipped plan or scene of this name; did you mean `my.ron`?"
    );
}

#[test]
fn values_are_arithmetic_and_units_are_explained() {
    let place = Place::new();
    let path = "groups.millers.sensors.0.half_angle_rad";
    let run = |value: &str, folder: &str| {
        let value = format!("{path}={value}");
        place.command("run milling --steps 30 --hash --quiet -o").args([folder, "--set", &value]).status().unwrap()
    };
    assert!(run("pi/6", "arithmetic").success() && run("0.5235987755982988", "number").success());
    assert_eq!(place.read("arithmetic/hash.csv"), place.read("number/hash.csv"));
    assert!(place.read("arithmetic/scene.ron").contains("half_angle_rad: 0.5235987755982988"));
    place.expect(0, &format!("sweep milling --dry-run --steps 2 --vary {path}=0..pi/3"));
    let refused = |value: &str| refusal(&place, &["run", "milling", "--set", &format!("{path}={value}")]);
    insta::assert_snapshot!(
        refused("30deg"),
        @"--set: groups.millers.sensors.0.half_angle_rad: expected radians from 0 to π; write 0.5236 for 30deg"
    );
    insta::assert_snapshot!(
        refused("30"),
        @"--set: groups.millers.sensors.0.half_angle_rad: expected a number from 0 to π, found 30; 30 degrees is 0.5236"
    );
    insta::assert_snapshot!(
        refused("pi/x"),
        @"--set: groups.millers.sensors.0.half_angle_rad: expected a number from 0 to π, found `pi/x`"
    );
    insta::assert_snapshot!(
        refused("2*pi"),
        @"--set: groups.millers.sensors.0.half_angle_rad: expected a number from 0 to π, found 6.283185307179586"
    );
    let sweep = ["sweep", "milling", "--dry-run", "--duration", "1", "--set", "groups.millers.count=2*2", "--vary"];
    let vary = format!("{path}=pi/6,1/4");
    let said: super::Said = place.command("").args(sweep).arg(vary).output().unwrap().into();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stdout.contains(&format!("point 1: {path}=0.5235987755982988\npoint 2: {path}=0.25")),
        "{}",
        said.stdout
    );
}

#[test]
fn ranges_say_the_right_form_with_the_numbers_of_the_user() {
    insta::assert_snapshot!(
        refused("sweep milling --vary groups.millers.count=4..8 --dry-run"),
        @"--vary: groups.millers.count: a range needs its number of values: --vary 'groups.millers.count=4..8/5' has 5"
    );
    insta::assert_snapshot!(
        refused("sweep milling --vary groups.millers.count=4..8/x --dry-run"),
        @"--vary: expected a whole number of values after `/`, such as 4..8/5, found `groups.millers.count=4..8/x`"
    );
    let place = Place::new();
    place.write("p.sweep.ron", "Plan(scene: \"milling\", factors: [(path: \"groups.millers.count\", values: [4, 6])])");
    insta::assert_snapshot!(
        refusal(&place, &["check", "p.sweep.ron"]),
        @"p.sweep.ron:1:73: factors[0].values: expected List, Range or LogRange, found a list: write `List([4, 6])`"
    );
    for values in ["List(4, 6)", "(4, 6)"] {
        place.write("p.sweep.ron", format!("Plan(scene: \"milling\", factors: [(path: \"seed\", values: {values})])"));
        let told = refusal(&place, &["check", "p.sweep.ron"]);
        assert!(told.contains("factors[0].values: expected ") && told.contains("`List([4, 6])`"), "{told}");
    }
    place.write("p.sweep.ron", "Plan(scene: \"milling\", repetitions: 2, seeds: [1, 2], sampling: \"Grid\")");
    let said = place.expect(2, "check p.sweep.ron");
    insta::assert_snapshot!(said.stderr, @r#"
    error: p.sweep.ron:1:47: seeds: expected Common, Independent or List, found a list: write `List([1, 2])`
    error: p.sweep.ron:1:65: sampling: expected Grid, Zip, LatinHypercube, Sobol, Random or Table, found "Grid": write `Grid`
    "#);
}

#[test]
fn a_column_that_a_scene_lacks_names_its_metric() {
    let place = Place::new();
    let until = ["sweep", "milling", "--repeat", "2", "--dry-run", "--until", "largest_component.components == 1"];
    insta::assert_snapshot!(
        refusal(&place, &until),
        @"--until: unknown name `largest_component.components`, a column of the metric `LargestComponent`: `--metric LargestComponent` adds it"
    );
    for measure in ["final convex_hull_m2", "time until convex_hull_m2 > 2"] {
        let told = refusal(&place, &["sweep", "milling", "--repeat", "2", "--dry-run", "--measure", measure]);
        let hint = "a column of the metric `ConvexHull`: `--metric ConvexHull` adds it";
        assert!(told.ends_with(hint), "{told}");
        let with = ["sweep", "milling", "--repeat", "2", "--dry-run", "--metric", "ConvexHull", "--measure", measure];
        let said: super::Said = place.command("").args(with).output().unwrap().into();
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let until = ["run", "milling", "--until", "largest_component.components == 1"];
    insta::assert_snapshot!(
        refusal(&place, &until),
        @"--until: unknown name `largest_component.components`, a column of the metric `LargestComponent`: `--metric LargestComponent` adds it"
    );
    let with = ["--metric", "LargestComponent", "--steps", "400", "-o", "until"];
    let said: super::Said = place.command("").args(until).args(with).output().unwrap().into();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(place.read("until/scene.ron").contains("largest_component.components == 1"));
    assert!(refused("run milling --until circlines>0.9").ends_with("did you mean `circliness`?"));
    place.expect(0, "run milling --steps 3 --quiet --metric ConvexHull -o run");
    assert!(place.read("run/metrics.csv").lines().next().unwrap().ends_with(",convex_hull_m2"));
    let told = refusal(&place, &["run", "milling", "--metric", "ConvexHul"]);
    assert!(told.starts_with("--metric: ") && told.ends_with("did you mean `ConvexHull`?"), "{told}");
}

#[test]
fn a_log_of_edits_that_is_another_file_is_named() {
    let place = Place::new();
    let told = |text: &str| {
        place.write("my.ron", text);
        refusal(&place, &["run", "milling", "--edits", "my.ron"])
    };
    insta::assert_snapshot!(
        told("(name: \"m\", groups: [(name: \"a\")])"),
        @r#"my.ron:1:1: is a scene: expected a log of edits, such as `[(step: 100, edit: Remove(path: "agents.3"))]`"#
    );
    insta::assert_snapshot!(
        told("Plan(scene: \"milling\")"),
        @r#"my.ron:1:1: is a plan of a sweep: expected a log of edits, such as `[(step: 100, edit: Remove(path: "agents.3"))]`"#
    );
    insta::assert_snapshot!(
        told("[1]"),
        @r#"my.ron:1:1: expected a log of edits, such as `[(step: 100, edit: Remove(path: "agents.3"))]`, found 1 in the list"#
    );
    insta::assert_snapshot!(
        told("step,t_s\n1,2"),
        @r#"my.ron:1:5: expected the end, found `,`; scenes, plans and edits are written in RON, as in `(name: "mine")`"#
    );
}

#[test]
fn flags_without_effect_are_refused() {
    let place = Place::new();
    place.write("a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><g><path d=\"M0,0 L9,0 L9,9 Z\"/></g></svg>");
    for (flag, arguments) in [
        ("--scale", "run milling --steps 2 --scale 3"),
        ("--lenient", "run milling --steps 2 --lenient"),
        ("--all-groups", "check milling --all-groups"),
        ("--var", "convert milling -o - --var n=3"),
        ("--allow-outside", "verify milling --allow-outside"),
        ("--lenient", "convert a.svg -o a.ron --lenient"),
        ("--scale", "sweep milling --repeat 2 --dry-run --scale 1"),
        ("--scale", "bench --scale 1"),
        ("--var", "--var n=3"),
        ("--output", "run milling --steps 2 --overwrite"),
        ("--seed", "list scenes --seed 5"),
        ("--set", "list scenes --set x=1"),
        ("--seed", "sweep status a --seed 1"),
        ("--seed", "run milling --seed 10 --set seed=9"),
        ("--seeds", "run milling --seeds 1..=3 --set seed=9"),
    ] {
        let said = place.expect(2, arguments);
        assert!(said.stderr.contains(flag), "{arguments}: {}", said.stderr);
    }
    insta::assert_snapshot!(
        refused("run milling --scale 3"),
        @"--scale: only drawings `.svg` use it; it has no effect on milling"
    );
    // A flag that one of several files takes has an effect.
    place.expect(0, "check milling a.svg --scale 1");
    assert_eq!(place.names("."), ["a.svg"]);
}

#[test]
fn messages_of_the_parser_have_the_form_of_the_others() {
    for (arguments, expected) in [
        ("run", "`swarmarium run` needs <FILE>\n`swarmarium run --help` explains the options"),
        ("record milling", "`swarmarium record` needs --output <F>\n`swarmarium record --help` explains the options"),
        (
            "run milling --durration 3",
            "--durration: there is no such option of `run`; did you mean `--duration`?\n`swarmarium run --help` explains \
             the options",
        ),
        (
            "verify milling --trace",
            "--trace: there is no such option of `verify`; `run` and `serve` have it\n`swarmarium verify --help` explains \
             the options",
        ),
        ("run milling again", "`again` is one argument too many\n`swarmarium run --help` explains the options"),
        (
            "run milling --overwrite",
            "--overwrite needs --output <DIR> or --mcap <F.MCAP>\n`swarmarium run --help` explains the options",
        ),
        ("run milling -j 4", "--jobs needs --seeds <SEEDS>\n`swarmarium run --help` explains the options"),
        (
            "sweep milling.sweep --overwrite",
            "--overwrite needs --output <DIR>\n`swarmarium sweep --help` explains the options",
        ),
        ("run milling --steps 3 --steps 4", "--steps: is given twice"),
        ("run milling --steps", "--steps: expected a value\n`swarmarium run --help` explains the options"),
        (
            "run milling --steps 3 --duration 4",
            "--steps and --duration exclude each other\n`swarmarium run --help` explains the options",
        ),
        ("opne milling", "`opne` is not a command; did you mean `open`?\n`swarmarium --help` explains the options"),
        (
            "run milling -steps 3",
            "-steps: there is no such option of `run`; did you mean `--steps`?\n`swarmarium run --help` explains the options",
        ),
        (
            "run milling --rows 3",
            "--rows: there is no such option of `run`\n`swarmarium run --help` explains the options",
        ),
        ("run milling --seed 1..=3", "--seed: expected an integer ≥ 0, found `1..=3`; `--seeds` takes several"),
        ("run milling --color blue", "--color: expected auto, always or never, found `blue`"),
        (
            "record milling -o a.mp4 --encoder won",
            "--encoder: expected own or ffmpeg, found `won`; did you mean `own`?",
        ),
    ] {
        let said = Place::new().expect(2, arguments);
        assert_eq!(said.stderr, format!("error: {expected}\n"), "{arguments}");
    }
    let place = Place::new();
    assert_eq!(place.expect(0, "help --help").stdout, place.expect(0, "help").stdout);
    let said = Place::new().expect(2, "simulate milling").stderr;
    assert_eq!(said, "error: `simulate` is not a command: did you mean `swarmarium run`?\n");
    let said = Place::new().expect(2, "list sensor").stderr;
    assert!(said.starts_with("error: WHAT: expected sensors, controllers, "), "{said}");
    assert!(said.ends_with(", found `sensor`; did you mean `sensors`?\n"), "{said}");
}

#[test]
fn messages_have_colours_where_they_are_asked_for() {
    let place = Place::new();
    let plain = place.expect(2, "run nofile.ron").stderr;
    assert_eq!(plain, "error: nofile.ron: there is no such file\n");
    let colored = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m nofile.ron: there is no such file\n";
    assert_eq!(place.expect(2, "run nofile.ron --color always").stderr, colored);
    assert_eq!(place.expect(2, "run nofile.ron --color never").stderr, plain);
    let mut command = place.command("run nofile.ron");
    let said: super::Said = command.env("CLICOLOR_FORCE", "1").output().unwrap().into();
    assert_eq!(said.stderr, colored);
    let mut command = place.command("run nofile.ron");
    let said: super::Said = command.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap().into();
    assert_eq!(said.stderr, plain);
    assert!(place.expect(2, "run --color always").stderr.starts_with("\u{1b}[1m\u{1b}[31merror:"));
}

#[test]
fn very_long_names_lose_their_middles() {
    let place = Place::new();
    let long = "a".repeat(5000);
    for arguments in [
        format!("run milling --steps 1 --quiet -o {long}"),
        format!("run {long}"),
        format!("open {long}.ron"),
        format!("sweep milling --repeat 1 --steps 1 -o {long}"),
        format!("convert milling -o {long}.ron"),
        format!("share milling -o {long}.swarm"),
        format!("check {long}"),
        format!("list {long}"),
        format!("run milling --set {long}=1"),
        format!("run milling --{long}"),
        long.clone(),
        format!("record milling --frames 1 -o {long}.mp4"),
        format!("run milling --steps 1 --mcap {long}.mcap"),
    ] {
        let said = place.run(&arguments);
        let shown = arguments.replace(&long, "LONG");
        assert!(said.code.is_some_and(|code| code > 0), "{shown}");
        assert!(said.stderr.len() < 450, "{shown}: {} bytes\n{}", said.stderr.len(), said.stderr);
    }
}

#[test]
fn an_empty_standard_input_is_named() {
    let place = Place::new();
    for arguments in ["run -", "check -", "convert - -o -", "sweep -"] {
        let said = place.expect(2, arguments).stderr;
        let expected = "error: standard input is empty: `-` expects the text of a scene";
        assert!(said.starts_with(expected), "{arguments}: {said}");
    }
}

#[test]
fn help_of_verbs_without_scenes_has_no_options_for_scenes() {
    let place = Place::new();
    for (verb, rest) in [("list", " scenes"), ("init", ""), ("completions", " bash"), ("man", "")] {
        let help = place.expect(0, &format!("{verb} --help")).stdout;
        for absent in ["--seed", "--set", "--var", "--lenient", "--threads", "Files of other programs"] {
            assert!(!help.contains(absent), "{verb}: {absent}\n{help}");
        }
        assert!(help.contains("--quiet") && help.contains("--color"), "{verb}: {help}");
        // They are refused with their reason.
        assert!(place.expect(2, &format!("{verb}{rest} --seed 3")).stderr.contains("--seed: has no effect"), "{verb}");
    }
    let help = place.expect(0, "bench --help").stdout;
    assert!(help.contains("--seed") && !help.contains("--lenient"), "{help}");
    let help = place.expect(0, "run --help").stdout;
    assert!(help.contains("--seed") && help.contains("--lenient"), "{help}");
}

#[test]
fn check_names_robots_outside_of_the_area_of_their_spawner() {
    let place = Place::new();
    let scene = |count: u32, boundary: &str, flags: &str| {
        format!(
            "(arena: (size_m: (2.0, 2.0), boundary: {boundary}), groups: [(name: \"a\", count: {count},
                body: Disc(radius_m: 0.05), spawn: UniformBox(min_m: (0.9, 0.9), max_m: (1.1, 1.1){flags}))])"
        )
    };
    let warning = |text: String| {
        place.write("my.ron", text);
        place.expect(0, "check my.ron").stderr
    };
    for boundary in ["Open", "Walls"] {
        let told = warning(scene(40, boundary, ""));
        assert!(told.starts_with("warning: my.ron:2:") && told.lines().count() == 1, "{told}");
        let (number, rest) = told.split_once("groups[0].spawn: ").unwrap().1.split_once(' ').unwrap();
        assert!((20..40).contains(&number.parse().unwrap()), "{told}");
        assert!(rest.starts_with("of 40 robots found no room in the area of the spawner, and start outside"), "{told}");
    }
    for fine in [scene(2, "Open", ""), scene(40, "Periodic", ""), scene(40, "Open", ", avoid_overlap: false")] {
        assert_eq!(warning(fine), "");
    }
    let told = warning(scene(40, "Open", ", if_full: Fewer"));
    assert!(told.contains("left out") && !told.contains("outside"), "{told}");
    // The commands that run the scene say it, too.
    place.write("my.ron", scene(40, "Open", ""));
    let commands: [&[&str]; 3] =
        [&["run", "-o", "run"], &["sweep", "--repeat", "1", "--measure", "final count"], &["verify"]];
    for command in commands {
        let said: super::Said =
            place.command("").args(command).args(["my.ron", "--steps", "1"]).output().unwrap().into();
        assert_eq!(said.code, Some(0), "{command:?}: {}", said.stderr);
        assert!(said.stderr.contains("found no room in the area of the spawner"), "{command:?}: {}", said.stderr);
    }
}

#[test]
fn values_that_are_mostly_mistakes_have_warnings() {
    let place = Place::new();
    let warned = |group: &str, more: &str| {
        place.write("s.ron", format!("(\n{more}groups: [(name: \"a\", {group})])"));
        let said = place.expect(0, "check s.ron");
        assert!(said.stdout.starts_with("s.ron: ok"), "{}", said.stdout);
        said.stderr
    };
    let told = warned("controller: Binary()", "");
    assert!(
        told.contains("groups[0].controller.sensor: Binary listens to sensor 0, but there are no sensors"),
        "{told}"
    );
    let told = warned("sensors: [Gps()], controller: Binary()", "");
    assert!(told.contains("the first number of Gps is \"x\" in m: use a sensor that detects something"), "{told}");
    let told = warned("sensors: [Compass()], controller: Table(sensors: [(0, 2)])", "");
    assert!(told.contains("the first number of Compass is \"heading\" in rad"), "{told}");
    let told = warned("sensors: [LineOfSight(name: \"eye\"), Compass(name: \"eye\")]", "");
    assert!(
        told.contains("s.ron:2:") && told.contains("the name `eye` is that of sensor 0, too: rename one"),
        "{told}"
    );
    let told = warned("controller: Constant(turn_rad_per_s: 90)", "");
    assert!(told.contains("90 rad/s is 14.32 turns per second; 90 degrees per second is 1.571"), "{told}");
    let walls = "arena: (size_m: (4, 4), boundary: Walls),\n";
    let told = warned("count: 3, spawn: UniformBox(min_m: (5, 5), max_m: (8, 8))", walls);
    let beyond = "3 of 3 robots start outside of the area of the spawner, (5, 5) to (8, 8), as a part of it is beyond the walls \
                  of the arena, (0, 0) to (4, 4)";
    assert!(told.contains(beyond), "{told}");
    for fine in [
        "sensors: [LineOfSight()], controller: Binary()",
        "sensors: [FieldSensor()], controller: Binary()",
        "controller: Supervisor()",
        "controller: Constant(turn_rad_per_s: 3.5)",
    ] {
        let fields = "fields: [(name: \"\")],\n";
        let more = if fine.contains("Field") { fields } else { "" };
        place.write("s.ron", format!("({more}groups: [(name: \"a\", {fine})])"));
        let told = place.command("check s.ron").output().map(super::Said::from).unwrap().stderr;
        assert!(!told.contains("warning"), "{fine}: {told}");
    }
    let swept = place
        .expect(0, "sweep s.ron --set groups.a.controller=Binary() --repeat 1 --steps 1 --metric Count -o t")
        .stderr;
    assert!(swept.contains("warning: s.ron:") && swept.contains("there are no sensors"), "{swept}");
}

#[test]
fn lines_of_files_are_not_shown_to_programs() {
    let place = Place::new();
    place.write("s.ron", "(\n  seed: -1,\n)");
    assert_eq!(place.expect(2, "check s.ron").stderr.lines().count(), 1);
}

#[test]
fn a_ring_of_rays_must_go_all_round() {
    let place = Place::new();
    let check = |code: i32, sensor: &str| {
        place.write(
            "my.ron",
            format!(
                "(groups: [(name: \"a\", motion: DifferentialDrive(), sensors: [{sensor}], controller: Diffusion())])"
            ),
        );
        place.expect(code, "check my.ron").stderr
    };
    for fine in ["Proximity()", "Proximity(rays: 24, response: Binary)", "Infrared()"] {
        check(0, fine);
    }
    let refused =
        ["Proximity(from_rad: -0.5, span_rad: 1.0)", "Proximity(response: Distance)", "LaserScanner()", "Compass()"];
    for other in refused {
        let told = check(2, other);
        assert!(told.contains("sensor 0, which is") && told.contains("rays all round"), "{other}: {told}");
    }
}

#[test]
fn conditions_without_a_metric_are_refused() {
    let place = Place::new();
    let told = refusal(&place, &["run", "milling", "--until", "30s"]);
    assert!(told.ends_with("found `30s`; --duration 30s ends the run after this time"), "{told}");
    for until in ["", " ", "1", "true", "2 * 3"] {
        let told = refusal(&place, &["run", "milling", "--until", until]);
        assert!(told.starts_with("--until: expected a condition over metrics"), "{until}: {told}");
    }
    let told = place.expect(0, "run milling --until circliness --steps 3 -o a").stderr;
    assert!(told.contains("warning: --until: `circliness` alone holds at every value other than 0"), "{told}");
    assert!(refusal(&place, &["run", "milling", "--until", "circliness = 0.5"]).contains("write `==`"));
}

#[test]
fn a_parameter_has_one_value() {
    let place = Place::new();
    let twice = ["run", "milling", "--set", "groups.millers.count=4", "--set", "groups.millers.count=5"];
    assert_eq!(refusal(&place, &twice), "--set groups.millers.count: is given twice");
    let told =
        refusal(&place, &["sweep", "milling", "--vary", "groups.millers.count=4,5", "--set", "groups.millers.count=3"]);
    assert_eq!(told, "--vary: groups.millers.count: --set sets it as well; leave one of them out");
    let angle = "groups.millers.sensors[0].half_angle_rad";
    let told = refusal(&place, &["check", "milling.sweep", "--set", &format!("{angle}=1")]);
    assert_eq!(told, format!("--set: {angle}: the plan varies it"));
}

#[test]
fn problems_with_varied_parameters_name_the_flag() {
    let place = Place::new();
    for (vary, start) in [
        ("foo=1,2", "--vary: foo: "),
        ("groups.millers.count=4,x", "--vary: groups.millers.count: "),
        ("groups.millers.count=4,4", "--vary: groups.millers.count: "),
    ] {
        for plan in [&["sweep", "milling"][..], &["sweep", "milling-view.sweep"]] {
            let told = refusal(&place, &[plan, &["--repeat", "2", "--vary", vary]].concat());
            assert!(told.starts_with(start), "{plan:?} {vary}: {told}");
        }
    }
}

#[test]
fn unknown_words_lead_to_what_is_near() {
    let place = Place::new();
    let told = |words: &[&str]| refusal(&place, words);
    assert!(told(&["miling"]).contains("did you mean `swarmarium open milling`?"));
    assert!(told(&["sweep", "mergee", "a"]).contains("`mergee` is not a command of `sweep`; did you mean `merge`?"));
    assert!(told(&["sweep", "milling", "obstacles"]).contains("`obstacles` is one argument too many"));
    assert!(told(&["s"]).contains("`s` is not a command, but sweep, serve and share begin with it"));
    assert!(told(&["version"]).contains("did you mean `--version`?"));
    assert!(told(&["list", "binaryfov"]).contains("did you mean `BinaryFov`?"));
    assert!(told(&["list", "epuk"]).contains("the robot `epuck` is in `swarmarium list robots`"));
    assert!(told(&["list", "sensor"]).contains("did you mean `sensors`?"));
    place.write("p.sweep.ron", "Plan(scene: \"milling\")");
    assert!(told(&["sweep", "p.sweep"]).contains("did you mean `p.sweep.ron`?"));
    assert!(told(&["run", "p.sweep"]).contains("did you mean `p.sweep.ron`?"));
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let told = refusal(&Place::new(), &["check", "\u{1b}[31mred.ron"]);
    assert!(told.contains(r"\u{1b}[31mred.ron") && !told.contains('\u{1b}'), "{told:?}");
}
