//! The files that a scene names: tables of poses, drawings of bodies, maps of obstacles, pictures of floors.

use std::error::Error;
use std::path::Path;

use swarmarium_base::problem::Problem;
use swarmarium_core::agent::body::Body;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::object::floor::FloorPicture;
use swarmarium_core::spawner::table::Table;
use swarmarium_scene::scene::description::Scene;

mod bitmap;
mod drawing;
mod floor;

/// Reads all files that a scene names, relative to its folder.
pub(crate) fn read_all(scene: &mut Scene, folder: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, group) in scene.groups.iter_mut().enumerate() {
        if let Some(table) = group.spawn.value_mut().downcast_mut::<Table>() {
            problems.extend(problem(format!("groups[{index}].spawn.file"), table.read(folder)));
        }
        problems.extend(problem(format!("groups[{index}].body.file"), drawing::read_body(&mut group.body, folder)));
    }
    for (index, object) in scene.objects.iter_mut().enumerate() {
        let path = format!("objects[{index}].file");
        if let Some(object) = object.value_mut().downcast_mut::<Drawing>() {
            problems.extend(problem(path, drawing::read_object(object, folder)));
        } else if let Some(picture) = object.value_mut().downcast_mut::<FloorPicture>() {
            problems.extend(problem(path, floor::read(picture, folder)));
        }
    }
    problems
}

/// The names of the files that a scene names, relative to its folder.
pub(crate) fn names(scene: &Scene) -> impl Iterator<Item = String> {
    let of_groups = scene.groups.iter().flat_map(|group| {
        let table = group.spawn.value().downcast_ref::<Table>().map(|table| table.file.clone());
        let body = if let Body::Polygon { file, .. } = &group.body { Some(file.clone()) } else { None };
        [table, body]
    });
    let of_object = |object: &Slot<ObjectFamily>| {
        let drawing = object.value().downcast_ref::<Drawing>().map(|it| it.file.clone());
        drawing.or_else(|| object.value().downcast_ref::<FloorPicture>().map(|it| it.file.clone()))
    };
    of_groups.chain(scene.objects.iter().map(of_object)).flatten().filter(|name| !name.is_empty())
}

/// The problem with a field whose file cannot be read.
fn problem<E: Error>(path: String, result: Result<(), E>) -> Option<Problem> {
    result.err().map(|error| Problem { place: None, path, message: error.to_string() })
}
