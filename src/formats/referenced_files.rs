//! The files that a scene names: tables of poses, drawings of bodies, maps of obstacles.

use std::error::Error;
use std::path::Path;

use swarmarium_base::problem::Problem;
use swarmarium_core::agent::body::Body;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::spawner::table::Table;
use swarmarium_scene::scene::description::Scene;

mod bitmap;
mod drawing;

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
        if let Some(object) = object.value_mut().downcast_mut::<Drawing>() {
            problems.extend(problem(format!("objects[{index}].file"), drawing::read_object(object, folder)));
        }
    }
    for (index, group) in scene.object_groups.iter_mut().enumerate() {
        if let Some(table) = group.spawn.value_mut().downcast_mut::<Table>() {
            problems.extend(problem(format!("object_groups[{index}].spawn.file"), table.read(folder)));
        }
        if let Some(object) = group.object.value_mut().downcast_mut::<Drawing>() {
            let path = format!("object_groups[{index}].object.file");
            problems.extend(problem(path, drawing::read_object(object, folder)));
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
    let drawing = |object: &Slot<ObjectFamily>| object.value().downcast_ref::<Drawing>().map(|it| it.file.clone());
    let of_object_groups = scene.object_groups.iter().flat_map(move |group| {
        let table = group.spawn.value().downcast_ref::<Table>().map(|table| table.file.clone());
        [table, drawing(&group.object)]
    });
    of_groups.chain(scene.objects.iter().map(drawing)).chain(of_object_groups).flatten().filter(|name| !name.is_empty())
}

/// The problem with a field whose file cannot be read.
fn problem<E: Error>(path: String, result: Result<(), E>) -> Option<Problem> {
    result.err().map(|error| Problem { place: None, path, message: error.to_string() })
}
