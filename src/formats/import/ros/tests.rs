use std::fs;

use swarmarium_simulation::simulation::Recipe;
use tempfile::TempDir;

use super::*;
use crate::import::import;
use crate::standard::Standard as _;

/// 8 by 6 pixels: a room with a wall around it; its lower left quarter is unknown.
const ROOM: &str = "P2 8 6 255
0 0 0 0 0 0 0 0
0 254 254 254 254 254 254 0
0 254 254 254 254 254 254 0
0 205 205 205 254 254 254 0
0 205 205 205 254 254 254 0
0 0 0 0 0 0 0 0
";

fn folder(yaml: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("room.yaml"), yaml).unwrap();
    fs::write(folder.path().join("room.pgm"), ROOM).unwrap();
    folder
}

fn import_in(folder: &TempDir, name: &str) -> Result<Imported, Problems> {
    let path = folder.path().join(name);
    import(Recipe::standard().kinds(), &path.display().to_string(), fs::read(&path).unwrap())
}

#[test]
fn a_map_is_an_obstacle_in_an_arena_of_its_size_with_a_robot() {
    let folder = folder("image: room.pgm\nresolution: 0.5\norigin: [-2, -1.5, 0]\nnegate: 0\n");
    let Imported { scene, warnings, included } = import_in(&folder, "room.yaml").unwrap();
    assert_eq!(warnings, []);
    assert_eq!(included, [folder.path().canonicalize().unwrap().join("room.pgm")]);
    assert_eq!((scene.arena.corner_m, scene.arena.size_m), (DVec2::new(-2.0, -1.5), DVec2::new(4.0, 3.0)));
    let drawing = scene.objects[0].value().downcast_ref::<Drawing>().unwrap();
    assert_eq!(
        (drawing.file.as_str(), drawing.m_per_unit, drawing.position_m),
        ("room.pgm", 0.5, DVec2::new(-2.0, -1.5))
    );
    // The origin of the map is free.
    let at = scene.groups[0].at[0];
    assert_eq!((scene.groups.len(), at.x_m, at.y_m), (1, 0.0, 0.0));
    assert_eq!(scene.name, "room");
}

#[test]
fn a_map_without_obstacles_opens() {
    let folder = folder("image: room.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n");
    fs::write(folder.path().join("room.pgm"), "P2 2 2 255\n254 254 254 254\n").unwrap();
    let Imported { scene, warnings, .. } = import_in(&folder, "room.yaml").unwrap();
    assert_eq!((scene.objects.len(), scene.arena.size_m), (0, DVec2::ONE));
    assert!(warnings.iter().any(|warning| warning.message.contains("no occupied pixel")), "{warnings:?}");
}

#[test]
fn a_map_has_few_notes() {
    let folder = folder(&"a: 1\n".repeat(100_000).replacen("a: 1", "image: room.pgm", 1));
    let problems = import_in(&folder, "room.yaml").unwrap_err();
    assert!(problems.problems.len() <= 2, "{problems}");
}

#[test]
fn a_turned_map_fits_into_its_arena() {
    let folder = folder("image: room.pgm\nresolution: 0.5\norigin: [0, 0, 1.5707963267948966]\n");
    let scene = import_in(&folder, "room.yaml").unwrap().scene;
    assert!((scene.arena.size_m - DVec2::new(3.0, 4.0)).length() < 1e-12, "{:?}", scene.arena);
    let at = scene.groups[0].at[0];
    assert!((-3.0..0.0).contains(&at.x_m) && (0.0..4.0).contains(&at.y_m), "{at:?}");
}

#[test]
fn an_image_alone_has_a_usual_resolution_and_a_warning() {
    let folder = folder("image: room.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n");
    let Imported { scene, warnings, .. } = import_in(&folder, "room.pgm").unwrap();
    assert_eq!(scene.arena.size_m, DVec2::new(8.0, 6.0) * 0.05);
    let told: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(told[0].contains("a pixel is 0.05 m wide") && told[0].contains("`room.yaml` beside it"), "{told:?}");
    // 0.4 m by 0.3 m have no room for a robot.
    assert!(told[1].starts_with("no place with 0.2 m clearance"), "{told:?}");
    assert_eq!(scene.groups.len(), 0);
}

#[test]
fn files_that_are_no_map_are_refused() {
    let refused = |yaml: &str| {
        let folder = folder(yaml);
        let name = folder.path().join("room.yaml").display().to_string();
        import_in(&folder, "room.yaml").unwrap_err().to_string().replace(&name, "room.yaml")
    };
    let told = [
        refused("image: none.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n"),
        refused("image: room.yaml\nresolution: 0.5\norigin: [0, 0, 0]\n"),
        refused("image: room.pgm\nresolution: a\norgin: [0, 0, 0]\n"),
        refused("# a file of others\nversion: 3\nservices:\n  web: 1\n"),
        refused("map_server:\n  ros__parameters:\n    yaml_filename: room.yaml\n"),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    room.yaml: image: there is no file `none.pgm` in the folder of the scene
    room.yaml:1:1: image: expected the name of a `.pgm`, `.pnm` or `.png` image, found `room.yaml`
    room.yaml:1:1: origin: is missing: expected the pose of the lower left corner, such as `origin: [0.0, 0.0, 0.0]`
    room.yaml:2:1: resolution: expected metres above 0, at most 1000, found `a`
    room.yaml:2:1: is neither a ROS map, which has `image`, `resolution` and `origin`, nor a RobotSwarmSimulator world, which has `type: RectangularWorld`, `agents` or `spawners`: found `version`, `services`
    room.yaml:1:1: is neither a ROS map, which has `image`, `resolution` and `origin`, nor a RobotSwarmSimulator world, which has `type: RectangularWorld`, `agents` or `spawners`: found `map_server`. These are parameters of ROS nodes: a map is the file that `yaml_filename` names
    ");
}
