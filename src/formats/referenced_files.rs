//! The files that a scene names: tables of poses, drawings of bodies, maps of obstacles, pictures of floors, scripts.

use std::error::Error;
use std::path::{Path, PathBuf};

use swarmarium_base::files;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::body::Body;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::object::floor::FloorPicture;
use swarmarium_core::spawner::table::Table;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::scripts::scripts;

pub(crate) mod bitmap;
pub(crate) mod drawing;
pub(crate) mod floor;
mod pgm;
pub(crate) mod ros_map;

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
        problems.extend(read_object(object, format!("objects[{index}].file"), folder));
    }
    for (index, group) in scene.object_groups.iter_mut().enumerate() {
        if let Some(table) = group.spawn.value_mut().downcast_mut::<Table>() {
            problems.extend(problem(format!("object_groups[{index}].spawn.file"), table.read(folder)));
        }
        problems.extend(read_object(&mut group.object, format!("object_groups[{index}].object.file"), folder));
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
    let of_object_groups = scene.object_groups.iter().flat_map(move |group| {
        let table = group.spawn.value().downcast_ref::<Table>().map(|table| table.file.clone());
        [table, of_object(&group.object)]
    });
    let of_objects = scene.objects.iter().map(of_object);
    let of_scripts = scripts(scene).map(|script| Some(script.file));
    of_groups.chain(of_scripts).chain(of_objects).chain(of_object_groups).flatten().filter(|name| !name.is_empty())
}

/// The images of the ROS maps that a scene names, relative to its folder.
pub(crate) fn images_of_maps(scene: &Scene, folder: &Path) -> Vec<PathBuf> {
    let maps = names(scene).filter(|name| ros_map::has_ending(name));
    maps.filter_map(|name| ros_map::image_of(&files::within(folder, &name).ok()?)).collect()
}

/// Reads the file of an object, if it names one; `path` is that of its field.
fn read_object(object: &mut Slot<ObjectFamily>, path: String, folder: &Path) -> Option<Problem> {
    let object = object.value_mut();
    if let Some(drawing) = object.downcast_mut::<Drawing>() {
        return problem(path, drawing::read_object(drawing, folder));
    }
    problem(path, floor::read(object.downcast_mut::<FloorPicture>()?, folder))
}

/// The problem with a field whose file cannot be read.
fn problem<E: Error>(path: String, result: Result<(), E>) -> Option<Problem> {
    result.err().map(|error| Problem::of_field(path, error.to_string()))
}
