//! `list`: tables for people, JSON for programs.

use super::Place;

#[test]
fn a_family_is_listed_with_fields_units_ranges_and_defaults() {
    let said = Place::new().expect(0, "list sensors");
    let row = said.stdout.lines().find(|line| line.trim_start().starts_with("range_m")).unwrap();
    assert!(row.contains("number > 0") && row.contains(", m") && row.contains("= "), "{row}");
    assert!(said.stdout.starts_with("Accelerometer (sensor)\n"), "{}", said.stdout);
    let imu = said.stdout.split("\n\n").find(|kind| kind.starts_with("Imu (sensor)")).unwrap();
    let reading = imu.split_once("  Reading:\n").unwrap().1;
    assert!(
        reading.lines().any(|line| line.split_whitespace().take(2).eq(["2", "wz"]) && line.ends_with("rad/s")),
        "{imu}"
    );
    assert!(said.stderr.is_empty());
}

#[test]
fn all_kinds_are_listed_as_json() {
    let said = Place::new().expect(0, "list kinds --json");
    let kinds: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let kinds = kinds.as_array().unwrap();
    for (family, name) in [("sensor", "Proximity"), ("controller", "Binary"), ("metric", "Circliness")] {
        let kind = kinds.iter().find(|kind| kind["name"] == name).unwrap();
        assert_eq!(kind["family"], family);
        assert!(kind["about"].as_str().is_some_and(|about| !about.is_empty()));
    }
    let rays = kinds.iter().find(|kind| kind["name"] == "Proximity").unwrap();
    assert!(rays["numbers"][0]["number"].as_str().is_some_and(|number| number.starts_with('0')), "{rays}");
}

#[test]
fn shipped_scenes_are_listed_and_can_be_named() {
    let place = Place::new();
    let said = place.expect(0, "list scenes --json");
    let scenes: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let names: Vec<_> = scenes.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"milling"), "{names:?}");
    place.expect(0, &format!("check {}", names.join(" ")));
    assert!(place.expect(0, "list scenes").stdout.lines().any(|line| line.starts_with("milling ")));
    // A folder is not a file of this name.
    std::fs::create_dir(place.path("milling")).unwrap();
    place.expect(0, "check milling");
}

#[test]
fn parts_of_a_scene_outside_kinds_are_listed_by_name() {
    let place = Place::new();
    let group = place.expect(0, "list Group").stdout;
    assert!(group.starts_with("Group\n") && group.contains("    spawn "), "{group}");
    assert_eq!(place.expect(0, "list fields Group").stdout, group);
    let json: serde_json::Value = serde_json::from_str(&place.expect(0, "list Group Radio --json").stdout).unwrap();
    assert_eq!((&json[0]["name"], &json[1]["name"]), (&"Group".into(), &"Radio".into()));
    assert!(place.expect(0, "list Scene").stdout.starts_with("Scene\n"));
    let told = place.expect(2, "list fields Grou").stderr;
    assert_eq!(told, "error: Grou: there is no such part of a scene; did you mean `Group`?\n");
    place.expect(2, "list Group Nothing");
    place.expect(2, "list Group --example");
}

#[test]
fn lists_fold_to_a_width() {
    let place = Place::new();
    for list in ["kinds", "scenes", "plans", "robots", "supervisors", "fields", "importers", ""] {
        let mut command = place.command(&format!("list {list}"));
        let said: super::Said = command.env("COLUMNS", "80").output().unwrap().into();
        let wide: Vec<&str> = said.stdout.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(said.code == Some(0) && wide.is_empty(), "{list}: {wide:#?}");
    }
    // Without a width, each field has its line.
    let lines = place.expect(0, "list sensors BinaryFov").stdout;
    let fields = lines.lines().take_while(|line| !line.contains("Example"));
    assert_eq!(fields.filter(|line| line.contains("range_m")).count(), 3, "{lines}");
}

#[test]
fn kinds_are_listed_by_name() {
    let place = Place::new();
    let said = place.expect(0, "list kinds BinaryFov Circliness").stdout;
    assert!(said.starts_with("BinaryFov (sensor)\n") && said.contains("\nCircliness (metric)\n"), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&place.expect(0, "list sensors BinaryFov --json").stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["name"], "BinaryFov");
    let told = place.expect(2, "list sensors BinaryFow").stderr;
    assert_eq!(told, "error: BinaryFow: there is no such kind in the list; did you mean `BinaryFov`?\n");
    place.expect(2, "list scenes milling");
    // A kind needs no list.
    let said = place.expect(0, "list BinaryFov").stdout;
    assert!(said.starts_with("BinaryFov (sensor)\n"), "{said}");
    assert!(said.contains("Example, a scene (`swarmarium list BinaryFov --example` prints it alone):\n"), "{said}");
    let told = place.expect(2, "list BinaryFow").stderr;
    assert_eq!(told, "error: BinaryFow: there is no such kind; did you mean `BinaryFov`?\n");
}

#[test]
fn examples_of_kinds_are_scenes() {
    let place = Place::new();
    for kind in ["BinaryFov", "Unicycle", "Formation", "UniformDisc"] {
        let example = place.expect(0, &format!("list {kind} --example")).stdout;
        assert!(!example.contains("picture:"), "{example}");
        place.write("example.ron", example);
        place.expect(0, "check example.ron");
    }
    assert!(place.expect(2, "list Circliness --example").stderr.contains("no example"));
    assert!(place.expect(2, "list sensors --example").stderr.contains("expected a kind"));
}

#[test]
fn importers_are_listed_with_extensions_flags_and_pages() {
    let place = Place::new();
    let said = place.expect(0, "list importers").stdout;
    let row = said.lines().find(|line| line.starts_with(".svg ")).unwrap();
    assert!(
        row.contains("a drawing") && row.contains("--strokes") && row.contains("guides/from-pysimiam in the book"),
        "{row}"
    );
    let json: serde_json::Value = serde_json::from_str(&place.expect(0, "list importers --json").stdout).unwrap();
    let is_world = |format: &&serde_json::Value| format["program"] == "RobotSwarmSimulator";
    let world = json.as_array().unwrap().iter().find(is_world).unwrap();
    assert_eq!(world["extensions"], serde_json::json!(["yaml", "yml"]));
    assert_eq!(world["flags"], serde_json::json!(["--var", "--allow-outside"]));
    assert!(
        world["guide"].as_str().is_some_and(|page| crate::support::path(&format!("docs/{page}")).is_file()),
        "{world}"
    );
}

/// The lines of the plan of a scene, without numbers: the place and what acts there.
fn plan(scene: &str) -> Vec<String> {
    let said = Place::new().expect(0, &format!("check --plan {scene}"));
    assert!(said.stderr.is_empty(), "{}", said.stderr);
    let line = |line: &str| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
    said.stdout.lines().skip(1).map(line).collect()
}

#[test]
fn the_plan_of_a_step_is_printed() {
    let place = Place::new();
    insta::assert_snapshot!(place.expect(0, "check --plan milling").stdout, @r"
    milling: ok
       1  Edits             clock
       2  Edits             edits (in steps with waiting edits)
       3  Agents / Control  controllers: Binary
       4  Agents / Move     motion models: Unicycle
       5  Agents / Collide  collisions
       6  Agents / Collide  log of collisions (in steps with collisions)
       7  Agents / Collide  deaths (in steps with deaths)
       8  Agents / Sense    sensors: BinaryFov
       9  Metrics           metrics: circliness, average_speed_m_per_s, group_rotation_m_per_s
    ");
    insta::assert_snapshot!(place.expect(0, "check --plan milling --set order=Sequential").stdout, @r"
    milling: ok
       1  Edits             clock
       2  Edits             edits (in steps with waiting edits)
       3  Agents / in turn  controllers: Binary
       4  Agents / in turn  motion models: Unicycle
       5  Agents / in turn  collisions
       6  Agents / in turn  sensors: BinaryFov
       7  Metrics           metrics: circliness, average_speed_m_per_s, group_rotation_m_per_s
    ");
    insta::assert_snapshot!(place.expect(0, "check --plan milling --set order=RandomSequential").stdout, @r"
    milling: ok
       1  Edits             clock
       2  Edits             edits (in steps with waiting edits)
       3  Agents / in turn  sensors: BinaryFov
       4  Agents / in turn  controllers: Binary
       5  Agents / in turn  motion models: Unicycle
       6  Agents / in turn  collisions
       7  Metrics           metrics: circliness, average_speed_m_per_s, group_rotation_m_per_s
    ");
    assert!(place.expect(2, "check --plan milling.sweep").stderr.contains("`--plan` takes scenes"));
}

/// Radios: with `SameStep`, each robot sends just before it decides.
#[test]
fn the_plan_of_radios_shows_turns() {
    let at_once = plan("formation-lossy --set delivery=NextStep");
    let radios = [
        "Agents / Control radios begin: Formation",
        "Agents / Control messages: Formation",
        "Agents / Control radios send",
        "Agents / Control controllers: Formation",
    ];
    assert!(at_once.windows(4).any(|lines| lines == radios), "{at_once:#?}");
    let in_turn = plan("formation-lossy");
    let radios = [
        "Agents / Control radios begin: Formation",
        "Agents / Control / in turn messages: Formation",
        "Agents / Control / in turn radios send",
        "Agents / Control / in turn controllers: Formation",
    ];
    assert!(in_turn.windows(4).any(|lines| lines == radios), "{in_turn:#?}");
}

/// Objects act after agents, with their own kinds.
#[test]
fn the_plan_of_objects_names_their_kinds() {
    let plan = plan("playground");
    let objects: Vec<_> = plan.iter().filter(|line| line.starts_with("Objects")).map(String::as_str).collect();
    let expected = [
        "Objects / in turn controllers: Constant",
        "Objects / in turn motion models: Unicycle",
        "Objects / in turn sensors: Proximity",
    ];
    assert_eq!(objects[..3], expected);
    assert!(objects[3].starts_with("Objects objects notice agents: ") && objects[3].contains("Region"), "{objects:#?}");
}
