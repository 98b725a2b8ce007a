//! The files beside a scene that it names: tables of poses, drawings of bodies, maps of obstacles.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::body::Body;
use swarmarium_core::object::drawing::{Drawing, TOLERANCE_M};
use swarmarium_core::scene::description::Scene;
use swarmarium_core::spawner::table::Table;
use swarmarium_space::drawing;

/// Reads all files that a scene names, relative to its folder.
pub(crate) fn read_all(scene: &mut Scene, folder: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut note = |path: String, read: Result<(), String>| {
        problems.extend(read.err().map(|message| Problem { place: None, path, message }));
    };
    for (index, group) in scene.groups.iter_mut().enumerate() {
        if let Some(table) = group.spawn.value_mut().downcast_mut::<Table>() {
            note(format!("groups[{index}].spawn.file"), table.read(folder));
        }
        note(format!("groups[{index}].body.file"), read_body(&mut group.body, folder));
    }
    for (index, object) in scene.objects.iter_mut().enumerate() {
        if let Some(drawing) = object.value_mut().downcast_mut::<Drawing>() {
            note(format!("objects[{index}].file"), drawing.read(folder));
        }
    }
    problems
}

/// Reads the drawing of a body, when there is one and it has no corners yet.
fn read_body(body: &mut Body, folder: &Path) -> Result<(), String> {
    let Body::Polygon { corners_m, file, .. } = body else { return Ok(()) };
    if !corners_m.is_empty() || file.is_empty() {
        return Ok(());
    }
    let path = files::within(folder, file)?;
    let text = files::read_at_most(&path, drawing::MAX_BYTES).and_then(drawing::svg_text);
    let outline = text.and_then(|text| drawing::only_outline(&text, TOLERANCE_M));
    let outline = outline.map_err(|message| format!("`{file}`: {message}"))?;
    // In drawings y points down.
    *corners_m = outline.into_iter().map(|corner| DVec2::new(corner.x, -corner.y)).collect();
    Ok(())
}
