use std::fs;

use bevy::math::DVec2;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_testing::image;
use tempfile::TempDir;

use super::*;
use crate::referenced_files::bitmap::color_image;
use crate::standard::{FromScene as _, Standard as _};

/// A folder with a world and other files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn import_in(folder: &TempDir, name: &str) -> Result<Imported, Problems> {
    let path = folder.path().join(name);
    let name = path.display().to_string();
    import(Recipe::standard().kinds(), &name, &fs::read(&path).unwrap(), &Options::default())
}

fn read(text: &str) -> Imported {
    import(Recipe::standard().kinds(), "w.world", text.as_bytes(), &Options::default())
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn refused(text: &str) -> String {
    import(Recipe::standard().kinds(), "w.world", text.as_bytes(), &Options::default()).unwrap_err().to_string()
}

fn warnings(imported: &Imported) -> String {
    let line = |problem: &Problem| {
        let place = problem.place.map(|place| place.line).unwrap_or_default();
        format!("{place}: {}: {}", problem.path, problem.message)
    };
    imported.warnings.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn polygons(scene: &Scene) -> Vec<Vec<DVec2>> {
    let polygons = scene.objects.iter().filter_map(|object| object.value().downcast_ref::<Polygon>());
    polygons.map(|polygon| polygon.corners_m.clone()).collect()
}

fn assert_near(found: DVec2, expected: (f64, f64)) {
    assert!((found - DVec2::from(expected)).length() < 1e-9, "{found} instead of {expected:?}");
}

#[test]
fn robots_have_poses_bodies_and_sensors_of_macros() {
    let imported = read(
        "define base position ( size [0.4 0.3 0.2] color \"red\" origin [-0.1 0 0 0] )\n\
         define scanner ranger ( sensor( range [0 8] fov 180 samples 5 pose [0.1 0 0 90] ) )\n\
         define rover base\n(\n  ranger( sensor( range [0.1 2] pose [0.2 0 0 0] ) sensor( range [0.1 2] pose [0 0.1 0 90] ) )\n\
         scanner( pose [0 0 0 0] ) localization \"gps\" localization_origin [0 0 0 0]\n)\n\
         rover( pose [1 2 0 90] )\nrover( pose [3 2 0 -90] name \"second\" )\nrover( pose [5 2 0 0] color \"NavyBlue\" name \"own\" )",
    );
    let scene = &imported.scene;
    let names: Vec<&str> = scene.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["rover", "own"]);
    assert_eq!(scene.groups[0].at.len(), 2);
    assert!((scene.groups[0].at[0].heading_rad - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    assert_eq!((scene.groups[0].look.color.as_str(), scene.groups[1].look.color.as_str()), ("#ff0000", "#000080"));
    let text = write(Recipe::standard().kinds(), &scene.groups[0], Style::Short);
    for expected in [
        "resolution_deg: 45.0",
        "mount: (x_m: 0.1, yaw_rad: 1.57",
        "mounts: [(0.2, 0.0, 0.0), (0.0, 0.1, 1.57",
        "Pose()",
        "External(actuators: [MotionVw()])",
        "DifferentialDrive(axle_m: 0.3)",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let corners = scene.groups[0].body.corners_m().unwrap();
    assert_near(corners[0], (-0.3, -0.15));
    assert_near(corners[2], (0.1, 0.15));
    assert!(scene.metadata.iter().any(|note| note.name == scene::notes::NAMES && note.text == "rover: second"));
    assert_eq!((scene.time.dt_s, warnings(&imported)), (0.1, String::new()));
    swarmarium_simulation::simulation::Simulation::new(scene).unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn blocks_fill_the_size_of_their_model() {
    let imported = read(
        "unit_length \"cm\"\nmodel( pose [100 200 0 90] size [40 20 10]\n\
         block( points 4 point[0] [0 0] point[1] [4 0] point[2] [4 1] point[3] [0 1] z [0 1] )\n\
         model( pose [50 0 0 0] size [10 10] obstacle_return 0 ranger_return -1 ) )",
    );
    let [mark, block] = <[Vec<DVec2>; 2]>::try_from(polygons(&imported.scene)).unwrap();
    assert_near(block[0], (1.1, 1.8));
    assert_near(block[2], (0.9, 2.2));
    assert_near(mark[0], (1.05, 2.45));
    let presence = imported.scene.objects[0].common();
    assert!(!presence.blocks && !presence.sensed);
}

#[test]
fn the_dark_parts_of_an_image_fill_the_size_of_its_model() {
    // A dark square of 2 pixels in the lower right corner of 4 by 3 pixels.
    let gray = [255, 255, 255, 255, 255, 255, 0, 0, 255, 255, 0, 0];
    let world = "define floorplan model ( boundary 1 color \"gray30\" )\n\
                 floorplan( size [4 2 1] pose [10 0 0 90] bitmap \"maps/a.png\" )";
    let folder = folder(&[("w.world", world.as_bytes()), ("maps/a.png", &image(4, &gray))]);
    let imported = import_in(&folder, "w.world").unwrap();
    let drawing = imported.scene.objects[0].value().downcast_ref::<Drawing>().unwrap();
    let (low, high) = image::bounds(drawing);
    assert_near(low, (9.0, -2.0));
    assert_near(high, (11.0, 2.0));
    assert_eq!(drawing.file, "maps/a.png");
    assert_eq!(polygons(&imported.scene).len(), 4, "the walls of `boundary`");
    assert_eq!(imported.included, [folder.path().canonicalize().unwrap().join("maps/a.png")]);
    // In a turned arena, there is room for all of it.
    assert_eq!((imported.scene.arena.corner_m, imported.scene.arena.size_m), ((8.75, -2.25).into(), (2.5, 4.5).into()));
}

#[test]
fn missing_files_leave_the_rest_of_the_world() {
    let imported = read(
        "include \"pioneer.inc\"\nfloorplan( bitmap \"none.png\" size [16 16 1] )\npioneer2dx( pose [1 1 0 0] sicklaser() )\n\
         position( pose [2 2 0 0] )\nteapot()\nmodel( bitmap \"a.gif\" )",
    );
    assert_eq!(imported.scene.groups.len(), 2);
    assert_eq!(imported.scene.arena.size_m, DVec2::splat(16.5));
    insta::assert_snapshot!(warnings(&imported), @"
    1: include: there is no file `pioneer.inc`: definitions of this program stand in for those of Stage's own files
    2: floorplan: no file defines `floorplan`: the definition of this program stands in for it
    2: floorplan.bitmap: there is no file `none.png`: the model has no obstacles
    3: pioneer2dx: no file defines `pioneer2dx`: the definition of this program stands in for it
    3: sicklaser: no file defines `sicklaser`: the definition of this program stands in for it
    5: teapot: no file defines `teapot`, and Stage has no such model: it is left out
    6: model.bitmap: `a.gif` is not read: expected a file with one of the endings `.png`, `.pgm`, `.pnm`: the model has no obstacles
    ");
}

#[test]
fn included_files_are_named_with_their_lines() {
    let world = "include \"a.inc\"\nb( pose [1 2 0 0] )";
    let inc = "# a file\ndefine b position (\n  wheels 3\n)\ninclude \"c.inc\"\n";
    let files: [(&str, &[u8]); 3] =
        [("w.world", world.as_bytes()), ("a.inc", inc.as_bytes()), ("c.inc", b"define d position ( )\n# J\xf6rg\n")];
    let folder = folder(&files);
    let imported = import_in(&folder, "w.world").unwrap();
    assert_eq!(warnings(&imported), "1: : `a.inc`, line 3: `wheels` of `b` has no equivalent, and is left out");
    assert_eq!(imported.included.len(), 2);
}

#[test]
fn files_outside_need_a_flag_and_cycles_are_refused() {
    let world: &[u8] = b"include \"../up.inc\"\ninclude \"../../upper.inc\"\nr()";
    let files: [(&str, &[u8]); 4] = [
        ("a/b/w.world", world),
        ("a/up.inc", b"define r position ( )"),
        ("upper.inc", b"define s position ( )"),
        ("a/cycle.world", b"include \"cycle.world\""),
    ];
    let folder = folder(&files);
    let imported = import_in(&folder, "a/b/w.world").unwrap();
    assert!(warnings(&imported).contains("`../../upper.inc` is outside the folder of the world"), "{imported:?}");
    assert_eq!(imported.scene.groups.len(), 1);
    let path = folder.path().join("a/b/w.world").display().to_string();
    let options = Options { allow_outside: true, ..Options::default() };
    let imported = import(Recipe::standard().kinds(), &path, world, &options).unwrap();
    assert_eq!((imported.included.len(), warnings(&imported).as_str()), (2, ""));
    let cycle = import_in(&folder, "a/cycle.world").unwrap_err().to_string();
    assert!(
        cycle.ends_with("cycle.world:1:1: include: `cycle.world` includes itself") || cycle.contains("includes itself"),
        "{cycle}"
    );
}

#[test]
fn texts_that_are_no_world_are_refused_with_their_line() {
    let all = [
        "position\n(\n  pose [1, 2, 0]\n)",
        "position( name \"a\"",
        "position( player ()) )\n)",
        "position(\n  player\n)",
        "position( name robot1 )",
        "define sonar_p2dx\n(\n  scount 2\n)",
        "define a b ( )\ndefine b a ( )\na()",
        "include usc.inc",
        "position( define a b () )",
        "define a position (",
        "3",
        "pose [1 (",
        "name \"a",
        "<?xml version='1.0'?><sdf/>",
    ];
    let told: Vec<String> = all.iter().map(|text| refused(text)).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    w.world:3:10: `,` begins neither a name, a number nor a text: blanks separate numbers
    w.world:1:1: the `)` of `position` is missing
    w.world:1:22: this `)` closes nothing
    w.world:2:3: `player` has neither a value nor `( … )`
    w.world:1:11: `name` has no value: texts stand in quotation marks, and models have `( … )`
    w.world:1:1: expected `define NAME BASE ( … )`, with the names of the macro and of the model that it extends
    w.world:1:10: more than 60 models and macros are in one another, or a macro contains itself
    w.world:1:1: `include` needs the name of a file in quotation marks
    w.world:1:11: a macro is defined outside of models
    w.world:1:1: the `)` of this definition is missing
    w.world:1:1: expected the name of a model or a property
    w.world:1:9: expected a number, a text in quotation marks or the `]` of the list
    w.world:1:6: the text has no closing quotation mark on its line
    w.world: is XML, as worlds of Gazebo (SDF): this program reads Stage worlds, such as `floorplan ( … )`
    ");
}

#[test]
fn worlds_of_macros_that_multiply_end_soon() {
    let mut text = "define m0 model ( )\n".to_owned();
    for level in 1..40 {
        text += &format!("define m{level} model ( m{0} () m{0} () )\n", level - 1);
    }
    assert!(refused(&(text + "m39()")).contains("models"));
}

#[test]
fn controllers_and_other_parts_are_listed() {
    let imported = read(
        "quit_time 60\ninterval_sim 50\n\
         position( ctrl \"wander\" camera() gripper() bumper( bcount 1 ) fiducial() fiducial_return 1 drive \"omni\" )\n\
         position( pose [1 0 0] ctrl \"source 1\" velocity [1 0 0 0] drive \"car\" localization \"odom\" )\n\
         model( name \"goal\" fiducial_return 2 ctrl \"sink\" color \"nocolor\" )",
    );
    let scene = &imported.scene;
    assert_eq!((scene.stop.time_s, scene.time.dt_s), (60.0, 0.05));
    let text = write(Recipe::standard().kinds(), &scene.groups, Style::Short);
    for expected in
        ["Wander()", "Holonomic(", "Ackermann(", "Targeter(", "Collision()", "GripSensor()", "OdometryNoise("]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let note = scene.metadata.iter().find(|note| note.name == scene::notes::CONTROLLERS).unwrap();
    assert_eq!(note.text, "goal: sink; position: wander; position-2: source 1");
    insta::assert_snapshot!(warnings(&imported), @"
    3: position.ctrl: `wander` is the behaviour `Wander` of a supervisor, which runs into things, as the robot has no ranger with single beams
    3: camera: `camera` has no equivalent, and is left out
    3: gripper: paddles and break beams of a gripper are left out: it grasps what is in its reach
    3: bumper: bumpers are one `Collision` sensor, which reads contacts of the whole body
    3: fiducial: a fiducial finder is a `Targeter`, which reads the nearest thing in range, in all directions: `fov`, `range_min`, `range_max_id` and keys are left out
    4: position.pose: three numbers are x, y and heading, as in early versions of Stage
    4: position.ctrl: `source` is a plug-in of Stage: the robot waits for commands of a program
    4: position.velocity: an initial velocity is left out: robots start at rest
    4: position.localization: odometry drifts with errors that are drawn for each reading: in Stage once for each robot
    5: model.ctrl: `sink` is a plug-in of Stage: it is only kept in `metadata`
    5: model.color: `nocolor` is not a colour: red is used, as in Stage
    ");
    swarmarium_simulation::simulation::Simulation::new(scene).unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn numbers_with_more_behind_them_are_read_up_to_there() {
    let imported = read("position( pose [2.0 3.75.2 0 180] )\nposition( pose [1 7- 0 0] name \"b\" color \"blue\" )");
    let at: Vec<_> = imported.scene.groups.iter().map(|group| (group.at[0].x_m, group.at[0].y_m)).collect();
    assert_eq!(at, [(2.0, 3.75), (1.0, 7.0)]);
    insta::assert_snapshot!(warnings(&imported), @"
    1: pose: `3.75.2` is not a number: `3.75` is used, as in Stage
    2: pose: `7-` is not a number: `7` is used, as in Stage
    ");
}

#[test]
fn the_red_of_an_image_decides_as_in_stage() {
    // Blue is dark, and red is light; transparency has no effect.
    let pixels: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 0], [200, 0, 0, 255]];
    let world = "model( size [2 1 1] bitmap \"a.png\" )";
    let folder = folder(&[("w.world", world.as_bytes()), ("a.png", &color_image(4, &pixels))]);
    let imported = import_in(&folder, "w.world").unwrap();
    let drawing = imported.scene.objects[0].value().downcast_ref::<Drawing>().unwrap();
    let rectangles = drawing.rectangles().unwrap();
    assert_eq!(rectangles.iter().map(|dark| dark.columns).collect::<Vec<_>>(), [[1, 3]]);
}

#[test]
fn a_step_of_no_time_is_a_usual_one() {
    let folder = folder(&[("w.world", b"interval_sim 0\nposition ( )".as_slice())]);
    let imported = import_in(&folder, "w.world").unwrap_or_else(|problems| panic!("{problems}"));
    assert!(imported.warnings.iter().any(|warning| warning.message.contains("100 ms are used")));
    assert_eq!((imported.scene.groups.len(), imported.scene.time.dt_s), (1, 0.1));
}

#[test]
fn a_list_is_not_longer_than_a_thousand_values() {
    let folder = folder(&[("w.world", format!("position ( pose [{}] )", "1 ".repeat(1001)).as_bytes())]);
    let problems = import_in(&folder, "w.world").unwrap_err().to_string();
    assert!(problems.contains("at most 1000 values, found 1001"), "{problems}");
}
