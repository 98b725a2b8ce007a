use std::fs;

use proptest::prelude::*;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::light::Light;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_kinds::controller::script::Script;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::simulation::Recipe;

use super::super::{ControllerChoice, Imported, Options, import_with};
use crate::standard::Standard as _;

fn read(name: &str, text: &str, options: &Options) -> Result<Imported, Vec<String>> {
    let shown = |problem: &swarmarium_base::problem::Problem| {
        let line = problem.place.map_or(0, |place| place.line);
        format!("{line}: {}", problem.message)
    };
    import_with(Recipe::standard().kinds(), name, text, options)
        .map_err(|problems| problems.problems.iter().map(shown).collect())
}

fn scene(text: &str) -> (Scene, Vec<String>) {
    let Imported { scene, warnings, .. } =
        read("a.argos", text, &Options::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let line = |warning: &swarmarium_base::problem::Problem| warning.place.map_or(0, |place| place.line);
    (scene, warnings.iter().map(|warning| format!("{}: {}", line(warning), warning.message)).collect())
}

/// An experiment with an arena and controllers.
fn experiment(arena: &str) -> String {
    format!(
        r#"<?xml version="1.0" ?>
<argos-configuration>
<framework><experiment length="60" ticks_per_second="10" random_seed="124"/></framework>
<controllers><my_controller id="c" library="lib"><actuators><differential_steering implementation="default"/></actuators><sensors><footbot_proximity implementation="default"/></sensors><params speed="5"/></my_controller></controllers>
<arena size="4, 6, 1" center="1,0,0.5">
{arena}
</arena></argos-configuration>"#
    )
}

#[test]
fn clock_seed_and_arena_are_read() {
    let (scene, warnings) = scene(&experiment(""));
    assert_eq!((scene.time.dt_s, scene.seed, scene.stop.time_s), (0.1, 124, 60.0));
    assert_eq!((scene.arena.corner_m.to_array(), scene.arena.size_m.to_array()), ([-1.0, -3.0], [4.0, 6.0]));
    assert_eq!(warnings, Vec::<String>::new());
    let (scene, warnings) = self::scene(&experiment("").replace("random_seed=\"124\"", "random_seed=\"0\""));
    assert_eq!(scene.seed, 1);
    assert!(warnings[0].starts_with("3: ARGoS draws a seed from the clock"), "{warnings:?}");
}

#[test]
fn boxes_cylinders_and_lights_stand_at_their_poses() {
    let (scene, warnings) = scene(&experiment(
        r#"<box id="b" size="2,1,0.5" movable="false"><body position="1,2,0" orientation="90,0,0"/></box>
<cylinder id="c" radius="0.1" height="0.2" movable="true" mass="2.5"><body position="0,1,0" orientation="0,0,0"/></cylinder>
<light id="l" position="1,1,2" orientation="0,0,0" color="yellow" intensity="3" medium="leds"/>"#,
    ));
    let corners = &scene.objects[0].value().downcast_ref::<Polygon>().unwrap().corners_m;
    for (corner, expected) in corners.iter().zip([[1.5, 1.0], [1.5, 3.0], [0.5, 3.0], [0.5, 1.0]]) {
        assert!(corner.distance(expected.into()) < 1e-12, "{corners:?}");
    }
    let disc = scene.objects[1].value().downcast_ref::<Disc>().unwrap();
    assert_eq!((disc.center_m.to_array(), disc.radius_m), ([0.0, 1.0], 0.1));
    assert_eq!(scene.objects[1].common().movable.as_ref().unwrap().mass_kg, 2.5);
    let light = scene.objects[2].value().downcast_ref::<Light>().unwrap();
    assert_eq!((light.position_m.to_array(), light.intensity), ([1.0, 1.0], 3.0));
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}

#[test]
fn robots_have_poses_devices_and_an_external_controller() {
    let (scene, warnings) = scene(&experiment(
        r#"<foot-bot id="fb0"><body position="0,1,0" orientation="180,0,0"/><controller config="c"/></foot-bot>
<foot-bot id="fb1"><body position="0,2,0" orientation="0,0,0"/><controller config="c"/></foot-bot>
<eye-bot id="e"><body position="0,2,1" orientation="0,0,0"/><controller config="c"/></eye-bot>
<thymio id="t"><body position="1,2,0" orientation="0,0,0"/><controller config="none"/></thymio>"#,
    ));
    let group = &scene.groups[0];
    assert_eq!((group.name.as_str(), group.at.len(), group.sensors.len()), ("fb", 2, 1));
    assert_eq!(group.at[0].heading_rad, std::f64::consts::PI);
    assert_eq!(scene.groups[1].at[0].x_m, 1.0);
    assert!(scene.metadata.iter().any(|note| note.name == "argos.controller.c" && note.text.contains("speed=\"5\"")));
    for expected in [
        "4: the controller `c` (`my_controller`) is a program in C++",
        "8: `<eye-bot>` is left out: it has no counterpart",
        "9: `<thymio>` is a robot of a plugin, and is read as a `footbot`",
        "9: there is no controller `none`",
    ] {
        assert!(warnings.iter().any(|warning| warning.starts_with(expected)), "{expected}: {warnings:?}");
    }
}

#[test]
fn distributions_are_listed_or_drawn() {
    let distribute = |position: &str, orientation: &str, entity: &str| {
        experiment(&format!(
            "<distribute><position {position}/><orientation {orientation}/><entity quantity=\"6\" max_trials=\"100\">{entity}</entity></distribute>"
        ))
    };
    let robot = r#"<foot-bot id="fb"><controller config="c"/></foot-bot>"#;
    let still = r#"method="constant" values="90,0,0""#;
    let (grid, _) =
        scene(&distribute(r#"method="grid" center="1,2,0" distances="0.5,1,0" layout="3,2,1""#, still, robot));
    let at: Vec<_> = grid.groups[0].at.iter().map(|pose| (pose.x_m, pose.y_m)).collect();
    assert_eq!(at, [(1.5, 2.5), (1.0, 2.5), (0.5, 2.5), (1.5, 1.5), (1.0, 1.5), (0.5, 1.5)]);
    let any = r#"method="uniform" min="0,0,0" max="360,0,0""#;
    let (uniform, warnings) = scene(&distribute(r#"method="uniform" min="-1,-1,0" max="1,1,0""#, any, robot));
    assert_eq!((uniform.groups[0].count, uniform.groups[0].at.len()), (6, 0), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.starts_with("6: `max_trials` is left out")), "{warnings:?}");
    let (normal, _) = scene(&distribute(
        r#"method="gaussian" mean="0,0,0" std_dev="0.1,0.2,0""#,
        any,
        r#"<cylinder id="x" radius="0.1" height="1" movable="false"/>"#,
    ));
    assert_eq!((normal.object_groups[0].count, normal.object_groups[0].name.as_str()), (6, "x"));
    let (mixed, _) = scene(&distribute(r#"method="grid" center="0,0,0" distances="1,1,0" layout="6,1,1""#, any, robot));
    assert_eq!(mixed.groups[0].agents(), 6);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let refused = |text: &str| read("a.argos", text, &Options::default()).unwrap_err().join(" ");
    assert!(refused("<world/>").contains("expected `<argos-configuration>`, found `<world>`"));
    let old = "<argos-configuration><framework/><arena_physics/><arena/></argos-configuration>";
    assert!(refused(old).contains("ARGoS 2"));
    assert!(refused("<argos-configuration><framework/></argos-configuration>").contains("has no `<arena>`"));
    let template =
        "<argos-configuration>\n<framework><experiment length=\"&duration&\"/></framework></argos-configuration>";
    assert!(refused(template).starts_with("2:") && refused(template).contains("this is a template"));
    assert!(refused("<argos-configuration>\n<!!-- no --!>\n</argos-configuration>").contains("a comment begins with"));
    // ARGoS accepts two hyphens in a comment.
    let (scene, _) = scene(&experiment("<!-- <!-- x --x -->"));
    assert_eq!(scene.seed, 124);
}

#[test]
fn a_controller_can_be_chosen() {
    let text = experiment(r#"<foot-bot id="fb0"><body position="0,1,0"/><controller config="c"/></foot-bot>"#);
    let chosen = |choice: &str| {
        let controllers = vec![choice.parse::<ControllerChoice>().unwrap()];
        read("a.argos", &text, &Options { controllers, ..Options::default() })
    };
    let Imported { warnings, .. } =
        chosen("c=Diffusion(wheel_m_per_s: 0.1)").unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(warnings.is_empty(), "{warnings:?}");
    assert!(chosen("c=Difusion()").unwrap_err()[0].contains("`--controller c=…`"));
    let unknown = chosen("d=Diffusion()").unwrap_err().join(" ");
    assert!(unknown.contains("`--controller d=…`: no controller has this id: expected c"), "{unknown}");
    assert!("c".parse::<ControllerChoice>().is_err());
}

#[test]
fn controllers_in_lua_run_where_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a.argos");
    let text = experiment(r#"<foot-bot id="fb0"><body position="0,1,0"/><controller config="l"/></foot-bot>"#)
        .replace("my_controller", "lua_controller")
        .replace("id=\"c\" library=\"lib\"", "id=\"l\"")
        .replace("<params speed=\"5\"/>", "<params script=\"scripts/go.lua\"/>");
    let import = |script: Option<&str>| {
        if let Some(script) = script {
            fs::write(folder.path().join("go.lua"), script).unwrap();
        }
        let imported =
            read(&name.to_string_lossy(), &text, &Options::default()).unwrap_or_else(|all| panic!("{all:?}"));
        let is_script = imported.scene.groups[0].controller.value().is::<Script>();
        (is_script, imported.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>().join("\n"))
    };
    let (is_script, warnings) = import(None);
    assert!(!is_script && warnings.contains("there is no file `scripts/go.lua`"), "{warnings}");
    let (is_script, warnings) = import(Some("function step() robot.wheels.set_velocity(5, 5) end"));
    assert!(is_script && warnings.is_empty(), "{warnings}");
    let (is_script, warnings) = import(Some("function step()\n robot.turret.set_rotation(1)\nend"));
    assert!(!is_script && warnings.contains("line 2: the robot has no `robot.turret.set_rotation`"), "{warnings}");
}

#[test]
fn text_that_only_argos_accepts_reads_as_the_same_text_in_xml() {
    let tidy = experiment(
        r#"<box id="b" size="1,1,0.5" movable="false"><body position="1,2,0" orientation="0,0,0"/></box>
<foot-bot id="fb" rab_range="2"><body position="0,1,0" orientation="90,0,0"/><controller config="c"/><params a="1" b="x=y" c=">"/></foot-bot>"#,
    );
    let written = |text: &str| {
        let (scene, warnings) = scene(text);
        (write(Recipe::standard().kinds(), &scene, Style::Short), warnings)
    };
    let (expected, warnings) = written(&tidy);
    assert!(warnings.iter().any(|warning| warning.starts_with("7: `<params>`")), "{warnings:?}");
    let loose = [
        tidy.replace("\"b\" size", "b size").replace("\"false\"", "false").replace("a=\"1\"", "a= 1"),
        tidy.replace("\"124\"/>", "124/>").replace("\"c\"/>", "c/>").replace("\"fb\"", "fb\t"),
        tidy.replace("<box", "<!-- a=1 -- b='2 --><box"),
    ];
    for text in &loose {
        assert_eq!(written(text), (expected.clone(), warnings.clone()), "{text}");
    }
    // Lines count from the first line of the file.
    let (late, moved) = written(&format!("\n \n{tidy}"));
    assert_eq!(late, expected);
    assert!(moved.iter().any(|warning| warning.starts_with("9: `<params>`")), "{moved:?}");
    let refused = read("a.argos", &tidy.replace("\"b\" size", "b\" size"), &Options::default()).unwrap_err();
    assert!(refused[0].contains("is not XML"), "{refused:?}");
}

#[test]
fn values_that_argos_refuses_or_leaves_undefined_are_warnings() {
    let (corrected, warnings) = scene(&experiment(
        r#"<box id="b" size="1,1,0.5" movable="false"><body position=",2,0" orientation="0,0,0"/></box>
<distribute><position method="uniform" min="1,1,0" max="0,2,0"/><orientation method="constant" values="0,0,0"/>
<entity quantity="2" max_trials="9"><cylinder id="x" radius="0.1" height="1" movable="false"/></entity></distribute>"#,
    ));
    let corners = &corrected.objects[0].value().downcast_ref::<Polygon>().unwrap().corners_m;
    assert_eq!(corners[0].to_array(), [-0.5, 1.5]);
    for expected in ["6: a number is missing in `,2,0`: it is 0 here", "7: `min` is above `max`, which ARGoS refuses"] {
        assert!(warnings.iter().any(|warning| warning.starts_with(expected)), "{expected}: {warnings:?}");
    }
}

#[test]
fn robots_that_fly_are_left_out_however_they_are_spelled() {
    for tag in ["eye-bot", "mini-quadrotor", "miniquadrotor", "mini_quadrotor"] {
        let (scene, warnings) = scene(&experiment(&format!(
            r#"<{tag} id="q"><body position="0,0,0" orientation="0,0,0"/><controller config="c"/></{tag}>"#
        )));
        assert_eq!(scene.groups.len(), 0, "{tag}");
        assert!(
            warnings.iter().any(|warning| warning.starts_with(&format!("6: `<{tag}>` is left out"))),
            "{warnings:?}"
        );
    }
}

#[test]
fn each_robot_has_a_name_of_its_own() {
    let robot = |id: &str, at: usize, controller: &str| {
        format!(
            r#"<foot-bot id="{id}"><body position="0,{at},0" orientation="0,0,0"/><controller config="{controller}"/></foot-bot>"#
        )
    };
    let robots = [("fb0", "c"), ("fb1", "c"), ("fb2", "c"), ("fb3", "x"), ("fb4", "c"), ("fb5", "c"), ("fb6", "x")];
    let all: String = robots.iter().enumerate().map(|(at, (id, controller))| robot(id, at, controller)).collect();
    let (scene, _) = scene(&experiment(&all));
    let names: Vec<String> = scene
        .groups
        .iter()
        .flat_map(|group| {
            let count = group.agents();
            (0..count)
                .map(move |number| if count == 1 { group.name.clone() } else { format!("{}-{number}", group.name) })
        })
        .collect();
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), different.len()), (7, 7), "{names:?}");
}

#[test]
fn devices_that_are_listed_twice_count_once() {
    let text = experiment(
        r#"<foot-bot id="fb"><body position="0,1,0" orientation="0,0,0"/><controller config="c"/></foot-bot>"#,
    )
    .replace("</sensors>", r#"<proximity implementation="default"/><positioning/><positioning/></sensors>"#)
    .replace(
        "<actuators>",
        r#"<actuators><footbot_gripper implementation="default"/><footbot_gripper implementation="default"/>"#,
    );
    let (scene, warnings) = scene(&text);
    let group = &scene.groups[0];
    assert_eq!((group.sensors.len(), group.gripper.is_some()), (2, true), "{warnings:?}");
    for tag in ["proximity", "positioning"] {
        let expected = format!("4: `<{tag}>` is left out: a robot has one sensor of each kind");
        assert!(warnings.iter().any(|warning| warning.starts_with(&expected)), "{warnings:?}");
    }
}

#[test]
fn a_picture_that_is_not_usable_leaves_the_floor_white() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("floor.png"), "no picture").unwrap();
    let name = folder.path().join("a.argos");
    let text = experiment(r#"<floor id="f" source="image" path="floor.png"/>"#);
    let imported = read(&name.to_string_lossy(), &text, &Options::default()).unwrap_or_else(|all| panic!("{all:?}"));
    let warnings: Vec<_> = imported.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(imported.scene.objects.is_empty());
    assert!(warnings[0].starts_with("`<floor>` is left out: its picture is not usable: `floor.png`"), "{warnings:?}");
}

/// The experiment of the tests of the program.
const ARENA: &str = include_str!("../../../../tests/data/importers/argos/arena.argos");

#[test]
fn an_experiment_with_all_parts_is_read() {
    let Imported { scene, .. } =
        read("arena.argos", ARENA, &Options::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let groups: Vec<_> = scene.groups.iter().map(|group| (group.name.as_str(), group.agents())).collect();
    assert_eq!(groups, [("fb", 2), ("ep", 4), ("kb", 9)]);
    assert_eq!((scene.objects.len(), scene.object_groups.len()), (7, 1));
}

proptest! {
    #[test]
    fn damaged_experiments_are_read_or_refused(
        cuts in prop::collection::vec((0..ARENA.len(), 0..40_usize, "[-0-9a-z<>/\"= ,&!]{0,6}"), 1..8),
    ) {
        let mut text = ARENA.to_owned();
        for (at, length, new) in cuts {
            let (start, end) = (at.min(text.len()), (at + length).min(text.len()));
            text.replace_range(start..end, &new);
        }
        let _ = read("arena.argos", &text, &Options::default());
    }
}
