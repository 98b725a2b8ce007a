//! RobotSwarmSimulator worlds as a user has them: files that include files, templates, and what is wrong with them.

use std::fs::{self, File};

use super::Place;

const WORLD: &str = "type: RectangularWorld\nsize: [10, 10]\nseed: 1\n";

/// The message of `check` about a refused world.
fn refusal(world: impl AsRef<[u8]>) -> String {
    Place::new().refusal("w.yaml", world)
}

#[test]
fn a_world_of_many_files_and_variables_runs() {
    let place = Place::new();
    fs::create_dir_all(place.path("parts/more")).unwrap();
    place.write(
        "w.yaml",
        format!(
            "--- {{expect: nothing}}\n---\n{WORLD}<% set radius = 0.25 %>
agents:
#%> for x in range(n | default(2))
  - <<: !include parts/robot.yaml
    position: [<{{ x + 1 }}>, !np 1 / 2]
#%> endfor
  - !include parts/one.json
..."
        ),
    );
    place.write(
        "parts/robot.yaml",
        "type: MazeAgent\nagent_radius: <{ radius }>\ncontroller: !include ../parts/more/drive.yml\n",
    );
    place.write("parts/more/drive.yml", "{type: StaticController, output: !np '[0.4, 2] / 2'}");
    place.write("parts/one.json", r#"{"type": "MazeAgent", "name": "one", "angle": 1e-3, "agent_radius": 1}"#);
    for (flags, agents) in [("", 3), ("--var n=4", 5)] {
        let said = place.expect(0, &format!("run w.yaml --steps 1 --trace -o a --overwrite {flags}"));
        assert_eq!(said.stderr.matches("of several documents").count(), 1, "{}", said.stderr);
        let scene = place.read("a/scene.ron");
        assert_eq!(scene.matches("radius_m: 0.25").count(), agents - 1);
        assert_eq!(scene.matches("v_m_per_s: 0.2,").count(), agents - 1, "{scene}");
        assert_eq!(super::rows(&place.read("a/trace.csv")).len(), 1 + 2 * agents);
    }
    place.expect(0, "convert w.yaml -o w.ron --quiet --overwrite");
    let hash = |file: &str| {
        place.expect(0, &format!("run {file} --steps 50 -o b --overwrite --quiet"));
        place.json("b/manifest.json")["final_state_hash"].clone()
    };
    assert_eq!(hash("w.yaml"), hash("w.ron"));
}

#[test]
fn an_imported_world_and_its_scene_draw_alike() {
    let place = Place::new();
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/robotswarmsimulator/trace11_spawners.yaml");
    place.write("w.yaml", fs::read_to_string(world).unwrap());
    place.expect(0, "convert w.yaml -o w.ron --quiet");
    let hash = |file: &str| {
        place.expect(0, &format!("run {file} --steps 50 -o b --overwrite --quiet"));
        place.json("b/manifest.json")["final_state_hash"].clone()
    };
    assert_eq!(hash("w.yaml"), hash("w.ron"));
    place.expect(0, "verify w.yaml --steps 60 --quiet");
}

#[test]
fn includes_outside_the_folder_need_permission() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    place.write("robot.yaml", "{type: MazeAgent}");
    place.write("in/w.yaml", format!("{WORLD}agents: [!include ../robot.yaml]\n"));
    insta::assert_snapshot!(
        super::unlabelled(&place.expect(2, "check in/w.yaml").stderr),
        @"in/w.yaml:4:10: `../robot.yaml` is outside the folder of the world: allow it with `--allow-outside`"
    );
    place.expect(0, "check in/w.yaml --allow-outside");
    place.write("in/w.yaml", format!("{WORLD}agents: [!include {}]\n", place.path("robot.yaml").display()));
    place.expect(2, "check in/w.yaml");
    std::os::unix::fs::symlink(place.path("robot.yaml"), place.path("in/link.yaml")).unwrap();
    place.write("in/w.yaml", format!("{WORLD}agents: [!include link.yaml]\n"));
    let said = super::unlabelled(&place.expect(2, "check in/w.yaml").stderr);
    assert!(said.contains("is outside the folder of the world"), "{said}");
    place.write("in/w.yaml", format!("{WORLD}agents: [!include /etc/shadow]\n"));
    place.expect(2, "check in/w.yaml");
}

#[test]
fn recursive_includes_are_refused() {
    let place = Place::new();
    place.write("w.yaml", format!("{WORLD}agents: !include a.yaml\n"));
    place.write("a.yaml", "- !include b.yaml\n");
    place.write("b.yaml", "- x\n- !include a.yaml\n");
    insta::assert_snapshot!(
        super::unlabelled(&place.expect(2, "check w.yaml").stderr),
        @"w.yaml:4:9: a.yaml:1:3: b.yaml:2:3: `a.yaml` includes `b.yaml` includes `a.yaml` again"
    );
    place.write("w.yaml", format!("{WORLD}agents: !include w.yaml\n"));
    let said = super::unlabelled(&place.expect(2, "check w.yaml").stderr);
    assert!(said.contains("`w.yaml` includes `w.yaml` again"), "{said}");
    // Each file names the next one twice: few of them, and too many to read.
    for level in 0..15 {
        let next = format!("!include n{}.yaml", level + 1);
        place.write(&format!("n{level}.yaml"), format!("- {next}\n- {next}\n"));
    }
    place.write("n15.yaml", "1");
    place.write("w.yaml", format!("{WORLD}agents: !include n0.yaml\n"));
    let said = super::unlabelled(&place.expect(2, "check w.yaml").stderr);
    assert!(said.contains("more than 1000 files are included"), "{said}");
}

#[test]
fn problems_in_included_files_and_templates_name_their_lines() {
    let place = Place::new();
    place.write("w.yaml", format!("{WORLD}#%> set a = 1\nagents:\n  - !include robot.yaml\n"));
    place.write("robot.yaml", "#%> if a\ntype: MazeAgent\n#%> endif\nagent_radius: -<{ a }>\n");
    insta::assert_snapshot!(
        super::unlabelled(&place.expect(2, "check w.yaml").stderr),
        @"w.yaml:6:5: agents[0].agent_radius: robot.yaml:4:15: expected a number from 0 to 1000000, found -1"
    );
    place.write("robot.yaml", "type: MazeAgent\nagent_radius: <{ nothing[0] }>\n");
    let said = super::unlabelled(&place.expect(2, "check w.yaml").stderr);
    assert!(said.starts_with("w.yaml:6:5: robot.yaml:2:18: template: the variable `nothing` has no value"), "{said}");
    place.write("robot.yaml", "type: [\n");
    let said = super::unlabelled(&place.expect(2, "check w.yaml").stderr);
    assert!(said.starts_with("w.yaml:6:5: robot.yaml:2:1: not valid YAML"), "{said}");
}

#[test]
fn world_files_that_expand_without_bound_are_refused_at_once() {
    let mut bomb = format!("{WORLD}a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..40 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        bomb += &format!("a{level}: &a{level} [{inner}]\n");
    }
    assert!(refusal(bomb).contains("more than 1000000 values, counting what aliases repeat"));
    assert!(refusal("[".repeat(100_000)).contains("w.yaml:1:"));
    assert!(refusal(format!("{WORLD}size: {}1{}", "[".repeat(100), "]".repeat(100))).contains("nested deeper"));
    for (expression, what) in [
        ("!np 10 ** 10 ** 10", "too large"),
        ("!np range(10 ** 15)", "too large"),
        ("!np [0] * 10 ** 12", "too large"),
        ("<{ 'x' * 10 ** 12 }>", "template: "),
        ("<% for i in range(9999) %><% for j in range(9999) %>x<% endfor %><% endfor %>", "template: "),
        ("<{ ) }>", "template: "),
        ("<% for %>", "template: "),
        ("<% include 'w.yaml' %>", "template: "),
        ("!include .", "w.yaml:4:"),
        ("!python/object/apply:os.system [ls]", "unknown tag"),
    ] {
        let said = refusal(format!("{WORLD}x: {expression}\n"));
        assert!(said.starts_with("w.yaml:4:") && said.contains(what), "{expression}: {said}");
    }
}

#[test]
fn huge_files_are_not_read() {
    let place = Place::new();
    File::create(place.path("w.yaml")).unwrap().set_len(100 << 20).unwrap();
    insta::assert_snapshot!(super::unlabelled(&place.expect(2, "check w.yaml").stderr), @"w.yaml: is larger than 64 MiB");
    fs::rename(place.path("w.yaml"), place.path("huge.svg")).unwrap();
    place.write("w.yaml", format!("{WORLD}x: !include huge.svg\n"));
    let said = super::unlabelled(&place.expect(2, "check w.yaml").stderr);
    assert!(said.starts_with("w.yaml:4:4: ") && said.contains("larger than 64 MiB"), "{said}");
}

#[test]
fn imported_worlds_stop_at_the_step_of_the_original() {
    let place = Place::new();
    for (stop_at, steps) in
        [("2", 3), ("0", 1), ("-1", 0), ("2.5", 3), ("'world.total_steps >= 5'", 5), ("!np 2 * 3", 7)]
    {
        place.write("w.yaml", format!("{WORLD}stop_at: {stop_at}\nagents: [{{type: MazeAgent}}]\n"));
        place.expect(0, "run w.yaml -o a --overwrite --quiet");
        assert_eq!(place.json("a/manifest.json")["steps"], steps, "stop_at: {stop_at}");
    }
}
