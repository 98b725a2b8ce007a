//! Exporters: scenes as files of other programs.

use std::path::Path;

use super::description::Scene;
use super::problem::{Problem, Problems};
use crate::simulation::Recipe;

pub mod simiam;

/// A file of another program, made from a scene.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The text of the file.
    pub text: String,
    /// What of the scene is not in it.
    pub warnings: Vec<Problem>,
}

/// Whether a scene can be written as a file of this name, judged by its extension.
pub fn can_export(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// Writes a scene as a file of another program: a world of pySimiam.
///
/// # Errors
/// Says what of the scene has no equivalent there. The problems are with the scene, which has the name `source_name`.
pub fn export(recipe: &Recipe, source_name: &str, scene: &Scene) -> Result<Exported, Problems> {
    simiam::export(recipe, scene).map_err(|problems| Problems { source_name: source_name.to_owned(), problems })
}
