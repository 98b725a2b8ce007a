//! Maps of ROS: an image with its resolution, its place and its thresholds, as an obstacle in an arena of the same size.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files;
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::{Group, Scene};
use swarmarium_scene::scene::reader;
use swarmarium_space::arena::Arena;

use super::{Imported, Options, Report, scene_name, text_of};
use crate::referenced_files::bitmap::{MAX_BYTES, Shade};
use crate::referenced_files::drawing::read_image;
use crate::referenced_files::ros_map::{self, MapNote, RosMap, image_path};

use self::free::free_pixel;

mod free;

/// The robot that a map has: that of most lessons about ROS maps.
const ROBOT: &str = "turtlebot3_burger";
/// The clearance (m) between the centre of the robot and everything that is not free.
const CLEARANCE_M: f64 = 0.2;
/// The colour of maps.
const COLOR: &str = "dim";

/// The message about a file that is not a map. With the importer of worlds, which reads all other files, it is not needed.
const NOT_A_MAP: &str = "is not a ROS map, and this build has no importer for RobotSwarmSimulator worlds; build with \
                         `--features robotswarmsimulator`";

/// Whether a file is a map, by its content.
pub(super) fn is_map(content: &[u8]) -> bool {
    ros_map::is_map(&ros_map::entries(&text_of(content)))
}

/// Reads a `map.yaml` as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the map.
pub fn import_map(kinds: &Kinds, source_name: &str, text: &str, _: &Options) -> Result<Imported, Problems> {
    if !ros_map::is_map(&ros_map::entries(text)) {
        return Err(Problems::of_file(source_name, NOT_A_MAP));
    }
    let refuse = |problems: Vec<Problem>| Problems { source_name: source_name.to_owned(), problems };
    let (mut report, read) = (Report::default(), RosMap::read(text));
    match &read {
        Ok(map) => map.warnings.iter().for_each(|MapNote { key, at, message }| report.warning(*at, key, message)),
        Err(notes) => notes.iter().for_each(|MapNote { key, at, message }| report.problem(*at, key, message)),
    }
    let warnings = report.finish(text).map_err(refuse)?;
    let Ok(map) = read else { return Err(refuse(Vec::new())) };
    let folder = Path::new(source_name).parent().unwrap_or(Path::new(""));
    let at_image = |message: String| Problem { path: "image".to_owned(), ..Problem::of_file(message) };
    let path = image_path(folder, &map.image).map_err(|error| refuse(vec![at_image(error.to_string())]))?;
    let bytes = files::read_at_most(&path, MAX_BYTES).map_err(|error| format!("`{}`: {error}", shown(&map.image)));
    let read = bytes.and_then(|bytes| scene(kinds, source_name, &map, &bytes));
    let (scene, more) = read.map_err(|message| refuse(vec![at_image(message)]))?;
    let included = vec![path];
    Ok(Imported { scene, warnings: warnings.into_iter().chain(more).collect(), included })
}

/// Reads an image of a map without its `map.yaml`, with a usual resolution and usual thresholds.
///
/// # Errors
/// When the image cannot be read.
pub fn import_image(kinds: &Kinds, source_name: &str, bytes: &[u8], _: &Options) -> Result<Imported, Problems> {
    let path = Path::new(source_name);
    let map = RosMap::of_image(&path.file_name().unwrap_or_default().to_string_lossy());
    let refuse = |message: String| Problems::of_file(source_name, message);
    let (scene, more) = scene(kinds, source_name, &map, bytes).map_err(refuse)?;
    let beside = ["yaml", "yml"].into_iter().map(|ending| path.with_extension(ending)).find(|path| path.is_file());
    let hint = match beside {
        Some(map) => {
            let name = map.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("`{}` beside it states them: open it instead", shown(&name))
        }
        None => "a `map.yaml` states them, as map servers of ROS read and write it".to_owned(),
    };
    let message = format!(
        "an image states neither its resolution nor its place: a pixel is {:?} m wide, and the lower left corner is the \
         origin; {hint}",
        map.resolution_m
    );
    Ok(Imported {
        scene,
        warnings: [Problem::of_file(message)].into_iter().chain(more).collect(),
        included: Vec::new(),
    })
}

/// The scene of a map with its image, and the warnings about it.
fn scene(kinds: &Kinds, source_name: &str, map: &RosMap, image: &[u8]) -> Result<(Scene, Vec<Problem>), String> {
    let mut warnings = Vec::new();
    let read = |map: &RosMap| {
        let mut drawing = Drawing { file: map.image.clone(), ..Drawing::default() };
        map.apply(&mut drawing);
        let bitmap = read_image(&mut drawing, image, Shade::Brightness);
        let bitmap = bitmap.map_err(|error| format!("`{}`: {error}", shown(&map.image)))?;
        Ok::<_, String>((drawing, bitmap))
    };
    let (drawing, bitmap) = read(map)?;
    if bitmap.differing > 0 {
        let message = format!(
            "the image has colours or an alpha channel: map servers of ROS read {} of its pixels otherwise, as those of ROS 1 \
             take the mean of all channels, also of alpha, and newer ones take transparent pixels as unknown",
            bitmap.differing
        );
        warnings.push(Problem { path: "image".to_owned(), ..Problem::of_file(message) });
    }
    let size_m = drawing.page * map.resolution_m;
    let corners = [DVec2::ZERO, DVec2::new(size_m.x, 0.0), size_m, DVec2::new(0.0, size_m.y)];
    let [x, y, yaw] = map.origin;
    let corners = corners.map(|corner| DVec2::new(x, y) + direction(yaw).rotate(corner));
    let (low, high) = swarmarium_space::polygon::bounds(&corners);
    let arena = Arena { corner_m: low, size_m: high - low, ..Arena::default() };
    // Cells that are not free, such as unknown ones, are those that are dark with another threshold.
    let not_free = RosMap { thresholds: [map.thresholds[1].min(map.thresholds[0]), 0.0], ..map.clone() };
    let to_pixels = |point: DVec2| direction(-yaw).rotate(point - DVec2::new(x, y)) / map.resolution_m;
    let not_free = read(&not_free).map_or_else(|_| drawing.clone(), |(not_free, _)| not_free);
    let start = free_pixel(&not_free, map.resolution_m, to_pixels(DVec2::ZERO), CLEARANCE_M);
    let groups = match start {
        Some(pixel) => {
            let at = DVec2::new(x, y) + direction(yaw).rotate(pixel * map.resolution_m);
            robot(kinds, at).into_iter().collect()
        }
        None => {
            let message = format!("no place with {CLEARANCE_M} m clearance: the scene has no robot");
            warnings.push(Problem::of_file(message));
            Vec::new()
        }
    };
    let presence = Presence { name: "map".to_owned(), color: COLOR.to_owned(), ..Presence::default() };
    let presence = Presence { heading_rad: wrap_angle(yaw), ..presence };
    let mut objects: Vec<Slot<ObjectFamily>> = Vec::new();
    if !bitmap.dark.is_empty() {
        objects.push(Slot::new(drawing).with(presence));
    } else {
        warnings.push(Problem::of_file("the map has no occupied pixel: the scene has no obstacle"));
    }
    let about = "A ROS map.".to_owned();
    Ok((Scene { name: scene_name(source_name), about, arena, groups, objects, ..Scene::default() }, warnings))
}

/// A robot that clients and the keys of the window drive; `None` in a program without its kinds.
fn robot(kinds: &Kinds, at_m: DVec2) -> Option<Group> {
    let text = format!("(name: \"robot\", robot: \"{ROBOT}\", controller: External(actuators: [MotionVw()]))");
    let mut group: Group = reader::read(kinds, "", &text).ok()?;
    group.at = vec![Placement { x_m: at_m.x, y_m: at_m.y, heading_rad: 0.0 }];
    Some(group)
}

#[cfg(test)]
mod tests;
