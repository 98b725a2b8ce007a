use std::fs;

use swarmarium_simulation::simulation::Recipe;
use tempfile::TempDir;

use super::*;
use crate::import::import;
use crate::referenced_files::bitmap::color_image;
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

/// The distance (m) from a place to the nearest wall of [`ROOM`].
fn clearance_m(place: DVec2, origin: DVec2, resolution_m: f64) -> f64 {
    let walls = ROOM.split_whitespace().skip(4).enumerate().filter(|(_, value)| *value == "0");
    let away = |index: usize| {
        let corner = origin + DVec2::new((index % 8) as f64, (5 - index / 8) as f64) * resolution_m;
        place.clamp(corner, corner + resolution_m).distance(place)
    };
    walls.map(|(index, _)| away(index)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_robot_on_a_map_has_its_clearance_from_the_edges_of_pixels() {
    let mut robots = 0;
    for resolution_m in [0.25, 0.41, 0.5, 1.0] {
        for (x, y) in (0..10).flat_map(|x| (0..10).map(move |y| (f64::from(x), f64::from(y)))) {
            let origin = DVec2::new(-0.85 * x, -0.6 * y) * resolution_m;
            let [x, y] = origin.to_array();
            let folder = folder(&format!("image: room.pgm\nresolution: {resolution_m}\norigin: [{x}, {y}, 0]\n"));
            for group in import_in(&folder, "room.yaml").unwrap().scene.groups {
                let at = DVec2::new(group.at[0].x_m, group.at[0].y_m);
                let clear_m = clearance_m(at, origin, resolution_m);
                assert!(clear_m >= 0.2 - 1e-9, "{resolution_m} m, {origin}: {at} has {clear_m} m");
                robots += 1;
            }
        }
    }
    assert!(robots >= 300, "{robots}");
}

#[test]
fn colours_that_map_servers_read_otherwise_are_counted_in_a_warning() {
    let folder = folder("image: room.png\nresolution: 0.5\norigin: [0, 0, 0]\n");
    let write = |pixels: &[[u8; 4]]| {
        fs::write(folder.path().join("room.png"), color_image(pixels.len() as u32, pixels)).unwrap();
        let warnings = import_in(&folder, "room.yaml").unwrap().warnings;
        warnings.into_iter().find(|warning| warning.path == "image").map(|warning| warning.message)
    };
    assert_eq!(write(&[[0, 0, 0, 255], [255, 255, 255, 255]]), None);
    let told = write(&[[0, 0, 0, 255], [60, 60, 60, 255], [70, 70, 70, 255]]).unwrap();
    assert!(told.contains("read 2 of its pixels otherwise"), "{told}");
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
