//! Importers: files of other programs, read as scenes.

use std::path::Path;

use super::description::Scene;
use super::problem::{Problem, Problems};
use crate::kind::Kinds;

pub mod robotswarmsimulator;

/// A scene made from a file of another program.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// What could not be carried over, and what was assumed, in the order of the text.
    pub warnings: Vec<Problem>,
}

/// What an importer is told besides the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Variables of templates, by name, in the order in which they were given.
    pub variables: Vec<(String, String)>,
    /// Whether files that are included may be outside the folder of the one that includes them.
    pub allow_outside: bool,
}

/// Whether a file is one to [`import`], judged by its extension.
pub fn can_import(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
}

/// As [`import_with`], without options.
///
/// # Errors
/// As there.
pub fn import(kinds: &Kinds, source_name: &str, text: &str) -> Result<Imported, Problems> {
    import_with(kinds, source_name, text, &Options::default())
}

/// Reads the text of a file of another program, judged by the extension of its name.
///
/// # Errors
/// Says all that is wrong with the file.
pub fn import_with(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    if !can_import(Path::new(source_name)) {
        let message = "cannot be imported: expected a RobotSwarmSimulator world, `.yaml` or `.yml`";
        return Err(Problems::of_file(source_name, message));
    }
    robotswarmsimulator::import(kinds, source_name, text, options)
}
