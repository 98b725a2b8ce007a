//! pySimiam worlds: XML files, and the drawings that its `svg2world` converts into such files.
//!
//! Both are read as a [`World`], which becomes a scene. The export writes scenes as worlds.

use std::path::Path;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_base::xml;
use swarmarium_core::kind::Kinds;

use super::{Imported, Options, scene_name};
use crate::import::report::Report;

use self::world::World;

pub(crate) mod class_notes;
pub mod classes;
pub mod color;
mod drawing;
pub(crate) mod reader;
pub(crate) mod scene;
pub(crate) mod supervisor;
pub mod world;

/// A world that has been read.
pub struct ReadWorld {
    /// The world.
    pub world: World,
    /// The problems and warnings about the file.
    pub report: Report,
}

/// Reads a world or a drawing as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the file.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    let refuse = |problems| Problems { source_name: source_name.to_owned(), problems };
    let text = text.trim_start_matches('\u{feff}');
    let ReadWorld { world, mut report } = read(source_name, text, options).map_err(refuse)?;
    let name = scene_name(source_name);
    let scene = scene::scene(kinds, &name, &world, options, &mut report);
    let warnings = report.finish(text).map_err(refuse)?;
    Ok(Imported { scene, warnings, included: Vec::new() })
}

/// Whether a file is a drawing, judged by its extension.
pub fn is_drawing(source_name: &str) -> bool {
    has_extension(source_name, "svg")
}

/// Whether a file is a world, judged by its extension.
pub fn is_world(source_name: &str) -> bool {
    has_extension(source_name, "xml")
}

fn has_extension(source_name: &str, extension: &str) -> bool {
    Path::new(source_name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Reads a world or a drawing.
///
/// # Errors
/// When the text is not XML, or a drawing has no group to take shapes from.
pub fn read(source_name: &str, text: &str, options: &Options) -> Result<ReadWorld, Vec<Problem>> {
    let mut report = Report::default();
    let world = if is_drawing(source_name) {
        drawing::world(text, options, &mut report)
    } else {
        xml::screened(text).and_then(|screened| {
            let document = xml::parse(&screened)?;
            Ok(reader::world(document.root_element(), options.lenient, &mut report))
        })
    };
    world.map(|world| ReadWorld { world, report }).map_err(|problem| vec![problem])
}

#[cfg(test)]
pub(crate) mod tests;
