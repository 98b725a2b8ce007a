//! The files that a scene names: tables of poses, drawings of bodies, maps of obstacles.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::body::Body;
use swarmarium_core::object::drawing::{Drawing, TOLERANCE_M};
use swarmarium_core::scene::description::Scene;
use swarmarium_core::spawner::table::Table;
use swarmarium_space::drawing;

/// Why the drawing of a body cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum BodyError {
    /// The name is not that of a file in the folder of the scene.
    #[error("{0}")]
    Name(String),
    /// The file is not a drawing with one outline.
    #[error("`{file}`: {reason}")]
    Drawing {
        /// The name of the file.
        file: String,
        /// The reason.
        reason: String,
    },
}

/// Reads all files that a scene names, relative to its folder.
pub(crate) fn read_all(scene: &mut Scene, folder: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, group) in scene.groups.iter_mut().enumerate() {
        if let Some(table) = group.spawn.value_mut().downcast_mut::<Table>() {
            problems.extend(problem(format!("groups[{index}].spawn.file"), table.read(folder)));
        }
        problems.extend(problem(format!("groups[{index}].body.file"), read_body(&mut group.body, folder)));
    }
    for (index, object) in scene.objects.iter_mut().enumerate() {
        if let Some(drawing) = object.value_mut().downcast_mut::<Drawing>() {
            problems.extend(problem(format!("objects[{index}].file"), drawing.read(folder)));
        }
    }
    problems
}

/// The problem with a field whose file cannot be read.
fn problem<E: ToString>(path: String, result: Result<(), E>) -> Option<Problem> {
    result.err().map(|error| Problem { place: None, path, message: error.to_string() })
}

/// Reads the drawing of a body that names one and has no corners yet.
fn read_body(body: &mut Body, folder: &Path) -> Result<(), BodyError> {
    let Body::Polygon { corners_m, file, .. } = body else { return Ok(()) };
    if !corners_m.is_empty() || file.is_empty() {
        return Ok(());
    }
    let path = files::within(folder, file).map_err(|error| BodyError::Name(error.to_string()))?;
    let unreadable = |reason: String| BodyError::Drawing { file: file.clone(), reason };
    let bytes = files::read_at_most(&path, drawing::MAX_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let text = drawing::svg_text(bytes).map_err(|error| unreadable(error.to_string()))?;
    let outline = drawing::only_outline(&text, TOLERANCE_M).map_err(|error| unreadable(error.to_string()))?;
    // In drawings, y points down.
    *corners_m = outline.into_iter().map(|corner| DVec2::new(corner.x, -corner.y)).collect();
    Ok(())
}
