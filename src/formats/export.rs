//! Exporters: scenes as files of other programs.

use std::path::Path;

use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::simulation::Recipe;

pub mod mcap;
pub mod morse;
pub mod simiam;

/// A file of another program, made from a scene.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exported {
    /// The text of the file.
    pub text: String,
    /// The parts of the scene that the file does not have.
    pub warnings: Vec<Problem>,
}

/// A function that writes a scene.
type Exporter = fn(&Recipe, &Scene) -> Result<Exported, Vec<Problem>>;

/// The files that can be written: extension, description, exporter.
const FILES: [(&str, &str, Exporter); 2] =
    [("xml", "a pySimiam world", simiam::export), ("py", "a MORSE configuration", morse::export)];

fn exporter(path: &Path) -> Option<Exporter> {
    let extension = path.extension()?;
    FILES.iter().find(|(known, ..)| extension.eq_ignore_ascii_case(known)).map(|(.., exporter)| *exporter)
}

/// The files that can be written, for messages: ``a pySimiam world `.xml` ``.
pub fn expected() -> String {
    let all: Vec<String> =
        FILES.iter().map(|(extension, description, _)| format!("{description} `.{extension}`")).collect();
    all.join(", ")
}

/// Whether [`export`] can write a file with this extension.
pub fn can_export(path: &Path) -> bool {
    exporter(path).is_some()
}

/// Writes a scene as a file of another program, which the extension of `output` identifies.
///
/// # Errors
/// Lists the parts of the scene without an equivalent. The problems are with the scene, which has the name `source_name`.
pub fn export(recipe: &Recipe, output: &Path, source_name: &str, scene: &Scene) -> Result<Exported, Problems> {
    match exporter(output) {
        Some(exporter) => {
            exporter(recipe, scene).map_err(|problems| Problems { source_name: source_name.to_owned(), problems })
        }
        None => Err(Problems::of_file(shown(output), format!("cannot be written: expected {}", expected()))),
    }
}
